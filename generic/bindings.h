#ifndef TENSOR_GENERIC_BINDINGS_H
#define TENSOR_GENERIC_BINDINGS_H

// The parts of the module tensor.core. Those that register expect the State's userdata as first
// upvalue of the function that calls them, and a table at stack index `table`.

#include "state.h"

namespace bind {

void register_op_functions(lua_State* L, int table);
void register_op_methods(lua_State* L, int table, DType type);
void register_operators(lua_State* L, int table);
int op_table(lua_State* L);  // the rows, for documentation and tests

void register_tensor_classes(lua_State* L, State* state, int module);
void register_storage_classes(lua_State* L, State* state, int module);
void register_generator_class(lua_State* L, State* state, int module);
void register_blob_classes(lua_State* L, int module);
void register_random_functions(lua_State* L, int module);
void register_apply_functions(lua_State* L, int module);
void register_device_functions(lua_State* L, int module);
void register_device_methods(lua_State* L, int metatable, bool of_storage);

// Closures over the State for a null-terminated list.
void set_functions(lua_State* L, const luaL_Reg* functions, int table);

// t[key] and t[key] = value.
int tensor_index(lua_State* L);
int tensor_newindex(lua_State* L);

// Fills t, which must be empty, from the nested table at index. Raises an error on ragged tables.
void tensor_from_table(lua_State* L, Tensor* t, int index);

}  // namespace bind

#endif
