#ifndef LUAT_UTILS_INC
#define LUAT_UTILS_INC

/* luaT: classes for Lua whose objects are C pointers.

   An object is a full userdata that holds one pointer. Its metatable is the class; the metatable of
   that metatable is the parent class. The registry has registry[name] = metatable and
   registry[metatable] = name.

   "ud" is the index of a value on the stack. Functions named check raise a Lua error that names the
   argument. Where not said otherwise the stack is left as it was. */

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif
#include <lua.h>
#include <lauxlib.h>
#ifdef __cplusplus
}
#endif

#if defined(_WIN32)
#define DLL_EXPORT __declspec(dllexport)
#define DLL_IMPORT __declspec(dllimport)
#elif defined(__GNUC__)
#define DLL_EXPORT __attribute__((visibility("default")))
#define DLL_IMPORT
#else
#define DLL_EXPORT
#define DLL_IMPORT
#endif

#ifdef __cplusplus
#define LUAT_EXTERNC extern "C"
#else
#define LUAT_EXTERNC extern
#endif

#if defined(luaT_EXPORTS) || !defined(_WIN32)
#define LUAT_API LUAT_EXTERNC DLL_EXPORT
#else
#define LUAT_API LUAT_EXTERNC DLL_IMPORT
#endif

#define LUA_EXTERNC LUAT_EXTERNC

/* Lua 5.2's names for what Lua 5.1 has, too. */
#if LUA_VERSION_NUM == 501
#ifndef lua_pushglobaltable
#define lua_pushglobaltable(L) lua_pushvalue(L, LUA_GLOBALSINDEX)
#endif
#ifndef lua_setuservalue
#define lua_setuservalue lua_setfenv
#endif
#ifndef lua_getuservalue
#define lua_getuservalue lua_getfenv
#endif
#endif

#if defined(__GNUC__) && !defined(LUAT_DEPRECATED)
#define LUAT_DEPRECATED __attribute__((deprecated))
#elif !defined(LUAT_DEPRECATED)
#define LUAT_DEPRECATED
#endif

/* ---- classes ------------------------------------------------------------------------------ */

/* Makes the class tname, pushes its metatable and returns its name, which lives as long as the Lua
   state. parenttname, constructor, destructor and factory may be NULL. The constructor table is put
   into the table that the part of the name before the last dot names among the globals; where there
   is no such table, nowhere. For a class that exists, adds what it does not have yet. The
   destructor is called at most once for an object, and serves the subclasses that have none. */
LUAT_API const char* luaT_newmetatable(lua_State* L, const char* tname, const char* parenttname,
                                       lua_CFunction constructor, lua_CFunction destructor,
                                       lua_CFunction factory);

/* The same, with the constructor table put into the table at moduleidx (0: as above). */
LUAT_API const char* luaT_newlocalmetatable(lua_State* L, const char* tname,
                                            const char* parenttname, lua_CFunction constructor,
                                            lua_CFunction destructor, lua_CFunction factory,
                                            int moduleidx);

/* Pushes the metatable of the class tname and returns 1; without such a class pushes nothing and
   returns 0. */
LUAT_API int luaT_pushmetatable(lua_State* L, const char* tname);

/* The name of the class tname as kept in the state, or NULL without such a class. */
LUAT_API const char* luaT_typenameid(lua_State* L, const char* tname);

/* The name of the class of the value at ud, or NULL where it is no object of a class. */
LUAT_API const char* luaT_typename(lua_State* L, int ud);

/* Raises "bad argument #ud to 'f' (tname expected, got ...)". Never returns. */
LUAT_API int luaT_typerror(lua_State* L, int ud, const char* tname);

/* Registers functions, closed by an entry of NULLs, in the table below nup upvalues at the top of
   the stack; pops the upvalues. */
LUAT_API void luaT_setfuncs(lua_State* L, const luaL_Reg* l, int nup);

/* Registers functions in the table that the table at the top of the stack has as field name; makes
   that table if there is none. */
