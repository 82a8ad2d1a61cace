#ifndef TH_BACKEND_TABLE_H
#define TH_BACKEND_TABLE_H

// What a kind of device offers to libTH: one table of functions, for the software device and for
// the CUDA plugin. It is plain C at the binary level, so that a plugin shares nothing with libTH
// but this file and calls.h; its number changes with either.

#include <cstddef>
#include <cstdint>

namespace th {

constexpr uint32_t kDeviceAbi = 4;

// Tells numberings of Op apart: a hash of its names in their order (FNV-1a).
constexpr uint32_t hash_of_ops() {
  constexpr const char* names =
#define TH_OP(name, ...) #name " "
#include "THOps.def"
      "copy";
  uint32_t hash = 2166136261u;
  for (const char* c = names; *c; ++c) {
    hash = (hash ^ static_cast<unsigned char>(*c)) * 16777619u;
  }
  return hash;
}

// What a function of the table returns; its text is then message().
enum DeviceStatus : int {
  kDeviceOk = 0,
  kDeviceFailed = 1,
  kDeviceOutOfMemory = 2,
  kDeviceDeclined = 3  // of run(): the device cannot do the call, and has queued nothing
};

enum class CopyKind : int { host_to_device, device_to_host, device_to_device };

struct DeviceProperties {
  char name[256];
  char software[64];     // versions: "CUDA 13.0, driver for 13.0"; may be empty
  int64_t total_memory;  // bytes
  int64_t bandwidth;     // of its memory, bytes per second at most; 0: unknown
  int major, minor;      // compute capability; 0 for the software device
  int multiprocessors;
};

struct DeviceUsage {
  int64_t total;   // bytes of the device
  int64_t free;    // bytes that nobody has
  int64_t in_use;  // bytes of blocks handed out
  int64_t cached;  // bytes kept for later blocks
};

// What a kernel found wrong with its operands' values, after the operation was queued.
struct DeviceAssertion {
  uint32_t check;  // the number of the check, from Call's; 0: nothing was found
  int64_t value;   // the first value found
};

// Work on one device is in order: each function sees what was queued before it. A device is opened
// once and never closed. All may be called from any thread.
struct DeviceTable {
  uint32_t abi;    // kDeviceAbi
  uint32_t bytes;  // sizeof(DeviceTable)
  uint32_t ops;    // hash_of_ops()
  const char* kind;

  // Of the calling thread's last failure.
  const char* (*message)();
  int (*count)(int* devices);
  int (*open)(int index, void** device);
  int (*properties)(void* device, DeviceProperties* out);

  // Blocks are aligned to 256 bytes. A released block may still be used by work queued before.
  int (*allocate)(void* device, size_t bytes, void** block);
  void (*release)(void* device, void* block);
  // Host memory that asynchronous copies are fast from and to.
  int (*allocate_host)(void* device, size_t bytes, void** block);
  void (*release_host)(void* device, void* block);

  int (*zero)(void* device, void* block, size_t bytes);
  // Copies that involve the host return when they have ended.
  int (*copy)(void* device, CopyKind kind, void* to, const void* from, size_t bytes);
  // From a block of another device of the same kind to one of this.
  int (*copy_peer)(void* device, void* to, void* from_device, const void* from, size_t bytes);
  // Queued beside the device's other work, after what is queued already; later work waits for it
  // only when order() says so.
  int (*copy_async)(void* device, CopyKind kind, void* to, const void* from, size_t bytes,
                    void** event);
  int (*wait)(void* device, void* event);   // the caller waits
  int (*order)(void* device, void* event);  // the device's later work waits
  void (*release_event)(void* device, void* event);

  // Waits for all work.
  int (*synchronize)(void* device);
  // One of what checks have found, which it forgets; number 0: none is left. Complete only after
  // synchronize() or a copy that involves the host.
  void (*assertion)(void* device, DeviceAssertion* out);
  int (*usage)(void* device, DeviceUsage* out);
  int (*empty_cache)(void* device);

  // Queues an operation, or declines it: op is a BackendOp, call its struct of calls.h.
  int (*run)(void* device, int op, const void* call);
};

}  // namespace th

#endif
