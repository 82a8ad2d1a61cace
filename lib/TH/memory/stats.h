#ifndef TH_MEMORY_STATS_H
#define TH_MEMORY_STATS_H

// Counters for all threads: copies between host and devices, and operations that fell back to the
// CPU.

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "memory/visibility.h"

namespace th TH_VISIBLE {

struct CopyCount {
  int64_t copies, bytes;
};
struct DeviceStats {
  CopyCount to_device, to_host, between_devices;
  std::map<std::string, int64_t> fallbacks;  // by name of the operation
};

DeviceStats device_stats();
void reset_device_stats();
void count_copy_to_device(size_t bytes) noexcept;
void count_copy_to_host(size_t bytes) noexcept;
void count_copy_between_devices(size_t bytes) noexcept;

// Bytes of device memory allocated for storages.
int64_t device_bytes() noexcept;
void account_device_bytes(int64_t bytes) noexcept;

// The operation that the calling thread executes; null: none. In nested calls it is the outermost
// one.
const char* current_op() noexcept;

class OpScope {
 public:
  explicit OpScope(const char* name) noexcept;
  ~OpScope();
  OpScope(const OpScope&) = delete;
  OpScope& operator=(const OpScope&) = delete;

 private:
  bool outermost_;
};

// Records that the CPU accesses a storage whose device is not the CPU. Counts as one fallback per
// operation.
void note_use_on_host();
// Within the scope of this class such accesses are intended and not counted.
class HostUseMeant {
 public:
  HostUseMeant() noexcept;
  ~HostUseMeant();
  HostUseMeant(const HostUseMeant&) = delete;
  HostUseMeant& operator=(const HostUseMeant&) = delete;

 private:
  bool noted_before_;
};
// If warn is true, the first fallback of each operation is reported on stderr.
void warn_of_fallbacks(bool warn) noexcept;

}  // namespace TH_VISIBLE

#endif
