#ifndef TH_MEMORY_DEVICE_H
#define TH_MEMORY_DEVICE_H

#include <cstddef>
#include <cstdint>

#include "base/visibility.h"

namespace th TH_VISIBLE {

enum class BackendOp : int;
struct DeviceUsage;
struct DeviceProperties;

// A device that memory is copied to on access and that runs operations. All work runs in the order
// in which it was queued, so a copy sees the results of earlier copies and kernels. All functions
// may throw th::Error.
class Device {
 public:
  virtual ~Device() = default;
  // The name that t:device() returns: "gpu:1", "soft:2".
  virtual const char* name() const = 0;

  // for_copy: the first use of the block is upload() or push_async() with is_new.
  virtual void* allocate(size_t bytes, bool for_copy = false) = 0;
  virtual void release(void* block) noexcept = 0;
  // Allocates host memory that is fast to copy from and to (pinned). Returns null if any host
  // memory will do.
  virtual void* allocate_host(size_t bytes) = 0;
  virtual void release_host(void* block) noexcept = 0;
  virtual void fill_zero(void* block, size_t bytes) = 0;

  // Copies from or to the host return when the host block may be read or reused. Copies to the host
  // raise failed checks of earlier operations.
  virtual void copy_to_device(void* device, const void* host, size_t bytes) = 0;
  virtual void copy_to_host(void* host, const void* device, size_t bytes) = 0;
  // Copies from the host without waiting, if the device can. Later work of the device waits for the
  // copy. Returns null if the host block may be written at once, else an event to wait for first.
  // is_new: the block was allocated for this copy.
  virtual void* upload(void* device, const void* host, size_t bytes, bool is_new) {
    static_cast<void>(is_new);
    copy_to_device(device, host, bytes);
    return nullptr;
  }
  virtual void copy_within(void* to, const void* from, size_t bytes) = 0;
  // Copies from a block of another device, through the host if there is no direct way.
  virtual void copy_from(Device& other, void* to, const void* from, size_t bytes) = 0;

  // Queue an asynchronous copy beside the device's other work and return an event. Neither block
  // may be written before wait(event) on the host or, for the device's own work, order(event). The
  // copy waits for earlier work, unless is_new: the block was allocated for this copy.
  virtual void* push_async(void* device, const void* host, size_t bytes, bool is_new = false) = 0;
  virtual void* pull_async(void* host, const void* device, size_t bytes) = 0;
  virtual void wait(void* event) = 0;
  // Throws the error of an operation of this thread whose check of operand values has failed, if
  // the device knows of one.
  virtual void raise_failed_checks() = 0;
  virtual void order(void* event) = 0;
  virtual void release_event(void* event) noexcept = 0;

  virtual void synchronize() = 0;
  virtual void properties(DeviceProperties* out) = 0;
  virtual void usage(DeviceUsage* out) = 0;
  virtual void empty_cache() = 0;
  // Queues an operation; call points to its struct in backend/calls.h. Returns false if the
  // operation is unsupported on this device; then nothing has been done.
  virtual bool run(BackendOp op, const void* call) = 0;

  // Waits for all work on the device, also that of other code in the process. Raises no failed
  // checks.
  virtual void finish() = 0;
  // Returns the handle of the stream in which the device's work runs, such as a cudaStream_t. Null
  // if other code cannot use it.
  virtual void* stream() = 0;
  // The DLDeviceType of the device's memory (THDLPack.h) and its number among those, from 0.
  virtual int dlpack_type() const = 0;
  virtual int index() const = 0;
};

// In debug mode each operation is synchronized, so that errors name the operation that failed.
// TENSOR_DEVICE_DEBUG=1 sets the initial value.
bool device_debug() noexcept;
void set_device_debug(bool debug) noexcept;

// Finds the device of memory that DLPack describes; nullptr: this process has none.
Device* find_dlpack_device(int type, int index);

// The device for memory that has no recorded device; nullptr: none.
Device* default_device() noexcept;
void set_default_device(Device* device) noexcept;

}  // namespace TH_VISIBLE

#endif
