// The native part of lua/core/compile.lua: finds the recording for a call, records a call, and
// replays a recording.

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/op_scope.h"
#include "bindings.h"
#include "grad/tape.h"
#include "luaT.h"
#include "native.h"
#include "signature.h"

namespace bind {

namespace {

constexpr size_t kMostSignatures = 16;
constexpr int kRecordings = 2;     // that have to agree before the first replay
constexpr int kFirstArgument = 3;  // of call()

struct Compiled {
  std::vector<std::unique_ptr<Signature>> signatures;
  CallInputs call;
  std::vector<Tensor*> results;  // of the last call
  uint64_t calls = 0;            // shows a call by a finalizer in the middle of another call
  bool running = false;
  std::unique_ptr<th::Recorder> recorder;
  int lists = 0;     // lists of dependencies made so far
  int changing = 0;  // recordings that changed what they depend on, since the last one to replay
  int refused = 0;   // calls for which there was no signature left
};

}  // namespace

template <>
const char* Native<Compiled>::key() {
  return "tensor.compiled";
}

namespace {

Compiled& compiled_at(lua_State* L) {
  return Native<Compiled>::check(L, 1, "the Lua state is closing");
}

// new(): the first argument of the functions below.
int make(lua_State* L) {
  auto** box = Native<Compiled>::push(L);
  lua_newtable(L);
  compat_setenv(L, -2);
  *box = new Compiled;
  return 1;
}

Signature* find(lua_State* L, State* state, Compiled* c) {
  for (const auto& s : c->signatures) {
    if (matches(L, state, *s, &c->call)) return s.get();
  }
  return nullptr;
}

int push_false(lua_State* L) {
  lua_pushboolean(L, 0);
  return 1;
}

// The inputs are known and on the stack.
int replay(lua_State* L, State* state, Compiled* c, Signature* s) {
  const th::Recorded& recorded = *s->recorded;
  const auto count = static_cast<int>(recorded.results.size());
  const uint64_t calls = c->calls;
  const int first = lua_gettop(L) + 1;
  if (!lua_checkstack(L, count + 10)) return push_false(L);
  for (int k = 0; k < count; ++k) push_new_tensor(L, state, recorded.result_type(k));
  const bool single = s->returned.size() == 1 && s->returned[0].kind == Returned::result;
  if (!single) push_table_of_returned(L, s->returned);
  // Nothing below allocates Lua objects. Finalizers that ran above can have called this function,
  // or have changed the inputs.
  if (c->calls != calls || !c->call.inputs.unchanged(L, state)) return push_false(L);
  c->call.geometry.clear();
  c->call.inputs.append_key(&c->call.geometry);
  if (c->call.geometry != s->geometry) return push_false(L);
  std::vector<Tensor*>& results = c->results;
  results.resize(count);
  for (int k = 0; k < count; ++k) results[k] = check_tensor(L, state, first + k);
  for (int k : recorded.written) {
    refuse_held(L, state, "compile", c->call.inputs.tensors[k]->storage);
  }
  th::Generator* generator = state->generator;
  bool done = false;
  protect(L, "compile", [&] {
    th::OpScope scope("compile");
    th::RulesScope rules(state->rules);
    // If memory is short, finalizers run here, too. Their calls of this function are not compiled.
    struct Running {
      bool& flag;
      explicit Running(bool* of) : flag(*of) { flag = true; }
      ~Running() { flag = false; }
    } running(&c->running);
    done = recorded.run(results.data(), c->call.inputs.tensors.data(), generator);
  });
  if (!done) return push_false(L);
  ++s->replays;
  if (single) return 1;
  for (size_t k = 0; k < s->returned.size(); ++k) {
    const Returned& returned = s->returned[k];
    if (returned.kind == Returned::element) {
      const Tensor* t = results[returned.index];
      lua_pushnumber(L, *t->data_as<double>(th::Access::read));
      lua_rawseti(L, -2, static_cast<int>(k) + 1);
    }
    if (returned.kind > Returned::input) continue;
    const bool is_result = returned.kind == Returned::result;
    lua_pushvalue(L, is_result ? first + returned.index : c->call.inputs.positions[returned.index]);
    lua_rawseti(L, -2, static_cast<int>(k) + 1);
  }
  return 2;
}

// call(compiled, f, ...): the result of f(...) if that is one tensor; true and a table of results;
// false if f has to be called; nil if the call should be recorded.
int call(lua_State* L) {
  State* state = state_of(L);
  Compiled& c = compiled_at(L);
  check_kind(L, 2, LUA_TFUNCTION);
  const int last = lua_gettop(L);
  luaL_checkstack(L, 10, "arguments");
  if (c.recorder || c.running || th::has_tracers()) return push_false(L);
  ++c.calls;
  read_arguments(L, state, &c.call, kFirstArgument, last);
  if (!c.call.comparable) return push_false(L);
  Signature* s = find(L, state, &c);
  if (!s) {
    if (c.signatures.size() < kMostSignatures) return 0;
    ++c.refused;
    return push_false(L);
  }
  if (!s->reason.empty()) return push_false(L);
  return s->recordings < kRecordings ? 0 : replay(L, state, &c, s);
}

// The arguments of record().
constexpr int kThread = 3, kRows = 4, kKinds = 5, kFirstRecorded = 6;

void set_rows(lua_State* L, int list, bool keep) {
  compat_getenv(L, 1);
  if (keep) {
    lua_pushvalue(L, kRows);
  } else {
    lua_pushnil(L);
  }
  lua_rawseti(L, -2, list);
  lua_pop(L, 1);
}

// From now on the function is called for these arguments.
void refuse(lua_State* L, Signature* s, std::string_view reason) {
  s->reason = reason;
  s->recorded.reset();
  s->dependencies = Dependencies();
  s->geometry.resize(s->arguments);
  if (s->rows) set_rows(L, s->rows, false);
}

// Describes a value that differs from an earlier signature with the same arguments, or returns "".
std::string changed_value(lua_State* L, State* state, Compiled* c) {
  const int top = lua_gettop(L);
  std::string text;
  for (const auto& s : c->signatures) {
    if (s->values != c->call.values || s->dependencies.empty() || !text.empty()) continue;
    c->call.inputs.resize(c->call.arguments);
    const int rows = push_rows(L, *s);
    const int row = s->dependencies.first_change(L, state, rows, &c->call.inputs);
    if (row >= 0) text = s->dependencies.row_text(L, rows, row);
    lua_settop(L, top);
  }
  c->call.inputs.resize(c->call.arguments);
  return text;
}

// The signature of the call that is about to be recorded, with its inputs on the stack. Null if
// the call is not recorded.
Signature* signature_to_record(lua_State* L, State* state, Compiled* c, int last) {
  if (c->recorder || c->running || th::has_tracers()) return nullptr;
  ++c->calls;
  read_arguments(L, state, &c->call, kFirstRecorded, last);
  if (!c->call.comparable) return nullptr;
  if (Signature* known = find(L, state, c)) {
    return known->reason.empty() && known->recordings < kRecordings ? known : nullptr;
  }
  if (c->signatures.size() >= kMostSignatures) return nullptr;
  std::unique_ptr<Signature> s(new Signature);
  s->changed = changed_value(L, state, c);
  if (!lua_isnil(L, kRows)) set_rows(L, s->rows = ++c->lists, true);
  // Finalizers run by the allocations above can have changed the arguments.
  read_arguments(L, state, &c->call, kFirstRecorded, last);
  s->values = c->call.values;
  s->shown = shown_call(L, state, kFirstRecorded, last);
  c->call.inputs.append_key(&s->geometry);
  s->arguments = s->geometry.size();
  const char* kinds = lua_tostring(L, kKinds);
  if (lua_isnil(L, kRows)) {
    s->reason = kinds;
  } else if (s->dependencies = Dependencies(L, kRows, kinds); !s->dependencies.fits_stack(L)) {
    refuse(L, s.get(), "can read too many tensors");
  } else if (s->dependencies.first_change(L, state, kRows, &c->call.inputs) >= 0) {
    set_rows(L, s->rows, false);
    return nullptr;
  } else {
    s->geometry.clear();
    c->call.inputs.append_key(&s->geometry);
  }
  c->signatures.push_back(std::move(s));
  Signature* added = c->signatures.back().get();
  return added->reason.empty() ? added : nullptr;
}

// Refuses a recording during which anything changed that the function depends on.
void check_unchanged(lua_State* L, State* state, const Compiled& c, const Signature& s, int last) {
  th::Recorder& recorder = *c.recorder;
  std::vector<int64_t> settings;
  append_settings(state, last - kFirstRecorded, &settings);
  if (!std::equal(settings.begin(), settings.end(), s.values.begin())) {
    return recorder.give_up("changes settings of the module");
  }
  const int top = lua_gettop(L);
  TensorsOnStack now = c.call.inputs;
  now.resize(c.call.arguments);
  if (!s.dependencies.empty()) {
    const int rows = push_rows(L, s);
    if (int row = s.dependencies.first_change(L, state, rows, &now); row >= 0) {
      const std::string text = s.dependencies.row_text(L, rows, row);
      recorder.give_up("changes %s, on which it depends", text.c_str());
    }
  }
  std::vector<int64_t> geometry;
  if (recorder.reason().empty() && now.unchanged(L, state) &&
      now.tensors == c.call.inputs.tensors) {
    now.append_key(&geometry);
  }
  lua_settop(L, top);
  if (recorder.reason().empty() && geometry != s.geometry) {
    recorder.give_up(
        "changes the sizes of its arguments, or assigns tensors to variables outside of it");
  }
}

// Takes over a recording. The values that the function returned are at the top of the stack.
void finish(lua_State* L, State* state, Compiled* c, Signature* s, int last, int first) {
  th::Recorder& recorder = *c->recorder;
  if (recorder.reason().empty()) {
    check_unchanged(L, state, *c, *s, last);
    // The first time, this may be a value that is computed once and kept: try again.
    if (!recorder.reason().empty() && c->changing++ == 0) {
      auto of_s = [s](const auto& other) { return other.get() == s; };
      auto& all = c->signatures;
      set_rows(L, s->rows, false);
      all.erase(std::find_if(all.begin(), all.end(), of_s));
      return;
    }
  }
  std::vector<Returned> returned;
  std::vector<Tensor*> results;
  std::unique_ptr<th::Recorded> recorded;
  if (recorder.reason().empty() && read_returned(L, state, &recorder, first, &returned, &results)) {
    th::RulesScope rules(state->rules);
    recorded = recorder.finish(results);
  }
  if (!recorded) {
    refuse(L, s, recorder.reason());
  } else if (!s->recorded) {
    s->recorded = std::move(recorded);
    s->returned = std::move(returned);
  } else if (!recorded->same_as(*s->recorded) || !(returned == s->returned)) {
    refuse(L, s, "does not do the same each time");
  }
  ++s->recordings;  // last: if memory is short above, the next call records again
  if (s->reason.empty() && s->recordings == kRecordings) c->changing = 0;
}

// Replaces the tracked numbers that f returned by plain ones.
void settle_numbers(lua_State* L, State* state, int first) {
  for (int k = first; k <= lua_gettop(L); ++k) {
    Tensor* number = tracked_number_at(L, state, k);
    if (!number || th::grad::is_tracked(number->storage)) continue;
    double value = 0;
    protect(L, "compile", [&] { value = *number->data_as<double>(th::Access::read); });
    lua_pushnumber(L, value);
    lua_replace(L, k);
  }
}

// record(compiled, f, thread, rows, kinds, ...): calls f in the new thread, and records it if rows,
// a list of dependencies, is not nil; else kinds is the reason. Returns true and what f returned,
// false and an error, or nil and what f yielded. No Lua code runs between the start of a recording
// and its end but f, so neither errors nor hooks can leave the recorder in place.
int record(lua_State* L) {
  State* state = state_of(L);
  Compiled& c = compiled_at(L);
  check_kind(L, 2, LUA_TFUNCTION);
  lua_State* thread = lua_tothread(L, kThread);
  check_string(L, kKinds);
  if (!lua_isnil(L, kRows)) check_kind(L, kRows, LUA_TTABLE);
  const int last = lua_gettop(L);
  const int count = last - kFirstRecorded + 1;
  luaL_checkstack(L, 10, "arguments");
  if (!thread || lua_status(thread) || lua_gettop(thread) != 1 || !lua_checkstack(thread, count)) {
    return argument_error(L, kThread, "a new thread is expected");
  }
  Signature* s = signature_to_record(L, state, &c, last);
  struct Recording {
    std::unique_ptr<th::Recorder>& recorder;
    Recording(std::unique_ptr<th::Recorder>* of, th::Recorder* made) : recorder(*of) {
      recorder.reset(made);
    }
    ~Recording() { recorder.reset(); }
  };
  std::optional<Recording> recording;
  for (int k = 0; k < count; ++k) {  // one at a time, which needs one slot
    lua_pushvalue(L, kFirstRecorded + k);
    lua_xmove(L, thread, 1);
  }
  if (s) {
    th::Generator* generator = state->generator;
    recording.emplace(&c.recorder, new th::Recorder(c.call.inputs.tensors, generator));
    c.recorder->start();
  }
  int results = 0;
  const int status = resume(thread, L, count, &results);
  if (s) c.recorder->stop();
  if (status != 0 && status != LUA_YIELD) results = 1;
  if (!lua_checkstack(L, results + 20)) {
    if (s) refuse(L, s, "has too many arguments and results");
    s = nullptr;
    lua_settop(L, kFirstRecorded - 1);
  }
  const int before = lua_gettop(L);
  if (!lua_checkstack(L, results + 20)) {
    recording.reset();
    return luaL_error(L, "stack overflow (too many results)");
  }
  lua_xmove(thread, L, results);
  if (s && status == LUA_YIELD) {
    refuse(L, s, "yields");
  } else if (s && status == 0) {
    finish(L, state, &c, s, last, before + 1);
  }
  recording.reset();
  if (status == 0) settle_numbers(L, state, before + 1);
  if (status == LUA_YIELD) {
    lua_pushnil(L);
  } else {
    lua_pushboolean(L, status == 0);
  }
  lua_insert(L, before + 1);
  return results + 1;
}

// "4 operations in 1 expression and 2 calls, done 3 times"
void push_summary(lua_State* L, const th::Recorded& recorded, int replays) {
  const int expressions = recorded.expressions, calls = recorded.calls;
  char parts[80] = "";
  if (expressions || !calls) {
    std::snprintf(parts, sizeof(parts), "%d expression%s", expressions,
                  expressions == 1 ? "" : "s");
  }
  if (calls) {
    const size_t length = std::strlen(parts);
    std::snprintf(parts + length, sizeof(parts) - length, "%s%d call%s", length ? " and " : "",
                  calls, calls == 1 ? "" : "s");
  }
  lua_pushfstring(L, "%d operations in %s, done %d times", recorded.operations, parts, replays);
}

// explain(compiled): a line for each signature: its arguments, and what happens to its calls.
int explain(lua_State* L) {
  Compiled& c = compiled_at(L);
  lua_newtable(L);
  int row = 0;
  for (const auto& s : c.signatures) {
    lua_pushfstring(L, "%s: ", s->shown.c_str());
    if (!s->reason.empty()) {
      lua_pushfstring(L, "not compiled: the function %s", s->reason.c_str());
    } else if (s->recordings < kRecordings) {
      lua_pushfstring(L, "recorded %d of %d times%s%s", s->recordings, kRecordings,
                      s->changed.empty() ? "" : ", after a change of ", s->changed.c_str());
    } else {
      push_summary(L, *s->recorded, s->replays);
    }
    lua_concat(L, 2);
    lua_rawseti(L, -2, ++row);
  }
  if (c.refused) {
    const std::string& changed = c.signatures.back()->changed;
    lua_pushfstring(L,
                    "%d calls with other arguments or values that it reads: not compiled: %d kinds "
                    "are kept%s%s",
                    c.refused, static_cast<int>(kMostSignatures),
                    changed.empty() ? "" : "; other values of ", changed.c_str());
    lua_rawseti(L, -2, ++row);
  }
  return 1;
}

// refuse(compiled, reason): refuses the recording that runs, if there is one.
int refuse_recording(lua_State* L) {
  Compiled& c = compiled_at(L);
  if (c.recorder) c.recorder->give_up("%s", check_string(L, 2));
  return 0;
}

// is_active(): true if a compiled function of this thread is being recorded.
int is_active(lua_State* L) {
  lua_pushboolean(L, th::Recorder::is_active());
  return 1;
}

const Method functions[] = {{"new", guarded<make>},
                            {"call", guarded<call>},
                            {"record", guarded<record>},
                            {"is_active", guarded<is_active>},
                            {"refuse", guarded<refuse_recording>},
                            {"explain", guarded<explain>}};

}  // namespace

void register_compile_functions(lua_State* L, int module) {
  lua_newtable(L);
  set_functions(L, functions, lua_gettop(L));
  lua_setfield(L, module, "_compile");
}

}  // namespace bind
