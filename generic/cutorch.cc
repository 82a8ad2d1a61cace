// The part of require 'cutorch' that is written in C++: tensors and storages whose current device
// is a GPU have cutorch's class names.

#include "bindings.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "backend/device_list.h"
#include "luaT.h"

namespace bind {

namespace {

// Float objects have no element type in their name ("torch.CudaTensor"); the others do
// ("torch.CudaByteTensor").
const char* write_cuda_name(const Object& object, char* text, size_t size) {
  const char* element = object.dtype() == DType::Float ? "" : th::name(object.dtype());
  std::snprintf(text, size, "torch.Cuda%s%s", element, object.is_tensor() ? "Tensor" : "Storage");
  return text;
}

int type_name(lua_State* L) {
  State* state = state_of(L);
  Object object = state->cuda_classes == LUA_NOREF ? Object() : object_at(L, state, 1);
  if (!cuda_device_of(state, object)) return luaT_lua_typename(L);
  char name[64];
  lua_pushstring(L, write_cuda_name(object, name, sizeof(name)));
  return 1;
}

// _cuda(classes, generators): activates cutorch's classes. classes: a list of metatables in the
// order of element types, first of the tensors, then of the storages. generators: indexed by the
// device number.
int set_cuda(lua_State* L) {
  State* state = state_of(L);
  check_kind(L, 1, LUA_TTABLE);
  check_kind(L, 2, LUA_TTABLE);
  lua_settop(L, 2);
  int generators = luaL_ref(L, LUA_REGISTRYINDEX);
  int classes = luaL_ref(L, LUA_REGISTRYINDEX);
  luaL_unref(L, LUA_REGISTRYINDEX, state->cuda_generators);
  luaL_unref(L, LUA_REGISTRYINDEX, state->cuda_classes);
  state->cuda_generators = generators;
  state->cuda_classes = classes;
  return 0;
}

// _cudaDefault(device): functions that create tensors of the default type create them on this
// device. nil: on the default device, as without cutorch.
int set_cuda_default(lua_State* L) {
  State* state = state_of(L);
  const char* name = optional_string(L, 1, "cpu");
  th::Device* device = nullptr;
  protect(L, "setdefaulttensortype", [&] { device = th::find_device(name); });
  state->cuda_default = device;
  return 0;
}

const Method functions[] = {{"typename", guarded<type_name>},
                            {"_cuda", guarded<set_cuda>},
                            {"_cudaDefault", guarded<set_cuda_default>}};

}  // namespace

th::Device* cuda_device_of(const State* state, const Object& object) {
  if (state->cuda_classes == LUA_NOREF) return nullptr;
  const Storage* storage = object.is_tensor()    ? object.tensor()->storage
                           : object.is_storage() ? object.storage()
                                                 : nullptr;
  return storage ? storage->current_device() : nullptr;
}

int push_cuda_field(lua_State* L, const State* state, const Object& object, int key) {
  if (!cuda_device_of(state, object)) return 0;
  lua_rawgeti(L, LUA_REGISTRYINDEX, state->cuda_classes);
  lua_rawgeti(L, -1, object.kind + 1);
  bool found = lua_istable(L, -1);
  if (found) {
    lua_pushvalue(L, key);
    lua_rawget(L, -2);
    found = !lua_isnil(L, -1);
    lua_replace(L, -3);
    lua_pop(L, 1);
  }
  if (!found) lua_settop(L, key);
  return found;
}

th::Generator* generator_of(lua_State* L, const State* state, const th::Device* device) {
  if (!device) return default_generator(L, state);
  // Parses the number in "gpu:1": creating a Lua string could run the garbage collector.
  const char* colon = std::strchr(device->name(), ':');
  lua_rawgeti(L, LUA_REGISTRYINDEX, state->cuda_generators);
  lua_rawgeti(L, -1, colon ? std::atoi(colon + 1) : 1);
  Object object = object_at(L, const_cast<State*>(state), lua_gettop(L));
  lua_pop(L, 2);
  if (!object.is_generator()) return default_generator(L, state);
  return static_cast<th::Generator*>(object.payload);
}

int cuda_class_named(const State* state, const char* name) {
  constexpr char kPrefix[] = "torch.Cuda";
  constexpr size_t kLength = sizeof(kPrefix) - 1;
  if (state->cuda_classes == LUA_NOREF || std::strncmp(name, kPrefix, kLength) != 0) return -1;
  if (!std::strcmp(name + kLength, "Tensor")) return static_cast<int>(DType::Float);
  for (int k = 0; k < th::kDTypes; ++k) {
    const std::string element = th::name(static_cast<DType>(k));
    if (static_cast<DType>(k) != DType::Float && name + kLength == element + "Tensor") return k;
  }
  return -1;
}

void move_to_cuda(lua_State* L, State* state, const char* name, int count) {
  const int top = lua_gettop(L);
  for (int index = top - count + 1; index <= top; ++index) {
    const Object object = object_at(L, state, index);
    if (!object.is_tensor()) continue;
    protect(L, name, [&] {
      th::Device* device = state->cuda_default ? state->cuda_default : th::find_device("gpu");
      th::ensure_storage(object.tensor());
      th::storage_to(object.tensor()->storage, device);
    });
  }
}

void move_to_cpu(Storage* storage) {
  if (storage && storage->current_device()) th::storage_to(storage, nullptr);
}

const char* shown_class(lua_State* L, State* state, int index) {
  Object object = object_at(L, state, index);
  if (!cuda_device_of(state, object)) return luaT_typename(L, index);
  char name[64];
  // The class is registered, so its name lives as long as the Lua state.
  return luaT_typenameid(L, write_cuda_name(object, name, sizeof(name)));
}

const char* shown_type(lua_State* L, int index) {
  const char* name = shown_class(L, registered_state(L), index);
  return name ? name : luaL_typename(L, index);
}

void register_cuda_functions(lua_State* L, int module) { set_functions(L, functions, module); }

}  // namespace bind
