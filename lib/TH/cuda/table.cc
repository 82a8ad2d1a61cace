// What libTH gets of this library: one table.

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <vector>

#include "cuda/device.h"
#include "cuda/failure.h"

namespace th {

namespace {

thread_local char the_message[sizeof(DeviceFailure::text)];

void set_message(const char* text) { std::snprintf(the_message, sizeof the_message, "%s", text); }

template <class F>
int guarded(const F& run) noexcept {
  try {
    run();
    return kDeviceOk;
  } catch (const DeviceFailure& failure) {
    set_message(failure.text);
    return failure.status;
  } catch (const std::bad_alloc&) {
    set_message("CUDA: the host is out of memory");
    return kDeviceOutOfMemory;
  } catch (const std::exception& error) {
    set_message(error.what());
    return kDeviceFailed;
  } catch (...) {
    set_message("CUDA: an unknown failure");
    return kDeviceFailed;
  }
}

// run(device), which is current then.
template <class F>
int guarded_on(void* device, const F& run) noexcept {
  return guarded([&] {
    CudaDevice& on = *static_cast<CudaDevice*>(device);
    on.make_current();
    run(on);
  });
}

const char* message() { return the_message; }

void version_text(int version, char (&text)[16]) {
  std::snprintf(text, sizeof text, "%d.%d", version / 1000, version % 1000 / 10);
}

// Says why there is no device, in the terms of whom it concerns.
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

int count(int* devices) {
  *devices = 0;
  return guarded([&] { *devices = device_count(); });
}

int open(int index, void** device) {
  return guarded([&] {
    static std::mutex mutex;
    // Never destroyed, as the devices.
    static std::vector<CudaDevice*>& opened = *new std::vector<CudaDevice*>();
    std::lock_guard<std::mutex> lock(mutex);
    if (opened.empty()) opened.resize(static_cast<size_t>(device_count()), nullptr);
    if (index < 0 || static_cast<size_t>(index) >= opened.size()) {
      fail(kDeviceFailed, "CUDA: there is no device %d: there are %d, counted from 0", index,
           static_cast<int>(opened.size()));
    }
    CudaDevice*& entry = opened[static_cast<size_t>(index)];
    if (!entry) {
      CudaDevice* found = new CudaDevice(index);
      for (CudaDevice* other : opened) {
        if (!other) continue;
        found->allow_peer(*other);
        other->allow_peer(*found);
      }
      entry = found;
    }
    *device = entry;
  });
}

int properties(void* device, DeviceProperties* out) {
  *out = static_cast<CudaDevice*>(device)->properties();
  return kDeviceOk;
}

int allocate(void* device, size_t bytes, void** block) {
  return guarded_on(device, [&](CudaDevice& on) { *block = on.allocate_block(bytes); });
}
void release(void* device, void* block) {
  guarded_on(device, [&](CudaDevice& on) { on.release_block(block); });
}
int allocate_host(void* device, size_t bytes, void** block) {
  return guarded_on(device, [&](CudaDevice& on) { *block = on.host_memory().allocate(bytes); });
}
void release_host(void* device, void* block) {
  guarded_on(device, [&](CudaDevice& on) { on.host_memory().release(block); });
}

int zero(void* device, void* block, size_t bytes) {
  return guarded_on(device, [&](CudaDevice& on) { on.zero(block, bytes); });
}
int copy(void* device, CopyKind kind, void* to, const void* from, size_t bytes) {
  return guarded_on(device, [&](CudaDevice& on) { on.copy(kind, to, from, bytes); });
}
int copy_peer(void* device, void* to, void* from_device, const void* from, size_t bytes) {
  return guarded_on(device, [&](CudaDevice& on) {
    on.copy_peer(to, *static_cast<CudaDevice*>(from_device), from, bytes);
  });
}
int copy_async(void* device, CopyKind kind, void* to, const void* from, size_t bytes,
               void** event) {
  return guarded_on(device, [&](CudaDevice& on) { *event = on.copy_async(kind, to, from, bytes); });
}
int wait(void* device, void* event) {
  return guarded_on(device, [&](CudaDevice& on) { on.wait(static_cast<cudaEvent_t>(event)); });
}
int order(void* device, void* event) {
  return guarded_on(device, [&](CudaDevice& on) { on.order(static_cast<cudaEvent_t>(event)); });
}
void release_event(void* device, void* event) {
  static_cast<CudaDevice*>(device)->events().give_back(static_cast<cudaEvent_t>(event));
}

int synchronize(void* device) {
  return guarded_on(device, [](CudaDevice& on) { on.synchronize(); });
}
void finding(void* device, DeviceFinding* out) {
  *out = DeviceFinding();
  guarded_on(device, [&](CudaDevice& on) { *out = on.take_finding(); });
}
int usage(void* device, DeviceUsage* out) {
  return guarded_on(device, [&](CudaDevice& on) { *out = on.usage(); });
}
int empty_cache(void* device) {
  return guarded_on(device, [](CudaDevice& on) { on.empty_cache(); });
}

int run(void* device, int op, const void* call) {
  return guarded_on(device, [&](CudaDevice& on) { run_device_op(on, op, call); });
}

const DeviceTable the_table = {
    kDeviceAbi,   sizeof(DeviceTable),
    "cuda",       message,
    count,        open,
    properties,   allocate,
    release,      allocate_host,
    release_host, zero,
    copy,         copy_peer,
    copy_async,   wait,
    order,        release_event,
    synchronize,  finding,
    usage,        empty_cache,
    run,
};

}  // namespace

}  // namespace th

extern "C" __attribute__((visibility("default"))) const th::DeviceTable* th_device_table(void) {
  return &th::the_table;
}
