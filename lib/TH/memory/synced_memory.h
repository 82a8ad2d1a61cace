#ifndef TH_MEMORY_SYNCED_MEMORY_H
#define TH_MEMORY_SYNCED_MEMORY_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "THAllocator.h"
#include "base/visibility.h"
#include "memory/device.h"
#include "memory/lease.h"

namespace th TH_VISIBLE {

// The location of the valid bytes.
enum class Head : uint8_t { uninitialized, cpu, device, synced };

// The access mode: read; read and write; replace every byte without reading any.
enum class Access : uint8_t { read, write, overwrite };

// Bytes begin ... end - 1.
struct ByteRange {
  size_t begin, end;
};

// A lazily allocated block of bytes, which is copied between the host and a device when it is
// accessed on a side where it is not valid. The head changes as in Caffe's SyncedMemory: a read on
// the other side makes it synced; a write moves it to the side that writes. Memory that was never
// written reads as zeros. If both sides have a block, only the bytes between the first and the last
// that may have been written are copied. The block is on at most one device at a time. An access on
// another device moves it there; if the host has no valid copy, the bytes are copied.
// A mutex per block serializes state changes. Host accesses that need no copy take no lock.
class SyncedMemory {
 public:
  SyncedMemory(size_t bytes, THAllocator* allocator, void* allocator_context) noexcept;
  // Takes ownership of host memory from the allocator, or borrows it if allocator is null.
  SyncedMemory(void* host, size_t bytes, THAllocator* allocator, void* allocator_context) noexcept;
  ~SyncedMemory();
  SyncedMemory(const SyncedMemory&) = delete;
  SyncedMemory& operator=(const SyncedMemory&) = delete;

  size_t size() const noexcept { return bytes_; }
  Head head() const noexcept { return head_.load(std::memory_order_acquire); }
  // The device of the device block; nullptr if there never was one.
  Device* device() const noexcept { return __atomic_load_n(&device_, __ATOMIC_RELAXED); }

  void* cpu(Access access) {
    void* host = cpu_if_ready(access);
    return host ? host : cpu(access, {0, bytes_});
  }
  // Unless access is overwrite, only bytes of the range are written.
  void* cpu(Access access, ByteRange range);
  // Returns the host block if this access needs no copy, allocation or state change, else null.
  void* cpu_if_ready(Access access) const noexcept { return ready(access); }
  // Returns the host block if its contents are valid, else null. Copies nothing.
  void* cpu_if_valid() const noexcept { return ready(Access::read); }

  // Returns the block on the given device, for work that is queued before the lease ends. Copies or
  // moves the memory there if necessary. Null only if the size is 0.
  char* lease(Access access, Device& device, ByteRange range, Lease* lease);
  // The same for callers that prevent other threads from moving or resizing the memory.
  void* device(Access access, Device& device, ByteRange range);
  void* device(Access access, Device& device) { return this->device(access, device, {0, bytes_}); }
  // The same on the recorded device, or on the default device if none is recorded.
  void* device(Access access) { return device(access, need_device()); }

  // Address of a byte in which kMayRead and kMayWrite are set while the host block can be read and
  // written directly. Loops test it before each access to a block that is neither resized nor
  // replaced.
  static constexpr uint8_t kMayRead = 1, kMayWrite = 2;
  const void* host_ready() const noexcept { return &host_ready_; }
  // Address of the pointer to the host block, for such loops.
  const void* host_address() const noexcept { return &host_; }

  // Adds change to the number of other owners that use the host block directly. While there are
  // any, the memory cannot be copied to a device.
  void share_host(int change) noexcept { host_users_.fetch_add(change); }
  bool shares_host() const noexcept { return host_users_.load(std::memory_order_relaxed) > 0; }

  // Copies a few bytes from the side where they are valid. The head does not change, unless many
  // such reads follow each other: then the whole block is copied, which is faster.
  void read_bytes(size_t offset, size_t count, void* out);

