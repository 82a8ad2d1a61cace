#ifndef LUAT_CLASS_INC
#define LUAT_CLASS_INC

/* Shared between the sources of luaT. */

#include "lua_compat.h"

/* What C knows of a class. It lives in a userdata of the registry, thus as long as the state. The
   parent is kept here too, since Lua code may change the metatables of metatables: were those
   believed, it could pass an object of one class for one of another. */
typedef struct luaT_Class {
  const struct luaT_Class* parent;
  void (*handover)(lua_State* L, void* object);
  int has_constructor;
  int has_destructor;
  int has_factory;
  /* Objects of it are, or may be, userdata: its parent can no longer be chosen from Lua. */
  int holds_pointers;
  char name[];
} luaT_Class;

/* The class whose metatable is at the top of the stack, or NULL. Pops the metatable. */
luaT_Class* luaT_popclass(lua_State* L);

/* The class of the value at ud (a userdata or table), or NULL. */
luaT_Class* luaT_classof(lua_State* L, int ud);

/* Pushes the metatable of the class tname and gives the class; without one pushes nothing and gives
   NULL. */
luaT_Class* luaT_pushclass(lua_State* L, const char* tname);

/* Whether the value at ud is itself the metatable of a class. */
int luaT_isclass(lua_State* L, int ud);

/* Whether the class is tname or derives from it. */
int luaT_derives(const luaT_Class* cls, const char* tname);

/* Pushes the table of all classes, by metatable; makes what luaT keeps in the registry first. */
void luaT_pushclasses(lua_State* L);

/* Sets the fields that every class has: to be called with the metatable at index mt. */
void luaT_setmetamethods(lua_State* L, int mt);

/* Pushes the value of the key at index key in the metatable at index mt or in those it inherits
   from; nil without one. Calls no __index__ of a user. */
void luaT_lookup(lua_State* L, int mt, int key);

/* Pushes the constructor table of the class with the metatable at mt; makes it if needed. The value
   at index constructor, if not nil, becomes what calling that table calls. */
void luaT_setconstructor(lua_State* L, int mt, int constructor);

/* Puts the value at the top of the stack, a constructor table, into the table at index module, or
   where that is nil into the global table the class name says. Pops it. */
void luaT_registerconstructor(lua_State* L, const char* tname, int module);

/* For FFI objects and tables of metatype: the name, or NULL. */
const char* luaT_metatypename(lua_State* L, int ud);

/* Pushes the metatable that metatype got under this name, or pushes nothing and returns 0. */
int luaT_pushmetatype(lua_State* L, const char* tname);

/* Makes what metatype keeps in the registry. */
void luaT_initmetatypes(lua_State* L);

/* As luaL_checkstring and luaL_checktype, but that messages have the class of an object. */
const char* luaT_checkname(lua_State* L, int ud);
void luaT_checktable(lua_State* L, int ud);

/* The pointer that a cdata holds; an argument error where it holds none. */
void* luaT_cdatapointer(lua_State* L, int ud);

#endif
