#include "class.h"

/* Class names for FFI objects and for tables whose metatables luaT did not create. They are stored
   separately from the classes, because such values need not contain a pointer. */

#define METATYPES "luaT.metatypes"

#define TYPE_NAMES "names"           /* name, indexed by FFI type number or by metatable */
#define TYPE_METATABLES "metatables" /* metatable, indexed by name */
#define TYPE_NUMBER "number"         /* function: returns the number of an FFI type */
#define TYPE_POINTER "pointer"       /* function: returns the pointer in an FFI object */

static const char ffi_functions[] =
    "local ffi = require 'ffi'\n"
    "local cast, typeof, tonumber = ffi.cast, ffi.typeof, tonumber\n"
    "local void, number = typeof('void *'), typeof('uintptr_t')\n"
    "return function(object) return tonumber(typeof(object)) end,\n"
    "  function(object) return tonumber(cast(number, cast(void, object))) end\n";

void luaT_initmetatypes(lua_State* L) {
  lua_newtable(L);
  lua_newtable(L);
  lua_setfield(L, -2, TYPE_NAMES);
  lua_newtable(L);
  lua_setfield(L, -2, TYPE_METATABLES);
  lua_setfield(L, LUA_REGISTRYINDEX, METATYPES);
}

/* Pushes one of the two functions. */
static void push_function(lua_State* L, const char* name) {
  luaL_checkstack(L, 6, "luaT");
  luaT_pushclasses(L);
  lua_pop(L, 1);
  lua_getfield(L, LUA_REGISTRYINDEX, METATYPES);
  lua_getfield(L, -1, name);
  if (lua_isnil(L, -1)) {
    lua_pop(L, 1);
    if (luaL_loadstring(L, ffi_functions)) lua_error(L);
    lua_call(L, 0, 2);
    lua_setfield(L, -3, TYPE_POINTER);
    lua_setfield(L, -2, TYPE_NUMBER);
    lua_getfield(L, -1, name);
  }
  lua_remove(L, -2);
}

/* Pushes one of the two tables. Returns 0 and pushes nothing if it does not exist yet. */
static int push_table(lua_State* L, const char* name) {
  luaL_checkstack(L, 4, "luaT");
  lua_getfield(L, LUA_REGISTRYINDEX, METATYPES);
  if (lua_istable(L, -1)) {
    lua_getfield(L, -1, name);
    lua_remove(L, -2);
    return 1;
  }
  lua_pop(L, 1);
  return 0;
}

int luaT_pushmetatype(lua_State* L, const char* tname) {
  if (!push_table(L, TYPE_METATABLES)) return 0;
  lua_getfield(L, -1, tname);
  lua_remove(L, -2);
  if (!lua_isnil(L, -1)) return 1;
  lua_pop(L, 1);
  return 0;
}

const char* luaT_metatypename(lua_State* L, int ud) {
  const char* name;
  ud = compat_absindex(L, ud);
  if (compat_iscdata(L, ud)) {
    if (!push_table(L, TYPE_NAMES)) return NULL;
    push_function(L, TYPE_NUMBER);
    lua_pushvalue(L, ud);
    lua_call(L, 1, 1);
  } else {
    if (!lua_istable(L, ud) || !push_table(L, TYPE_NAMES)) return NULL;
    if (!lua_getmetatable(L, ud)) lua_pushnil(L);
  }
  lua_rawget(L, -2);
  name = lua_tostring(L, -1);
  lua_pop(L, 2);
  return name;
}

int luaT_lua_metatype(lua_State* L) {
  const char* name = luaT_checkname(L, 1);
  luaT_checktable(L, 2);
  luaL_argcheck(L, lua_isnoneornil(L, 3) || lua_type(L, 3) == LUA_TSTRING || compat_iscdata(L, 3),
                3, "FFI type expected");
  lua_settop(L, 3);
  luaL_argcheck(L, !luaT_typenameid(L, name), 1, "a class has this name already");
  luaL_argcheck(L, !luaT_isclass(L, 2), 2, "this is the metatable of a class");
  luaT_pushclasses(L);
  lua_pop(L, 1);

  push_table(L, TYPE_NAMES);
  if (!lua_isnil(L, 3)) {
    push_function(L, TYPE_NUMBER);
    lua_pushvalue(L, 3);
    lua_call(L, 1, 1);
    lua_pushvalue(L, 1);
    lua_rawset(L, 4);
  }
  lua_pushvalue(L, 2);
  lua_pushvalue(L, 1);
  lua_rawset(L, 4);
  push_table(L, TYPE_METATABLES);
  lua_pushvalue(L, 2);
  lua_setfield(L, -2, name);
  lua_settop(L, 2);
  return 1;
}

void* luaT_cdatapointer(lua_State* L, int ud) {
  void* pointer;
  ud = compat_absindex(L, ud);
  push_function(L, TYPE_POINTER);
  lua_pushvalue(L, ud);
  if (lua_pcall(L, 1, 1, 0)) luaL_argerror(L, ud, "cdata that holds a pointer expected");
  pointer = (void*)(uintptr_t)lua_tonumber(L, -1);
  lua_pop(L, 1);
  return pointer;
}
