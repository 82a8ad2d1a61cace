#include "backend/plugin.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <new>

#include "base/interrupt.h"
#include "memory/spare.h"

namespace th {
namespace {

// If memory runs out while glibc 2.36 loads a library, exceptions cannot pass through the next one.
constexpr size_t kBytesToLoad = size_t{1} << 20;

std::string own_folder() {
  Dl_info here;
  if (!dladdr(reinterpret_cast<void*>(&load_plugin), &here) || !here.dli_fname) return "./";
  std::string path = here.dli_fname;
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? "./" : path.substr(0, slash + 1);
}

std::string path_of(const DevicePlugin& plugin) {
  const char* given = std::getenv(plugin.variable);
  if (given && *given) return given;
  std::string beside = own_folder() + plugin.file;
  return access(beside.c_str(), F_OK) == 0 ? beside : plugin.file;
}

}  // namespace

const DeviceTable* load_plugin(const DevicePlugin& plugin, std::string* problem) {
  std::string path = path_of(plugin);
  require_spare(kBytesToLoad);
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
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
  using Entry = const DeviceTable* (*)();
  auto entry = reinterpret_cast<Entry>(dlsym(library, "th_device_table"));
  const DeviceTable* table = entry ? entry() : nullptr;
  if (!table || table->abi != kDeviceAbi || table->bytes != sizeof(DeviceTable)) {
    *problem = path + ": not of this version of libTH";
    return nullptr;
  }
  if (table->ops != hash_of_ops()) {
    *problem = path + ": not of this version of libTH, whose operations are others";
    return nullptr;
  }
  using Look = void (*)(StopSign);
  if (auto look = reinterpret_cast<Look>(dlsym(library, "th_look_for_stop"))) look(stop_sign);
  return table;
}

}  // namespace th
