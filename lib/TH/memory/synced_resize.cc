// How SyncedMemory grows and shrinks, on either side: resize() has the lock.

#include <algorithm>
#include <cstring>

#include "memory/synced_memory.h"

namespace th {

void SyncedMemory::resize_on_device(size_t bytes) {
  SharedBlock* moved = nullptr;
  if (bytes) {
    moved = SharedBlock::allocate(*device_, bytes);
    try {
      size_t kept = std::min(bytes, bytes_);
      if (kept) device_->copy_within(moved->data(), on_device(0), kept);
      if (bytes > kept) device_->fill_zero(static_cast<char*>(moved->data()) + kept, bytes - kept);
    } catch (...) {
      moved->release();
      throw;
    }
  }
  release_device();
  release_host();
  bytes_ = bytes;
  block_ = moved;
  stale_ = {0, bytes};
  set_head(moved ? Head::device : Head::uninitialized);
}

void SyncedMemory::resize_on_host(size_t bytes) {
  if (host_) {
    void* moved = nullptr;
    if (allocator_->realloc && !host_owner_) {
      moved = allocator_->realloc(allocator_context_, host_, static_cast<ptrdiff_t>(bytes));
    } else {
      if (bytes) moved = allocator_->malloc(allocator_context_, static_cast<ptrdiff_t>(bytes));
      if (moved) std::memcpy(moved, host_, std::min(bytes, bytes_));
      release_host();
    }
    host_ = moved;
    if (bytes > bytes_) std::memset(static_cast<char*>(host_) + bytes_, 0, bytes - bytes_);
  }
  release_device();
  bytes_ = bytes;
  stale_ = {0, bytes};
  // Without a block there is nothing valid: what the memory grows by is yet to be allocated.
  set_head(host_ ? Head::cpu : Head::uninitialized);
}

}  // namespace th
