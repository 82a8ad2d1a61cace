// Functions for apply, map and map2 (lua/core/apply.lua), which loop over elements by raw pointers,
// and for t[i] in compiled loops (lua/core/element.lua): pinned addresses, elements as numbers, and
// the offsets of the fields of the C structs.

#include "bindings.h"

#include <cstring>
#include <limits>

#include "luaT.h"
#include "ops/elementwise.h"
#include "tensor/convert.h"

namespace bind {

namespace {

// align(t, u, name): returns u in the shape of t, paired by the broadcasting rules: a view or a
// copy. name: of the caller.
int align(lua_State* L) {
  State* state = state_of(L);
  collect_under_pressure(L, state);
  Tensor* t = check_tensor(L, state, 1);
  Tensor* u = check_tensor(L, state, 2);
  const char* name = check_string(L, 3);
  Tensor* aligned = nullptr;
  protect(L, name, [&] {
    th::RulesScope rules(state->rules);
    aligned = th::paired_view(u, t).release();
  });
  push_tensor(L, state, aligned);
  return 1;
}

void push_address(lua_State* L, const void* address) {
  push_integer(L, reinterpret_cast<uintptr_t>(address));
}

// The state of a loop over the elements of up to three tensors, in a userdata. Lua code reads the
// first fields through the FFI (lua/core/apply.lua). While the walk is open, the storages are
// pinned: their memory is neither resized, replaced nor freed.
struct Walk {
  struct Operand {
    char* block;        // address of the storage's memory at the tensor's offset, valid if *ready
    const void* ready;  // SyncedMemory::host_ready
    int64_t at;         // bytes from there to the first element of the row
    int64_t step;       // elements between neighbours in a row
    int64_t* stride;    // bytes, for the outer dimensions, innermost first
    Storage* storage;   // null: closed
    int64_t offset;     // in bytes
    int32_t type;       // a DType

    DType dtype() const noexcept { return static_cast<DType>(type); }
    int64_t item() const noexcept { return static_cast<int64_t>(th::item_size(dtype())); }
  };
  Operand operand[3];
  int64_t inner, rows;   // number of elements in a row, number of rows
  int32_t count, outer;  // number of operands, number of outer dimensions
  int64_t* size;         // of the outer dimensions
  int64_t* index;

