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
void register_profile_functions(lua_State* L, int module);
void register_device_methods(lua_State* L, int metatable, bool of_storage);

// Errors and shortage of memory in C functions are told to the Lua thread that calls it.
int update_handlers(lua_State* L);
// The State's finalizer: nobody may be told of errors in it any more.
int forget_state(lua_State* L);
// C code outside the module gets hold of a pointer, in this Lua thread.
void note_thread(lua_State* L, const State* state);

// Closures over the State, in the table.
void set_functions(lua_State* L, const Method* functions, size_t count, int table);
template <size_t count>
void set_functions(lua_State* L, const Method (&functions)[count], int table) {
  set_functions(L, functions, count, table);
}

// t[key] and t[key] = value.
int tensor_index(lua_State* L);
int tensor_newindex(lua_State* L);
int tensor_index_method(lua_State* L);
int tensor_newindex_method(lua_State* L);
// What reading a field that no class has gives: an error that names it, or, as in Torch7, nil.
int unknown_field(lua_State* L, State* state);

// Fills t, which must be empty, from the nested table at index. Raises an error on ragged tables.
void tensor_from_table(lua_State* L, Tensor* t, int index);

}  // namespace bind

#endif
