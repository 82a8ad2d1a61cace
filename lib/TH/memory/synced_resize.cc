// The host blocks of SyncedMemory, and growing and shrinking on either side. resize() holds the
// lock.

#include <algorithm>
#include <cstring>
#include <exception>
#include <utility>

#include "base/error.h"
#include "memory/c_errors.h"
#include "memory/caller_blocks.h"
#include "memory/heap.h"
#include "memory/synced_memory.h"

namespace th {

namespace {

// Returns a block of `bytes` bytes: the first `copied` bytes of another block, then zeros.
SharedBlock* new_block(Device& device, size_t bytes, const void* from, size_t copied) {
  SharedBlock* copy = SharedBlock::allocate(device, bytes);
  try {
    if (copied) device.copy_within(copy->data(), from, copied);
    if (bytes > copied) device.fill_zero(static_cast<char*>(copy->data()) + copied, bytes - copied);
  } catch (...) {
    copy->release();
    throw;
  }
  return copy;
}

// An allocator of the program should raise an error instead.
[[noreturn]] void fail_null(size_t bytes) {
  fail("the allocator has no block of %zu bytes: it returned NULL", bytes);
}

}  // namespace

bool (*catch_c_error)(void (*body)(void* data), void* data, char* message,
                      size_t length) = [](void (*body)(void*), void* data, char*, size_t) {
  body(data);
  return true;
};

void* SyncedMemory::new_host_block(bool zeroed) {
  const size_t bytes = bytes_;
  if (is_heap(*allocator_)) return zeroed ? heap_allocate_zeroed(bytes) : heap_allocate(bytes);
  void* block = call_allocator(
      [&] { return allocator_->malloc(allocator_context_, static_cast<ptrdiff_t>(bytes)); });
  if (!block) fail_null(bytes);
  return zeroed ? std::memset(block, 0, bytes) : block;
}

void SyncedMemory::free_host_block(void* block, bool from_heap) noexcept {
  if (from_heap) {
    heap_free(block);
  } else {
    allocator_->free(allocator_context_, block);
  }
}

void SyncedMemory::release_host() noexcept {
  if (host_ && owns_host_) {
    if (host_owner_) {
      host_owner_->release_host(host_);
      heap_account(-static_cast<int64_t>(bytes_), -1);
    } else {
      free_host_block(host_, host_from_heap_);
      keeps_context_ = false;
    }
  }
  host_from_heap_ = disowned_ = false;
  host_owner_ = nullptr;
  host_ = nullptr;
}

void SyncedMemory::disown_host() {
  if (!owns_host_) return;
  // Before the lock, because the allocation may run finalizers.
  void* copy = is_host_of_device() ? heap_allocate(bytes_) : nullptr;
  Lock lock(mutex_);
  if (copy) {
    try {
      await_copy();
    } catch (...) {
      // As in the destructor, which calls this.
    }
    std::memcpy(copy, host_, bytes_);
    release_host();
    host_ = copy;
    host_from_heap_ = true;
  }
  if (host_from_heap_) give_to_caller(host_);
  owns_host_ = host_from_heap_ = false;
  disowned_ = true;
}

// The allocator frees blocks that were recorded for the caller, too.
void SyncedMemory::own_host() noexcept {
  owns_host_ = owns_host_ || disowned_;
  disowned_ = false;
}

void SyncedMemory::need_host_block(bool zeroed) {
  if (host_ || bytes_ == 0) return;
  if (device_ && allocator_ == &THDefaultAllocator) {
    host_ = device_->allocate_host(bytes_);
    if (host_) {
      host_owner_ = device_;
      heap_account(static_cast<int64_t>(bytes_), 1);
      if (zeroed) std::memset(host_, 0, bytes_);
    }
  }
  if (!host_) {
    host_ = new_host_block(zeroed);
    host_from_heap_ = is_heap(*allocator_);
  }
  owns_host_ = true;
  stale_ = {0, bytes_};
}

// Shrinking must not fail, because rollbacks shrink results that could not be computed. If there is
// no memory for a smaller block, the large one stays.
void SyncedMemory::resize_on_device(size_t bytes) {
  SharedBlock* moved = nullptr;
  if (bytes) {
    try {
      moved = new_block(*device_, bytes, on_device(0), std::min(bytes, bytes_));
    } catch (const std::exception&) {
      if (bytes > bytes_) throw;
      moved = std::exchange(block_, nullptr);
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
  if (host_ && bytes == 0) {
    release_host();
  } else if (host_) {
    void* moved = nullptr;
    if (host_from_heap_) {
      moved = heap_reallocate(host_, bytes);
    } else if (allocator_->realloc && !host_owner_) {
      moved = call_allocator([&] {
        return allocator_->realloc(allocator_context_, host_, static_cast<ptrdiff_t>(bytes));
      });
      if (!moved && bytes > bytes_) fail_null(bytes);
      if (!moved) moved = host_;
    } else {
      try {
        moved = call_allocator(
            [&] { return allocator_->malloc(allocator_context_, static_cast<ptrdiff_t>(bytes)); });
      } catch (const std::exception&) {
        if (bytes > bytes_) throw;
      }
      if (!moved && bytes > bytes_) fail_null(bytes);
      if (moved) {
        std::memcpy(moved, host_, std::min(bytes, bytes_));
        release_host();
      } else {
        moved = host_;
        if (host_owner_) heap_account(-static_cast<int64_t>(bytes_ - bytes), 0);
      }
    }
    host_ = moved;
    if (bytes > bytes_) std::memset(static_cast<char*>(host_) + bytes_, 0, bytes - bytes_);
  }
  release_device();
  bytes_ = bytes;
  stale_ = {0, bytes};
  // Without a block no bytes are valid: the additional memory is not allocated yet.
  set_head(host_ ? Head::cpu : Head::uninitialized);
}

}  // namespace th
