#include "backend/plugin.h"

#include <dlfcn.h>

#include <cstdlib>

namespace th {
namespace {

std::string plugin_path() {
  const char* given = std::getenv("TENSOR_CUDA_PLUGIN");
  if (given && *given) return given;
  const char* file = "libTHcuda.so";
  Dl_info here;
  if (!dladdr(reinterpret_cast<void*>(&load_cuda_plugin), &here) || !here.dli_fname) return file;
  std::string path = here.dli_fname;
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? "./" + std::string(file) : path.substr(0, slash + 1) + file;
}

}  // namespace

const DeviceTable* load_cuda_plugin(std::string* problem) {
  std::string path = plugin_path();
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    *problem = std::string("no CUDA: ") + dlerror();
    return nullptr;
  }
  using Entry = const DeviceTable* (*)();
  auto entry = reinterpret_cast<Entry>(dlsym(library, "th_device_table"));
  const DeviceTable* table = entry ? entry() : nullptr;
  if (!table || table->abi != kDeviceAbi || table->bytes != sizeof(DeviceTable)) {
    *problem = path + ": not of this version of libTH";
    return nullptr;
  }
  return table;
}

}  // namespace th
