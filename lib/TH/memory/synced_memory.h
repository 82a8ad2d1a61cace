#ifndef TH_MEMORY_SYNCED_MEMORY_H
#define TH_MEMORY_SYNCED_MEMORY_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "THAllocator.h"
#include "memory/device.h"
#include "memory/visibility.h"

namespace th TH_VISIBLE {

// Where the valid bytes are.
enum class Head : uint8_t { uninitialized, cpu, device, synced };

// What the caller is going to do: read; read and write; replace every byte without reading any.
enum class Access : uint8_t { read, write, overwrite };

// A block of bytes that is allocated, and copied between the host and a device, only when someone
// asks for it on a side where it is not valid. Asking moves the head as Caffe's SyncedMemory does:
// a read of the other side makes it synced, a write leaves the head at the writer's side; memory
// that nobody has written reads as zeros. Transitions are serialised by a mutex per block; where
// nothing moves there is no lock.
class SyncedMemory {
 public:
  SyncedMemory(size_t bytes, THAllocator* allocator, void* allocator_context) noexcept;
  // Takes over host memory that came from the allocator, or borrows it where allocator is null.
  SyncedMemory(void* host, size_t bytes, THAllocator* allocator, void* allocator_context) noexcept;
  ~SyncedMemory();
  SyncedMemory(const SyncedMemory&) = delete;
  SyncedMemory& operator=(const SyncedMemory&) = delete;

  size_t size() const noexcept { return bytes_; }
  Head head() const noexcept { return head_.load(std::memory_order_acquire); }

  void* cpu(Access access) {
    Head head = head_.load(std::memory_order_acquire);
    if (head == Head::cpu || (head == Head::synced && access == Access::read)) return host_;
    return cpu_transition(access);
  }
  void* device(Access access);
  // The host block if it is valid there, without moving anything; otherwise null.
  void* cpu_if_valid() const noexcept;

  // The caller's own block becomes the memory; it stays the caller's to free.
  void set_cpu(void* host);
  void set_device(void* block);
  // Starts copying the host's bytes to the device; the host block must not be written until then.
  void push_async();

  // Keeps the first min(old, new) bytes, on the host; further ones read as zeros. Borrowed memory
  // cannot be resized.
  void resize(size_t bytes);
  void swap(SyncedMemory& other) noexcept;

 private:
  void* cpu_transition(Access access);
  Device& need_device();
  void need_host_block();
  void need_device_block(Device& device);
  void wait_for_push();
  void release_host() noexcept;
  void release_device() noexcept;

  std::atomic<Head> head_;
  bool owns_host_;
  bool owns_device_block_ = false;
  size_t bytes_;
  void* host_;
  void* device_block_ = nullptr;
  Device* device_ = nullptr;
  void* event_ = nullptr;
  THAllocator* allocator_;
  void* allocator_context_;
  std::mutex mutex_;
};

}  // namespace TH_VISIBLE

#endif
