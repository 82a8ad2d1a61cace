#ifndef TH_MEMORY_DEVICE_H
#define TH_MEMORY_DEVICE_H

#include <cstddef>
#include <cstdint>

#include "memory/visibility.h"

namespace th TH_VISIBLE {

enum class BackendOp : int;
struct DeviceUsage;
struct DeviceProperties;

// A device that memory moves to by itself, and that operations run on. Work is in order: a copy
// sees every copy and every kernel that was queued before it. All throw th::Error.
class Device {
 public:
  virtual ~Device() = default;
  // As in t:device(): "gpu:1", "soft:2".
  virtual const char* name() const = 0;

  virtual void* allocate(size_t bytes) = 0;
  virtual void release(void* block) noexcept = 0;
  // Host memory that copies are fast from and to; null: any will do.
  virtual void* allocate_host(size_t bytes) = 0;
  virtual void release_host(void* block) noexcept = 0;
  virtual void fill_zero(void* block, size_t bytes) = 0;

  // The copies that involve the host return when the host block may be read or reused.
  virtual void copy_to_device(void* device, const void* host, size_t bytes) = 0;
  virtual void copy_to_host(void* host, const void* device, size_t bytes) = 0;
  virtual void copy_within(void* to, const void* from, size_t bytes) = 0;
  // From a block of another device; through the host where there is no better way.
  virtual void copy_from(Device& other, void* to, const void* from, size_t bytes) = 0;

  // Queued beside the device's other work: neither block may be written until wait(event), or, by
  // the device itself, order(event).
  virtual void* push_async(void* device, const void* host, size_t bytes) = 0;
  virtual void* pull_async(void* host, const void* device, size_t bytes) = 0;
  virtual void wait(void* event) = 0;
  virtual void order(void* event) = 0;
  virtual void release_event(void* event) noexcept = 0;

  virtual void synchronize() = 0;
  virtual void properties(DeviceProperties* out) = 0;
  virtual void usage(DeviceUsage* out) = 0;
  virtual void empty_cache() = 0;
  // Queues an operation, whose struct is in backend/calls.h. False: the device cannot do it, and
  // has done nothing.
  virtual bool run(BackendOp op, const void* call) = 0;
};

// Whether every operation is waited for, so that the one that fails is named. At first:
// TENSOR_DEVICE_DEBUG=1.
bool device_debug() noexcept;
void set_device_debug(bool debug) noexcept;

// The device that memory without a recorded one goes to; nullptr: there is none.
Device* default_device() noexcept;
void set_default_device(Device* device) noexcept;

}  // namespace TH_VISIBLE

#endif
