#ifndef TH_MEMORY_LARGE_BLOCKS_H
#define TH_MEMORY_LARGE_BLOCKS_H

// Blocks of whole pages, shared by all threads. Freed blocks are kept, because the system would
// clear their pages again at a page fault each, which takes longer than most operations on them.

#include <cstddef>
#include <cstdint>

namespace th {

constexpr size_t kLargeBlock = 16 * 1024;  // the smallest large block, in bytes

// Returns a block, or nullptr if memory runs out. *fresh becomes the number of its bytes that the
// system must clear at their first use. If it is not 0, the block contains zeros.
void* large_allocate(size_t bytes, int64_t* fresh) noexcept;
// bytes: as for large_allocate.
void large_free(void* block, size_t bytes) noexcept;
// Returns the kept memory, and mapped memory that has not been used, to the system. Returns true if
// there was any of the former.
bool large_release() noexcept;
// Sets the limit of the memory in use and kept; 0: none. Then 128 MiB or half of the memory in use
// is kept, if that is more.
void large_set_limit(int64_t bytes) noexcept;
// Returns the number of bytes that are kept.
int64_t large_kept() noexcept;

}  // namespace th

#endif
