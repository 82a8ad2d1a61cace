#ifndef TH_MEMORY_LEASE_H
#define TH_MEMORY_LEASE_H

#include <atomic>
#include <cstddef>
#include <utility>

#include "base/visibility.h"
#include "memory/device.h"
#include "memory/recycle.h"

namespace th TH_VISIBLE {

// A reference-counted block of device memory, shared by a SyncedMemory and the leases on it. The
// last user frees it.
class SharedBlock : public Recycled {
 public:
  using Release = void (*)(Device& device, void* context);

  static SharedBlock* allocate(Device& device, size_t bytes, bool for_copy = false);
  // The caller keeps ownership of the block. release, unless it is null, is called with the context
  // once the block is no longer used; then other code may use the block meanwhile.
  static SharedBlock* borrow(Device& device, void* data, Release release = nullptr,
                             void* context = nullptr);
  SharedBlock(const SharedBlock&) = delete;
  SharedBlock& operator=(const SharedBlock&) = delete;

  void* data() const noexcept { return data_; }
  bool owned() const noexcept { return owned_; }

  // Adds change to the number of other users, which may write the block at any time.
  void share(int change) noexcept { others_.fetch_add(change); }
  bool is_shared() const noexcept { return others_.load(std::memory_order_relaxed) > 0; }

  void retain() noexcept { users_.fetch_add(1, std::memory_order_relaxed); }
  void release() noexcept;

  // Mark the time during which a thread is about to queue work that writes the block.
  void begin_write() noexcept { writers_.fetch_add(1, std::memory_order_relaxed); }
  void end_write() noexcept {
    if (writers_.fetch_sub(1) == 1 && waiters_.load() > 0) notify_waiters();
  }
  bool being_written() const noexcept { return writers_.load(std::memory_order_acquire) > 0; }
  void wait_for_writers();

 private:
  SharedBlock(Device& device, bool owned) noexcept : device_(device), owned_(owned) {}
  ~SharedBlock() = default;
  void notify_waiters() noexcept;

  // Blocks share a few locks for threads that wait for writers: see lease.cc.
  Device& device_;
  void* data_ = nullptr;
  size_t bytes_ = 0;
  std::atomic<int> users_{1}, writers_{0}, waiters_{0}, others_{0};
  Release returned_ = nullptr;
  void* context_ = nullptr;
  const bool owned_;
};

// Each result on a device has a block, so a block must fit into a cache line.
static_assert(sizeof(SharedBlock) <= 64, "a SharedBlock is larger than a cache line");

// The use of a device block from its request until the work that uses it is queued. Meanwhile other
// threads may move the memory elsewhere. A read lease does not block them: the leased block keeps
// its bytes and is freed after the lease. They wait for the end of a write lease, so that they get
// the new contents. A thread that holds a write lease must not wait for another one; it gets an
// error instead. This rule rules out deadlocks, because threads never wait for readers. A lease
// must end in the thread that took it.
class Lease {
 public:
  Lease() = default;
  Lease(Lease&& other) noexcept
      : block_(std::exchange(other.block_, nullptr)), writes_(other.writes_) {}
  Lease& operator=(Lease&& other) noexcept {
    std::swap(block_, other.block_);
    std::swap(writes_, other.writes_);
    return *this;
  }
  ~Lease() { release(); }

  void* data() const noexcept { return block_ ? block_->data() : nullptr; }
  void release() noexcept;

  // Returns true if the calling thread holds a write lease.
  static bool thread_writes() noexcept;

 private:
  friend class SyncedMemory;
  Lease(SharedBlock* block, bool writes) noexcept;

  SharedBlock* block_ = nullptr;
  bool writes_ = false;
};

}  // namespace TH_VISIBLE

#endif
