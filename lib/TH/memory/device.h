#ifndef TH_MEMORY_DEVICE_H
#define TH_MEMORY_DEVICE_H

#include <cstddef>

#include "memory/visibility.h"

namespace th TH_VISIBLE {

// What a device must offer for memory to move there by itself. Calls are in order per device:
// a copy sees every copy and every kernel that was queued before it. All throw th::Error.
class Device {
 public:
  virtual ~Device() = default;
  virtual const char* name() const = 0;

  virtual void* allocate(size_t bytes) = 0;
  virtual void release(void* block) noexcept = 0;
  virtual void fill_zero(void* block, size_t bytes) = 0;

  // Both return when the host block may be read or reused.
  virtual void copy_to_device(void* device, const void* host, size_t bytes) = 0;
  virtual void copy_to_host(void* host, const void* device, size_t bytes) = 0;

  // Queued: the host block must stay as it is until wait(event) has returned.
  virtual void* push_async(void* device, const void* host, size_t bytes) = 0;
  virtual void wait(void* event) = 0;
  virtual void release_event(void* event) noexcept = 0;
};

// The device that a memory without a device of its own goes to; nullptr: there is none.
Device* default_device() noexcept;
void set_default_device(Device* device) noexcept;

}  // namespace TH_VISIBLE

#endif
