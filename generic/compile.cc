// What lua/compile.lua makes tensor.compile of: which calls of a function are alike, what was
// recorded of them, and doing it again.

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "bindings.h"
#include "luaT.h"
#include "memory/stats.h"
#include "ops/record.h"

namespace bind {

namespace {

constexpr size_t kMostSignatures = 16;
constexpr const char* kClass = "tensor.compiled";
constexpr int kRecordings = 2;  // which must be the same, before they are believed

// What a function returned: a result, an argument, or something that is the same each time.
struct Returned {
  enum Kind { result, argument, nothing, boolean, number, text } kind;
  int index = 0;  // of a result or an argument; a boolean; whether the number is an integer
  double value = 0;
  std::string string = {};
  bool operator==(const Returned& other) const {
    return kind == other.kind && index == other.index && string == other.string &&
           std::memcmp(&value, &other.value, sizeof(value)) == 0;
  }
};

struct Place {
  const Storage* storage;
  ptrdiff_t offset;
  bool operator!=(const Place& other) const {
    return storage != other.storage || offset != other.offset;
  }
};
Place place_of(const Tensor* t) { return {t->storage, t->storageOffset}; }

// Calls with arguments of the same types, sizes and strides, and the same numbers.
struct Signature {
  std::string key, shown, reason;
  std::unique_ptr<th::Recorded> recorded;
  std::vector<Returned> returned;
  // Of the arguments: where they were at the last recording, and whether they were at several
  // places. What was at one each time may be what the function has from elsewhere, too.
  std::vector<Place> places;
  std::vector<bool> varied;
  int recordings = 0;
  int replays = 0;
};

// A call's arguments and the function's upvalues.
struct Call {
  std::string key;
  std::vector<Tensor*> tensors;
  std::vector<int> places;  // theirs on the stack; -1, -2, ...: upvalues
  bool known = true;        // whether the key says all
};

struct Compiled {
  std::vector<std::unique_ptr<Signature>> signatures;
  Call call;      // the last one
  Call upvalues;  // as they were before the recording
  std::string geometry;
  Signature* signature = nullptr;  // that is being recorded
  std::unique_ptr<th::Recorder> recorder;
  int refused = 0;  // calls for which there was no room
};

Compiled& compiled_at(lua_State* L) {
  auto** box = static_cast<Compiled**>(luaL_checkudata(L, 1, kClass));
  if (!*box) luaL_argerror(L, 1, "the Lua state is closing");
  return **box;
}

int delete_compiled(lua_State* L) {
  auto** box = static_cast<Compiled**>(lua_touserdata(L, 1));
  delete *box;
  *box = nullptr;
  return 0;
}

// new(): what the functions below have as their first argument.
int make(lua_State* L) {
  auto** box = static_cast<Compiled**>(lua_newuserdata(L, sizeof(void*)));
  *box = nullptr;
  if (luaL_newmetatable(L, kClass)) {
    push_closure(L, guarded<delete_compiled>, 0);
    lua_setfield(L, -2, "__gc");
    lua_pushboolean(L, 0);  // nobody gets the finalizer to call it
    lua_setfield(L, -2, "__metatable");
  }
  lua_setmetatable(L, -2);
  lua_newtable(L);
  compat_setenv(L, -2);
  *box = new Compiled;
  return 1;
}

template <class T>
void append(std::string* key, const T& value) {
  key->append(reinterpret_cast<const char*>(&value), sizeof(value));
}

void append_tensor(Call* c, Tensor* t) {
  std::string& key = c->key;
  append(&key, t->dtype);
  append(&key, t->nDimension);
  key.append(reinterpret_cast<const char*>(t->size), t->nDimension * sizeof(int64_t));
  key.append(reinterpret_cast<const char*>(t->stride), t->nDimension * sizeof(int64_t));
  size_t like = 0;
  while (like < c->tensors.size() && (!t->storage || c->tensors[like]->storage != t->storage)) {
    ++like;
  }
  append(&key, like);
  if (like < c->tensors.size()) {
    append(&key, t->storageOffset - c->tensors[like]->storageOffset);
    append(&key, c->tensors[like] == t);
  }
  c->tensors.push_back(t);
}

bool is_integer([[maybe_unused]] lua_State* L, [[maybe_unused]] int index) {
#if LUA_VERSION_NUM >= 503
  return lua_isinteger(L, index);
#else
  return false;
#endif
}

// place: that of an argument, which is there, or of an upvalue, which is at the top of the stack.
void append_value(lua_State* L, State* state, Call* c, int place) {
  const int index = place > 0 ? place : lua_gettop(L);
  const int type = lua_type(L, index);
  c->key += static_cast<char>(type);
  Object object = object_at(L, state, index);
  if (object.is_tensor() && object.payload) {
    append_tensor(c, object.tensor());
    return c->places.push_back(place);
  }
  if (type == LUA_TNUMBER && is_integer(L, index)) {
    c->key += 'i';
    return append(&c->key, lua_tointeger(L, index));
  }
  if (type == LUA_TNUMBER) return append(&c->key, lua_tonumber(L, index));
  if (type == LUA_TBOOLEAN) return append(&c->key, lua_toboolean(L, index));
  if (type == LUA_TSTRING) {
    size_t length;
    const char* text = lua_tolstring(L, index, &length);
    append(&c->key, length);
    c->key.append(text, length);
  } else if (type != LUA_TNIL) {
    append(&c->key, lua_topointer(L, index));
    c->known = c->known && place < 0;  // what is in an argument may be another thing next time
  }
}

// The key and the tensors of a call: a function at 2, and its arguments.
void read_call(lua_State* L, State* state, Call* c, int last) {
  c->key.clear();
  c->tensors.clear();
  c->places.clear();
  c->known = true;
  append(&c->key, state->rules);
  append(&c->key, state->default_type);
  append(&c->key, last);
  for (int k = 3; k <= last; ++k) append_value(L, state, c, k);
  for (int k = 1; lua_getupvalue(L, 2, k); ++k) {
    append_value(L, state, c, -k);
    lua_pop(L, 1);
  }
}

std::string shown_call(lua_State* L, State* state, int last) {
  std::string text;
  for (int k = 3; k <= last; ++k) {
    if (k > 3) text += ", ";
    Object object = object_at(L, state, k);
    if (object.is_tensor()) {
      text += std::string(th::name(object.dtype())) + th::shape_text(*object.tensor());
    } else if (lua_type(L, k) == LUA_TNUMBER) {
      char number[32];
      std::snprintf(number, sizeof(number), "%.14g", lua_tonumber(L, k));
      text += number;
    } else {
      text += luaL_typename(L, k);
    }
  }
  return "(" + text + ")";
}

Signature* find(const Compiled& c) {
  for (const auto& s : c.signatures) {
    if (s->key == c.call.key) return s.get();
  }
  return nullptr;
}

// A table or a function that is gone would leave its address to another.
void keep_upvalues(lua_State* L) {
  for (int k = 1; lua_getupvalue(L, 2, k); ++k) {
    if (lua_isnil(L, -1) || lua_isnumber(L, -1)) {
      lua_pop(L, 1);
    } else {
      luaL_ref(L, -2);
    }
  }
}

bool must_record(const Signature& s, const Call& c) {
  if (s.recordings < kRecordings) return true;
  for (size_t k = 0; k < c.tensors.size(); ++k) {
    if (place_of(c.tensors[k]) != s.places[k] && !s.varied[k]) return true;
  }
  return false;
}

void push_returned(lua_State* L, const Call& c, const Returned& returned, int first_result) {
  switch (returned.kind) {
    case Returned::result:
      return lua_pushvalue(L, first_result + returned.index);
    case Returned::argument:
      if (int place = c.places[returned.index]; place > 0) return lua_pushvalue(L, place);
      lua_getupvalue(L, 2, -c.places[returned.index]);
      return;
    case Returned::nothing:
      return lua_pushnil(L);
    case Returned::boolean:
      return lua_pushboolean(L, returned.index);
    case Returned::number:
      if (returned.index) return compat_pushint64(L, static_cast<int64_t>(returned.value));
      return lua_pushnumber(L, returned.value);
    case Returned::text:
      lua_pushlstring(L, returned.string.data(), returned.string.size());
  }
}

int replay(lua_State* L, State* state, Compiled* c, Signature* s, int last) {
  const th::Recorded& recorded = *s->recorded;
  const auto count = static_cast<int>(recorded.results.size());
  const int first = lua_gettop(L) + 1;
  luaL_checkstack(L, count + 10, "results");
  for (int k = 0; k < count; ++k) push_new_tensor(L, state, recorded.results[k].type);
  // Finalizers may have run.
  read_call(L, state, &c->call, last);
  if (c->call.key != s->key) {
    lua_pushboolean(L, 0);
    return 1;
  }
  std::vector<Tensor*>& tensors = c->call.tensors;
  const size_t arguments = tensors.size();
  for (int k = 0; k < count; ++k) tensors.push_back(check_tensor(L, state, first + k));
  protect(L, "compile", [&] {
    th::OpScope scope("compile");
    recorded.run(tensors.data() + arguments, tensors.data());
  });
  ++s->replays;
  if (s->returned.size() == 1 && s->returned[0].kind == Returned::result) return 1;
  lua_pushboolean(L, 1);
  lua_createtable(L, static_cast<int>(s->returned.size()), 1);
  lua_pushinteger(L, static_cast<lua_Integer>(s->returned.size()));
  lua_setfield(L, -2, "n");
  for (size_t k = 0; k < s->returned.size(); ++k) {
    push_returned(L, c->call, s->returned[k], first);
    lua_rawseti(L, -2, static_cast<int>(k) + 1);
  }
  return 2;
}

std::string geometry_of(const std::vector<Tensor*>& tensors) {
  Call all;
  for (Tensor* t : tensors) append_tensor(&all, t);
  return all.key;
}

// call(compiled, f, ...): the result of f(...) where that is one tensor; true and a table
// of the results; false where f is to be called; nil where it is to be recorded.
int call(lua_State* L) {
  State* state = state_of(L);
  Compiled& c = compiled_at(L);
  check_kind(L, 2, LUA_TFUNCTION);
  const int last = lua_gettop(L);
  luaL_checkstack(L, 10, "upvalues");
  auto call_it = [&] {
    lua_pushboolean(L, 0);
    return 1;
  };
  if (c.recorder || th::watcher()) return call_it();
  read_call(L, state, &c.call, last);
  if (!c.call.known) return call_it();
  Signature* s = find(c);
  if (!s) {
    if (c.signatures.size() >= kMostSignatures) {
      ++c.refused;
      return call_it();
    }
    compat_getenv(L, 1);
    keep_upvalues(L);
    lua_settop(L, last);
    read_call(L, state, &c.call, last);
    c.signatures.emplace_back(new Signature);
    s = c.signatures.back().get();
    s->key = c.call.key;
    s->shown = shown_call(L, state, last);
  }
  if (!s->reason.empty()) return call_it();
  if (s->recorded && !s->recorded->is_current()) s->recordings = 0;
  if (!must_record(*s, c.call)) return replay(L, state, &c, s, last);
  read_call(L, state, &c.upvalues, 2);
  c.geometry = geometry_of(c.call.tensors);
  c.recorder.reset(new th::Recorder(c.call.tensors));
  c.signature = s;
  return 0;
}

int start(lua_State* L) {
  Compiled& c = compiled_at(L);
  if (c.recorder) c.recorder->start();
  return 0;
}

// stop(compiled, why): the function has left; it is not known when it comes back.
int stop(lua_State* L) {
  Compiled& c = compiled_at(L);
  if (!c.recorder) return 0;
  c.recorder->give_up("%s", check_string(L, 2));
  c.signature->reason = c.recorder->reason();
  c.recorder.reset();
  return 0;
}

// What the function returned, from a place of the stack on; false where that cannot be done again.
bool read_returned(lua_State* L, State* state, const Compiled& c, int first,
                   std::vector<Returned>* returned, std::vector<Tensor*>* results) {
  for (int k = first; k <= lua_gettop(L); ++k) {
    Object object = object_at(L, state, k);
    const int type = lua_type(L, k);
    Returned value{Returned::nothing};
    if (object.is_tensor() && object.payload) {
      value.kind = Returned::argument;
      value.index = c.recorder->argument_of(object.tensor());
      if (value.index < 0) {
        auto known = std::find(results->begin(), results->end(), object.tensor());
        value.kind = Returned::result;
        value.index = static_cast<int>(known - results->begin());
        if (known == results->end()) results->push_back(object.tensor());
      }
    } else if (type == LUA_TBOOLEAN) {
      value.kind = Returned::boolean;
      value.index = lua_toboolean(L, k);
    } else if (type == LUA_TNUMBER) {
      value.kind = Returned::number;
      value.value = lua_tonumber(L, k);
      value.index = is_integer(L, k);
    } else if (type == LUA_TSTRING) {
      size_t length;
      const char* text = lua_tolstring(L, k, &length);
      value.kind = Returned::text;
      value.string.assign(text, length);
    } else if (type != LUA_TNIL) {
      c.recorder->give_up("returns a %s", luaL_typename(L, k));
      return false;
    }
    returned->push_back(std::move(value));
  }
  return true;
}

// The recording of a call that has returned.
void take(lua_State* L, State* state, Compiled* c, Signature* s) {
  th::Recorder& recorder = *c->recorder;
  Call now;
  read_call(L, state, &now, 2);
  if (now.key != c->upvalues.key || now.tensors != c->upvalues.tensors ||
      geometry_of(c->call.tensors) != c->geometry) {
    recorder.give_up("changes its upvalues, or its arguments' sizes");
  }
  std::vector<Returned> returned;
  std::vector<Tensor*> results;
  std::unique_ptr<th::Recorded> recorded;
  if (read_returned(L, state, *c, 4, &returned, &results)) recorded = recorder.finish(results);
  std::vector<Place> places;
  for (const Tensor* t : c->call.tensors) places.push_back(place_of(t));
  if (!recorded) {
    s->reason = recorder.reason();
  } else if (s->recordings == 0) {
    s->recorded = std::move(recorded);
    s->returned = std::move(returned);
    s->varied.assign(places.size(), false);
  } else if (!recorded->same_as(*s->recorded) || !(returned == s->returned)) {
    s->reason = "does not do the same each time";
  } else {
    for (size_t k = 0; k < places.size(); ++k) {
      s->varied[k] = s->varied[k] || places[k] != s->places[k];
    }
  }
  if (!s->reason.empty()) s->recorded.reset();
  s->places = std::move(places);
  ++s->recordings;
}

// finish(compiled, f, whether it returned, ...): with what it returned.
int finish(lua_State* L) {
  State* state = state_of(L);
  Compiled& c = compiled_at(L);
  check_kind(L, 2, LUA_TFUNCTION);
  if (!c.recorder) return 0;
  th::Recorder& recorder = *c.recorder;
  Signature* s = c.signature;
  if (!lua_toboolean(L, 3)) {
    recorder.stop();  // errors are no reason not to try again
  } else if (!recorder.reason().empty()) {
    s->reason = recorder.reason();
  } else {
    take(L, state, &c, s);
  }
  c.recorder.reset();
  return 0;
}

// explain(compiled): for each signature, what it is and what becomes of its calls.
int explain(lua_State* L) {
  Compiled& c = compiled_at(L);
  lua_newtable(L);
  int row = 0;
  for (const auto& s : c.signatures) {
    lua_pushfstring(L, "%s: ", s->shown.c_str());
    if (!s->reason.empty()) {
      lua_pushfstring(L, "not compiled: the function %s", s->reason.c_str());
    } else if (s->recordings < kRecordings) {
      lua_pushfstring(L, "recorded %d of %d times", s->recordings, kRecordings);
    } else {
      const auto count = static_cast<int>(s->recorded->results.size());
      lua_pushfstring(L, "%d operations in %d expression%s, done %d times", s->recorded->operations,
                      count, count == 1 ? "" : "s", s->replays);
    }
    lua_concat(L, 2);
    lua_rawseti(L, -2, ++row);
  }
  if (c.refused) {
    lua_pushfstring(L, "%d calls with other arguments: not compiled: %d kinds are kept", c.refused,
                    static_cast<int>(kMostSignatures));
    lua_rawseti(L, -2, ++row);
  }
  return 1;
}

const Method functions[] = {{"new", guarded<make>},      {"call", guarded<call>},
                            {"start", guarded<start>},   {"stop", guarded<stop>},
                            {"finish", guarded<finish>}, {"explain", guarded<explain>}};

}  // namespace

void register_compile_functions(lua_State* L, int module) {
  lua_newtable(L);
  set_functions(L, functions, lua_gettop(L));
  lua_setfield(L, module, "_compile");
}

}  // namespace bind
