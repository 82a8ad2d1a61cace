// Errors that name the line of the caller, the function and the argument, and errors about names
// that a tensor does not have.

#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/numeric_locale.h"
#include "bindings.h"
#include "dependencies.h"
#include "luaT.h"

namespace bind {

namespace {

// The key in the registry of the function that suggests names.
constexpr char kNameHint[] = "tensor.name_hint";

// Returns the name of the class whose constructor table, such as torch.Timer, is at the top of the
// stack, if the function at a stack position is its constructor. Otherwise returns null. The class
// keeps the name alive.
const char* constructed_class(lua_State* L, int function) {
  if (!lua_istable(L, -1) || !luaL_getmetafield(L, -1, "__index")) return nullptr;
  const int before = lua_gettop(L) - 1;
  const char* name = nullptr;
  if (lua_istable(L, -1)) {
    lua_pushliteral(L, "new");
    lua_rawget(L, -2);
    if (lua_rawequal(L, -1, function)) {
      lua_pushliteral(L, "__typename");
      lua_rawget(L, -3);
      if (lua_type(L, -1) == LUA_TSTRING) name = luaT_classrootname(lua_tostring(L, -1));
    }
  }
  lua_settop(L, before);
  return name;
}

// Returns the name under which the running function is in the class of its first argument or in the
// module, or the class that it constructs, or "". The name stays on the stack.
const char* function_name(lua_State* L, lua_Debug* frame) {
  if (!lua_checkstack(L, 12) || !lua_getstack(L, 0, frame) || !lua_getinfo(L, "f", frame))
    return "";
  const int function = lua_gettop(L);
  auto find = [&](int table, bool constructors) {
    for (lua_pushnil(L); lua_istable(L, table) && lua_next(L, table); lua_pop(L, 1)) {
      if (lua_rawequal(L, -1, function) && lua_type(L, -2) == LUA_TSTRING) {
        lua_pop(L, 1);
        return lua_tostring(L, -1);
      }
      const char* constructed = constructors ? constructed_class(L, function) : nullptr;
      if (constructed) return constructed;
    }
    return "";
  };
  const char* name = "";
  // The metatable of a class is its parent. No class of the module has more than one.
  lua_pushvalue(L, 1);
  for (int k = 0; k < 2 && lua_getmetatable(L, -1); ++k) {
    name = find(lua_gettop(L), false);
    if (*name) return name;
  }
  lua_getfield(L, LUA_REGISTRYINDEX, "_LOADED");
  lua_getfield(L, -1, "tensor");
  return find(lua_gettop(L), true);
}

}  // namespace

int raise_error(lua_State* L, const char* format, ...) {
  char text[2048];
  va_list values;
  va_start(values, format);
  {
    th::NumericLocale numbers;
    std::vsnprintf(text, sizeof(text), format, values);
  }
  va_end(values);
  const State* state = registered_state(L);
  const char* own = state ? state->own_source : "";
  lua_Debug frame;
  lua_State* thread = L;
  for (const Resumption* r = state ? state->resumption : nullptr; thread; r = r->outer) {
    for (int level = thread == L; lua_getstack(thread, level, &frame); ++level) {
      lua_getinfo(thread, "Sl", &frame);
      if (frame.currentline <= 0) continue;
      if (*own && !std::strncmp(frame.source, own, std::strlen(own))) continue;
      lua_pushfstring(L, "%s:%d: %s", frame.short_src, frame.currentline, text);
      return lua_error(L);
    }
    // A call of a function of the module may be a tail call, which leaves no frame.
    if (!r || r->thread != thread) break;
    thread = r->resumer;
  }
  lua_pushstring(L, text);
  return lua_error(L);
}

bool is_module(lua_State* L, int index) {
  if (!lua_istable(L, index) || !lua_checkstack(L, 2)) return false;
  lua_getfield(L, LUA_REGISTRYINDEX, "_LOADED");
  lua_getfield(L, -1, "tensor");
  const bool same = lua_rawequal(L, index, -1) != 0;
  lua_pop(L, 2);
  return same;
}

namespace {

// Raises an error about the arguments at stack positions first ... last.
void raise_extra(lua_State* L, const char* name, int first, int last, int most) {
  luaL_checkstack(L, 4, name);
  if (is_module(L, first)) {
    raise_error(L, "%s: functions of the module are called with a dot: tensor.%s(...)", name, name);
  }
  lua_pushliteral(L, "");
  for (int k = first; k <= last; ++k) {
    lua_pushfstring(L, "%s%s%s", lua_tostring(L, -1), k > first ? ", " : "", shown_type(L, k));
    lua_replace(L, -2);
  }
  raise_error(L, "%s: too many arguments: (%s); at most %d %s expected", name, lua_tostring(L, -1),
              most, most == 1 ? "is" : "are");
}

}  // namespace

const char* push_number(lua_State* L, double number) {
  char text[32];
  {
    th::NumericLocale locale;
    // printf shows the sign of NaN, which means nothing.
    std::snprintf(text, sizeof(text), "%.14g", std::isnan(number) ? std::fabs(number) : number);
    const bool is_rounded = std::isfinite(number) && std::strtod(text, nullptr) != number;
    if (is_rounded) std::snprintf(text, sizeof(text), "%.17g", number);
  }
  lua_pushstring(L, text);
  return lua_tostring(L, -1);
}

const char* push_number_at(lua_State* L, int index, double number) {
  if (!is_integer(L, index) || lua_tonumber(L, index) != number) return push_number(L, number);
  lua_pushvalue(L, index);
  return lua_tostring(L, -1);
}

int argument_error(lua_State* L, int index, const char* text) {
  lua_Debug frame;
  const bool known = lua_getstack(L, 0, &frame) && lua_getinfo(L, "n", &frame) && frame.name;
  if (known && index == 1 && is_module(L, 1)) {
    return raise_error(L, "%s: functions of the module are called with a dot: tensor.%s(...)",
                       frame.name, frame.name);
  }
  if (known) return luaL_argerror(L, index, text);
  const char* name = function_name(L, &frame);
  if (*name) return raise_error(L, "bad argument #%d to '%s' (%s)", index, name, text);
  return raise_error(L, "bad argument #%d (%s)", index, text);
}

int type_error(lua_State* L, int index, const char* expected) {
  const char* got = lua_type(L, index) == LUA_TNONE ? "no value" : shown_type(L, index);
  return argument_error(L, index, lua_pushfstring(L, "%s expected, got %s", expected, got));
}

void refuse_extra(lua_State* L, int most) {
  if (registered_state(L)->is_torch7(Rule::arguments)) return;
  const int count = lua_gettop(L);
  lua_Debug frame;
  const char* name = function_name(L, &frame);
  if (!*name && lua_getstack(L, 0, &frame) && lua_getinfo(L, "n", &frame) && frame.name) {
    name = frame.name;
  }
  raise_extra(L, name, 1, count, most);
}

// _refuseextra(name, most, ...): the same for a function of the module's Lua code and its
// arguments.
int refuse_extra_of(lua_State* L) {
  const char* name = check_string(L, 1);
  const auto most = static_cast<int>(check_integer(L, 2));
  if (!state_of(L)->is_torch7(Rule::arguments)) raise_extra(L, name, 3, lua_gettop(L), most);
  return 0;
}

void check_list(lua_State* L, int index, const char* function) {
  const State* state = registered_state(L);
  const bool has_names = state->is_torch7(Rule::arguments);
  const bool has_holes = state->is_torch7(Rule::tables);
  const auto count = static_cast<int>(compat_rawlen(L, index));
  auto refuse = [&](const char* text) {
    if (function) raise_error(L, "%s: %s", function, text);
    argument_error(L, index, text);
  };
  for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
    if (lua_type(L, -2) == LUA_TSTRING && !has_names) {
      const char* key = lua_tostring(L, -2);
      if (!std::strcmp(key, "n")) continue;
      refuse(lua_pushfstring(
          L, "arguments have no names: a list is expected, got a table with the key '%s'", key));
    }
    if (lua_type(L, -2) == LUA_TNUMBER && lua_tonumber(L, -2) > count && !has_holes) {
      refuse(lua_pushfstring(L, "position %d of the table is nil, but position %d is not",
                             count + 1, static_cast<int>(lua_tonumber(L, -2))));
    }
  }
}

