#ifndef TH_BACKEND_DEVICE_LIST_H
#define TH_BACKEND_DEVICE_LIST_H

// The devices of this process: those of the plugins of backend/plugin.h that can be loaded, when
// they are first asked for. "gpu" are CUDA's. TENSOR_DEVICE=soft in the environment makes the
// software device, and only that, the process's gpu; TENSOR_DEVICE=soft:n, n of them.

#include <string>
#include <vector>

#include "memory/device.h"

namespace th TH_VISIBLE {

// By name: "gpu", "gpu:2", "cuda", "cuda:2", "soft", "soft:2"; nullptr for "cpu". Numbers start
// from 1, which is meant where none is given. Throws th::Error where there is no such device.
Device* find_device(const char* name);

// All but the CPU: what "gpu" means first.
std::vector<Device*> all_devices();

// The kinds of which there is no device, and why.
struct MissingDevices {
  const char* kind;
  std::string problem;
};
std::vector<MissingDevices> missing_devices();

// Those that were asked for so far.
std::vector<Device*> opened_devices();

}  // namespace TH_VISIBLE

#endif
