#ifndef TH_MEMORY_STATS_H
#define TH_MEMORY_STATS_H

// What is counted, for all threads together: the copies between host and devices, and the
// operations that a device left to the CPU.

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
  std::map<std::string, int64_t> fallbacks;  // by the operation's name
};

DeviceStats device_stats();
void reset_device_stats();
void count_copy_to_device(size_t bytes) noexcept;
void count_copy_to_host(size_t bytes) noexcept;
void count_copy_between_devices(size_t bytes) noexcept;

// Bytes of devices' blocks that storages have.
int64_t device_bytes() noexcept;
void account_device_bytes(int64_t bytes) noexcept;

// The operation that the calling thread is in; null: none. The outermost counts.
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

// The CPU uses memory that is at home on a device: a fallback, once for each operation.
void note_use_on_host();
// Within its scope such uses are meant.
class HostUseMeant {
 public:
  HostUseMeant() noexcept;
  ~HostUseMeant();
  HostUseMeant(const HostUseMeant&) = delete;
  HostUseMeant& operator=(const HostUseMeant&) = delete;

 private:
  bool noted_before_;
};
// Whether a message on stderr tells of each operation's first fallback.
void warn_of_fallbacks(bool warn) noexcept;

}  // namespace TH_VISIBLE

#endif
