#ifndef LUAT_LUA_COMPAT_INC
#define LUAT_LUA_COMPAT_INC

/* The differences between LuaJIT and Lua 5.1 to 5.4. */

#include <stdint.h>
#include <string.h>

#include "luaT.h"

/* LuaJIT has its own type for FFI objects, which lua.h does not define. */
static inline int compat_iscdata(lua_State* L, int idx) {
  return lua_type(L, idx) > LUA_TTHREAD && strcmp(luaL_typename(L, idx), "cdata") == 0;
}

static inline int compat_absindex(lua_State* L, int idx) {
  return idx < 0 && idx > LUA_REGISTRYINDEX ? lua_gettop(L) + idx + 1 : idx;
}

#if LUA_VERSION_NUM >= 502

#define compat_rawlen(L, idx) lua_rawlen(L, idx)
#define compat_pushglobals(L) lua_pushglobaltable(L)

/* Functions have no environment in Lua 5.2 and later. */
#define COMPAT_HAS_ENV "userdata"
static inline int compat_hasenv(lua_State* L, int idx) { return lua_type(L, idx) == LUA_TUSERDATA; }

#if LUA_VERSION_NUM >= 504
static inline int compat_setenv(lua_State* L, int idx) { return lua_setiuservalue(L, idx, 1); }
static inline void compat_getenv(lua_State* L, int idx) { lua_getiuservalue(L, idx, 1); }
#else
static inline int compat_setenv(lua_State* L, int idx) {
  lua_setuservalue(L, idx);
  return 1;
}
static inline void compat_getenv(lua_State* L, int idx) { lua_getuservalue(L, idx); }
#endif
/* Calls f in protected mode without arguments. Does nothing if the stack cannot grow. */
static inline int compat_cpcall(lua_State* L, lua_CFunction f) {
  if (!lua_checkstack(L, 2)) return 0;
  lua_pushcfunction(L, f);
  return lua_pcall(L, 0, 0, 0);
}

#else

#define compat_rawlen(L, idx) lua_objlen(L, idx)
#define compat_pushglobals(L) lua_pushvalue(L, LUA_GLOBALSINDEX)

#define COMPAT_HAS_ENV "function or userdata"
static inline int compat_hasenv(lua_State* L, int idx) {
  return lua_type(L, idx) == LUA_TUSERDATA || lua_isfunction(L, idx);
}
static inline int compat_setenv(lua_State* L, int idx) { return lua_setfenv(L, idx); }
static inline void compat_getenv(lua_State* L, int idx) { lua_getfenv(L, idx); }
static inline int compat_cpcall(lua_State* L, lua_CFunction f) { return lua_cpcall(L, f, NULL); }

#endif

/* Converts a number to an integer by truncation. Returns 0 if the value is not a number or exceeds
   64 bits. */
static inline int compat_tointeger(lua_State* L, int idx, int64_t* n) {
  lua_Number x;
  if (!lua_isnumber(L, idx)) return 0;
#if LUA_VERSION_NUM >= 503
  if (lua_isinteger(L, idx)) {
    *n = lua_tointeger(L, idx);
    return 1;
  }
#endif
  x = lua_tonumber(L, idx);
  if (!(x >= -9223372036854775808.0 && x < 9223372036854775808.0)) return 0;
  *n = (int64_t)x;
  return 1;
}

static inline void compat_pushint64(lua_State* L, int64_t n) {
#if LUA_VERSION_NUM >= 503
  lua_pushinteger(L, (lua_Integer)n);
#else
  lua_pushnumber(L, (lua_Number)n);
#endif
}

#endif
