#include <limits.h>

#include "class.h"

/* Checked access to arguments and fields. */

/* ---- arguments ---------------------------------------------------------------------------- */

const char* luaT_checkname(lua_State* L, int ud) {
  if (!lua_isstring(L, ud)) luaT_typerror(L, ud, "string");
  return lua_tostring(L, ud);
}

void luaT_checktable(lua_State* L, int ud) {
  if (!lua_istable(L, ud)) luaT_typerror(L, ud, "table");
}

int luaT_checkboolean(lua_State* L, int ud) {
  if (!lua_isboolean(L, ud)) luaT_typerror(L, ud, "boolean");
  return lua_toboolean(L, ud);
}

int luaT_optboolean(lua_State* L, int ud, int def) {
  return lua_isnoneornil(L, ud) ? def : luaT_checkboolean(L, ud);
}

/* Returns a number from low to high. Otherwise raises an error for this argument. */
static int64_t check_range(lua_State* L, int ud, int64_t low, int64_t high) {
  int64_t n = 0;
  ud = compat_absindex(L, ud);
  if (!lua_isnumber(L, ud)) luaT_typerror(L, ud, "number");
  if (!compat_tointeger(L, ud, &n) || n < low || n > high)
    luaL_argerror(L, ud, "number out of range");
  return n;
}

long luaT_checklong(lua_State* L, int ud) { return (long)check_range(L, ud, LONG_MIN, LONG_MAX); }

ptrdiff_t luaT_checkinteger(lua_State* L, int ud) {
  return (ptrdiff_t)check_range(L, ud, PTRDIFF_MIN, PTRDIFF_MAX);
}

long luaT_tolong(lua_State* L, int ud) {
  int64_t n = 0;
  if (!compat_tointeger(L, ud, &n) || n < LONG_MIN || n > LONG_MAX) return 0;
  return (long)n;
}

void luaT_pushlong(lua_State* L, long n) {
  luaL_checkstack(L, 1, "luaT");
  compat_pushint64(L, n);
}

void luaT_pushinteger(lua_State* L, ptrdiff_t n) {
  luaL_checkstack(L, 1, "luaT");
  compat_pushint64(L, n);
}

/* ---- fields ------------------------------------------------------------------------------- */

/* Pushes the field; error if it is nil. Returns the argument's absolute index, for messages. */
static int push_field(lua_State* L, int ud, const char* field) {
  ud = compat_absindex(L, ud);
  luaL_checkstack(L, 5, "luaT");
  if (!lua_istable(L, ud)) {
    if (!luaL_getmetafield(L, ud, "__index")) luaT_typerror(L, ud, "table");
    lua_pop(L, 1);
  }
  lua_getfield(L, ud, field);
  if (lua_isnil(L, -1)) luaL_argerror(L, ud, lua_pushfstring(L, "field %s does not exist", field));
  return ud;
}

static void wrong_field(lua_State* L, int ud, const char* field, const char* expected) {
  luaL_argerror(L, ud, lua_pushfstring(L, "field %s is not a %s", field, expected));
}

void* luaT_getfieldcheckudata(lua_State* L, int ud, const char* field, const char* tname) {
  void* object;
  ud = push_field(L, ud, field);
  object = luaT_toudata(L, -1, tname);
  if (!object) wrong_field(L, ud, field, tname);
  return object;
}

void* luaT_getfieldchecklightudata(lua_State* L, int ud, const char* field) {
  ud = push_field(L, ud, field);
  if (!lua_islightuserdata(L, -1)) wrong_field(L, ud, field, "light userdata");
  return lua_touserdata(L, -1);
}

double luaT_getfieldchecknumber(lua_State* L, int ud, const char* field) {
  ud = push_field(L, ud, field);
  if (!lua_isnumber(L, -1)) wrong_field(L, ud, field, "number");
  return lua_tonumber(L, -1);
}

int luaT_getfieldcheckint(lua_State* L, int ud, const char* field) {
  int64_t n = 0;
  ud = push_field(L, ud, field);
  if (!lua_isnumber(L, -1)) wrong_field(L, ud, field, "number");
  if (!compat_tointeger(L, -1, &n) || n < INT_MIN || n > INT_MAX)
    luaL_argerror(L, ud, lua_pushfstring(L, "field %s is out of range", field));
  return (int)n;
}

const char* luaT_getfieldcheckstring(lua_State* L, int ud, const char* field) {
  ud = push_field(L, ud, field);
  if (!lua_isstring(L, -1)) wrong_field(L, ud, field, "string");
  return lua_tostring(L, -1);
}

int luaT_getfieldcheckboolean(lua_State* L, int ud, const char* field) {
  ud = push_field(L, ud, field);
  if (!lua_isboolean(L, -1)) wrong_field(L, ud, field, "boolean");
  return lua_toboolean(L, -1);
}

void luaT_getfieldchecktable(lua_State* L, int ud, const char* field) {
  ud = push_field(L, ud, field);
  if (!lua_istable(L, -1)) wrong_field(L, ud, field, "table");
}
