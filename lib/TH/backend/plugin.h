#ifndef TH_BACKEND_PLUGIN_H
#define TH_BACKEND_PLUGIN_H

#include <string>

#include "backend/table.h"

namespace th {

// Loads libTHcuda.so from the folder of the library or program that this is in, or what
// TENSOR_CUDA_PLUGIN in the environment names; it stays loaded. nullptr: there is none, and why.
const DeviceTable* load_cuda_plugin(std::string* problem);

}  // namespace th

#endif
