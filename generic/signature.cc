#include "signature.h"

#include <algorithm>
#include <cstring>

#include "bindings.h"

namespace bind {

namespace {

void append_text(lua_State* L, int index, std::vector<int64_t>* values) {
  size_t length;
  const char* text = lua_tolstring(L, index, &length);
  const size_t at = values->size() + 1;
  values->push_back(static_cast<int64_t>(length));
  values->resize(at + (length + sizeof(int64_t) - 1) / sizeof(int64_t));
  if (length) std::memcpy(values->data() + at, text, length);
}

// The text of lua/core/nested.lua that describes tables among the arguments.
bool is_form(lua_State* L, int index) {
  constexpr char kMark[] = "\0nested ";
  size_t length = 0;
  const char* text = lua_type(L, index) == LUA_TSTRING ? lua_tolstring(L, index, &length) : nullptr;
  return length >= sizeof(kMark) && std::memcmp(text, kMark, sizeof(kMark) - 1) == 0;
}

void push_constant(lua_State* L, const Returned& returned) {
  switch (returned.kind) {
    case Returned::boolean:
      return lua_pushboolean(L, returned.index);
    case Returned::number: {
      if (returned.index) return compat_pushint64(L, returned.bits);
      lua_Number number;
      std::memcpy(&number, &returned.bits, sizeof(number));
      return lua_pushnumber(L, number);
    }
    case Returned::text:
      lua_pushlstring(L, returned.string.data(), returned.string.size());
      return;
    default:
      return lua_pushnil(L);
  }
}

}  // namespace

void append_settings(const State* state, int arguments, std::vector<int64_t>* values) {
  values->push_back(arguments);
  values->push_back(reinterpret_cast<intptr_t>(state->cuda_default));
  values->push_back(static_cast<int64_t>(state->rules.pairing) << 32 | state->torch7_rules);
  values->push_back(static_cast<int64_t>(state->default_type));
  values->push_back(reinterpret_cast<intptr_t>(th::thread_default_device()));
}

void read_arguments(lua_State* L, State* state, CallInputs* c, int first, int last) {
  c->values.clear();
  c->inputs.resize(0);
  c->comparable = true;
  append_settings(state, last - first, &c->values);
  c->values.push_back(reinterpret_cast<intptr_t>(lua_topointer(L, 2)));
  for (int k = first; k <= last; ++k) {
    const int type = lua_type(L, k);
    c->values.push_back(type << 1 | is_integer(L, k));
    Object object = object_at(L, state, k);
    if (object.is_tensor() && object.payload) {
      c->inputs.add(object.tensor(), k);
    } else if (type == LUA_TNUMBER) {
      c->values.push_back(number_bits(L, k));
    } else if (type == LUA_TBOOLEAN) {
      c->values.push_back(lua_toboolean(L, k));
    } else if (type == LUA_TSTRING) {
      append_text(L, k, &c->values);
    } else if (type != LUA_TNIL) {
      c->comparable = false;
    }
  }
  c->arguments = c->inputs.tensors.size();
}

std::string shown_call(lua_State* L, State* state, int first, int last) {
  std::string text;
  for (int k = first; k <= last; ++k) {
    if (k > first) text += ", ";
    Object object = object_at(L, state, k);
    if (object.is_tensor()) {
      text += std::string(th::name(object.dtype())) + th::shape_text(*object.tensor());
    } else if (lua_type(L, k) == LUA_TNUMBER) {
      char number[32];
      std::snprintf(number, sizeof(number), "%.14g", lua_tonumber(L, k));
      text += number;
    } else if (k == last && is_form(L, k)) {
      const std::string form = lua_tostring(L, k) + 1;  // behind the mark's first byte
      text += "tables" + form.substr(form.find(':') + 1);
    } else {
      text += luaL_typename(L, k);
    }
  }
  return "(" + text + ")";
}

int push_rows(lua_State* L, const Signature& s) {
  compat_getenv(L, 1);
  lua_rawgeti(L, -1, s.rows);
  lua_replace(L, -2);
  return lua_gettop(L);
}

bool matches(lua_State* L, State* state, const Signature& s, CallInputs* c) {
  if (s.values != c->values) return false;
  const int top = lua_gettop(L);
  c->inputs.resize(c->arguments);
  if (!s.dependencies.empty()) {
    const int rows = push_rows(L, s);
    if (s.dependencies.first_change(L, state, rows, &c->inputs) >= 0) {
      lua_settop(L, top);
      return false;
    }
  }
  c->geometry.clear();
  c->inputs.append_key(&c->geometry);
  if (s.geometry == c->geometry) return true;
  lua_settop(L, top);
  return false;
}

bool read_returned(lua_State* L, State* state, th::Recorder* recorder, int first,
                   std::vector<Returned>* returned, std::vector<Tensor*>* results) {
  auto result = [results](Tensor* t) {
    const auto known = std::find(results->begin(), results->end(), t);
    const auto index = static_cast<int>(known - results->begin());
    if (known == results->end()) results->push_back(t);
    return index;
  };
  for (int k = first; k <= lua_gettop(L); ++k) {
    Object object = object_at(L, state, k);
    const int type = lua_type(L, k);
    Returned value{Returned::nothing};
    if (Tensor* number = tracked_number_at(L, state, k)) {
      value.kind = Returned::element;
      value.index = result(number);
    } else if (object.is_tensor() && object.payload) {
      value.kind = Returned::input;
      value.index = recorder->input_of(object.tensor());
      if (value.index < 0) {
        value.kind = Returned::result;
        value.index = result(object.tensor());
      }
    } else if (type == LUA_TBOOLEAN) {
      value.kind = Returned::boolean;
      value.index = lua_toboolean(L, k);
    } else if (type == LUA_TNUMBER) {
      value.kind = Returned::number;
      value.bits = number_bits(L, k);
      value.index = is_integer(L, k);
    } else if (type == LUA_TSTRING) {
      size_t length;
      const char* text = lua_tolstring(L, k, &length);
      value.kind = Returned::text;
      value.string.assign(text, length);
    } else if (type != LUA_TNIL) {
      recorder->give_up("returns a %s", luaL_typename(L, k));
      return false;
    }
    returned->push_back(std::move(value));
  }
  return true;
}

void push_table_of_returned(lua_State* L, const std::vector<Returned>& returned) {
  const auto count = static_cast<int>(returned.size());
  lua_pushboolean(L, 1);
  lua_createtable(L, count, 1);
  lua_pushinteger(L, count);
  lua_setfield(L, -2, "n");
  for (int k = 0; k < count; ++k) {
    push_constant(L, returned[k]);
    lua_rawseti(L, -2, k + 1);
  }
}

}  // namespace bind