// _listlength(name, list): checks an argument of a function of the module's Lua code, and returns
// the number of its elements.
int list_length(lua_State* L) {
  const char* name = check_string(L, 1);
  check_kind(L, 2, LUA_TTABLE);
  check_list(L, 2, name);
  lua_pushinteger(L, static_cast<lua_Integer>(compat_rawlen(L, 2)));
  return 1;
}

// _namehint(f): f(object, name) returns a text that is added to errors about unknown names, or nil.
int set_name_hint(lua_State* L) {
  check_kind(L, 1, LUA_TFUNCTION);
  lua_pushvalue(L, 1);
  lua_setfield(L, LUA_REGISTRYINDEX, kNameHint);
  return 0;
}

bool call_override(lua_State* L, const char* name, int arguments, Guarded own) {
  lua_pushstring(L, name);
  lua_rawget(L, lua_upvalueindex(2));
  bool handled = false;
  if (!lua_isnil(L, -1) && lua_tocfunction(L, -1) != own.function()) {
    for (int k = 1; k <= arguments; ++k) lua_pushvalue(L, k);
    lua_call(L, arguments, arguments == 2 ? 2 : 1);  // __index__ returns a value, too
    handled = lua_toboolean(L, -1);
  }
  lua_settop(L, handled ? -2 : arguments);
  return handled;
}

int unknown_field(lua_State* L, State* state) {
  Object self = object_at(L, state, 1);
  if (state->is_torch7(Rule::fields) || self.kind < 0) {
    lua_pushnil(L);
    return 1;
  }
  const char* name = shown_class(L, state, 1);
  // The function that the module has set may know a similar name.
  lua_getfield(L, LUA_REGISTRYINDEX, kNameHint);
  lua_pushvalue(L, 1);
  lua_pushvalue(L, 2);
  const bool known = lua_isfunction(L, -3) && lua_pcall(L, 2, 1, 0) == 0 && lua_isstring(L, -1);
  const char* hint = known                ? lua_tostring(L, -1)
                     : lua_isnumber(L, 2) ? "an index is a number, not a string"
                                          : nullptr;
  return raise_error(L, "a %s has no field or method '%s'%s%s", name ? name : "tensor",
                     lua_tostring(L, 2), hint ? ": " : "", hint ? hint : "");
}

}  // namespace bind
