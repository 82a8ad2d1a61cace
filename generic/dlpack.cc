// Access to DLPack structs, which lua/core/dlpack.lua holds as FFI cdata. It passes their addresses
// as numbers.

#include "bindings.h"
#include "luaT.h"
#include "backend/device_list.h"
#include "tensor/dlpack.h"

namespace bind {

namespace {

template <class T>
T* pointer_at(lua_State* L, int index) {
  return reinterpret_cast<T*>(static_cast<uintptr_t>(check_number(L, index)));
}

// _todlpack(tensor, address, device or nil): stores a pointer to the exported struct at the
// address. The cdata there then owns the struct, without an allocation in between that could fail.
int to_dlpack(lua_State* L) {
  Tensor* t = check_tensor(L, state_of(L), 1);
  th::Device* device = nullptr;
  if (!lua_isnoneornil(L, 3)) {
    if (lua_type(L, 3) != LUA_TSTRING) {
      raise_error(L, "toDLPack: the name of a device is expected, got %s", shown_type(L, 3));
    }
    const char* name = lua_tostring(L, 3);
    protect(L, "toDLPack", [&] { device = th::find_device(name); });
  }
  trace_elements(L, "toDLPack", t->storage, th::ElementUse::hands_out);
  auto* to = pointer_at<DLManagedTensorVersioned*>(L, 2);
  protect(L, "toDLPack", [&] { *to = th::to_dlpack(*t, device); });
  return 0;
}

template <class Managed>
int make_tensor(lua_State* L) {
  auto* managed = pointer_at<Managed>(L, 1);
  DType type = DType::Byte;
  protect(L, "fromDLPack", [&] { type = th::check_dlpack(managed); });
  Tensor* t = push_new_tensor(L, state_of(L), type);
  protect(L, "fromDLPack", [&] { th::from_dlpack(t, managed); });
  return 1;
}

// _fromdlpack(address of the struct, versioned): returns a tensor that takes ownership of the
// struct.
int from_dlpack(lua_State* L) {
  return lua_toboolean(L, 2) ? make_tensor<DLManagedTensorVersioned>(L)
                             : make_tensor<DLManagedTensor>(L);
}

const Method functions[] = {{"_todlpack", guarded<to_dlpack>},
                            {"_fromdlpack", guarded<from_dlpack>}};

}  // namespace

void register_dlpack_functions(lua_State* L, int module) { set_functions(L, functions, module); }

}  // namespace bind
