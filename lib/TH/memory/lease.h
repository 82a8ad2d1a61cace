#ifndef TH_MEMORY_LEASE_H
#define TH_MEMORY_LEASE_H

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <utility>

#include "memory/device.h"
#include "memory/recycle.h"
#include "memory/visibility.h"

namespace th TH_VISIBLE {

// A block on a device, shared by the memory whose bytes it has and by the leases on it. The last of
// them gives it back.
class SharedBlock : public Recycled {
 public:
  static SharedBlock* allocate(Device& device, size_t bytes);
  // The block stays the caller's to free.
  static SharedBlock* borrow(Device& device, void* data);
  SharedBlock(const SharedBlock&) = delete;
  SharedBlock& operator=(const SharedBlock&) = delete;

  void* data() const noexcept { return data_; }
  bool owned() const noexcept { return owned_; }

  void retain() noexcept { users_.fetch_add(1, std::memory_order_relaxed); }
  void release() noexcept;

  // Between these two somebody is about to queue work that writes the block.
  void begin_write() noexcept { writers_.fetch_add(1, std::memory_order_relaxed); }
  void end_write() noexcept;
  bool being_written() const noexcept { return writers_.load(std::memory_order_acquire) > 0; }
  void wait_for_writers();

 private:
  SharedBlock(Device& device, bool owned) noexcept : device_(device), owned_(owned) {}
  ~SharedBlock() = default;

  Device& device_;
  void* data_ = nullptr;
  size_t bytes_ = 0;
  bool owned_;
  std::atomic<int> users_{1}, writers_{0};
  std::mutex mutex_;
  std::condition_variable written_;
};

// The use of memory's block on a device, from when it was asked for until the work that uses it is
// queued. Meanwhile other threads may move the memory elsewhere. To them a lease for reading is no
// hindrance: the block that was leased keeps its bytes and is given back after the lease. For the
// end of a lease for writing they wait, so that they get what is written; the thread that holds
// such a lease must not wait for another one, and gets an error instead. That, and that nobody
// waits for readers, is why no threads can wait for each other. A lease ends in the thread that
// took it.
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

  // Whether the calling thread holds leases for writing.
  static bool thread_writes() noexcept;

 private:
  friend class SyncedMemory;
  Lease(SharedBlock* block, bool writes) noexcept;

  SharedBlock* block_ = nullptr;
  bool writes_ = false;
};

}  // namespace TH_VISIBLE

#endif