  // Make the caller's block the memory. The caller owns the block.
  void set_cpu(void* host);
  void set_device(Device& device, void* block, SharedBlock::Release release = nullptr,
                  void* context = nullptr);
  void set_device(void* block) { set_device(need_device(), block); }
  // Returns the block on the device, up to date, with a reference for other code that may read and
  // write it at any time. The caller ends that by share(-1) and release() of the block. Meanwhile
  // the memory is never synced: the host copies the bytes at each read.
  SharedBlock* share_device(Device& device);
  // Returns true while other code shares the block on the device.
  bool is_device_shared();
  // Start an asynchronous copy to the other side. The head becomes synced at once; later accesses
  // wait for the copy.
  void push_async() { push_async(need_device()); }
  void push_async(Device& device);
  void pull_async();
  // Waits for the end of such a copy.
  void wait();
  // Starts to copy the bytes to the device if they are not valid there; null: to the host. Does
  // nothing with memory that was never written.
  void prefetch(Device* device);
  // Frees the device block. Bytes that are valid on the device only are copied to the host first.
  void leave_device();

  // The caller frees the host block from now on, by THFree if it is from the heap. A block that a
  // device allocated is replaced by one of the heap.
  void disown_host();
  // Ends disown_host(): this object frees the host block again.
  void own_host() noexcept;
  // Returns true if a device allocated the host block.
  bool is_host_of_device() const noexcept { return owns_host_ && host_owner_; }
  // Returns true if the host block came from this allocator.
  bool is_from(const THAllocator& allocator) const noexcept { return allocator_ == &allocator; }

  // Keeps the first min(old, new) bytes; additional bytes read as zeros. on_device selects the side
  // to keep if both are valid. Borrowed memory cannot be resized.
  void resize(size_t bytes, bool on_device = false);
  void swap(SyncedMemory& other) noexcept;

 private:
  enum class Copying : uint8_t { nothing, to_device, to_host };

  void* ready(Access access) const noexcept {
    uint8_t needed = access == Access::read ? kMayRead : kMayWrite;
    return host_ready_.load(std::memory_order_acquire) & needed ? host_ : nullptr;
  }

  using Lock = std::unique_lock<std::mutex>;

  Device& need_device();
  bool shares_device() const noexcept { return block_ && block_->is_shared(); }
  void refuse_shared() const;
  void set_device_used(Device* device) noexcept {
    __atomic_store_n(&device_, device, __ATOMIC_RELAXED);
  }
  void set_head(Head head) noexcept;
  template <class Change>
  void transition(Change change);
  void await_writers(Lock& lock);
  void* bring_to_host(Lock& lock, Access access, ByteRange range);
  void bring_to_device(Lock& lock, Access access, Device& device, ByteRange range);
  void begin_push(Lock& lock, Device& device);
  void begin_pull();
  void* new_host_block(bool zeroed);
  void free_host_block(void* block, bool from_heap) noexcept;
  void need_host_block(bool zeroed);
  bool need_device_block(Lock& lock, Device& device, bool reads, size_t least_for_copy);
  void host_from_device();
  void device_from_host(bool is_new);
  void finish_copy();
  void await_copy();
  void release_host() noexcept;
  void release_device() noexcept;
  void resize_on_device(size_t bytes);
  void resize_on_host(size_t bytes);
  char* on_device(size_t offset) const noexcept;

  std::atomic<Head> head_;
  std::atomic<uint8_t> host_ready_{0};
  std::atomic<int> host_users_{0};
  Copying copying_ = Copying::nothing;
  bool owns_host_;
  bool host_from_heap_ = false;  // heap_free frees the host block
  bool disowned_ = false;        // by disown_host
  bool keeps_context_ = false;   // of a mapped file that is empty: `free` has not got it yet
  bool ordered_ = false;         // the device's later work waits for event_
  uint8_t reads_ = 0;            // small reads since the head moved to the device
  size_t bytes_;
  void* host_;
  SharedBlock* block_ = nullptr;  // on device_
  // If the head is at one side: the range in which the other side's block is out of date.
  ByteRange stale_{0, 0};
  Device* device_ = nullptr;
  Device* host_owner_ = nullptr;  // the device that allocated the host block; null: the allocator
  void* event_ = nullptr;         // of the copy in progress
  THAllocator* allocator_;
  void* allocator_context_;
  std::mutex mutex_;
};

}  // namespace TH_VISIBLE

#endif
