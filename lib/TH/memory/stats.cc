#include "memory/stats.h"

#include <atomic>

#include "base/op_scope.h"

namespace th {

namespace {

struct Counter {
  std::atomic<int64_t> copies{0}, bytes{0};
  void count(size_t n) noexcept {
    copies.fetch_add(1, std::memory_order_relaxed);
    bytes.fetch_add(static_cast<int64_t>(n), std::memory_order_relaxed);
  }
  CopyCount get() const { return {copies.load(), bytes.load()}; }
  void reset() { copies = bytes = 0; }
};
Counter to_device, to_host, between_devices;
std::atomic<int64_t> launches{0};

}  // namespace

DeviceStats device_stats() {
  return {to_device.get(), to_host.get(), between_devices.get(), launches.load(), fallbacks()};
}

void reset_device_stats() {
  for (Counter* counter : {&to_device, &to_host, &between_devices}) counter->reset();
  launches = 0;
  reset_fallbacks();
}

void count_copy_to_device(size_t bytes) noexcept { to_device.count(bytes); }
void count_copy_to_host(size_t bytes) noexcept { to_host.count(bytes); }
void count_copy_between_devices(size_t bytes) noexcept { between_devices.count(bytes); }
void count_launch() noexcept { launches.fetch_add(1, std::memory_order_relaxed); }

}  // namespace th
