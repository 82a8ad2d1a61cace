// What apply, map and map2 (lua/apply.lua) need to loop over elements by raw pointers, and t[i] in
// compiled loops (lua/element.lua) for one: pins, addresses that are true, elements as numbers, and
// where in the structs their fields are.

#include "bindings.h"

#include "ops/elementwise.h"
#include "tensor/convert.h"

namespace bind {

namespace {

// Raises an error where the storage has been made too small for the tensor: a view of it would make
// the storage grow.
int check(lua_State* L) {
  Tensor* t = check_tensor(L, state_of(L), 1);
  protect(L, "apply", [&] { t->check_storage(); });
  return 0;
}

// align(t, u, name): u's elements as they pair with t's, in t's sizes: a view, or a copy.
int align(lua_State* L) {
  State* state = state_of(L);
  Tensor* t = check_tensor(L, state, 1);
  Tensor* u = check_tensor(L, state, 2);
  const char* name = luaL_checkstring(L, 3);
  Tensor* aligned = nullptr;
  protect(L, name, [&] {
    th::PairingScope pairing(state->pairing);
    aligned = th::paired_view(name, u, t).release();
  });
  push_tensor(L, state, aligned);
  return 1;
}

// Between them the memory is neither resized nor replaced. Of tensors that have a storage.
int pin(lua_State* L) {
  th::pin(check_tensor(L, state_of(L), 1)->storage);
  return 0;
}
int unpin(lua_State* L) {
  th::unpin(check_tensor(L, state_of(L), 1)->storage);
  return 0;
}

void push_address(lua_State* L, const void* address) {
  lua_pushnumber(L, static_cast<lua_Number>(reinterpret_cast<uintptr_t>(address)));
}

// settle(t, writes): the host address of the first element, where the loop may write to any element
// or only read, as long as the byte at the address that `ready` gives has the bit for it.
int settle(lua_State* L) {
  Tensor* t = check_tensor(L, state_of(L), 1);
  th::Access access = lua_toboolean(L, 2) ? th::Access::write : th::Access::read;
  if (access == th::Access::write) refuse_held(L, state_of(L), "apply", t->storage);
  char* block = nullptr;
  protect(L, "apply", [&] {
    // All of it: what is not known to be written would not reach the device again.
    block = static_cast<char*>(t->storage->cpu(access));
  });
  push_address(L, block + t->storageOffset * static_cast<ptrdiff_t>(th::item_size(t->dtype)));
  return 1;
}
int ready(lua_State* L) {
  push_address(L, check_tensor(L, state_of(L), 1)->storage->memory.host_ready());
  return 1;
}

template <class T>
double read(const void* address) noexcept {
  return static_cast<double>(th::load(*static_cast<const T*>(address)));
}
template <class T>
void write(void* address, double value) noexcept {
  *static_cast<T*>(address) = th::convert<T>(value);
}

// accessors(t): addresses of functions that read and write an element of t's type as a double.
int accessors(lua_State* L) {
  Tensor* t = check_tensor(L, state_of(L), 1);
  th::dispatch(t->dtype, [&](auto zero) {
    using T = decltype(zero);
    push_address(L, reinterpret_cast<const void*>(&read<T>));
    push_address(L, reinterpret_cast<const void*>(&write<T>));
  });
  return 2;
}

// layout(): of the C structs' fields that an access looks at, how many bytes they are behind the
// beginning; and the address of a pointer that is not null while a finalizer interrupts an
// operation, whose operands nobody may write to then.
int layout(lua_State* L) {
  State* state = state_of(L);
  Storage* storage = nullptr;
  protect(L, "layout", [&] { storage = th::storage_new(DType::Byte); });
  Tensor tensor(DType::Byte);
  auto at = [L](const char* field, const void* object, const void* address) {
    lua_pushnumber(L, static_cast<lua_Number>(static_cast<const char*>(address) -
                                              static_cast<const char*>(object)));
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
  at("home", storage, &storage->home);
  at("ready", storage, storage->memory.host_ready());
  at("block", storage, storage->memory.host_place());
  th::storage_free(storage);
  push_address(L, &state->operands);
  lua_setfield(L, -2, "operands");
  return 1;
}

const Method functions[] = {
    {"align", guarded<align>},         {"check", guarded<check>},   {"pin", guarded<pin>},
    {"unpin", guarded<unpin>},         {"settle", guarded<settle>}, {"ready", guarded<ready>},
    {"accessors", guarded<accessors>}, {"layout", guarded<layout>}};

}  // namespace

void register_apply_functions(lua_State* L, int module) {
  lua_newtable(L);
  set_functions(L, functions, lua_gettop(L));
  lua_setfield(L, module, "_apply");
}

}  // namespace bind
