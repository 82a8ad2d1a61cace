#include <stddef.h>
#include <string.h>

#include "class.h"

/* Classes: their registry entries, creation and names. */

#define CLASSES "luaT.classes"

void luaT_pushclasses(lua_State* L) {
  lua_getfield(L, LUA_REGISTRYINDEX, CLASSES);
  if (lua_istable(L, -1)) return;
  lua_pop(L, 1);
  luaT_initmetatypes(L);
  lua_newtable(L);
  lua_pushvalue(L, -1);
  lua_setfield(L, LUA_REGISTRYINDEX, CLASSES);
}

luaT_Class* luaT_popclass(lua_State* L) {
  luaT_Class* cls = NULL;
  lua_getfield(L, LUA_REGISTRYINDEX, CLASSES);
  if (lua_istable(L, -1)) {
    lua_insert(L, -2);
    lua_rawget(L, -2);
    cls = (luaT_Class*)lua_touserdata(L, -1);
  }
  lua_pop(L, 2);
  return cls;
}

luaT_Class* luaT_classof(lua_State* L, int ud) {
  const int type = lua_type(L, ud);
  if (type != LUA_TUSERDATA && type != LUA_TTABLE) return NULL;
  luaL_checkstack(L, 3, "luaT");
  return lua_getmetatable(L, ud) ? luaT_popclass(L) : NULL;
}

int luaT_isclass(lua_State* L, int ud) {
  if (!lua_istable(L, ud)) return 0;
  lua_pushvalue(L, ud);
  return luaT_popclass(L) != NULL;
}

int luaT_derives(const luaT_Class* cls, const char* tname) {
  for (; cls; cls = cls->parent)
    if (strcmp(cls->name, tname) == 0) return 1;
  return 0;
}

luaT_Class* luaT_pushclass(lua_State* L, const char* tname) {
  luaL_checkstack(L, 4, "luaT");
  lua_getfield(L, LUA_REGISTRYINDEX, tname);
  if (lua_istable(L, -1)) {
    luaT_Class* cls;
    lua_pushvalue(L, -1);
    cls = luaT_popclass(L);
    if (cls && strcmp(cls->name, tname) == 0) return cls;
  }
  lua_pop(L, 1);
  return NULL;
}

luaT_Class* luaT_pushprepared(lua_State* L, const char* tname) {
  luaT_Class* cls = luaT_pushclass(L, tname);
  if (cls && cls->prepare) cls->prepare(L, cls->name);
  return cls;
}

int luaT_pushmetatable(lua_State* L, const char* tname) {
  return luaT_pushprepared(L, tname) != NULL || luaT_pushmetatype(L, tname);
}

const char* luaT_typenameid(lua_State* L, const char* tname) {
  const luaT_Class* cls = luaT_pushclass(L, tname);
  if (!cls) return NULL;
  lua_pop(L, 1);
  return cls->name;
}

const char* luaT_typename(lua_State* L, int ud) {
  const luaT_Class* cls = luaT_classof(L, ud);
  return cls ? cls->name : luaT_metatypename(L, ud);
}

int luaT_typerror(lua_State* L, int ud, const char* tname) {
  const char* got;
  ud = compat_absindex(L, ud);
  luaL_checkstack(L, 4, "luaT");
  got = luaT_typename(L, ud);
  if (!got)
    got = luaL_typename(L, ud);
  else if (strcmp(got, tname) == 0)
    got = lua_istable(L, ud) ? "table" : "a freed object";
  return luaL_argerror(L, ud, lua_pushfstring(L, "%s expected, got %s", tname, got));
}

void luaT_sethandover(lua_State* L, const char* tname, void (*hook)(lua_State* L, void* object)) {
  luaT_Class* cls = luaT_pushclass(L, tname);
  if (!cls) {
    luaL_error(L, "unknown class %s", tname);
    return;
  }
  lua_pop(L, 1);
  cls->handover = hook;
}

void luaT_setprepare(lua_State* L, const char* tname,
                     void (*prepare)(lua_State* L, const char* tname)) {
  luaT_Class* cls = luaT_pushclass(L, tname);
  if (!cls) {
    luaL_error(L, "unknown class %s", tname);
    return;
  }
  lua_pop(L, 1);
  cls->prepare = prepare;
}

/* ---- creation of classes -------------------------------------------------------------------- */

/* The stack layout of define(): its arguments and working values. */
enum { NAME = 1, PARENT, CONSTRUCTOR, DESTRUCTOR, FACTORY, MODULE, CLASSES_TABLE, METATABLE };

