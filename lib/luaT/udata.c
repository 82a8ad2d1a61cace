#include "class.h"

/* Objects: full userdata that contain one pointer. */

void luaT_pushudata(lua_State* L, void* udata, const char* tname) {
  void** object;
  luaT_Class* cls;
  luaL_checkstack(L, 5, "luaT");
  if (!udata) {
    lua_pushnil(L);
    return;
  }
  object = (void**)lua_newuserdata(L, sizeof(void*));
  cls = luaT_pushprepared(L, tname);
  if (!cls) {
    luaL_error(L, "unknown class %s", tname);
    return;
  }
  cls->holds_pointers = 1;
  *object = udata;
  lua_setmetatable(L, -2);
}

/* Returns the pointer of an object of class tname, and its class. */
static void* pointer_of(lua_State* L, int ud, const char* tname, const luaT_Class** cls) {
  /* A light userdata has no metatable of its own, so it is not an object. */
  if (lua_type(L, ud) != LUA_TUSERDATA) return NULL;
  *cls = luaT_classof(L, ud);
  if (!luaT_derives(*cls, tname) || compat_rawlen(L, ud) < sizeof(void*)) return NULL;
  return *(void**)lua_touserdata(L, ud);
}

/* Returns 1 if the userdata at ud is of the class tname itself. This is the usual case and costs a
   single registry lookup. The name of a metatable is there only if it is that of a class. */
static int is_exactly(lua_State* L, int ud, const char* tname) {
  const char* name;
  int same;
  luaL_checkstack(L, 2, "luaT");
  if (!lua_getmetatable(L, ud)) return 0;
  lua_rawget(L, LUA_REGISTRYINDEX);
  name = lua_tostring(L, -1);
  same = name && strcmp(name, tname) == 0;
  lua_pop(L, 1);
  return same && compat_rawlen(L, ud) >= sizeof(void*);
}

void* luaT_rawudata(lua_State* L, int ud, const char* tname) {
  const luaT_Class* cls;
  if (lua_type(L, ud) != LUA_TUSERDATA) return NULL;
  if (is_exactly(L, ud, tname)) return *(void**)lua_touserdata(L, ud);
  return pointer_of(L, ud, tname, &cls);
}

void* luaT_toudata(lua_State* L, int ud, const char* tname) {
  const luaT_Class* cls;
  void* object = pointer_of(L, ud, tname, &cls);
  if (!object) return NULL;
  for (; cls; cls = cls->parent) {
    if (cls->handover) {
      cls->handover(L, object);
      break;
    }
  }
  return object;
}

void* luaT_checkudata(lua_State* L, int ud, const char* tname) {
  void* object = luaT_toudata(L, ud, tname);
  if (!object) luaT_typerror(L, ud, tname);
  return object;
}

int luaT_isudata(lua_State* L, int ud, const char* tname) {
  return luaT_rawudata(L, ud, tname) != NULL;
}
