#ifndef TH_BACKEND_PLUGIN_H
#define TH_BACKEND_PLUGIN_H

#include <string>

#include "backend/table.h"

namespace th {

// A library that is loaded on request.
struct PluginFile {
  const char* file;      // in the directory of libTH
  const char* variable;  // environment variable that overrides file
  const char* made_by;   // build command
};

// A kind of device and the library that implements it.
struct DevicePlugin {
  const char* kind;  // begins the names of its devices
  PluginFile library;
};

// The first kind is the one that "gpu" means, unless TENSOR_DEVICE names another.
constexpr DevicePlugin kDevicePlugins[] = {
    {"cuda", {"libTHcuda.so", "TENSOR_CUDA_PLUGIN", "make cuda"}},
    {"soft", {"libTHsoft.so", "TENSOR_SOFT_PLUGIN", "make soft"}},
};
constexpr int kDevicePluginCount = sizeof(kDevicePlugins) / sizeof(kDevicePlugins[0]);

// Loads the plugin named by the environment variable, else the file in the directory of this
// library or program, else the one that the system's loader finds. It is never unloaded. Returns
// the function of this name. If there is none, returns nullptr and sets *problem. *library, if it
// is not null, becomes the handle of the library.
void* load_plugin_entry(const PluginFile& plugin, const char* entry, std::string* problem,
                        void** library = nullptr);

// Loads the plugin of a device. If loading fails, returns nullptr and sets *problem.
const DeviceTable* load_plugin(const DevicePlugin& plugin, std::string* problem);

}  // namespace th

#endif
