#ifndef TENSOR_GENERIC_BINDINGS_H
#define TENSOR_GENERIC_BINDINGS_H

// The parts of the module tensor.core. The register_ functions expect the State's userdata as first
// upvalue of the calling C function, and a table at stack index `table`, `module` or `metatable`.

#include "state.h"

namespace bind {

void register_op_functions(lua_State* L, int table);
// like: the table of a class that is already registered, whose closures are reused; or 0.
void register_op_methods(lua_State* L, int table, DType type, int like);
void register_operators(lua_State* L, int table, int like);
int op_table(lua_State* L);  // THOps.def as a table, for documentation and tests

// The differences between the classes of tensors and those of storages.
struct ClassFunctions {
  int first_kind;
  const lua_CFunction *constructors, *factories;  // one for each element type
  Guarded destroy;
  void (*hand_over)(lua_State* L, void* object);
};
// Creates the classes of all element types, without methods: prepare_class adds these.
void register_classes(lua_State* L, State* state, int module, const ClassFunctions& functions);
void register_class_functions(lua_State* L, int module);
void register_table_functions(lua_State* L, int module);
void register_tensor_classes(lua_State* L, State* state, int module);
void register_storage_classes(lua_State* L, State* state, int module);
void add_tensor_methods(lua_State* L, int metatable, DType type, int like);
void add_storage_methods(lua_State* L, int metatable, DType type, int like);
void register_generator_class(lua_State* L, State* state, int module);
void register_blob_classes(lua_State* L, int module);
void register_rule_functions(lua_State* L, int module);
// Adds the operator == of LongStorages by the rule `sizes`.
void register_size_equality(lua_State* L, int metatable);
void register_timer_class(lua_State* L, int module);
void register_file_classes(lua_State* L, int module);
void register_format_functions(lua_State* L, int module);
void register_array_functions(lua_State* L, int module);
void register_print_functions(lua_State* L, int module);
void register_drawing_functions(lua_State* L, int module);
void register_csv_functions(lua_State* L, int module);
void register_dlpack_functions(lua_State* L, int module);
// Adds write and read methods to the class of generators, and the helpers of writeObject and
// readObject to the file class.
void register_serialization(lua_State* L);
// Add write and read methods to a class of tensors or storages.
void register_tensor_serialization(lua_State* L, int metatable, int like);
void register_storage_serialization(lua_State* L, int metatable, int like);
void register_random_functions(lua_State* L, int module);
void register_apply_functions(lua_State* L, int module);
void register_device_functions(lua_State* L, int module);
void register_profile_functions(lua_State* L, int module);
void register_compile_functions(lua_State* L, int module);
void register_coroutine_functions(lua_State* L, int module);
void register_grad_functions(lua_State* L, int module);
void register_dist_functions(lua_State* L, int module);
void register_worker_functions(lua_State* L, int module);
// Resumes a Lua thread with `arguments` values on its stack. Returns Lua's status, and sets
// *results to the number of values that it returned or yielded, which are on its stack. The open
// scope of L gets the objects that the thread makes.
int resume(lua_State* thread, lua_State* L, int arguments, int* results);
// Returns the suspended coroutine at a stack index, after moving the values above the index to it.
// Otherwise returns null, and pushes what push_resumed pushes for an error.
lua_State* take_coroutine(lua_State* L, int index, int* arguments);
// Pushes a status, 'dead', 'suspended' or 'error', and what the coroutine returned, yielded or
// raised. Returns the number of these values.
int push_resumed(lua_State* L, lua_State* thread, int status, int results);
// Pushes a tracked number for an element of a storage that a tape tracks, and returns true.
bool push_tracked_number(lua_State* L, State* state, Storage* storage, ptrdiff_t index);
// The same for the number that the last operation returned.
bool push_returned_number(lua_State* L, State* state);
// Replaces a tracked number at a stack index by its tensor with one element.
void read_tracked_number(lua_State* L, int index);
// Returns true if the value is a tracked number.
bool is_tracked_number(lua_State* L, int index);
// Raises an error of the function if the value is a tracked number.
void refuse_tracked_number(lua_State* L, int index, const char* function);
// Returns the DoubleTensor with one element of a tracked number. Null for other values, and if a
// program has replaced that tensor.
Tensor* tracked_number_at(lua_State* L, State* state, int index);
// Writes the tracked number at stack index `number` to n elements of a storage.
void write_tracked_number(lua_State* L, const char* function, Storage* storage, ptrdiff_t first,
                          ptrdiff_t n, int number);
// Calls an operation whose arguments contain tracked numbers, where no form accepts them. A message
// is on top of the stack, and `count` arguments are at its bottom. If none of them is a tracked
// number, returns false; else pushes the result.
bool call_with_tracked_numbers(lua_State* L, const char* name, int count, bool is_method);
void register_device_methods(lua_State* L, int metatable, bool of_storage, int like);

// The following serve require 'cutorch'. Returns the current device of a tensor or storage whose
// class has a cutorch name. Returns null for CPU memory, for other objects and without cutorch.
th::Device* cuda_device_of(const State* state, const Object& object);
// Looks up the string at stack index `key` in the cutorch class of the object. Pushes the field and
// returns 1. If the class has no such field, pushes nothing and returns 0.
int push_cuda_field(lua_State* L, const State* state, const Object& object, int key);
// The generator of the device. Falls back to the default generator if the device has none.
th::Generator* generator_of(lua_State* L, const State* state, const th::Device* device);
// Copies the storage back to the host and makes the host its current device. In cutorch, copy never
// moves the destination, so a CPU destination must stay on the CPU even if the core moved it.
void move_to_cpu(Storage* storage);
// Returns the element type of one of cutorch's tensor classes, -1 for another name or without
// cutorch.
int cuda_class_named(const State* state, const char* name);
// Moves the tensors among the last `count` values of the stack to the GPU. name: the function, for
// errors.
void move_to_cuda(lua_State* L, State* state, const char* name, int count);
// The class name as shown in messages and by typename, or null if the value has no class.
const char* shown_class(lua_State* L, State* state, int index);
// Like shown_class, but returns the Lua type name of values without a class.
const char* shown_type(lua_State* L, int index);
void register_cuda_functions(lua_State* L, int module);
void register_interrupt_functions(lua_State* L, int module);
// For functions that wait: raises the error of Ctrl-C if it was pressed. before: the debug hook
// when the function began. In scripts Ctrl-C sets a hook.
void raise_interrupt(lua_State* L, lua_Hook before);

// Installs the TH error handlers so that errors and allocation failures in C functions are reported
// to the Lua thread that calls update_handlers.
int update_handlers(lua_State* L);
// Finalizer of the State: uninstalls its error handlers and frees the default generator.
int forget_state(lua_State* L);
// Records L as the Lua thread that receives errors of C code outside the module. Called when such
// code obtains a pointer.
void note_thread(lua_State* L, const State* state);
// Pushes the address that address() returns, as a number for the FFI. It gives C code access to the
// elements of the storage, which may be null.
template <class F>
int push_address(lua_State* L, const char* function, Storage* storage, const F& address) {
  note_thread(L, state_of(L));
  trace_elements(L, function, storage, th::ElementUse::hands_out);
  refuse_held(L, state_of(L), function, storage);
  const void* pointer = nullptr;
  protect(L, function, [&] { pointer = address(); });
  push_integer(L, reinterpret_cast<uintptr_t>(pointer));
  return 1;
}

// Sets closures over the State in `table`. If `like` is not 0, reuses the closures of that table,
// unless a program has replaced them.
void set_functions(lua_State* L, const Method* functions, size_t count, int table, int like);
template <size_t count>
void set_functions(lua_State* L, const Method (&functions)[count], int table, int like = 0) {
  set_functions(L, functions, count, table, like);
}
// Sets a table of closures over the State in `module`.
template <size_t count>
void set_function_table(lua_State* L, const Method (&functions)[count], int module,
                        const char* name) {
  lua_newtable(L);
  set_functions(L, functions, lua_gettop(L));
  lua_setfield(L, module, name);
}
// Sets closures over the State and the metatable in the metatable.
template <size_t count>
void set_class_functions(lua_State* L, const Method (&functions)[count], int metatable) {
  for (const Method& method : functions) {
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_pushvalue(L, metatable);
    push_closure(L, method.function, 2);
    lua_setfield(L, metatable, method.name);
  }
}

// The method elementSize. It needs no object: torch.FloatTensor.elementSize() is 4.
int element_size(lua_State* L);

// t[key] and t[key] = value.
int tensor_index(lua_State* L);
int tensor_newindex(lua_State* L);
int tensor_index_method(lua_State* L);
int tensor_newindex_method(lua_State* L);
// Reading an unknown field: raises an error that names the field, or pushes nil in Torch7 mode.
int unknown_field(lua_State* L, State* state);
// Calls the method __index__ or __newindex__ that the program has set in the class of a tensor or
// storage, with the first `arguments` stack elements. Upvalue 2 of the caller is the class. Returns
// true if the method handles the key; the value of __index__ is on top of the stack then. Otherwise
// the stack has the arguments only. own: the method that the class has had.
bool call_override(lua_State* L, const char* name, int arguments, Guarded own);
int set_name_hint(lua_State* L);
int refuse_extra_of(lua_State* L);
int list_length(lua_State* L);

// Pushes a LongStorage of these numbers. function: the name in messages.
void push_sizes(lua_State* L, State* state, const char* function, int count, const int64_t* values);
// Fills t, which must be empty, from the nested table at index. Raises an error if rows differ in
// length.
void tensor_from_table(lua_State* L, Tensor* t, int index);
// Raises an error if a table cannot have n entries.
void check_entries(lua_State* L, double n);
// totable of tensors.
int tensor_to_table(lua_State* L);

}  // namespace bind

#endif
