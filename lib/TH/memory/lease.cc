#include "memory/lease.h"

#include "memory/stats.h"

namespace th {

SharedBlock* SharedBlock::allocate(Device& device, size_t bytes, bool for_copy) {
  auto* block = new SharedBlock(device, true);
  try {
    block->data_ = device.allocate(bytes, for_copy);
  } catch (...) {
    delete block;
    throw;
  }
  block->bytes_ = bytes;
  account_device_bytes(static_cast<int64_t>(bytes));
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
    account_device_bytes(-static_cast<int64_t>(bytes_));
  } else if (returned_) {
    returned_(device_, context_);
  }
  delete this;
}

void SharedBlock::end_write() noexcept {
  if (writers_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  // A thread that has seen a writer holds the mutex until it waits. Taking the mutex here ensures
  // that it does not miss the notification.
  { std::lock_guard<std::mutex> lock(mutex_); }
  written_.notify_all();
}

void SharedBlock::wait_for_writers() {
  std::unique_lock<std::mutex> lock(mutex_);
  written_.wait(lock, [this] { return !being_written(); });
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
