#include <string.h>

#include "class.h"

/* The metamethods that every class has. Lua looks up metamethods only in the metatable itself.
   These functions look up the user's __add__, __index__, ... through inheritance when they are
   called. Upvalue 1 is the name of the user's method, upvalue 2 the name of the operator in
   messages. */

/* Limits the lookup in case Lua code has made a cycle of metatables. */
enum { MAX_DEPTH = 1000 };

static int index_object(lua_State* L);

void luaT_lookup(lua_State* L, int mt, int key) {
  int depth;
  lua_pushvalue(L, mt);
  for (depth = 0; depth < MAX_DEPTH; depth++) {
    lua_pushvalue(L, key);
    lua_rawget(L, -2);
    if (!lua_isnil(L, -1)) {
      lua_remove(L, -2);
      return;
    }
    lua_pop(L, 1);
    if (!lua_getmetatable(L, -1)) break;
    lua_pushliteral(L, "__index");
    lua_rawget(L, -2);
    if (lua_tocfunction(L, -1) != index_object) {
      /* Lua code has replaced __index. */
      lua_pop(L, 2);
      lua_pushvalue(L, key);
      lua_gettable(L, -2);
      lua_remove(L, -2);
      return;
    }
    lua_pop(L, 1);
    lua_remove(L, -2);
  }
  lua_pop(L, 1);
  lua_pushnil(L);
}

/* Pushes the user's method for the value at ud. Returns 0 and pushes nothing if there is none. */
static int push_method(lua_State* L, int ud) {
  if (!lua_getmetatable(L, ud)) return 0;
  luaT_lookup(L, lua_gettop(L), lua_upvalueindex(1));
  lua_remove(L, -2);
  if (!lua_isnil(L, -1)) return 1;
  lua_pop(L, 1);
  return 0;
}

static int call_method(lua_State* L, int results) {
  lua_insert(L, 1);
  lua_call(L, lua_gettop(L) - 1, results);
  return lua_gettop(L);
}

static const char* operator_name(lua_State* L) { return lua_tostring(L, lua_upvalueindex(2)); }

static const char* name_of(lua_State* L, int ud) {
  const char* name = luaT_typename(L, ud);
  return name ? name : luaL_typename(L, ud);
}

/* Keeps the arguments, pushes the metatable and calls the user's __index__ or __newindex__. Returns
   1 if the last result is true; the result before it is on top of the stack then.
   This function may be called for a metatable that reads through its parent's __index. A metatable
   is not an object of the parent, so the user's method is not called for it. */
static int call_override(lua_State* L, int arguments, int results) {
  int k;
  lua_settop(L, arguments);
  if (!lua_getmetatable(L, 1)) return luaL_argerror(L, 1, "object of a class expected");
  luaT_lookup(L, arguments + 1, lua_upvalueindex(1));
  if (lua_isnil(L, -1) || luaT_isclass(L, 1)) return 0;
  for (k = 1; k <= arguments; k++) lua_pushvalue(L, k);
  lua_call(L, arguments, results);
  if (!lua_toboolean(L, -1)) return 0;
  lua_pop(L, 1);
  return 1;
}

static int index_object(lua_State* L) {
  if (!call_override(L, 2, 2)) luaT_lookup(L, 3, 2);
  return 1;
}

static int newindex_object(lua_State* L) {
  if (call_override(L, 3, 1)) return 0;
  if (!lua_istable(L, 1)) return luaL_error(L, "the class %s cannot be indexed", name_of(L, 1));
  luaL_argcheck(L, !lua_isnil(L, 2), 2, "index is nil");
  lua_settop(L, 3);
  lua_rawset(L, 1);
  return 0;
}

static int binary(lua_State* L) {
  lua_settop(L, 2);
  if (push_method(L, 1) || push_method(L, 2)) return call_method(L, 1);
  return luaL_error(L, "both %s and %s have no %s operator", name_of(L, 1), name_of(L, 2),
                    operator_name(L));
}

static int unary(lua_State* L) {
  lua_settop(L, 1);
  if (push_method(L, 1)) return call_method(L, 1);
  return luaL_error(L, "%s has no %s operator", name_of(L, 1), operator_name(L));
}