static void check_arguments(lua_State* L) {
  int i;
  const char* name = luaT_checkname(L, NAME);
  size_t length = compat_rawlen(L, NAME);
  lua_settop(L, MODULE);
  luaL_argcheck(L, length > 0 && strlen(name) == length, NAME, "class name expected");
  luaL_argcheck(L, lua_isnil(L, PARENT) || lua_type(L, PARENT) == LUA_TSTRING, PARENT,
                "parent class name or nil expected");
  for (i = CONSTRUCTOR; i <= FACTORY; i++) {
    static const char* const messages[] = {"constructor function or nil expected",
                                           "destructor function or nil expected",
                                           "factory function or nil expected"};
    luaL_argcheck(L, lua_isnil(L, i) || lua_isfunction(L, i), i, messages[i - CONSTRUCTOR]);
  }
  luaL_argcheck(L, lua_isnil(L, MODULE) || lua_istable(L, MODULE), MODULE,
                "module table or nil expected");
}

/* Error if a part of the class is to be set that is set already. */
static void check_unassigned(lua_State* L, const luaT_Class* cls, int from_c) {
  if (!lua_isnil(L, PARENT)) {
    if (cls->parent || lua_getmetatable(L, METATABLE))
      luaL_error(L, "class %s has been already assigned a parent class", cls->name);
    if (cls->holds_pointers && !from_c)
      luaL_error(L, "class %s must be given its parent class when it is made", cls->name);
  }
  if (!lua_isnil(L, CONSTRUCTOR) && cls->has_constructor)
    luaL_error(L, "%s has been already assigned a constructor", cls->name);
  if (!lua_isnil(L, DESTRUCTOR) && cls->has_destructor)
    luaL_error(L, "%s has been already assigned a destructor", cls->name);
  if (!lua_isnil(L, FACTORY) && cls->has_factory)
    luaL_error(L, "%s has been already assigned a factory", cls->name);
}

/* Pushes the metatable of a new, unpublished class and, above it, the class, which it returns. */
static luaT_Class* make_class(lua_State* L, int from_c) {
  size_t length;
  const char* name = lua_tolstring(L, NAME, &length);
  luaT_Class* cls;
  lua_getfield(L, LUA_REGISTRYINDEX, name);
  if (!lua_isnil(L, -1) || luaT_pushmetatype(L, name))
    luaL_error(L, "the class name %s is taken by something else", name);
  lua_pop(L, 1);

  lua_newtable(L);
  lua_pushvalue(L, NAME);
  lua_setfield(L, METATABLE, "__typename");
  lua_pushinteger(L, 1);
  lua_setfield(L, METATABLE, "__version");
  lua_pushvalue(L, METATABLE);
  lua_setfield(L, METATABLE, "__metatable");
  luaT_setmetamethods(L, METATABLE);

  cls = (luaT_Class*)lua_newuserdata(L, offsetof(luaT_Class, name) + length + 1);
  memset(cls, 0, offsetof(luaT_Class, name));
  memcpy(cls->name, name, length + 1);
  cls->holds_pointers = from_c;
  return cls;
}

/* Stores the class that make_class left at the top of the stack in the registry. */
static void publish_class(lua_State* L) {
  lua_pushvalue(L, METATABLE);
  lua_insert(L, -2);
  lua_rawset(L, CLASSES_TABLE);
  lua_pushvalue(L, METATABLE);
  lua_pushvalue(L, NAME);
  lua_rawset(L, LUA_REGISTRYINDEX);
  lua_pushvalue(L, NAME);
  lua_pushvalue(L, METATABLE);
  lua_rawset(L, LUA_REGISTRYINDEX);
}

/* Returns 1 if the destructor of base, a class, is that of cls. */
static int inherits_destructor(const luaT_Class* cls, const luaT_Class* base) {
  for (; cls && cls != base; cls = cls->parent)
    if (cls->has_destructor) return 0;
  return cls == base;
}

static void push_gc(lua_State* L, int mt) {
  mt = compat_absindex(L, mt);
  lua_pushliteral(L, "__gc");
  lua_rawget(L, mt);
}

/* Copies the value at index gc to __gc of the metatable at index mt. */
static void copy_gc(lua_State* L, int gc, int mt) {
  lua_pushliteral(L, "__gc");
  lua_pushvalue(L, gc);
  lua_rawset(L, mt);
}

/* Pops a function and sets it as __gc of the class and of the subclasses that inherit its
   destructor: Lua looks up __gc only in the metatable itself. Keeps a __gc that Lua code has set in
   a subclass. */
static void set_gc(lua_State* L, const luaT_Class* cls) {
  const int gc = lua_gettop(L), before = gc + 1, mt = gc + 2;
  push_gc(L, METATABLE);
  copy_gc(L, gc, METATABLE);
  for (lua_pushnil(L); cls->has_subclasses && lua_next(L, CLASSES_TABLE); lua_settop(L, mt)) {
    if (!inherits_destructor((const luaT_Class*)lua_touserdata(L, -1), cls)) continue;
    push_gc(L, mt);
    if (lua_rawequal(L, -1, before)) copy_gc(L, gc, mt);
  }
  lua_settop(L, gc - 1);
}

