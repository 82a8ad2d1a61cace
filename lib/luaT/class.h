#ifndef LUAT_CLASS_INC
#define LUAT_CLASS_INC

/* Declarations shared by the sources of luaT. */

#include "lua_compat.h"

/* An object whose destructor runs. */
typedef struct luaT_Destruction {
  const void* object;
  const struct luaT_Destruction* outer;
} luaT_Destruction;

/* Data of a class. It is stored in a userdata in the registry, so it lives as long as the Lua
   state. The parent is stored here, too, because Lua code may change the metatables of metatables,
   and could otherwise pass an object of one class as one of another. */
typedef struct luaT_Class {
  const struct luaT_Class* parent;
  void (*handover)(lua_State* L, void* object);
  void (*prepare)(lua_State* L, const char* tname);
  const luaT_Destruction* destructions; /* by the destructor of this class */
  int has_constructor;
  int has_destructor;
  int has_factory;
  int has_subclasses;
  /* Objects of the class are, or may be, userdata. Then Lua code can no longer set its parent. */
  int holds_pointers;
  char name[];
} luaT_Class;

/* Pops the metatable at the top of the stack. Returns its class, or NULL. */
luaT_Class* luaT_popclass(lua_State* L);

/* Returns the class of the value at ud (a userdata or table), or NULL. */
luaT_Class* luaT_classof(lua_State* L, int ud);

/* Pushes the metatable of the class tname and returns the class. If there is no such class, pushes
   nothing and returns NULL. */
luaT_Class* luaT_pushclass(lua_State* L, const char* tname);

/* The same. Calls the function that luaT_setprepare registered first. */
luaT_Class* luaT_pushprepared(lua_State* L, const char* tname);

/* Returns 1 if the value at ud is the metatable of a class. */
int luaT_isclass(lua_State* L, int ud);

/* Returns 1 if the class is tname or derives from it. */
int luaT_derives(const luaT_Class* cls, const char* tname);

/* Pushes the table of all classes, indexed by metatable. Initializes luaT's part of the registry
   first. */
void luaT_pushclasses(lua_State* L);

/* Sets the fields that every class has in the metatable at index mt. */
void luaT_setmetamethods(lua_State* L, int mt);

/* Looks up the key at index key in the metatable at index mt and its parents. Pushes the value or
   nil. Does not call __index functions of users. */
void luaT_lookup(lua_State* L, int mt, int key);

/* Pushes the constructor table of the class with the metatable at mt, and creates it if necessary.
   If the value at index constructor is not nil, it becomes the function that a call of the table
   calls. */
void luaT_setconstructor(lua_State* L, int mt, int constructor);

/* Pops a constructor table and stores it in the table at index module or, if that is nil, in the
   global table that the class name specifies. */
void luaT_registerconstructor(lua_State* L, const char* tname, int module);

/* Returns the class name of an FFI object or a table with a metatype, or NULL. */
const char* luaT_metatypename(lua_State* L, int ud);

/* Pushes the metatable registered as metatype with this name and returns 1. If there is none,
   pushes nothing and returns 0. */
int luaT_pushmetatype(lua_State* L, const char* tname);

/* Initializes the registry entries of metatype. */
void luaT_initmetatypes(lua_State* L);

/* Like luaL_checkstring and luaL_checktype, but messages contain the class name of objects. */
const char* luaT_checkname(lua_State* L, int ud);
void luaT_checktable(lua_State* L, int ud);

/* Returns the pointer stored in a cdata. Argument error if it contains none. */
void* luaT_cdatapointer(lua_State* L, int ud);

#endif
