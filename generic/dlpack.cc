// Access to DLPack structs, which lua/core/dlpack.lua holds as FFI cdata.

#include "bindings.h"
#include "luaT.h"
#include "tensor/dlpack.h"

namespace bind {

namespace {

constexpr int kCData = 10;  // LuaJIT's internal type number of a cdata

// Returns the pointer stored in the cdata at index.
void* pointer_at(lua_State* L, int index) {
  if (lua_type(L, index) != kCData) luaT_typerror(L, index, "cdata");
  return *static_cast<void* const*>(lua_topointer(L, index));
}

// _todlpack(tensor, cdata): stores the exported struct's address in the cdata, which is a pointer.
int to_dlpack(lua_State* L) {
  th::trace_access(kElementAccess);
  Tensor* t = check_tensor(L, state_of(L), 1);
  if (lua_type(L, 2) != kCData) luaT_typerror(L, 2, "cdata");
  auto* to = static_cast<DLManagedTensorVersioned**>(const_cast<void*>(lua_topointer(L, 2)));
  protect(L, "toDLPack", [&] { *to = th::to_dlpack(*t); });
  return 0;
}

template <class Managed>
int make_tensor(lua_State* L) {
  auto* managed = static_cast<Managed*>(pointer_at(L, 1));
  DType type = DType::Byte;
  protect(L, "fromDLPack", [&] { type = th::check_dlpack(managed); });
  Tensor* t = push_new_tensor(L, state_of(L), type);
  protect(L, "fromDLPack", [&] { th::from_dlpack(t, managed); });
  return 1;
}

// _fromdlpack(cdata, versioned): returns a tensor that takes ownership of the struct.
int from_dlpack(lua_State* L) {
  return lua_toboolean(L, 2) ? make_tensor<DLManagedTensorVersioned>(L)
                             : make_tensor<DLManagedTensor>(L);
}

const Method functions[] = {{"_todlpack", guarded<to_dlpack>},
                            {"_fromdlpack", guarded<from_dlpack>}};

}  // namespace

void register_dlpack_functions(lua_State* L, int module) { set_functions(L, functions, module); }

}  // namespace bind
