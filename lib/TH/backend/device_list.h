#ifndef TH_BACKEND_DEVICE_LIST_H
#define TH_BACKEND_DEVICE_LIST_H

// The devices of this process: those of all plugins (see backend/plugin.h) that can be loaded.
// Plugins are loaded on first use. "gpu" means CUDA. If the environment variable TENSOR_DEVICE is
// soft, or soft:n, the process has one, or n, software devices, no others, and "gpu" means them.

#include <string>
#include <vector>

#include "memory/device.h"

namespace th TH_VISIBLE {

// Finds a device by name: "gpu", "gpu:2", "cuda", "cuda:2", "soft", "soft:2". Returns nullptr for
// "cpu". Numbers start from 1, which is the default. Throws th::Error if the device does not exist.
Device* find_device(const char* name);

// Returns all devices except the CPU, those that "gpu" means first.
std::vector<Device*> all_devices();

// The kinds of devices that are not available, and why.
struct MissingDevices {
  const char* kind;
  std::string problem;
};
std::vector<MissingDevices> missing_devices();

// Returns the devices in use so far.
std::vector<Device*> opened_devices();

}  // namespace TH_VISIBLE

#endif