LUAT_API void luaT_registeratname(lua_State* L, const struct luaL_Reg* methods, const char* name);

/* The part of a class name after its last dot. */
LUAT_API const char* luaT_classrootname(const char* tname);

/* Writes the part of a class name before its last dot to module_name, a buffer of
   LUAT_MODULENAME_SIZE bytes, and returns 1. Without a dot, or where the part does not fit, writes
   the empty string and returns 0. */
#define LUAT_MODULENAME_SIZE 1024
LUAT_API int luaT_classmodulename(const char* tname, char* module_name);

/* ---- objects ------------------------------------------------------------------------------ */

/* Pushes an object of the class tname that holds udata and from now on owns it; nil for NULL. */
LUAT_API void luaT_pushudata(lua_State* L, void* udata, const char* tname);

/* The pointer of an object of the class tname or of a subclass, or NULL for any other value. */
LUAT_API void* luaT_toudata(lua_State* L, int ud, const char* tname);

/* The same, with an error instead of NULL. */
LUAT_API void* luaT_checkudata(lua_State* L, int ud, const char* tname);

/* 1 where the value is an object of the class tname or of a subclass, else 0. */
LUAT_API int luaT_isudata(lua_State* L, int ud, const char* tname);

/* Has hook called with each pointer that luaT_toudata, luaT_checkudata and luaT_getfieldcheckudata
   hand out of objects of the class tname and of subclasses without a hook of their own, before C
   code gets to see it. NULL takes the hook away. */
LUAT_API void luaT_sethandover(lua_State* L, const char* tname,
                               void (*hook)(lua_State* L, void* object));

/* luaT_toudata without the hook: for the library to which the objects belong. */
LUAT_API void* luaT_rawudata(lua_State* L, int ud, const char* tname);

/* ---- fields: push the field of the value at ud, check it, and leave it on the stack --------- */

/* The pointer of an object of the class tname. */
LUAT_API void* luaT_getfieldcheckudata(lua_State* L, int ud, const char* field, const char* tname);
/* The pointer that a light userdata is. */
LUAT_API void* luaT_getfieldchecklightudata(lua_State* L, int ud, const char* field);
LUAT_API double luaT_getfieldchecknumber(lua_State* L, int ud, const char* field);
/* A number, cut to an integer. */
LUAT_API int luaT_getfieldcheckint(lua_State* L, int ud, const char* field);
/* The string, valid while it is on the stack. */
LUAT_API const char* luaT_getfieldcheckstring(lua_State* L, int ud, const char* field);
LUAT_API int luaT_getfieldcheckboolean(lua_State* L, int ud, const char* field);
LUAT_API void luaT_getfieldchecktable(lua_State* L, int ud, const char* field);

/* ---- plain values ------------------------------------------------------------------------- */

/* A boolean as 0 or 1. */
LUAT_API int luaT_checkboolean(lua_State* L, int ud);
/* The same, def where there is no argument or nil. */
LUAT_API int luaT_optboolean(lua_State* L, int ud, int def);
/* A number cut to an integer; an error where it is none or out of range. */
LUAT_API long luaT_checklong(lua_State* L, int ud);
LUAT_API ptrdiff_t luaT_checkinteger(lua_State* L, int ud);
/* The same, 0 instead of an error. */
LUAT_API long luaT_tolong(lua_State* L, int ud);
/* Push a number. */
LUAT_API void luaT_pushlong(lua_State* L, long n);
LUAT_API void luaT_pushinteger(lua_State* L, ptrdiff_t n);

/* ---- memory ------------------------------------------------------------------------------- */

/* malloc and realloc that raise a Lua error where they fail; for size 0 they give NULL, and
   luaT_realloc frees. Where luaT_realloc fails the old memory stays. */
LUAT_API void* luaT_alloc(lua_State* L, ptrdiff_t size);
LUAT_API void* luaT_realloc(lua_State* L, void* ptr, ptrdiff_t size);
/* Frees what they gave. */
LUAT_API void luaT_free(lua_State* L, void* ptr);

