#include "class.h"

/* The functions for Lua. luaT_lua_newmetatable is in class.c, luaT_lua_metatype in metatype.c. */

/* Pushes a field of the class whose name is argument 1, or nil. */
static int push_class_field(lua_State* L, const char* field) {
  if (luaT_pushmetatable(L, luaT_checkname(L, 1))) {
    lua_pushstring(L, field);
    lua_rawget(L, -2);
  } else {
    lua_pushnil(L);
  }
  return 1;
}

int luaT_lua_getmetatable(lua_State* L) {
  if (!luaT_pushmetatable(L, luaT_checkname(L, 1))) lua_pushnil(L);
  return 1;
}

int luaT_lua_getconstructortable(lua_State* L) { return push_class_field(L, "__constructor"); }

int luaT_lua_factory(lua_State* L) { return push_class_field(L, "__factory"); }

int luaT_lua_typename(lua_State* L) {
  luaL_checkany(L, 1);
  lua_pushstring(L, luaT_typename(L, 1));
  return 1;
}

int luaT_lua_version(lua_State* L) {
  const char* name;
  luaL_checkany(L, 1);
  name = luaT_typename(L, 1);
  if (name && luaT_pushmetatable(L, name)) {
    lua_pushliteral(L, "__version");
    lua_rawget(L, -2);
  } else {
    lua_pushnil(L);
  }
  return 1;
}

/* Returns the pointer of an object of any class, or NULL. */
static void* any_object(lua_State* L, int ud) {
  const char* name = lua_type(L, ud) == LUA_TUSERDATA ? luaT_typename(L, ud) : NULL;
  return name ? luaT_rawudata(L, ud, name) : NULL;
}

static int is_object(lua_State* L, int ud) {
  return lua_istable(L, ud) || lua_type(L, ud) == LUA_TUSERDATA;
}

int luaT_lua_isequal(lua_State* L) {
  const void *a, *b;
  luaL_checkany(L, 1);
  luaL_checkany(L, 2);
  a = any_object(L, 1);
  b = any_object(L, 2);
  lua_pushboolean(L, a && b ? a == b : is_object(L, 1) && lua_rawequal(L, 1, 2));
  return 1;
}

int luaT_lua_pointer(lua_State* L) {
  const void* pointer = NULL;
  luaL_checkany(L, 1);
  switch (lua_type(L, 1)) {
    case LUA_TUSERDATA:
      pointer = any_object(L, 1);
      if (!pointer) pointer = lua_topointer(L, 1);
      break;
    case LUA_TSTRING:
      pointer = lua_tostring(L, 1);
      break;
    case LUA_TLIGHTUSERDATA:
    case LUA_TTABLE:
    case LUA_TFUNCTION:
    case LUA_TTHREAD:
      pointer = lua_topointer(L, 1);
      break;
    default:
      if (!compat_iscdata(L, 1))
        return luaT_typerror(L, 1, "Torch object, table, thread, function, string or cdata");
      pointer = luaT_cdatapointer(L, 1);
  }
  compat_pushint64(L, (int64_t)(uintptr_t)pointer);
  return 1;
}

int luaT_lua_setenv(lua_State* L) {
  if (!compat_hasenv(L, 1)) return luaT_typerror(L, 1, COMPAT_HAS_ENV);
  luaT_checktable(L, 2);
  lua_settop(L, 2);
  if (!compat_setenv(L, 1)) return luaL_argerror(L, 1, "it has no environment");
  return 0;
}

int luaT_lua_getenv(lua_State* L) {
  if (!compat_hasenv(L, 1)) return luaT_typerror(L, 1, COMPAT_HAS_ENV);
  compat_getenv(L, 1);
  if (!lua_istable(L, -1)) lua_newtable(L);
  return 1;
}

int luaT_lua_pushudata(lua_State* L) {
  const char* name = luaT_checkname(L, 2);
  void* pointer = NULL;
  int64_t number = 0;
  if (lua_type(L, 1) == LUA_TNUMBER) {
    const int integral = compat_tointeger(L, 1, &number) && (double)number == lua_tonumber(L, 1);
    luaL_argcheck(L, integral && number >= 0 && (uint64_t)number <= UINTPTR_MAX, 1,
                  "this number is not a valid pointer");
    pointer = (void*)(uintptr_t)number;
  } else if (compat_iscdata(L, 1)) {
    pointer = luaT_cdatapointer(L, 1);
  } else {
    return luaT_typerror(L, 1, "number or cdata");
  }
  if (!luaT_typenameid(L, name))
    return luaL_argerror(L, 2, lua_pushfstring(L, "unknown class %s", name));
  luaT_pushudata(L, pointer, name);
  return 1;
}

int luaT_lua_setmetatable(lua_State* L) {
  const char* name = luaT_checkname(L, 2);
  luaT_checktable(L, 1);
  if (!luaT_pushmetatable(L, name))
    return luaL_argerror(L, 2, lua_pushfstring(L, "unknown class %s", name));
  lua_setmetatable(L, 1);
  lua_settop(L, 1);
  return 1;
}
