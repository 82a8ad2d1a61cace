#ifndef TH_BACKEND_TABLE_H
#define TH_BACKEND_TABLE_H

// The interface between libTH and a device plugin (software device, CUDA): a table of functions. At
// the binary level it is plain C, so that a plugin shares only this file and the call structs with
// libTH. kDeviceAbi must be increased when either changes.

#include <cstddef>
#include <cstdint>

namespace th {

constexpr uint32_t kDeviceAbi = 17;

// Detects different numberings of ElementOp: an FNV-1a hash of the names in their order.
constexpr uint32_t hash_of_ops() {
  constexpr const char* names =
#define TH_ELEMENT(name, ...) #name " "
#include "THOps/elementwise.def"
      "";
  uint32_t hash = 2166136261u;
  for (const char* c = names; *c; ++c) {
    hash = (hash ^ static_cast<unsigned char>(*c)) * 16777619u;
  }
  return hash;
}

// Return value of the functions of the table. After a failure, message() returns the text.
enum DeviceStatus : int {
  kDeviceOk = 0,
  kDeviceFailed = 1,
  kDeviceOutOfMemory = 2,
  kDeviceUnsupported = 3,  // run() only: unsupported on this device, no operand has changed
  kDeviceInterrupted = 4   // run() only: out of memory after a part of the operation was queued
};

// The attempts of an operation that fails with kDeviceOutOfMemory: with the memory that is free,
// with an empty cache, and after a garbage collection. The last one may use another algorithm.
constexpr int kMemoryAttempts = 3;

enum class CopyKind : int { host_to_device, device_to_host, device_to_device };

struct DeviceProperties {
  char name[256];
  char software[64];     // versions, such as "CUDA 13.0, driver for 13.0"; may be empty
  int64_t total_memory;  // bytes
  int64_t bandwidth;     // maximum of device memory, bytes per second; 0: unknown
  int major, minor;      // compute capability; 0 for the software device
  int multiprocessors;
};

struct DeviceUsage {
  int64_t total;   // bytes of device memory
  int64_t free;    // bytes not allocated by any process
  int64_t in_use;  // bytes of allocated blocks
  int64_t cached;  // bytes kept for reuse
};

// A failed check of operand values, found by a kernel after the operation was queued.
struct DeviceAssertion {
  uint32_t check;  // the number of the check; 0: none failed
  int64_t value;   // the first invalid value
};

// All work on a device runs in queueing order: each function sees the results of earlier work. A
// device is opened once and never closed. All functions may be called from any thread.
struct DeviceTable {
  uint32_t abi;    // kDeviceAbi
  uint32_t bytes;  // sizeof(DeviceTable)
  uint32_t ops;    // hash_of_ops()
  const char* kind;
  int dlpack_type;  // of the device's memory: a DLDeviceType of THDLPack.h

  // Returns the text of the calling thread's last failure.
  const char* (*message)();
  int (*count)(int* devices);
  int (*open)(int index, void** device);
  // Does not open the device, which needs memory and time.
  int (*properties)(int index, DeviceProperties* out);

  // Blocks are aligned to 256 bytes. Work queued before a release may still use the block. If
  // for_copy is not 0, the first use of the block is upload() or copy_async() with is_new.
  int (*allocate)(void* device, size_t bytes, int for_copy, void** block);
  void (*release)(void* device, void* block);
  // Host memory that is fast for asynchronous copies (pinned). Null if ordinary memory is better.
  int (*allocate_host)(void* device, size_t bytes, void** block);
  void (*release_host)(void* device, void* block);

  int (*zero)(void* device, void* block, size_t bytes);
  // Copies that involve the host return when they are complete.
  int (*copy)(void* device, CopyKind kind, void* to, const void* from, size_t bytes);
  // Copies from the host. Later work of the device waits for the copy. If *event is null, the host
  // may change `from` at once, else after wait(). is_new: as for copy_async().
  int (*upload)(void* device, void* to, const void* from, size_t bytes, int is_new, void** event);
  // Copies from a block of another device of the same kind to one of this device.
  int (*copy_peer)(void* device, void* to, void* from_device, const void* from, size_t bytes);
  // Queues an asynchronous copy after all work queued so far, or, if is_new is not 0, without
  // waiting for it: then `to` is in a block that was allocated for this copy. Later work of the
  // device does not wait for the copy unless order() is called.
  int (*copy_async)(void* device, CopyKind kind, void* to, const void* from, size_t bytes,
                    int is_new, void** event);
  int (*wait)(void* device, void* event);   // the host waits
  int (*order)(void* device, void* event);  // later work of the device waits
  void (*release_event)(void* device, void* event);

  // Waits for all queued work.
  int (*synchronize)(void* device);
  // Also waits for work on the device that other code in the process has queued.
  int (*finish)(void* device);
  // Returns the handle of the stream in which all work runs (cudaStream_t), null if other code
  // cannot use it.
  void* (*stream)(void* device);
  // Returns and removes one failed check; check 0: none is left. Complete only after synchronize()
  // or a copy that involves the host.
  void (*assertion)(void* device, DeviceAssertion* out);
  int (*usage)(void* device, DeviceUsage* out);
  int (*empty_cache)(void* device);

  // Queues an operation, or returns kDeviceUnsupported. op is a BackendOp; call points to its
  // struct.
  int (*run)(void* device, int op, const void* call);
};

// A function of libTH that runs a call of TH_LIBRARY_OPS on memory of the host. Returns a
// DeviceStatus; after kDeviceFailed, text is the message. A plugin that exports the C function
// th_use_host_library(RunOnHost) receives it.
using RunOnHost = int (*)(int op, const void* call, char* text, size_t length);

}  // namespace th

#endif