  void close() noexcept {
    for (int k = 0; k < count; ++k) {
      Storage* storage = operand[k].storage;
      operand[k].storage = nullptr;
      if (!storage) continue;
      th::unpin(storage);
      th::storage_free(storage);
    }
  }
  void settle(int k) {
    // Only the first operand is written. Marking others as written would make device copies stale.
    Operand& a = operand[k];
    a.block = static_cast<char*>(a.storage->cpu(k == 0 ? th::Access::write : th::Access::read)) +
              a.offset;
  }
  void next_row() {
    for (int d = 0; d < outer; ++d) {
      bool back = ++index[d] == size[d];
      for (int k = 0; k < count; ++k) {
        operand[k].at += operand[k].stride[d] - (back ? size[d] * operand[k].stride[d] : 0);
      }
      if (!back) return;
      index[d] = 0;
    }
  }
  // Opens the walk. The tensors have elements and the same shape. Dimensions that are contiguous in
  // all tensors are merged.
  void open(Tensor* const* tensors, int number) {
    const Tensor& first = *tensors[0];
    count = number;
    outer = -1;
    inner = rows = 1;
    for (int k = 0; k < count; ++k) {
      operand[k].storage = tensors[k]->storage;
      operand[k].type = static_cast<int32_t>(tensors[k]->dtype);
      operand[k].offset = tensors[k]->storageOffset * operand[k].item();
      operand[k].ready = tensors[k]->storage->memory.host_ready();
      th::storage_retain(operand[k].storage);
      th::pin(operand[k].storage);
    }
    for (int d = first.nDimension - 1; d >= 0; --d) {
      if (first.size[d] == 1) continue;
      int64_t* last = outer < 0 ? &inner : &size[outer];
      bool merges = outer >= 0 || inner > 1;
      for (int k = 0; k < count && merges; ++k) {
        const Operand& a = operand[k];
        int64_t stride = outer < 0 ? a.step : a.stride[outer] / a.item();
        merges = tensors[k]->stride[d] == *last * stride;
      }
      if (merges) {
        *last *= first.size[d];
        continue;
      }
      if (outer < 0 && inner == 1) {
        inner = first.size[d];
        for (int k = 0; k < count; ++k) operand[k].step = tensors[k]->stride[d];
        continue;
      }
      size[++outer] = first.size[d];
      for (int k = 0; k < count; ++k) {
        operand[k].stride[outer] = tensors[k]->stride[d] * operand[k].item();
      }
    }
    ++outer;
    for (int d = 0; d < outer; ++d) rows *= size[d];
    for (int k = 0; k < count; ++k) settle(k);
  }
};

constexpr const char* kNames[] = {"apply", "map", "map2"};  // by the number of operands

// open(like, t [, u [, v]]): returns a walk over tensors. t has like's type and may be written.
// Returns nil if they have no elements.
int open(lua_State* L) {
  State* state = state_of(L);
  int count = lua_gettop(L) - 1;
  Tensor* tensors[3];
  int dims = 0;
  auto read = [&] {
    for (int k = 0; k < count; ++k) tensors[k] = check_tensor(L, state, k + 2);
    if (tensors[0]->dtype != check_tensor(L, state, 1)->dtype) {
      luaT_typerror(L, 2, tensor_class(check_tensor(L, state, 1)->dtype));
    }
    dims = tensors[0]->nDimension;
  };
  read();
  if (tensors[0]->numel() == 0) return 0;
  size_t bytes = sizeof(Walk) + sizeof(int64_t) * dims * (2 + count);
  auto* walk = static_cast<Walk*>(lua_newuserdata(L, bytes));
  walk->count = 0;
  lua_pushvalue(L, lua_upvalueindex(2));
  lua_setmetatable(L, -2);
  // Finalizers may have changed them.
  read();
  bool fits = static_cast<size_t>(dims) * (2 + count) * sizeof(int64_t) + sizeof(Walk) <= bytes;
  for (int k = 0; k < count; ++k) {
    fits = fits && tensors[k]->storage && th::same_size(*tensors[k], *tensors[0]);
  }
  if (!fits) return raise_error(L, "apply: a finalizer has changed a tensor's size");
  refuse_held(L, state, "apply", tensors[0]->storage);
  for (int k = 0; k < count; ++k) {
    trace_elements(L, kNames[count - 1], tensors[k]->storage,
                   k ? th::ElementUse::reads : th::ElementUse::writes);
  }
  auto* numbers = reinterpret_cast<int64_t*>(walk + 1);
  std::memset(numbers, 0, bytes - sizeof(Walk));
  walk->size = numbers;
  walk->index = numbers + dims;
  for (int k = 0; k < count; ++k) {
    walk->operand[k] = {};
    walk->operand[k].stride = numbers + (2 + k) * dims;
  }
  Failure failure = attempt(L, [&] {
    for (int k = 0; k < count; ++k) tensors[k]->check_storage();
    walk->open(tensors, count);
  });
  if (failure.failed) {
    walk->close();
    return raise_error(L, "apply: %s", failure.text);
  }
  return 1;
}

Walk* check_walk(lua_State* L) {
  // Only lua/core/apply.lua has access to walks and to these functions, so the type is not checked.
  return static_cast<Walk*>(lua_touserdata(L, 1));
}
int close(lua_State* L) {
  check_walk(L)->close();
  return 0;
}
// settle(walk, operand): makes the operand's memory current on the CPU again.
int settle(lua_State* L) {
  Walk* walk = check_walk(L);
  auto k = static_cast<int>(lua_tointeger(L, 2));
  if (k == 0) refuse_held(L, state_of(L), "apply", walk->operand[0].storage);
  protect(L, "apply", [&] { walk->settle(k); });
  return 0;
}

// each(walk, f): the loop of lua/core/apply.lua, for Luas without FFI.
int each(lua_State* L) {
  Walk* walk = check_walk(L);
  State* state = state_of(L);
  DType type = walk->operand[0].dtype();
  luaL_checkstack(L, 8, "apply");
  auto address = [&](int k, int64_t i) {
    const Walk::Operand& a = walk->operand[k];
    return a.block + a.at + i * a.step * a.item();
  };
  for (int64_t row = 0; row < walk->rows; ++row) {
    for (int64_t i = 0; i < walk->inner; ++i) {
      lua_pushvalue(L, 2);
      for (int k = 0; k < walk->count; ++k) {
        push_element(L, walk->operand[k].dtype(), address(k, i));
      }
      lua_call(L, walk->count, 1);
      // The function may have moved the memory to a device or written it there.
      for (int k = 0; k < walk->count; ++k) {
        int ready = *static_cast<const uint8_t*>(walk->operand[k].ready);
        if (k == 0 ? ready == 3 : ready != 0) continue;
        if (k == 0) refuse_held(L, state, "apply", walk->operand[0].storage);
        protect(L, "apply", [&] { walk->settle(k); });
      }
      const char* name = kNames[walk->count - 1];
      if (is_number(L, *state, -1)) {
        write_element(type, address(0, i), check_element(L, lua_gettop(L), type, name));
      } else if (lua_toboolean(L, -1)) {
        return raise_error(L, "%s: the function must return a number or nothing, got %s", name,
                           luaL_typename(L, -1));
      }
      lua_pop(L, 1);
    }
    walk->next_row();
  }
  return 0;
}

// Returns NaNs without payload, as lua/core/number.lua requires.
template <class T>
double read(const void* address) noexcept {
  auto value = static_cast<double>(th::load(*static_cast<const T*>(address)));
  return value == value ? value : std::numeric_limits<double>::quiet_NaN();
}
template <class T>
void write(void* address, double value) noexcept {
  *static_cast<T*>(address) = th::convert<T>(value);
}

// accessors(t): returns the addresses of two functions that read and write an element of t's type
// as a double.
int accessors(lua_State* L) {
  Tensor* t = check_tensor(L, state_of(L), 1);
  th::dispatch(t->dtype, [&](auto zero) {
    using T = decltype(zero);
    push_address(L, reinterpret_cast<const void*>(&read<T>));
    push_address(L, reinterpret_cast<const void*>(&write<T>));
  });
  return 2;
}

// layout(): returns a table of offsets in bytes of the C structs' fields that Lua code reads. It
// also has two addresses. One is of a pointer that is not null while a finalizer interrupts an
// operation, whose operands must not be written then. The other is of a number that is not 0 while
// a recorder or profiler must see each access.
int layout(lua_State* L) {
  State* state = state_of(L);
  Storage* storage = nullptr;
  protect(L, "layout", [&] { storage = th::storage_new(DType::Byte); });
  Tensor tensor(DType::Byte);
  auto at = [L](const char* field, const void* object, const void* address) {
    push_integer(L, static_cast<const char*>(address) - static_cast<const char*>(object));
    lua_setfield(L, -2, field);
  };
  lua_newtable(L);
  at("sizes", &tensor, &tensor.size);
  at("strides", &tensor, &tensor.stride);
  at("dims", &tensor, &tensor.nDimension);
  at("storage", &tensor, &tensor.storage);
  at("offset", &tensor, &tensor.storageOffset);
  at("elements", storage, &storage->size);
  at("shrunk", storage, &storage->shrunk);
  at("home", storage, &storage->device);
  at("ready", storage, storage->memory.host_ready());
  at("block", storage, storage->memory.host_address());
  th::storage_free(storage);
  push_address(L, &state->operands);
  lua_setfield(L, -2, "operands");
  push_address(L, &th::active_tracers);
  lua_setfield(L, -2, "tracers");
  return 1;
}

const Method functions[] = {{"align", guarded<align>},         {"close", guarded<close>},
                            {"settle", guarded<settle>},       {"each", guarded<each>},
                            {"accessors", guarded<accessors>}, {"layout", guarded<layout>}};

}  // namespace

void register_apply_functions(lua_State* L, int module) {
  lua_newtable(L);
  int table = lua_gettop(L);
  set_functions(L, functions, table);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_newtable(L);
  lua_pushvalue(L, lua_upvalueindex(1));
  push_closure(L, guarded<close>, 1);
  lua_setfield(L, -2, "__gc");
  push_closure(L, guarded<open>, 2);
  lua_setfield(L, table, "open");
  lua_setfield(L, module, "_apply");
}

}  // namespace bind
