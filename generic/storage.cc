// The storage classes.

#include "bindings.h"

#include <sys/mman.h>
#include <unistd.h>

#include <utility>

#include "THAllocator.h"
#include "files.h"
#include "grad/tape.h"
#include "luaT.h"
#include "ops/ops.h"
#include "tensor/type_sets.h"

namespace bind {
namespace {

th::TensorRef all_of(Storage* storage) { return th::vector_of(storage, 0, storage->size); }

void fill_from_table(lua_State* L, Storage* storage, int index) {
  char* data = nullptr;
  protect(L, storage_class(storage->dtype),
          [&] { data = static_cast<char*>(storage->cpu(th::Access::write)); });
  auto item = static_cast<ptrdiff_t>(th::item_size(storage->dtype));
  for (ptrdiff_t i = 0; i < storage->size; ++i, data += item) {
    lua_rawgeti(L, index, static_cast<int>(i + 1));
    if (!lua_isnumber(L, -1)) {
      raise_error(L, "%s: a number is expected at position %d of the table, got %s",
                  storage_class(storage->dtype), static_cast<int>(i + 1),
                  shown_type(L, lua_gettop(L)));
    }
    write_element(storage->dtype, data,
                  check_listed_element(L, -1, storage->dtype, storage_class(storage->dtype)));
    lua_pop(L, 1);
  }
}

// Storage(filename [, shared [, size [, sharedmem]]])
Storage* map_file(lua_State* L, DType type) {
  const char* name = check_text(L, 1, storage_class(type));
  bool shared = lua_toboolean(L, 2);
  int64_t size = lua_isnoneornil(L, 3) ? 0 : check_integer_argument(L, 3);
  int flags = !shared               ? 0
              : lua_toboolean(L, 4) ? TH_ALLOCATOR_MAPPED_SHAREDMEM
                                    : TH_ALLOCATOR_MAPPED_SHARED;
  Storage* storage = nullptr;
  protect(L, storage_class(type),
          [&] { storage = th::storage_from_file(type, name, size, flags); });
  return storage;
}

// Storage(storage [, offset [, size]])
Storage* view_of(lua_State* L, DType type) {
  Object object = object_at(L, registered_state(L), 1);
  if (!object.is_storage() || object.dtype() != type) luaT_typerror(L, 1, storage_class(type));
  Storage* of = object.storage();
  const int64_t offset = lua_isnoneornil(L, 2) ? 1 : check_integer_argument(L, 2);
  const int64_t first = offset > 0 ? offset - 1 : -1;
  int64_t size = lua_isnoneornil(L, 3) ? of->size - first : check_integer_argument(L, 3);
  trace_elements(L, storage_class(type), of, th::ElementUse::hands_out);
  Storage* storage = nullptr;
  protect(L, storage_class(type), [&] { storage = th::storage_view(of, first, size); });
  return storage;
}

// Returns false if a page of the range is not mapped, for which POSIX requires msync to fail. This
// finds invalid addresses. It does not find pages that cannot be written.
bool is_mapped(uintptr_t first, uintptr_t bytes) {
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  return msync(reinterpret_cast<void*>(first - first % page), first % page + bytes, MS_ASYNC) == 0;
}

// Returns the address in a cdata and the size of the object in bytes, -1 for a pointer. Numbers and
// types of the FFI are errors: tonumber converts both.
const char kDescribeCData[] =
    "local ffi = require 'ffi'\n"
    "return function(object)\n"
    "  if tonumber(object) then error 'a number or a type' end\n"
    "  local is_pointer = pcall(ffi.cast, ffi.typeof(object), 0)\n"
    "  local address = tonumber(ffi.cast('uintptr_t', ffi.cast('void *', object)))\n"
    "  return address, is_pointer and -1 or ffi.sizeof(object)\n"
    "end\n";

void push_describe_cdata(lua_State* L) {
  constexpr const char* kName = "tensor.describe_cdata";
  lua_getfield(L, LUA_REGISTRYINDEX, kName);
  if (!lua_isnil(L, -1)) return;
  lua_pop(L, 1);
  if (luaL_loadstring(L, kDescribeCData)) lua_error(L);
  lua_call(L, 0, 1);
  lua_pushvalue(L, -1);
  lua_setfield(L, LUA_REGISTRYINDEX, kName);
}

// The memory that argument 2 describes.
struct CallerMemory {
  uintptr_t address;
  int64_t bytes;  // -1: unknown
};

CallerMemory memory_of_cdata(lua_State* L) {
  push_describe_cdata(L);
  lua_pushvalue(L, 2);
  if (lua_pcall(L, 1, 2, 0)) argument_error(L, 2, "a pointer or an array of the FFI is expected");
  const CallerMemory memory = {static_cast<uintptr_t>(lua_tonumber(L, -2)),
                               static_cast<int64_t>(lua_tonumber(L, -1))};
  lua_pop(L, 2);
  return memory;
}

// Storage(size, memory): a view of memory that the caller owns. The memory is a cdata or, after
// require 'torch', also an address.
Storage* of_memory(lua_State* L, DType type) {
  const bool is_number = lua_type(L, 2) == LUA_TNUMBER;
  if (is_number && !registered_state(L)->is_torch7(Rule::arguments)) {
    raise_error(L,
                "%s: memory is a pointer or an array of the FFI, got a number; addresses are "
                "accepted after require 'torch'",
                storage_class(type));
  }
  const int64_t size = check_integer_argument(L, 1);
  const auto item = static_cast<int64_t>(th::item_size(type));
  const CallerMemory memory = is_number
                                  ? CallerMemory{static_cast<uintptr_t>(check_integer(L, 2)), -1}
                                  : memory_of_cdata(L);
  constexpr int64_t kMost = int64_t{1} << 47;
  if (size < 1 || size > kMost / item || memory.address == 0 || memory.address > kMost ||
      (is_number && !is_mapped(memory.address, static_cast<uintptr_t>(size * item)))) {
    raise_error(L, "%s: invalid memory: %lld elements at address %lld", storage_class(type),
                th::as_long(size), th::as_long(memory.address));
  }
  if (memory.bytes >= 0 && memory.bytes < size * item) {
    raise_error(L, "%s: %lld elements take %lld bytes, got a cdata of %lld bytes",
                storage_class(type), th::as_long(size), th::as_long(size * item),
                th::as_long(memory.bytes));
  }
  auto* block = reinterpret_cast<void*>(memory.address);
  Storage* storage = nullptr;
  protect(L, storage_class(type),
          [&] { storage = th::storage_from_block(type, block, size, nullptr, nullptr); });
  return storage;
}

template <class T>
int construct(lua_State* L) {
  State* state = registered_state(L);
  constexpr DType dtype = th::DTypeOf<T>::value;
  int64_t size = 0;
  auto make = lua_type(L, 1) == LUA_TSTRING     ? map_file
              : lua_type(L, 1) == LUA_TUSERDATA ? view_of
              : lua_type(L, 2) == LUA_TNUMBER   ? of_memory
              : compat_iscdata(L, 2)            ? of_memory
                                                : nullptr;
  const int most = make == map_file ? 4 : make == view_of ? 3 : make || lua_isnil(L, 2) ? 2 : 1;
  if (lua_gettop(L) > most) refuse_extra(L, most);
  if (make) {
    push_storage(L, state, make(L, dtype));
    return 1;
  }
  if (lua_istable(L, 1)) {
    check_list(L, 1);
    size = static_cast<int64_t>(compat_rawlen(L, 1));
  } else if (!lua_isnoneornil(L, 1)) {
    size = check_integer_argument(L, 1);
  }
  collect_under_pressure(L, state);
  Storage* storage = nullptr;
  protect(L, storage_class(dtype),
          [&] { storage = th::storage_new(dtype, static_cast<ptrdiff_t>(size)); });
  push_storage(L, state, storage);
  if (lua_istable(L, 1)) fill_from_table(L, storage, 1);
  return 1;
}

template <class T>
int make_empty(lua_State* L) {
  lua_settop(L, 0);
  return construct<T>(L);
}

// Also callable from Lua code, with any argument.
int destroy(lua_State* L) {
  Object object = object_at(L, state_of(L), 1);
  if (!object.is_storage() || is_held(state_of(L), object.box)) return 0;
  th::storage_free(object.storage());
  *object.box = nullptr;
  return 0;
}

// Returns the element number at stack index 2, counted from 0.
ptrdiff_t element(lua_State* L, Storage* storage) {
  double number = check_whole(L, lua_tonumber(L, 2), "an index");
  if (!(number >= 1 && number < static_cast<double>(storage->size) + 1)) {
    raise_error(L, "index %s is out of bounds of a storage of size %td",
                push_number_at(L, 2, number), storage->size);
  }
  return static_cast<ptrdiff_t>(number) - 1;
}

void push_indexed(lua_State* L) {
  Storage* storage = check_storage(L, state_of(L), 1);
  ptrdiff_t position = element(L, storage);
  if (th::tracing()) {
    push_element_of(L, storage, position);
    return;
  }
  const char* block = static_cast<char*>(storage->memory.cpu_if_ready(th::Access::read));
  if (!block) {
    push_element_of(L, storage, position);
    return;
  }
  push_element(L, storage->dtype,
               block + position * static_cast<ptrdiff_t>(th::item_size(storage->dtype)));
}

int index_method(lua_State* L);
int newindex_method(lua_State* L);

int index(lua_State* L) {
  if (lua_type(L, 2) != LUA_TNUMBER) {
    lua_settop(L, 2);
    State* state = state_of(L);
    if (state->cuda_classes != LUA_NOREF && lua_type(L, 2) == LUA_TSTRING &&
        push_cuda_field(L, state, object_at(L, state, 1), 2)) {
      return 1;
    }
    lua_pushvalue(L, 2);
    lua_rawget(L, lua_upvalueindex(2));
    if (!lua_isnil(L, 3)) return 1;
    lua_settop(L, 2);
    if (!is_number(L, *state, 2)) {
      if (call_override(L, "__index__", 2, guarded<index_method>)) return 1;
      if (lua_isnumber(L, 2)) return unknown_field(L, state);
      lua_pushnil(L);
      return 1;
    }
  }
  push_indexed(L);
  return 1;
}

void assign_indexed(lua_State* L) {
  Storage* storage = check_storage(L, state_of(L), 1);
  if (th::tracing() && is_tracked_number(L, 3)) {
    return write_tracked_number(L, "indexing", storage, element(L, storage), 1, 3);
  }
  if (!lua_isnumber(L, 3)) {
    raise_error(L, "an element of a %s is a number, got %s", storage_class(storage->dtype),
                shown_type(L, 3));
  }
  th::trace_access(kElementAccess);
  const th::Scalar value = check_element(L, 3, storage->dtype, "indexing");
  ptrdiff_t position = element(L, storage);
  refuse_held(L, state_of(L), "indexing", storage);
  // If only a device has valid bytes, it writes the element. A gradient tape records the operation.
  if (th::is_on_device(storage) || (th::tracing() && !th::grad::recording_tapes().empty())) {
    protect(L, "indexing",
            [&] { th::ops::fill(th::vector_of(storage, position, 1).get(), value); });
    return;
  }
  size_t item = th::item_size(storage->dtype);
  if (void* block = storage->memory.cpu_if_ready(th::Access::write)) {
    write_element(storage->dtype, static_cast<char*>(block) + position * item, value);
    return;
  }
  th::ByteRange range = {position * item, (position + 1) * item};
  char* data = nullptr;
  protect(L, "indexing",
          [&] { data = static_cast<char*>(storage->cpu(th::Access::write, range)); });
  write_element(storage->dtype, data + range.begin, value);
}

int newindex(lua_State* L) {
  if (lua_istable(L, 1)) {  // a field of a class derived from a storage's
    lua_settop(L, 3);
    lua_rawset(L, 1);
    return 0;
  }
  if (!is_number(L, *state_of(L), 2)) {
    lua_settop(L, 3);
    Storage* storage = check_storage(L, state_of(L), 1);
    if (call_override(L, "__newindex__", 3, guarded<newindex_method>)) return 0;
    return raise_error(L, "a %s is indexed by numbers, got %s", storage_class(storage->dtype),
                       shown_type(L, 2));
  }
  assign_indexed(L);
  return 0;
}

// __index__ and __newindex__ of Torch7's classes: return the selected value, if any, and a boolean.
int index_method(lua_State* L) {
  bool found = is_number(L, *state_of(L), 2);
  if (found) push_indexed(L);
  lua_pushboolean(L, found);
  return found ? 2 : 1;
}
int newindex_method(lua_State* L) {
  bool found = is_number(L, *state_of(L), 2);
  if (found) assign_indexed(L);
  lua_pushboolean(L, found);
  return 1;
}

int size(lua_State* L) {
  push_integer(L, check_storage(L, state_of(L), 1)->size);
  return 1;
}

int fill(lua_State* L) {
  Storage* storage = check_storage(L, state_of(L), 1);
  if (th::tracing() && is_tracked_number(L, 2)) {
    write_tracked_number(L, "fill", storage, 0, storage->size, 2);
    return return_self(L);
  }
  if (lua_type(L, 2) == LUA_TSTRING) check_number(L, 2);
  const th::Scalar value = check_element(L, 2, storage->dtype, "fill");
  refuse_held(L, state_of(L), "fill", storage);
  th::trace_access(kElementAccess);
  protect(L, "fill", [&] { th::ops::fill(all_of(storage).get(), value); });
  return return_self(L);
}

int copy(lua_State* L) {
  State* state = state_of(L);
  Storage* storage = check_storage(L, state, 1);
  Storage* source = check_storage(L, state, 2);
  refuse_held(L, state, "copy", storage);
  const bool stays = state->cuda_classes != LUA_NOREF && !storage->current_device();
  protect(L, "copy", [&] {
    if (storage->size != source->size) {
      th::fail("storages of %td and %td elements differ in size", storage->size, source->size);
    }
    th::ops::copy(all_of(storage).get(), all_of(source).get());
    if (stays) move_to_cpu(storage);
  });
  return return_self(L);
}

int resize(lua_State* L) {
  State* state = state_of(L);
  Storage* storage = check_storage(L, state, 1);
  int64_t n = check_integer_argument(L, 2);
  const bool shrinks = n < storage->size;
  if (shrinks) trace_elements(L, "resize", storage, th::ElementUse::drops);
  protect(L, "resize", [&] {
    th::storage_resize(storage, static_cast<ptrdiff_t>(n));
    if (shrinks) th::trace_use(storage, th::ElementUse::dropped);
  });
  collect_under_pressure(L, state);
  return return_self(L);
}

int retain(lua_State* L) {
  Storage* storage = check_storage(L, state_of(L), 1);
  if (!count_retain(storage)) return raise_error(L, "retain: too many references");
  th::storage_retain(storage);
  return 0;
}

// Like free of tensors. The memory stays while tensors view it. Borrowed memory is only released.
int free_reference(lua_State* L) {
  Storage* storage = check_storage(L, state_of(L), 1);
  if (count_free(storage)) {
    th::storage_free(storage);
  } else if (__atomic_load_n(&storage->refcount, __ATOMIC_ACQUIRE) == 1) {
    protect(L, "free", [&] {
      const bool is_own = storage->flag & th::kResizable && storage->flag & th::kFreeMemory;
      if (is_own) return th::storage_resize(storage, 0);
      th::storage_swap(storage, th::StorageRef(th::storage_new(storage->dtype)).get());
    });
  }
  return 0;
}

int totable(lua_State* L) {
  State* state = state_of(L);
  ptrdiff_t n = check_storage(L, state, 1)->size;
  check_entries(L, static_cast<double>(n));
  lua_createtable(L, static_cast<int>(n), 0);
  // Finalizers may have freed or resized it. No finalizer runs from here on.
  Storage* storage = check_storage(L, state, 1);
  const char* data = nullptr;
  protect(L, "totable", [&] { data = static_cast<const char*>(storage->cpu(th::Access::read)); });
  auto item = static_cast<ptrdiff_t>(th::item_size(storage->dtype));
  if (n > storage->size) n = storage->size;
  for (ptrdiff_t i = 0; i < n; ++i) {
    push_element(L, storage->dtype, data + i * item);
    lua_rawseti(L, -2, static_cast<int>(i + 1));
  }
  return 1;
}

// Without an argument, returns the bytes of a Char or Byte storage as a string. With a string,
// stores its bytes in the storage.
int string(lua_State* L) {
  Storage* storage = check_storage(L, state_of(L), 1);
  if (th::item_size(storage->dtype) != 1) {
    return raise_error(L, "string: a CharStorage or a ByteStorage is expected, got %s",
                       storage_class(storage->dtype));
  }
  // As in Torch7, a number is a text.
  const bool lenient = state_of(L)->is_torch7(Rule::arguments);
  if (lenient ? lua_isstring(L, 2) : lua_type(L, 2) == LUA_TSTRING) {
    size_t length;
    const char* text = lua_tolstring(L, 2, &length);
    refuse_held(L, state_of(L), "string", storage);
    trace_elements(L, "string", storage, th::ElementUse::writes);
    protect(L, "string", [&] {
      th::storage_resize(storage, static_cast<ptrdiff_t>(length));
      if (length) __builtin_memcpy(storage->cpu(th::Access::overwrite), text, length);
    });
    return return_self(L);
  }
  if (!lua_isnoneornil(L, 2) && !lenient) {
    check_kind(L, 2, LUA_TSTRING);
  }
  // The limit of LuaJIT.
  constexpr ptrdiff_t kMostText = LUA_VERSION_NUM == 501 ? 0x7fffff00 : PTRDIFF_MAX;
  if (storage->size > kMostText) {
    return raise_error(L, "string: %td bytes do not fit into a string of Lua; save them to a file",
                       storage->size);
  }
  // Creating the string may run finalizers, which must not resize the storage. After an error of
  // Lua the collector frees the box.
  auto** box = Native<Pinned>::push(L);
  storage = check_storage(L, state_of(L), 1);  // a finalizer may have freed it
  const char* bytes = "";
  protect(L, "string", [&] {
    *box = new Pinned(storage);
    if (storage->size) bytes = static_cast<const char*>(storage->cpu(th::Access::read));
  });
  lua_pushlstring(L, bytes, static_cast<size_t>(storage->size));
  delete std::exchange(*box, nullptr);
  return 1;
}

int data_address(lua_State* L) {
  Storage* storage = check_storage(L, state_of(L), 1);
  return push_address(L, "data", storage, [=] { return storage->cpu(th::Access::write); });
}
int struct_address(lua_State* L) {
  Storage* storage = check_storage(L, state_of(L), 1);
  return push_address(L, "cdata", storage, [=] {
    th::expose_to_c(storage);
    return storage;
  });
}

const Method methods[] = {{"size", guarded<size, 1>},           {"__len__", guarded<size>},
                          {"fill", guarded<fill, 2>},           {"copy", guarded<copy, 2>},
                          {"resize", guarded<resize, 2>},       {"retain", guarded<retain, 1>},
                          {"free", guarded<free_reference, 1>}, {"totable", guarded<totable, 1>},
                          {"string", guarded<string, 2>},       {"_address", guarded<data_address>},
                          {"_struct", guarded<struct_address>}};

const auto constructors = th::for_types<th::AllTypes>(
    [](auto zero) { return guarded<construct<decltype(zero)>>.function(); });
const auto factories = th::for_types<th::AllTypes>(
    [](auto zero) { return guarded<make_empty<decltype(zero)>>.function(); });

void hand_over(lua_State* L, void* object) {
  note_thread(L, registered_state(L));
  auto* storage = static_cast<Storage*>(object);
  trace_elements(L, "a C function", storage, th::ElementUse::hands_out);
  attempt([&] { th::expose_to_c(storage); });
}

}  // namespace

void register_storage_classes(lua_State* L, State* state, int module) {
  register_classes(L, state, module,
                   {th::kDTypes, constructors.entry, factories.entry, guarded<destroy>, hand_over});
}

void add_storage_methods(lua_State* L, int metatable, DType type, int like) {
  set_functions(L, methods, metatable, like);
  register_device_methods(L, metatable, true, like);
  register_storage_serialization(L, metatable, like);
  set_class_functions(L,
                      {{"elementSize", guarded<element_size, 1>},
                       {"__index", guarded<index>},
                       {"__newindex", guarded<newindex>},
                       {"__index__", guarded<index_method>},
                       {"__newindex__", guarded<newindex_method>}},
                      metatable);
  if (type == DType::Long) register_size_equality(L, metatable);
}

}  // namespace bind
