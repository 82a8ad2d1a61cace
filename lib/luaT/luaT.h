#ifndef LUAT_UTILS_INC
#define LUAT_UTILS_INC

/* luaT: Lua classes whose objects are C pointers.

   An object is a full userdata that contains one pointer. Its metatable is the class; the metatable
   of that metatable is the parent class. The registry has registry[name] = metatable and
   registry[metatable] = name.

   "ud" is the stack index of a value. Functions named check raise a Lua error that names the
   argument. Unless stated otherwise the stack is left unchanged. */

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

/* Lua 5.2's names for functions that Lua 5.1 has under another name. */
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

/* Creates the class tname, pushes its metatable and returns its name, which is valid as long as the
   Lua state. parenttname, constructor, destructor and factory may be NULL. The constructor table is
   stored in the global table named by the part of tname before the last dot, if that table exists.
   For an existing class, only missing parts are added; setting one again is an error. The
   destructor is called at most once per object, also if it raises an error. Subclasses without a
   destructor inherit it, also those that exist already. */
LUAT_API const char* luaT_newmetatable(lua_State* L, const char* tname, const char* parenttname,
                                       lua_CFunction constructor, lua_CFunction destructor,
                                       lua_CFunction factory);

/* The same, but stores the constructor table in the table at moduleidx (0: as above). */
LUAT_API const char* luaT_newlocalmetatable(lua_State* L, const char* tname,
                                            const char* parenttname, lua_CFunction constructor,
                                            lua_CFunction destructor, lua_CFunction factory,
                                            int moduleidx);

/* Pushes the metatable of the class tname and returns 1. If there is no such class, pushes nothing
   and returns 0. */
LUAT_API int luaT_pushmetatable(lua_State* L, const char* tname);

/* Returns the state's copy of the class name tname, or NULL if there is no such class. */
LUAT_API const char* luaT_typenameid(lua_State* L, const char* tname);

/* Returns the class name of the value at ud, or NULL if it is not an object. */
LUAT_API const char* luaT_typename(lua_State* L, int ud);

/* Raises "bad argument #ud to 'f' (tname expected, got ...)". Does not return. */
LUAT_API int luaT_typerror(lua_State* L, int ud, const char* tname);

/* Registers functions (the list ends with an entry of NULLs) in the table below the nup upvalues at
   the top of the stack. Pops the upvalues. */
LUAT_API void luaT_setfuncs(lua_State* L, const luaL_Reg* l, int nup);

/* Registers functions in field `name` of the table at the top of the stack. Creates the field's
   table if necessary. */
LUAT_API void luaT_registeratname(lua_State* L, const struct luaL_Reg* methods, const char* name);

/* Returns the part of a class name after its last dot. */
LUAT_API const char* luaT_classrootname(const char* tname);

/* Writes the part of a class name before its last dot to module_name, a buffer of
   LUAT_MODULENAME_SIZE bytes, and returns 1. If there is no dot, or if the part does not fit,
   writes the empty string and returns 0. */
#define LUAT_MODULENAME_SIZE 1024
LUAT_API int luaT_classmodulename(const char* tname, char* module_name);

/* ---- objects ------------------------------------------------------------------------------ */

/* Pushes an object of the class tname that contains udata and owns it; for NULL, pushes nil. */
LUAT_API void luaT_pushudata(lua_State* L, void* udata, const char* tname);

/* Returns the pointer of an object of the class tname or of a subclass, or NULL for any other
   value. */
LUAT_API void* luaT_toudata(lua_State* L, int ud, const char* tname);

/* The same, but raises an error instead of returning NULL. */
LUAT_API void* luaT_checkudata(lua_State* L, int ud, const char* tname);

/* Returns 1 if the value is an object of the class tname or of a subclass, else 0. */
LUAT_API int luaT_isudata(lua_State* L, int ud, const char* tname);

/* Registers a function that is called with each pointer that luaT_toudata, luaT_checkudata and
   luaT_getfieldcheckudata return, before they return it. It applies to the class tname and to
   subclasses without a hook of their own. NULL removes the hook. */
LUAT_API void luaT_sethandover(lua_State* L, const char* tname,
                               void (*hook)(lua_State* L, void* object));

/* Registers a function that is called before the metatable of the class tname is handed out by
   luaT_pushmetatable, luaT_pushudata or getmetatable of Lua. A library that has many classes can
   set the methods of a class there, when a program first uses the class. NULL removes it. */
LUAT_API void luaT_setprepare(lua_State* L, const char* tname,
                              void (*prepare)(lua_State* L, const char* tname));

/* luaT_toudata without calling the hook, for the library that owns the objects. */
LUAT_API void* luaT_rawudata(lua_State* L, int ud, const char* tname);

/* ---- fields: push a field of the value at ud, check its type, and leave it on the stack ------ */

/* Returns the pointer of an object of the class tname. */
LUAT_API void* luaT_getfieldcheckudata(lua_State* L, int ud, const char* field, const char* tname);
/* Returns the pointer of a light userdata. */
LUAT_API void* luaT_getfieldchecklightudata(lua_State* L, int ud, const char* field);
LUAT_API double luaT_getfieldchecknumber(lua_State* L, int ud, const char* field);
/* Returns a number, truncated to an integer. */
LUAT_API int luaT_getfieldcheckint(lua_State* L, int ud, const char* field);
/* Returns a string, which is valid while it is on the stack. */
LUAT_API const char* luaT_getfieldcheckstring(lua_State* L, int ud, const char* field);
LUAT_API int luaT_getfieldcheckboolean(lua_State* L, int ud, const char* field);
LUAT_API void luaT_getfieldchecktable(lua_State* L, int ud, const char* field);

