#ifndef TENSOR_GENERIC_BINDINGS_H
#define TENSOR_GENERIC_BINDINGS_H

// The parts of the module tensor.core. Those that register expect the State's userdata as first
// upvalue of the function that calls them, and a table at stack index `table`.

#include "state.h"

namespace bind {

void register_op_functions(lua_State* L, int table);
// like: the table of a class that has been registered, whose functions serve this one, too; or 0.
void register_op_methods(lua_State* L, int table, DType type, int like);
void register_operators(lua_State* L, int table, int like);
int op_table(lua_State* L);  // the rows, for documentation and tests

void register_tensor_classes(lua_State* L, State* state, int module);
void register_storage_classes(lua_State* L, State* state, int module);
void register_generator_class(lua_State* L, State* state, int module);
void register_blob_classes(lua_State* L, int module);
void register_timer_class(lua_State* L, int module);
void register_file_classes(lua_State* L, int module);
void register_format_functions(lua_State* L, int module);
void register_csv_functions(lua_State* L, int module);
void register_dlpack_functions(lua_State* L, int module);
// What the classes of tensors, storages, generators and files need to write and read objects.
void register_serialization(lua_State* L);
void register_random_functions(lua_State* L, int module);
void register_apply_functions(lua_State* L, int module);
void register_device_functions(lua_State* L, int module);
void register_profile_functions(lua_State* L, int module);
void register_compile_functions(lua_State* L, int module);
void register_device_methods(lua_State* L, int metatable, bool of_storage, int like);

// What require 'cutorch' adds. The device at which a tensor or storage is at home has cutorch's
// names then: null for any other object, and without cutorch.
th::Device* cuda_home(const State* state, const Object& object);
// Pushes the field of cutorch's class of such an object that the string at key names, and returns
// 1; pushes nothing and returns 0 where there is none.
int push_cuda_field(lua_State* L, const State* state, const Object& object, int key);
// The generator of the device; the default one where it has none.
th::Generator* generator_of(lua_State* L, const State* state, const th::Device* device);
// As in cutorch, copy leaves a tensor at the CPU where it is, also one that had no contents yet.
void return_home(Storage* storage);
// A class name as shown in messages and by typename, or null.
const char* shown_class(lua_State* L, State* state, int index);
// The same, or the type of what is no object.
const char* shown_type(lua_State* L, int index);
void register_cuda_functions(lua_State* L, int module);
void register_interrupt_functions(lua_State* L, int module);

// Errors and shortage of memory in C functions are told to the Lua thread that calls it.
int update_handlers(lua_State* L);
// The State's finalizer: nobody may be told of errors in it any more.
int forget_state(lua_State* L);
// C code outside the module gets hold of a pointer, in this Lua thread.
void note_thread(lua_State* L, const State* state);

// Closures over the State, in the table; or those that the table like has, where it is not 0.
void set_functions(lua_State* L, const Method* functions, size_t count, int table, int like);
template <size_t count>
void set_functions(lua_State* L, const Method (&functions)[count], int table, int like = 0) {
  set_functions(L, functions, count, table, like);
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
