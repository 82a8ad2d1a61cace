#include "backend/plugin.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>

#include "backend/cpu_backend.h"
#include "base/interrupt.h"
#include "memory/spare.h"

namespace th {
namespace {

// If memory runs out while glibc 2.36 loads a library, exceptions cannot pass through the next one.
constexpr size_t kBytesToLoad = size_t{1} << 20;

std::string own_folder() {
  Dl_info here;
  if (!dladdr(reinterpret_cast<void*>(&load_plugin_entry), &here) || !here.dli_fname) return "./";
  std::string path = here.dli_fname;
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? "./" : path.substr(0, slash + 1);
}

std::string path_of(const PluginFile& plugin) {
  const char* given = std::getenv(plugin.variable);
  if (given && *given) return given;
  std::string beside = own_folder() + plugin.file;
  return access(beside.c_str(), F_OK) == 0 ? beside : plugin.file;
}

int run_on_host(int op, const void* call, char* text, size_t length) noexcept {
  try {
    switch (static_cast<BackendOp>(op)) {
#define TH_BACKEND_OP(name, Struct)                \
  case BackendOp::name:                            \
    run_on_cpu(*static_cast<const Struct*>(call)); \
    return kDeviceOk;
      TH_LIBRARY_OPS(TH_BACKEND_OP)
#undef TH_BACKEND_OP
      default:
        return kDeviceUnsupported;
    }
  } catch (const std::bad_alloc&) {
    return kDeviceOutOfMemory;
  } catch (const std::exception& error) {
    std::snprintf(text, length, "%s", error.what());
    return kDeviceFailed;
  }
}

}  // namespace

void* load_plugin_entry(const PluginFile& plugin, const char* entry, std::string* problem,
                        void** library) {
  std::string path = path_of(plugin);
  require_spare(kBytesToLoad);
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char* text = dlerror();
    // Lasting problems are recorded. If memory ran out, the next request tries again.
    if (!text || std::strstr(text, "allocate memory") || std::strstr(text, "out of memory")) {
      throw std::bad_alloc();
    }
    *problem = std::string("its plugin was not loaded: ") + text;
    if (path == plugin.file) {
      *problem +=
          std::string("; nor is it in ") + own_folder() + " ('" + plugin.made_by + "' builds it)";
    }
    return nullptr;
  }
  if (library) *library = handle;
  void* function = dlsym(handle, entry);
  if (!function) *problem = path + ": not of this version of libTH";
  return function;
}

const DeviceTable* load_plugin(const DevicePlugin& plugin, std::string* problem) {
  void* library = nullptr;
  void* entry = load_plugin_entry(plugin.library, "th_device_table", problem, &library);
  if (!entry) return nullptr;
  const DeviceTable* table = reinterpret_cast<const DeviceTable* (*)()>(entry)();
  if (!table || table->abi != kDeviceAbi || table->bytes != sizeof(DeviceTable)) {
    *problem = path_of(plugin.library) + ": not of this version of libTH";
    return nullptr;
  }
  if (table->ops != hash_of_ops()) {
    *problem =
        path_of(plugin.library) + ": not of this version of libTH, whose operations are others";
    return nullptr;
  }
  using Look = void (*)(StopSign);
  if (auto look = reinterpret_cast<Look>(dlsym(library, "th_look_for_stop"))) look(stop_sign);
  using Use = void (*)(RunOnHost);
  if (auto use = reinterpret_cast<Use>(dlsym(library, "th_use_host_library"))) use(run_on_host);
  return table;
}

}  // namespace th
