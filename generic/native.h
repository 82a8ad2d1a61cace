#ifndef TENSOR_GENERIC_NATIVE_H
#define TENSOR_GENERIC_NATIVE_H

// C++ objects owned by the module's Lua code: userdata without a Torch class, freed by the garbage
// collector.

#include <memory>
#include <string>

#include "state.h"

namespace bind {

template <class T>
struct Native {
  static const char* key();  // metatable's key in the registry; unique for each T
  static int destroy(lua_State* L) {
    T*& object = *static_cast<T**>(lua_touserdata(L, 1));
    delete object;
    object = nullptr;
    return 0;
  }
  // Pushes a userdata with a null pointer. The caller stores the new object in it.
  static T** push(lua_State* L) {
    auto** box = static_cast<T**>(lua_newuserdata(L, sizeof(T*)));
    *box = nullptr;
    if (luaL_newmetatable(L, key())) {
      push_closure(L, guarded<destroy>, 0);
      lua_setfield(L, -2, "__gc");
      lua_pushboolean(L, false);
      lua_setfield(L, -2, "__metatable");
    }
    lua_setmetatable(L, -2);
    return box;
  }
  // freed: the text of the error for an object that has been freed; default: the key.
  static T& check(lua_State* L, int index, const char* freed = nullptr) {
    void* box = lua_touserdata(L, index);
    bool known = box && lua_getmetatable(L, index);
    if (known) {
      luaL_getmetatable(L, key());
      known = lua_rawequal(L, -1, -2);
      lua_pop(L, 2);
    }
    T* object = known ? *static_cast<T**>(box) : nullptr;
    if (known && !object && freed) argument_error(L, index, freed);
    if (!object) luaL_argerror(L, index, key());
    return *object;
  }
};

// Bytes for Lua, so that an error of Lua does not leak them.
template <>
const char* Native<std::string>::key();

}  // namespace bind

#endif
