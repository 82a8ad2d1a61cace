#ifndef TH_MEMORY_SYNCED_MEMORY_H
#define TH_MEMORY_SYNCED_MEMORY_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "THAllocator.h"
#include "memory/device.h"
#include "memory/lease.h"
#include "memory/visibility.h"
#include "memory/watch.h"

namespace th TH_VISIBLE {

// Where the valid bytes are.
enum class Head : uint8_t { uninitialized, cpu, device, synced };

// What the caller is going to do: read; read and write; replace every byte without reading any.
enum class Access : uint8_t { read, write, overwrite };

// Bytes from begin up to end.
struct ByteRange {
  size_t begin, end;
};

// A block of bytes that is allocated, and copied between the host and a device, only when someone
// asks for it on a side where it is not valid. Asking moves the head as Caffe's SyncedMemory does:
// a read of the other side makes it synced, a write leaves the head at the writer's side; memory
// that nobody has written reads as zeros. Where both sides have a block, only the bytes between the
// first and the last that were asked for writing are copied. It is on one device at a time: asked
// for on another, it moves there, and is copied if the host doesn't have the bytes, too.
// Transitions are serialised by a mutex per block; where nothing moves on the host there is no
// lock.
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
  // Where the device's block is; nullptr: it never had one.
  Device* device() const noexcept { return __atomic_load_n(&device_, __ATOMIC_RELAXED); }

  void* cpu(Access access) {
    void* host = cpu_if_ready(access);
    return host ? host : cpu(access, {0, bytes_});
  }
  // Only bytes of the range will be written, unless the access is overwrite.
  void* cpu(Access access, ByteRange range);
  // The host block, if it can be used so without doing anything first; otherwise null.
  void* cpu_if_ready(Access access) const noexcept { return watching() ? nullptr : ready(access); }
  // The host block if it is valid there, without moving anything; otherwise null.
  void* cpu_if_valid() const noexcept { return ready(Access::read); }

  // The block on the given device, where the memory moves if it is on another, for work that is
  // queued before the lease ends. Null only where there are no bytes.
  char* lease(Access access, Device& device, ByteRange range, Lease* lease);
  // The same for who knows that no other thread moves or resizes the memory meanwhile.
  void* device(Access access, Device& device, ByteRange range);
  void* device(Access access, Device& device) { return this->device(access, device, {0, bytes_}); }
  // On the recorded device, or, for memory that was on none yet, the default one.
  void* device(Access access) { return device(access, need_device()); }

  // A byte with kMayRead and kMayWrite set as long as the host block can be used so without asking:
  // for loops that look at it before every access to a block that is neither resized nor replaced.
  static constexpr uint8_t kMayRead = 1, kMayWrite = 2;
  const void* host_ready() const noexcept { return &host_ready_; }
  // Where the pointer to the host block is, for such loops.
  const void* host_place() const noexcept { return &host_; }

  // change: how many more, or less, others use the host block as their own. As long as there are
  // any the memory goes to no device.
  void share_host(int change) noexcept { host_users_.fetch_add(change); }
  bool shares_host() const noexcept { return host_users_.load(std::memory_order_relaxed) > 0; }

  // A few bytes, wherever they are. The head stays, unless this is asked so often in a row that
  // copying all is better.
  void read_bytes(size_t offset, size_t count, void* out);

  // The caller's own block becomes the memory; it stays the caller's to free.
  void set_cpu(void* host);
  void set_device(Device& device, void* block);
  void set_device(void* block) { set_device(need_device(), block); }
  // Starts copying to the other side; the head is synced at once, and who needs the copy waits.
  void push_async() { push_async(need_device()); }
  void push_async(Device& device);
  void pull_async();
  // Waits for a copy that was started so.
  void wait();
  // Starts copying there what is not there yet; null: to the host. Memory that nobody has written
  // stays as it is.
  void prefetch(Device* device);
  // The device's block is given back, after what only it holds was copied to the host.
  void leave_device();

  // The host block becomes someone else's to free.
  void disown_host() noexcept { owns_host_ = false; }

  // Keeps the first min(old, new) bytes; further ones read as zeros. on_device: which side to keep
  // where both are valid. Borrowed memory cannot be resized.
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
  void need_host_block(bool zeroed);
  void need_device_block(Lock& lock, Device& device, bool reads);
  void host_from_device();
  void device_from_host();
  void finish_copy();
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
  bool ordered_ = false;  // the device's later work waits for event_
  uint8_t reads_ = 0;     // of a few bytes, since the head came to the device
  size_t bytes_;
  void* host_;
  SharedBlock* block_ = nullptr;  // on device_
  // With a head at one side: where the other side's block differs.
  ByteRange stale_{0, 0};
  Device* device_ = nullptr;
  Device* host_owner_ = nullptr;  // whom the host block came from, if not from the allocator
  void* event_ = nullptr;         // of the copy in progress
  THAllocator* allocator_;
  void* allocator_context_;
  std::mutex mutex_;
};

}  // namespace TH_VISIBLE

#endif
