#ifndef TH_MEMORY_STATS_H
#define TH_MEMORY_STATS_H

// Counters for all threads: copies between host and devices, and calls of kernels of devices.

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "base/visibility.h"

namespace th TH_VISIBLE {

struct CopyCount {
  int64_t copies, bytes;
};
struct DeviceStats {
  CopyCount to_device, to_host, between_devices;
  int64_t launches;                          // kernel calls that ran on devices
  std::map<std::string, int64_t> fallbacks;  // by name of the operation
};

DeviceStats device_stats();
void reset_device_stats();
void count_copy_to_device(size_t bytes) noexcept;
void count_copy_to_host(size_t bytes) noexcept;
void count_copy_between_devices(size_t bytes) noexcept;
void count_launch() noexcept;

}  // namespace TH_VISIBLE

#endif
