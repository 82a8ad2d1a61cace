#include "class.h"

/* Deprecated names, for packages that still use them. */

int luaT_pushmetaclass(lua_State* L, const char* tname) { return luaT_pushmetatable(L, tname); }

const char* luaT_id(lua_State* L, int ud) { return luaT_typename(L, ud); }

const char* luaT_id2typename(lua_State* L, const char* id) {
  (void)L;
  return id;
}

const char* luaT_typename2id(lua_State* L, const char* tname) { return luaT_typenameid(L, tname); }

int luaT_getmetaclass(lua_State* L, int index) { return lua_getmetatable(L, index); }

const char* luaT_checktypename2id(lua_State* L, const char* tname) {
  const char* id = luaT_typenameid(L, tname);
  if (!id) luaL_error(L, "unknown class %s", tname);
  return id;
}

void luaT_registeratid(lua_State* L, const struct luaL_Reg* methods, const char* id) {
  luaT_registeratname(L, methods, id);
}

static int copy_part(const char* begin, const char* end, char* to) {
  size_t length = begin && end > begin ? (size_t)(end - begin) : 0;
  if (length >= LUAT_MODULENAME_SIZE) length = 0;
  memcpy(to, begin, length);
  to[length] = '\0';
  return length > 0;
}

int luaT_fullparentname(const char* tname, char* parent_name) {
  return luaT_classmodulename(tname, parent_name);
}

int luaT_outerparentname(const char* tname, char* parent_name) {
  return copy_part(tname, strchr(tname, '.'), parent_name);
}

int luaT_innerparentname(const char* tname, char* parent_name) {
  const char* end = strrchr(tname, '.');
  const char* begin = end;
  while (begin && begin > tname && begin[-1] != '.') --begin;
  return copy_part(begin ? begin : tname, end, parent_name);
}

void luaT_getinnerparent(lua_State* L, const char* tname) {
  const char* dot;
  luaL_checkstack(L, 3, "luaT");
  compat_pushglobals(L);
  for (; (dot = strchr(tname, '.')) != NULL; tname = dot + 1) {
    if (!lua_istable(L, -1)) {
      lua_pop(L, 1);
      lua_pushnil(L);
      return;
    }
    lua_pushlstring(L, tname, (size_t)(dot - tname));
    lua_rawget(L, -2);
    lua_remove(L, -2);
  }
}