static int length(lua_State* L) {
  if (lua_istable(L, 1)) {
    lua_settop(L, 1);
    if (push_method(L, 1)) return call_method(L, 1);
    lua_pushinteger(L, (lua_Integer)compat_rawlen(L, 1));
    return 1;
  }
  return unary(L);
}

static int equal(lua_State* L) {
  lua_settop(L, 2);
  if (push_method(L, 1) || push_method(L, 2)) return call_method(L, 1);
  return luaT_lua_isequal(L);
}

static int call(lua_State* L) {
  if (push_method(L, 1)) return call_method(L, LUA_MULTRET);
  return luaL_error(L, "%s has no %s operator", name_of(L, 1), operator_name(L));
}

static int tostring(lua_State* L) {
  const char* name;
  lua_settop(L, 1);
  if (luaT_isclass(L, 1)) { /* a class with a parent, whose method takes objects */
    lua_pushliteral(L, "__typename");
    lua_rawget(L, 1);
    return 1;
  }
  if (push_method(L, 1)) {
    if (!lua_isstring(L, -1)) return call_method(L, 1);
    return 1;
  }
  name = luaT_typename(L, 1);
  lua_pushstring(L, name ? name : luaL_typename(L, 1));
  return 1;
}

#if LUA_VERSION_NUM >= 504
/* Called with the object and the error, or nil, at the end of the scope of a <close> variable. */
static int close_object(lua_State* L) {
  if (push_method(L, 1)) return call_method(L, 0);
  if (!lua_isnoneornil(L, 2)) { /* the error that ends the scope */
    lua_settop(L, 2);
    return lua_error(L);
  }
  return luaL_error(L, "%s has no %s operator", name_of(L, 1), operator_name(L));
}
#endif

void luaT_setmetamethods(lua_State* L, int mt) {
  static const struct {
    const char* event;
    lua_CFunction function;
    const char* name;
  } methods[] = {
    {"__index", index_object, "index"},
    {"__newindex", newindex_object, "newindex"},
    {"__add", binary, "addition"},
    {"__sub", binary, "subtraction"},
    {"__mul", binary, "multiplication"},
    {"__div", binary, "division"},
    {"__mod", binary, "modulo"},
    {"__pow", binary, "power"},
    {"__unm", unary, "negation"},
    {"__concat", binary, "concat"},
    {"__len", length, "length"},
    {"__eq", equal, "equal"},
    {"__lt", binary, "less than"},
    {"__le", binary, "less or equal"},
    {"__call", call, "call"},
    {"__tostring", tostring, "tostring"},
#if LUA_VERSION_NUM >= 503
    {"__idiv", binary, "floor division"},
    {"__band", binary, "bitwise and"},
    {"__bor", binary, "bitwise or"},
    {"__bxor", binary, "bitwise exclusive or"},
    {"__shl", binary, "left shift"},
    {"__shr", binary, "right shift"},
    {"__bnot", unary, "bitwise not"},
#endif
#if LUA_VERSION_NUM >= 504
    {"__close", close_object, "close"},
#endif
  };
  size_t i;
  luaL_checkstack(L, 5, "luaT");
  /* All classes share these closures: there may be many classes, and the garbage collector visits
     each closure. */
  lua_pushlightuserdata(L, (void*)methods);
  lua_rawget(L, LUA_REGISTRYINDEX);
  if (lua_isnil(L, -1)) {
    lua_pop(L, 1);
    lua_newtable(L);
    for (i = 0; i < sizeof(methods) / sizeof(*methods); i++) {
      lua_pushfstring(L, "%s__", methods[i].event);
      lua_pushstring(L, methods[i].name);
      lua_pushcclosure(L, methods[i].function, 2);
      lua_setfield(L, -2, methods[i].event);
    }
    lua_pushlightuserdata(L, (void*)methods);
    lua_pushvalue(L, -2);
    lua_rawset(L, LUA_REGISTRYINDEX);
  }
  for (i = 0; i < sizeof(methods) / sizeof(*methods); i++) {
    lua_getfield(L, -1, methods[i].event);
    lua_setfield(L, mt, methods[i].event);
  }
  lua_pop(L, 1);
}
