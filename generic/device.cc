// Device functions: current devices, copies between devices, and memory and copy statistics.

#include "bindings.h"
#include "grad/tape.h"

#include "backend/device_list.h"
#include "backend/table.h"
#include "base/op_scope.h"
#include "luaT.h"
#include "memory/heap.h"
#include "memory/recycle.h"
#include "memory/stats.h"
#include "native.h"

namespace bind {

template <>
const char* Native<th::DeviceStats>::key() {
  return "tensor.device_stats";
}

namespace {

using th::Device;

const char* name_of(const Device* device) { return device ? device->name() : "cpu"; }

// Finds the device named at index. Returns null for 'cpu'.
Device* check_device(lua_State* L, int index, const char* function) {
  const char* name = check_string(L, index);
  Device* device = nullptr;
  protect(L, function, [&] { device = th::find_device(name); });
  return device;
}

// ---- methods of tensors and storages ----

Storage* storage_at(lua_State* L, int index) {
  Object object = object_at(L, state_of(L), index);
  if (object.is_storage()) return object.storage();
  Tensor* t = check_tensor(L, state_of(L), index);
  protect(L, "storage", [&] { th::ensure_storage(t); });
  return t->storage;
}

int to(lua_State* L) {
  Device* device = check_device(L, 2, "to");
  Storage* storage = storage_at(L, 1);
  protect(L, "to", [&] { th::storage_to(storage, device); });
  return return_self(L);
}

int prefetch(lua_State* L) {
  Device* device = check_device(L, 2, "prefetch");
  Storage* storage = storage_at(L, 1);
  protect(L, "prefetch", [&] { th::storage_prefetch(storage, device); });
  return return_self(L);
}

int device(lua_State* L) {
  Object object = object_at(L, state_of(L), 1);
  Storage* storage =
      object.is_storage() ? object.storage() : check_tensor(L, state_of(L), 1)->storage;
  lua_pushstring(L, name_of(storage ? storage->current_device() : th::thread_default_device()));
  return 1;
}

int head(lua_State* L) {
  const char* const heads[] = {"uninitialized", "cpu", "gpu", "synced"};
  Storage* storage = check_storage(L, state_of(L), 1);
  lua_pushstring(L, heads[static_cast<int>(storage->memory.head())]);
  return 1;
}

// ---- functions of the module ----

int set_default_device(lua_State* L) {
  th::set_thread_default_device(check_device(L, 1, "setDefaultDevice"));
  return 0;
}
int get_default_device(lua_State* L) {
  lua_pushstring(L, name_of(th::thread_default_device()));
  return 1;
}

void set_number(lua_State* L, const char* key, int64_t value) {
  push_integer(L, value);
  lua_setfield(L, -2, key);
}

int devices(lua_State* L) {
  lua_newtable(L);
  int count = 0;
  for (Device* device : th::all_devices()) {
    th::DeviceProperties properties;
    protect(L, "devices", [&] { device->properties(&properties); });
    lua_createtable(L, 0, 8);
    lua_pushstring(L, device->name());
    lua_setfield(L, -2, "name");
    lua_pushstring(L, properties.name);
    lua_setfield(L, -2, "model");
    lua_pushstring(L, properties.software);
    lua_setfield(L, -2, "software");
    set_number(L, "memory", properties.total_memory);
    set_number(L, "bandwidth", properties.bandwidth);
    set_number(L, "major", properties.major);
    set_number(L, "minor", properties.minor);
    set_number(L, "multiprocessors", properties.multiprocessors);
    lua_rawseti(L, -2, ++count);
  }
  lua_newtable(L);
  for (const th::MissingDevices& missing : th::missing_devices()) {
    lua_pushstring(L, missing.problem.c_str());
    lua_setfield(L, -2, missing.kind);
  }
  return 2;
}

int synchronize(lua_State* L) {
  if (lua_isnoneornil(L, 1)) {
    protect(L, "synchronize", [&] {
      for (Device* device : th::opened_devices()) device->synchronize();
    });
  } else if (Device* device = check_device(L, 1, "synchronize")) {
    protect(L, "synchronize", [&] { device->synchronize(); });
  }
  return 0;
}

// Returns the address of the device's stream, or nil.
int stream(lua_State* L) {
  Device* device = check_device(L, 1, "stream");
  void* handle = nullptr;
  if (device) protect(L, "stream", [&] { handle = device->stream(); });
  if (handle) {
    push_integer(L, static_cast<int64_t>(reinterpret_cast<intptr_t>(handle)));
  } else {
    lua_pushnil(L);
  }
  return 1;
}

int empty_cache(lua_State* L) {
  if (lua_isnoneornil(L, 1)) {
    th::recycle_release();
    protect(L, "emptyCache", [&] {
      for (Device* device : th::opened_devices()) device->empty_cache();
    });
  } else if (Device* device = check_device(L, 1, "emptyCache")) {
    protect(L, "emptyCache", [&] { device->empty_cache(); });
  }
  return 0;
}

int memory(lua_State* L) {
  Device* device = lua_isnoneornil(L, 1) ? nullptr : check_device(L, 1, "memory");
  lua_newtable(L);
  if (!device) {
    th::HeapUsage usage = th::heap_usage();
    set_number(L, "bytes", usage.bytes);
    set_number(L, "blocks", usage.blocks);
    set_number(L, "cached", th::recycle_kept());
    return 1;
  }
  th::DeviceUsage usage;
  protect(L, "memory", [&] { device->usage(&usage); });
  set_number(L, "total", usage.total);
  set_number(L, "free", usage.free);
  set_number(L, "used", usage.in_use);
  set_number(L, "cached", usage.cached);
  return 1;
}

void set_count(lua_State* L, const char* key, const th::CopyCount& count) {
  lua_createtable(L, 0, 2);
  set_number(L, "copies", count.copies);
  set_number(L, "bytes", count.bytes);
  lua_setfield(L, -2, key);
}

int stats(lua_State* L) {
  // Stored in a userdata first: calling Lua may raise an error, which would skip the C++
  // destructor.
  auto** box = Native<th::DeviceStats>::push(L);
  protect(L, "stats", [&] { *box = new th::DeviceStats(th::device_stats()); });
  const th::DeviceStats& counted = **box;
  lua_createtable(L, 0, 6);
  set_count(L, "kept", th::grad::kept_copies());
  set_count(L, "h2d", counted.to_device);
  set_count(L, "d2h", counted.to_host);
  set_count(L, "d2d", counted.between_devices);
  set_number(L, "launches", counted.launches);
  lua_newtable(L);
  for (const auto& [op, count] : counted.fallbacks) set_number(L, op.c_str(), count);
  lua_setfield(L, -2, "fallbacks");
  return 1;
}

int reset_stats(lua_State*) {
  th::reset_device_stats();
  th::grad::reset_kept_copies();
  return 0;
}

int set_device_debug(lua_State* L) {
  th::set_device_debug(lua_toboolean(L, 1));
  return 0;
}
int warn_of_fallbacks(lua_State* L) {
  th::warn_of_fallbacks(lua_toboolean(L, 1));
  return 0;
}

int set_tf32(lua_State* L) {
  check_kind(L, 1, LUA_TBOOLEAN);
  THSetTF32(lua_toboolean(L, 1));
  return 0;
}
int get_tf32(lua_State* L) {
  lua_pushboolean(L, THGetTF32());
  return 1;
}

const Method functions[] = {{"setDefaultDevice", guarded<set_default_device, 1>},
                            {"getDefaultDevice", guarded<get_default_device, 0>},
                            {"devices", guarded<devices, 0>},
                            {"synchronize", guarded<synchronize, 1>},
                            {"stream", guarded<stream, 1>},
                            {"emptyCache", guarded<empty_cache, 1>},
                            {"memory", guarded<memory, 1>},
                            {"stats", guarded<stats, 0>},
                            {"resetStats", guarded<reset_stats, 0>},
                            {"setTF32", guarded<set_tf32, 1>},
                            {"getTF32", guarded<get_tf32, 0>},
                            {"setDeviceDebug", guarded<set_device_debug, 1>},
                            {"warnOfFallbacks", guarded<warn_of_fallbacks, 1>}};
const Method shared_methods[] = {
    {"to", guarded<to, 2>}, {"prefetch", guarded<prefetch, 2>}, {"device", guarded<device, 1>}};
const Method storage_methods[] = {{"head", guarded<head, 1>}};

}  // namespace

void register_device_functions(lua_State* L, int module) { set_functions(L, functions, module); }

void register_device_methods(lua_State* L, int metatable, bool of_storage, int like) {
  set_functions(L, shared_methods, metatable, like);
  if (of_storage) set_functions(L, storage_methods, metatable, like);
}

}  // namespace bind
