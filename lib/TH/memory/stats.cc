#include "memory/stats.h"

#include <atomic>
#include <cstdio>
#include <mutex>

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
std::atomic<int64_t> bytes_on_devices{0};

std::mutex fallbacks_mutex;
std::map<std::string, int64_t>& fallbacks() {
  static auto* counts = new std::map<std::string, int64_t>;
  return *counts;
}
std::atomic<bool> warns{false};

// Fast thread-local variables, since every operation reads them.
#define TH_QUICK_TLS thread_local __attribute__((tls_model("initial-exec")))
TH_QUICK_TLS const char* the_op = nullptr;
TH_QUICK_TLS bool noted = false;

}  // namespace

DeviceStats device_stats() {
  std::lock_guard<std::mutex> lock(fallbacks_mutex);
  return {to_device.get(), to_host.get(), between_devices.get(), fallbacks()};
}

void reset_device_stats() {
  std::lock_guard<std::mutex> lock(fallbacks_mutex);
  for (Counter* counter : {&to_device, &to_host, &between_devices}) counter->reset();
  fallbacks().clear();
}

void count_copy_to_device(size_t bytes) noexcept { to_device.count(bytes); }
void count_copy_to_host(size_t bytes) noexcept { to_host.count(bytes); }
void count_copy_between_devices(size_t bytes) noexcept { between_devices.count(bytes); }

int64_t device_bytes() noexcept { return bytes_on_devices.load(std::memory_order_relaxed); }
void account_device_bytes(int64_t bytes) noexcept {
  bytes_on_devices.fetch_add(bytes, std::memory_order_relaxed);
}

const char* current_op() noexcept { return the_op; }

OpScope::OpScope(const char* name) noexcept : outermost_(!the_op) {
  if (!outermost_) return;
  the_op = name;
  noted = false;
}
OpScope::~OpScope() {
  if (outermost_) the_op = nullptr;
}

void note_use_on_host() {
  if (!the_op || noted) return;
  noted = true;
  std::lock_guard<std::mutex> lock(fallbacks_mutex);
  int64_t count = ++fallbacks()[the_op];
  if (count == 1 && warns) std::fprintf(stderr, "tensor: %s runs on the CPU\n", the_op);
}

HostUseMeant::HostUseMeant() noexcept : noted_before_(noted) { noted = true; }
HostUseMeant::~HostUseMeant() { noted = noted_before_; }

void warn_of_fallbacks(bool warn) noexcept { warns = warn; }

}  // namespace th