/* Prints the values on the stack to stdout: for debugging. */
LUAT_API void luaT_stackdump(lua_State* L);

/* ---- functions for Lua: to be registered in a module's table -------------------------------- */

/* newmetatable(name [, parent [, constructor [, destructor [, factory [, module]]]]]): makes a
   class and returns its metatable, as luaT_newlocalmetatable does. */
LUAT_API int luaT_lua_newmetatable(lua_State* L);
/* getmetatable(name): the metatable of the class, or nil. */
LUAT_API int luaT_lua_getmetatable(lua_State* L);
/* getconstructortable(name): the constructor table of the class, or nil. */
LUAT_API int luaT_lua_getconstructortable(lua_State* L);
/* factory(name): the function that makes an empty object of the class, or nil. */
LUAT_API int luaT_lua_factory(lua_State* L);
/* typename(value): the name of its class, or nil. */
LUAT_API int luaT_lua_typename(lua_State* L);
/* isequal(a, b): whether two objects hold the same pointer; other values: whether they are raw
   equal. */
LUAT_API int luaT_lua_isequal(lua_State* L);
/* pointer(value): the pointer that an object or a cdata holds, or the address of a table, thread,
   function, userdata or string, as a number. */
LUAT_API int luaT_lua_pointer(lua_State* L);
/* setenv(f, table): sets the environment of a function or userdata. */
LUAT_API int luaT_lua_setenv(lua_State* L);
/* getenv(f): the environment of a function or userdata. */
LUAT_API int luaT_lua_getenv(lua_State* L);
/* metatype(name, metatable [, ctype]): names the class of the tables with this metatable, and of
   the FFI objects of type ctype (a declaration or a ctype). Returns the metatable. */
LUAT_API int luaT_lua_metatype(lua_State* L);
/* pushudata(pointer, name): an object that holds a pointer, given as a number or cdata. Whether it
   points to such an object is for the caller to know. */
LUAT_API int luaT_lua_pushudata(lua_State* L);
/* setmetatable(table, name): makes the table an object of the class and returns it. */
LUAT_API int luaT_lua_setmetatable(lua_State* L);
/* version(value): the field __version of its class, or nil. */
LUAT_API int luaT_lua_version(lua_State* L);

/* ---- names of old -------------------------------------------------------------------------- */

/* luaT_pushmetatable */
LUAT_API LUAT_DEPRECATED int luaT_pushmetaclass(lua_State* L, const char* tname);
/* luaT_typename: a class is told by its name. */
LUAT_API LUAT_DEPRECATED const char* luaT_id(lua_State* L, int ud);
/* id itself */
LUAT_API LUAT_DEPRECATED const char* luaT_id2typename(lua_State* L, const char* id);
/* luaT_typenameid */
LUAT_API LUAT_DEPRECATED const char* luaT_typename2id(lua_State* L, const char* tname);
/* lua_getmetatable */
LUAT_API LUAT_DEPRECATED int luaT_getmetaclass(lua_State* L, int index);
/* luaT_typenameid, with an error instead of NULL */
LUAT_API LUAT_DEPRECATED const char* luaT_checktypename2id(lua_State* L, const char* tname);
/* luaT_registeratname */
LUAT_API LUAT_DEPRECATED void luaT_registeratid(lua_State* L, const struct luaL_Reg* methods,
                                                const char* id);
/* Of "a.b.Class": "a.b", as luaT_classmodulename; "a"; and "b". */
LUAT_API LUAT_DEPRECATED int luaT_fullparentname(const char* tname, char* parent_name);
LUAT_API LUAT_DEPRECATED int luaT_outerparentname(const char* tname, char* parent_name);
LUAT_API LUAT_DEPRECATED int luaT_innerparentname(const char* tname, char* parent_name);
/* Pushes the value of a.b among the globals, or nil. */
LUAT_API LUAT_DEPRECATED void luaT_getinnerparent(lua_State* L, const char* tname);

#endif
