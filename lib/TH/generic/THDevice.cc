#include "THDevice.h"

#include <cstdio>

#include "backend/device_list.h"
#include "backend/table.h"
#include "backend/table_device.h"
#include "base/op_scope.h"
#include "generic/device_names.h"
#include "memory/stats.h"
#include "tensor/storage.h"

namespace th {
namespace {

template <class F>
void for_each(const char* name, const F& f) {
  if (name) {
    if (Device* device = device_named(name, 1)) f(device);
    return;
  }
  for (Device* device : opened_devices()) f(device);
}

Device* need_device(const char* name) {
  Device* device = device_named(name, 1);
  if (!device) fail_argument(1, "a device other than the CPU is expected, got '%s'", name);
  return device;
}

}  // namespace
}  // namespace th

extern "C" {

int THDeviceCount(void) {
  return th::guard([] { return static_cast<int>(th::all_devices().size()); });
}

const char* THDeviceName(int index) {
  return th::guard([&] {
    std::vector<th::Device*> all = th::all_devices();
    if (index < 0 || index >= static_cast<int>(all.size())) {
      th::fail_argument(1, "there are %zu devices, got index %d", all.size(), index);
    }
    return all[index]->name();
  });
}

void* THDeviceStream(const char* name) {
  return th::guard([&] { return th::need_device(name)->stream(); });
}

void THGetDeviceProperties(const char* name, THDeviceProperties* out) {
  th::guard([&] {
    th::DeviceProperties properties = {};
    th::need_device(name)->properties(&properties);
    std::snprintf(out->model, sizeof(out->model), "%s", properties.name);
    out->totalMemory = properties.total_memory;
    out->major = properties.major;
    out->minor = properties.minor;
    out->multiprocessors = properties.multiprocessors;
  });
}

void THGetDeviceUsage(const char* name, THDeviceUsage* out) {
  th::guard([&] {
    th::DeviceUsage usage = {};
    th::need_device(name)->usage(&usage);
    *out = {usage.total, usage.free, usage.in_use, usage.cached};
  });
}

void THSetDefaultDevice(const char* name) {
  th::guard([&] { th::set_thread_default_device(th::device_named(name, 1)); });
}
const char* THGetDefaultDevice(void) { return th::name_of(th::thread_default_device()); }

void THSynchronize(const char* name) {
  th::guard([&] { th::for_each(name, [](th::Device* device) { device->synchronize(); }); });
}
void THEmptyCache(const char* name) {
  th::guard([&] { th::for_each(name, [](th::Device* device) { device->empty_cache(); }); });
}

void THDeviceStats(THDeviceCounters* out) {
  th::guard([&] {
    th::DeviceStats stats = th::device_stats();
    auto count = [](const th::CopyCount& c) { return THCopyCount{c.copies, c.bytes}; };
    *out = {count(stats.to_device), count(stats.to_host), count(stats.between_devices), 0,
            stats.launches};
    for (const auto& fallback : stats.fallbacks) out->fallbacks += fallback.second;
  });
}
void THResetDeviceStats(void) { th::reset_device_stats(); }
int64_t THDeviceFallbacks(const char* operation) {
  return th::guard([&]() -> int64_t {
    th::DeviceStats stats = th::device_stats();
    auto found = stats.fallbacks.find(operation ? operation : "");
    return found == stats.fallbacks.end() ? 0 : found->second;
  });
}

void THSetDeviceDebug(int debug) { th::set_device_debug(debug != 0); }
void THWarnOfFallbacks(int warn) { th::warn_of_fallbacks(warn != 0); }
}