static void set_parent(lua_State* L, luaT_Class* cls) {
  luaT_Class* parent = luaT_pushclass(L, lua_tostring(L, PARENT));
  if (luaT_derives(parent, cls->name)) luaL_error(L, "class %s derives from itself", cls->name);
  if (!cls->has_destructor) {
    push_gc(L, -1);
    set_gc(L, cls);
  }
  lua_setmetatable(L, METATABLE);
  cls->parent = parent;
  parent->has_subclasses = 1;
}

/* __gc: calls the destructor (upvalue 1) for objects of a class (upvalue 2). Clears the object's
   pointer, so that it is harmless if Lua code calls __gc itself, or the destructor does. */
static int collect(lua_State* L) {
  luaT_Class* owner = (luaT_Class*)lua_touserdata(L, lua_upvalueindex(2));
  const luaT_Class* cls = luaT_classof(L, 1);
  luaT_Destruction destruction = {lua_topointer(L, 1), owner->destructions};
  const luaT_Destruction* outer = destruction.outer;
  int failed;
  void** object = NULL;
  if (!cls || !luaT_derives(cls, owner->name) || luaT_isclass(L, 1)) return 0;
  if (lua_type(L, 1) == LUA_TUSERDATA) {
    object = (void**)lua_touserdata(L, 1);
    if (compat_rawlen(L, 1) < sizeof(void*) || !*object) return 0;
  } else if (owner->holds_pointers) {
    return 0;
  }
  for (; outer; outer = outer->outer)
    if (outer->object == destruction.object) return 0;
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushvalue(L, 1);
  owner->destructions = &destruction;
  failed = lua_pcall(L, 1, 0, 0);
  owner->destructions = destruction.outer;
  if (object) *object = NULL;
  return failed ? lua_error(L) : 0;
}

static int define(lua_State* L, int from_c) {
  luaT_Class* cls;
  check_arguments(L);
  luaT_pushclasses(L);
  if (!lua_isnil(L, PARENT) && !luaT_typenameid(L, lua_tostring(L, PARENT)))
    return luaL_argerror(
        L, PARENT, lua_pushfstring(L, "invalid parent class name %s", lua_tostring(L, PARENT)));
  cls = luaT_pushclass(L, lua_tostring(L, NAME));
  if (!cls) {
    cls = make_class(L, from_c);
    publish_class(L);
  }
  check_unassigned(L, cls, from_c);
  lua_settop(L, METATABLE);

  if (!lua_isnil(L, PARENT)) set_parent(L, cls);
  if (!lua_isnil(L, DESTRUCTOR)) {
    lua_pushvalue(L, DESTRUCTOR);
    lua_pushvalue(L, METATABLE);
    lua_rawget(L, CLASSES_TABLE);
    lua_pushcclosure(L, collect, 2);
    set_gc(L, cls);
    cls->has_destructor = 1;
  }
  if (!lua_isnil(L, FACTORY)) {
    lua_pushliteral(L, "__factory");
    lua_pushvalue(L, FACTORY);
    lua_rawset(L, METATABLE);
    cls->has_factory = 1;
  }
  luaT_setconstructor(L, METATABLE, CONSTRUCTOR);
  if (!lua_isnil(L, CONSTRUCTOR)) cls->has_constructor = 1;
  luaT_registerconstructor(L, cls->name, MODULE);
  lua_settop(L, METATABLE);
  return 1;
}

static int define_from_c(lua_State* L) { return define(L, 1); }

int luaT_lua_newmetatable(lua_State* L) { return define(L, 0); }

static void push_optional(lua_State* L, lua_CFunction function) {
  if (function)
    lua_pushcfunction(L, function);
  else
    lua_pushnil(L);
}

const char* luaT_newlocalmetatable(lua_State* L, const char* tname, const char* parenttname,
                                   lua_CFunction constructor, lua_CFunction destructor,
                                   lua_CFunction factory, int moduleidx) {
  moduleidx = compat_absindex(L, moduleidx);
  luaL_checkstack(L, 8, "luaT");
  lua_pushcfunction(L, define_from_c);
  lua_pushstring(L, tname);
  if (parenttname)
    lua_pushstring(L, parenttname);
  else
    lua_pushnil(L);
  push_optional(L, constructor);
  push_optional(L, destructor);
  push_optional(L, factory);
  if (moduleidx)
    lua_pushvalue(L, moduleidx);
  else
    lua_pushnil(L);
  lua_call(L, 6, 1);
  return luaT_typenameid(L, tname);
}

const char* luaT_newmetatable(lua_State* L, const char* tname, const char* parenttname,
                              lua_CFunction constructor, lua_CFunction destructor,
                              lua_CFunction factory) {
  return luaT_newlocalmetatable(L, tname, parenttname, constructor, destructor, factory, 0);
}
