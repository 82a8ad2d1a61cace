#ifndef TH_MEMORY_RECYCLE_H
#define TH_MEMORY_RECYCLE_H

// Keeps freed blocks for reuse where the system's allocator is slow. Small blocks, which programs
// allocate and free by the thousand, are kept per thread without a lock, up to some MiB. Large
// blocks are kept because the system would unmap them at once and map them again with a page fault
// for each page.

#include <cstddef>
#include <cstdint>

#include "base/visibility.h"

namespace th TH_VISIBLE {

constexpr size_t kSmallBlock = 512;  // up to this, sizes are multiples of 64 bytes

// Returns nullptr if memory runs out. recycle_free needs the size that was requested.
void* recycle_allocate(size_t bytes) noexcept;
// The same, filled with zeros. This is free if the pages come from the system.
void* recycle_allocate_zeroed(size_t bytes) noexcept;
void recycle_free(void* block, size_t bytes) noexcept;

// Returns the unused large blocks, and the blocks that the calling thread keeps, to the system.
// Returns true if there were any.
bool recycle_release() noexcept;
// Sets a function that recycle_release calls, too. It drops tables that can be computed again, and
// returns true if there were any.
void recycle_also(bool (*release)() noexcept) noexcept;
// Sets the limits of unused memory for a program with a garbage collector, so that all garbage of a
// cycle is reused in the next one. `live` is the number of bytes in use after a collection,
// `growth` the number of bytes by which they grow until the next one. A thread then keeps up to 5/4
// of growth in small blocks. Large blocks are kept as long as they, those in use and the small ones
// that the calling thread keeps do not exceed 5/4 of live + growth.
void recycle_expect(int64_t live, int64_t growth) noexcept;
// Returns the number of bytes in unused large blocks.
int64_t recycle_kept() noexcept;
// Returns the number of bytes that the calling thread has allocated so far because no unused block
// fitted. The system must map and clear most of this memory.
int64_t recycle_fresh() noexcept;

// Base class of frequently created classes: operator new and delete use recycled blocks.
struct Recycled {
  static void* operator new(size_t bytes);
  static void operator delete(void* block, size_t bytes) noexcept { recycle_free(block, bytes); }
};

}  // namespace TH_VISIBLE

#endif
