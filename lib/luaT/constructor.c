#include <string.h>

#include "class.h"

/* Constructor tables, such as torch.FloatTensor. Their fields are those of the class, and calling
   one calls the constructor. Their own metatable is hidden; getmetatable() returns the class. */

/* The field for the constructor in the constructor table's metatable. It is not named "new",
   because the class may have a method of that name. */
#define CONSTRUCTOR "__new"

static int construct(lua_State* L) {
  if (!lua_getmetatable(L, 1)) return luaL_error(L, "constructor table expected");
  lua_pushliteral(L, CONSTRUCTOR);
  lua_rawget(L, -2);
  if (lua_isnil(L, -1)) {
    const luaT_Class* cls;
    lua_pushvalue(L, lua_upvalueindex(1));
    cls = luaT_popclass(L);
    return luaL_error(L, "class %s has no constructor", cls ? cls->name : "?");
  }
  lua_replace(L, 1);
  lua_pop(L, 1);
  lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
  return lua_gettop(L);
}

/* Pushes the metatable of the constructor table at the top of the stack. Returns 0 if it is not a
   constructor table of luaT. */
static int push_hidden(lua_State* L) {
  int ours;
  if (!lua_istable(L, -1) || !lua_getmetatable(L, -1)) return 0;
  lua_pushliteral(L, "__call");
  lua_rawget(L, -2);
  ours = lua_tocfunction(L, -1) == construct;
  lua_pop(L, ours ? 1 : 2);
  return ours;
}

/* Pushes a new constructor table and its metatable. */
static void make_table(lua_State* L, int mt) {
  static const char* const fields[] = {"__index", "__newindex", "__metatable"};
  size_t i;
  lua_newtable(L);
  lua_newtable(L);
  for (i = 0; i < sizeof(fields) / sizeof(*fields); i++) {
    lua_pushvalue(L, mt);
    lua_setfield(L, -2, fields[i]);
  }
  lua_pushvalue(L, mt);
  lua_pushcclosure(L, construct, 1);
  lua_setfield(L, -2, "__call");
  lua_pushvalue(L, -1);
  lua_setmetatable(L, -3);
  lua_pushliteral(L, "__constructor");
  lua_pushvalue(L, -3);
  lua_rawset(L, mt);
}

void luaT_setconstructor(lua_State* L, int mt, int constructor) {
  lua_pushliteral(L, "__constructor");
  lua_rawget(L, mt);
  if (!push_hidden(L)) {
    lua_pop(L, 1);
    make_table(L, mt);
  }
  if (!lua_isnil(L, constructor)) {
    lua_pushliteral(L, CONSTRUCTOR);
    lua_pushvalue(L, constructor);
    lua_rawset(L, -3);
    lua_pushliteral(L, "new");
    lua_pushvalue(L, constructor);
    lua_rawset(L, mt);
  }
  lua_pop(L, 1);
}

/* Pushes the table named by the part of the class name before the last dot; returns 0 if there is
   none. Uses raw access: a metatable of the globals may raise errors for undefined names. */
static int push_module(lua_State* L, const char* tname) {
  const char* root = luaT_classrootname(tname);
  compat_pushglobals(L);
  while (tname < root) {
    const char* dot = strchr(tname, '.');
    lua_pushlstring(L, tname, (size_t)(dot - tname));
    lua_rawget(L, -2);
    lua_remove(L, -2);
    if (!lua_istable(L, -1)) {
      lua_pop(L, 1);
      return 0;
    }
    tname = dot + 1;
  }
  return 1;
}

void luaT_registerconstructor(lua_State* L, const char* tname, int module) {
  int found = 1;
  if (lua_isnil(L, module))
    found = push_module(L, tname);
  else
    lua_pushvalue(L, module);
  if (found) {
    lua_pushvalue(L, -2);
    lua_setfield(L, -2, luaT_classrootname(tname));
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
}

const char* luaT_classrootname(const char* tname) {
  const char* dot = strrchr(tname, '.');
  return dot ? dot + 1 : tname;
}

int luaT_classmodulename(const char* tname, char* module_name) {
  const char* dot = strrchr(tname, '.');
  const size_t length = dot ? (size_t)(dot - tname) : 0;
  if (length == 0 || length >= LUAT_MODULENAME_SIZE) {
    module_name[0] = '\0';
    return 0;
  }
  memcpy(module_name, tname, length);
  module_name[length] = '\0';
  return 1;
}

void luaT_setfuncs(lua_State* L, const luaL_Reg* l, int nup) {
  luaL_checkstack(L, nup + 1, "too many upvalues");
  for (; l->name; l++) {
    int i;
    for (i = 0; i < nup; i++) lua_pushvalue(L, -nup);
    lua_pushcclosure(L, l->func, nup);
    lua_setfield(L, -(nup + 2), l->name);
  }
  lua_pop(L, nup);
}

void luaT_registeratname(lua_State* L, const struct luaL_Reg* methods, const char* name) {
  const int table = lua_gettop(L);
  luaL_checktype(L, table, LUA_TTABLE);
  luaL_checkstack(L, 4, "luaT");
  lua_pushstring(L, name);
  lua_rawget(L, table);
  if (!lua_istable(L, -1)) {
    lua_pop(L, 1);
    lua_newtable(L);
    lua_pushstring(L, name);
    lua_pushvalue(L, -2);
    lua_rawset(L, table);
  }
  luaT_setfuncs(L, methods, 0);
  lua_pop(L, 1);
}
