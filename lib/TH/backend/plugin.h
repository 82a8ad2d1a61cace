#ifndef TH_BACKEND_PLUGIN_H
#define TH_BACKEND_PLUGIN_H

#include <string>

#include "backend/table.h"

namespace th {

// A kind of device, and the library that has it.
struct DevicePlugin {
  const char* kind;      // begins the names of its devices
  const char* file;      // in libTH's folder
  const char* variable;  // of the environment: names another file
  const char* made_by;   // what builds it
};

// What "gpu" means comes first, where TENSOR_DEVICE names no other kind.
constexpr DevicePlugin kDevicePlugins[] = {
    {"cuda", "libTHcuda.so", "TENSOR_CUDA_PLUGIN", "make cuda"},
    {"soft", "libTHsoft.so", "TENSOR_SOFT_PLUGIN", "make soft"},
};
constexpr int kDevicePluginCount = sizeof(kDevicePlugins) / sizeof(kDevicePlugins[0]);

// Loads what the environment names, or the file from the folder of the library or program that
// this is in, or from where the system's loader looks; it stays loaded. nullptr: there is none, and
// why.
const DeviceTable* load_plugin(const DevicePlugin& plugin, std::string* problem);

}  // namespace th

#endif
