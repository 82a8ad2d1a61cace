// Enumerates the devices and exports the function table to libTH.

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <vector>

#include "cuda/device.h"
#include "cuda/failure.h"
#include "simt/device_table.h"

namespace th {

namespace {

void version_text(int version, char (&text)[16]) {
  std::snprintf(text, sizeof text, "%d.%d", version / 1000, version % 1000 / 10);
}

// Reports why there is no device: driver, hardware or environment.
[[noreturn]] void fail_without_devices(cudaError_t code) {
  char driver[16], runtime[16];
  int driver_version = 0;
  if (cudaDriverGetVersion(&driver_version) != cudaSuccess) driver_version = 0;
  cudaGetLastError();
  version_text(driver_version, driver);
  version_text(CUDART_VERSION, runtime);
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  if (code == cudaErrorInsufficientDriver && driver_version == 0) {
    fail(kDeviceFailed, "CUDA: there is no NVIDIA driver here (this build is for CUDA %s)",
         runtime);
  }
  if (code == cudaErrorInsufficientDriver) {
    fail(kDeviceFailed, "CUDA: the NVIDIA driver is for CUDA %s; this build needs one for %s",
         driver, runtime);
  }
  if (code == cudaErrorNoDevice && visible) {
    fail(kDeviceFailed,
         "CUDA: no device is visible (driver for CUDA %s; CUDA_VISIBLE_DEVICES is '%.100s')",
         driver, visible);
  }
  if (code == cudaErrorNoDevice) {
    fail(kDeviceFailed, "CUDA: no device is visible (driver for CUDA %s)", driver);
  }
  fail(kDeviceFailed, "CUDA: %s (%s; driver for CUDA %s, this build for %s)",
       cudaGetErrorString(code), cudaGetErrorName(code), driver, runtime);
}

int device_count() {
  int n = 0;
  cudaError_t code = cudaGetDeviceCount(&n);
  if (code == cudaSuccess && n > 0) return n;
  cudaGetLastError();
  fail_without_devices(code == cudaSuccess ? cudaErrorNoDevice : code);
}

}  // namespace

int CudaDevice::count() { return device_count(); }

CudaDevice* CudaDevice::open(int index) {
  static std::mutex mutex;
  // Never destroyed, like the devices.
  static std::vector<CudaDevice*>& opened = *new std::vector<CudaDevice*>();
  std::lock_guard<std::mutex> lock(mutex);
  if (opened.empty()) opened.resize(static_cast<size_t>(device_count()), nullptr);
  if (index < 0 || static_cast<size_t>(index) >= opened.size()) {
    fail(kDeviceFailed, "CUDA: there is no device %d: there are %d, counted from 0", index,
         static_cast<int>(opened.size()));
  }
  CudaDevice*& entry = opened[static_cast<size_t>(index)];
  if (!entry) {
    CurrentDevice current(index);
    CudaDevice* found = new CudaDevice(index);
    for (CudaDevice* other : opened) {
      if (!other) continue;
      found->allow_peer(*other);
      other->allow_peer(*found);
    }
    entry = found;
  }
  return entry;
}

}  // namespace th

extern "C" __attribute__((visibility("default"))) const th::DeviceTable* th_device_table(void) {
  static constexpr th::DeviceTable table = th::DeviceTableOf<th::CudaDevice>::make("cuda", kDLCUDA);
  return &table;
}
