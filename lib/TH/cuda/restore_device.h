#ifndef TH_CUDA_RESTORE_DEVICE_H
#define TH_CUDA_RESTORE_DEVICE_H

// Restores the device that was current on the calling thread. libTHnccl.so uses it, too.

#include <cuda.h>
#include <cuda_runtime_api.h>

namespace th {

// Returns true if the device has its primary context, or if that is unknown. cudaSetDevice() would
// create the context, which takes hundreds of MiB of the device's memory.
inline bool has_context(int device) {
  static const auto get_state = [] {
    void* found = nullptr;
    cudaDriverEntryPointQueryResult result;
    if (cudaGetDriverEntryPointByVersion("cuDevicePrimaryCtxGetState", &found, 12000,
                                         cudaEnableDefault, &result) != cudaSuccess) {
      cudaGetLastError();
      found = nullptr;
    }
    return reinterpret_cast<decltype(&cuDevicePrimaryCtxGetState)>(found);
  }();
  unsigned flags = 0;
  int is_active = 0;
  return !get_state || get_state(device, &flags, &is_active) != CUDA_SUCCESS || is_active != 0;
}

// Makes a device current again. A thread that never chose a device reports device 0: if that has no
// context, the thread keeps its current device.
inline cudaError_t restore_device(int previous) {
  return has_context(previous) ? cudaSetDevice(previous) : cudaSuccess;
}

}  // namespace th

#endif