/* ---- numbers and booleans ----------------------------------------------------------------- */

/* Returns a boolean as 0 or 1. */
LUAT_API int luaT_checkboolean(lua_State* L, int ud);
/* The same, but returns def if the argument is absent or nil. */
LUAT_API int luaT_optboolean(lua_State* L, int ud, int def);
/* Return a number, truncated to an integer. Error if it is not a number or out of range. */
LUAT_API long luaT_checklong(lua_State* L, int ud);
LUAT_API ptrdiff_t luaT_checkinteger(lua_State* L, int ud);
/* The same, but returns 0 instead of raising an error. */
LUAT_API long luaT_tolong(lua_State* L, int ud);
/* Push a number. */
LUAT_API void luaT_pushlong(lua_State* L, long n);
LUAT_API void luaT_pushinteger(lua_State* L, ptrdiff_t n);

/* ---- memory ------------------------------------------------------------------------------- */

/* malloc and realloc that raise a Lua error on failure. For size 0 they return NULL, and
   luaT_realloc frees the memory. If luaT_realloc fails, the old memory stays valid. */
LUAT_API void* luaT_alloc(lua_State* L, ptrdiff_t size);
LUAT_API void* luaT_realloc(lua_State* L, void* ptr, ptrdiff_t size);
/* Frees memory of these functions. */
LUAT_API void luaT_free(lua_State* L, void* ptr);

/* Prints the values on the stack to stdout, for debugging. */
LUAT_API void luaT_stackdump(lua_State* L);

/* ---- functions to register in a Lua module --------------------------------------------------- */

/* newmetatable(name [, parent [, constructor [, destructor [, factory [, module]]]]]): creates a
   class and returns its metatable, like luaT_newlocalmetatable. */
LUAT_API int luaT_lua_newmetatable(lua_State* L);
/* getmetatable(name): returns the metatable of the class, or nil. */
LUAT_API int luaT_lua_getmetatable(lua_State* L);
/* getconstructortable(name): returns the constructor table of the class, or nil. */
LUAT_API int luaT_lua_getconstructortable(lua_State* L);
/* factory(name): returns the function that creates an empty object of the class, or nil. */
LUAT_API int luaT_lua_factory(lua_State* L);
/* typename(value): returns the class name of value, or nil. */
LUAT_API int luaT_lua_typename(lua_State* L);
/* isequal(a, b): returns true if a and b are the same table or userdata, or objects that contain
   the same pointer. Returns false for numbers, strings, functions and all other values. */
LUAT_API int luaT_lua_isequal(lua_State* L);
/* pointer(value): returns the pointer in an object or a cdata, or the address of a table, thread,
   function, userdata or string, as a number. */
LUAT_API int luaT_lua_pointer(lua_State* L);
/* setenv(f, table): sets the environment of a function or userdata. */
LUAT_API int luaT_lua_setenv(lua_State* L);
/* getenv(f): returns the environment of a function or userdata. */
LUAT_API int luaT_lua_getenv(lua_State* L);
/* metatype(name, metatable [, ctype]): sets the class name of tables with this metatable, and of
   FFI objects of type ctype (a declaration or a ctype). Returns the metatable. */
LUAT_API int luaT_lua_metatype(lua_State* L);
/* pushudata(pointer, name): returns an object that contains a pointer, given as a number or cdata.
   The caller must ensure that it points to such an object. */
LUAT_API int luaT_lua_pushudata(lua_State* L);
/* setmetatable(table, name): makes the table an object of the class and returns it. */
LUAT_API int luaT_lua_setmetatable(lua_State* L);
/* version(value): returns the field __version of the value's class, or nil. */
LUAT_API int luaT_lua_version(lua_State* L);

/* ---- deprecated names ---------------------------------------------------------------------- */

/* Use luaT_pushmetatable. */
LUAT_API LUAT_DEPRECATED int luaT_pushmetaclass(lua_State* L, const char* tname);
/* Use luaT_typename: the name is the id of a class. */
LUAT_API LUAT_DEPRECATED const char* luaT_id(lua_State* L, int ud);
/* Returns id. */
LUAT_API LUAT_DEPRECATED const char* luaT_id2typename(lua_State* L, const char* id);
/* Use luaT_typenameid. */
LUAT_API LUAT_DEPRECATED const char* luaT_typename2id(lua_State* L, const char* tname);
/* Use lua_getmetatable. */
LUAT_API LUAT_DEPRECATED int luaT_getmetaclass(lua_State* L, int index);
/* luaT_typenameid, with an error instead of NULL. */
LUAT_API LUAT_DEPRECATED const char* luaT_checktypename2id(lua_State* L, const char* tname);
/* Use luaT_registeratname. */
LUAT_API LUAT_DEPRECATED void luaT_registeratid(lua_State* L, const struct luaL_Reg* methods,
                                                const char* id);
/* For "a.b.Class" these write "a.b" (like luaT_classmodulename), "a", and "b". */
LUAT_API LUAT_DEPRECATED int luaT_fullparentname(const char* tname, char* parent_name);
LUAT_API LUAT_DEPRECATED int luaT_outerparentname(const char* tname, char* parent_name);
LUAT_API LUAT_DEPRECATED int luaT_innerparentname(const char* tname, char* parent_name);
/* Pushes the global a.b for "a.b.Class", or nil. */
LUAT_API LUAT_DEPRECATED void luaT_getinnerparent(lua_State* L, const char* tname);

#endif
