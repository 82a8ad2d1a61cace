#include "memory/lease.h"

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <new>

#include "memory/heap.h"

namespace th {

namespace {

// Waiting for writers is rare, so a block has no lock of its own. Threads that wait for another
// block with the same lock are woken for nothing.
struct WaitingPlace {
  std::mutex mutex;
  std::condition_variable written;
};
constexpr size_t kPlaces = 16;

WaitingPlace& place_of(const SharedBlock* block) noexcept {
  // Never destroyed: threads may use devices while the process ends.
  alignas(WaitingPlace) static char memory[kPlaces * sizeof(WaitingPlace)];
  static auto* places = new (memory) WaitingPlace[kPlaces];
  return places[reinterpret_cast<uintptr_t>(block) / sizeof(SharedBlock) % kPlaces];
}

}  // namespace

SharedBlock* SharedBlock::allocate(Device& device, size_t bytes, bool for_copy) {
  auto* block = new SharedBlock(device, true);
  try {
    block->data_ = device.allocate(bytes, for_copy);
  } catch (...) {
    delete block;
    throw;
  }
  block->bytes_ = bytes;
  heap_account(0, 0, static_cast<int64_t>(bytes));
  return block;
}

SharedBlock* SharedBlock::borrow(Device& device, void* data, Release release, void* context) {
  auto* block = new SharedBlock(device, false);
  block->data_ = data;
  block->returned_ = release;
  block->context_ = context;
  if (release) block->others_ = 1;
  return block;
}

void SharedBlock::release() noexcept {
  if (users_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  if (owned_) {
    device_.release(data_);
    heap_account(0, 0, -static_cast<int64_t>(bytes_));
  } else if (returned_) {
    returned_(device_, context_);
  }
  delete this;
}

// Either a waiting thread sees that there is no writer, or the last writer sees the waiting thread:
// each changes its own counter before it reads the other one, in sequentially consistent order. The
// waiting thread holds the mutex until it waits, so it does not miss the notification.
void SharedBlock::notify_waiters() noexcept {
  WaitingPlace& place = place_of(this);
  { std::lock_guard<std::mutex> lock(place.mutex); }
  place.written.notify_all();
}

void SharedBlock::wait_for_writers() {
  WaitingPlace& place = place_of(this);
  std::unique_lock<std::mutex> lock(place.mutex);
  waiters_.fetch_add(1);
  place.written.wait(lock, [this] { return writers_.load() == 0; });
  waiters_.fetch_sub(1);
}

namespace {
thread_local int write_leases = 0;
}

Lease::Lease(SharedBlock* block, bool writes) noexcept : block_(block), writes_(writes) {
  if (!block_) return;
  block_->retain();
  if (!writes_) return;
  block_->begin_write();
  ++write_leases;
}

void Lease::release() noexcept {
  SharedBlock* block = std::exchange(block_, nullptr);
  if (!block) return;
  if (writes_) {
    block->end_write();
    --write_leases;
  }
  block->release();
}

bool Lease::thread_writes() noexcept { return write_leases > 0; }

}  // namespace th
