#ifndef TH_MEMORY_RECYCLE_H
#define TH_MEMORY_RECYCLE_H

// Raw blocks that are kept for the next who asks, where the system's allocator is slow: those of
// which a program makes and drops thousands at a time, per thread and without a lock, up to some
// MiB of them; and large ones, which the system takes back at once and hands out again page by
// page.

#include <cstddef>
#include <cstdint>

#include "memory/visibility.h"

namespace th TH_VISIBLE {

constexpr size_t kSmallBlock = 512;         // bytes up to which sizes are multiples of 64
constexpr size_t kLargeBlock = 128 * 1024;  // bytes from which on it is large

// nullptr when memory runs out. recycle_free wants the size that was asked for.
void* recycle_allocate(size_t bytes) noexcept;
// The same of zeros, which cost nothing where the system's pages are new.
void* recycle_allocate_zeroed(size_t bytes) noexcept;
void recycle_free(void* block, size_t bytes) noexcept;

// Returns the large blocks that nobody uses, and those that the calling thread keeps, to the
// system; whether there were any.
bool recycle_release() noexcept;
// The large ones' bytes.
int64_t recycle_kept() noexcept;

// For classes whose objects come and go: operator new and delete by recycled blocks.
struct Recycled {
  static void* operator new(size_t bytes);
  static void operator delete(void* block, size_t bytes) noexcept { recycle_free(block, bytes); }
};

}  // namespace TH_VISIBLE

#endif
