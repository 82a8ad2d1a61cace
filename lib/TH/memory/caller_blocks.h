#ifndef TH_MEMORY_CALLER_BLOCKS_H
#define TH_MEMORY_CALLER_BLOCKS_H

// Blocks that C programs own: those from THAlloc, which they pass to THFree, and those that they
// pass to a storage. Torch7's C code may mix them with blocks of malloc. So each block of the heap
// that a program owns is recorded, and any other block is malloc's.

#include <cstddef>

namespace th {

// THAlloc, THRealloc and THFree, and the functions of THDefaultAllocator. The first two throw
// th::Error if memory runs out or the size is negative.
void* caller_allocate(ptrdiff_t bytes);
void* caller_reallocate(void* block, ptrdiff_t bytes);
void caller_free(void* block) noexcept;

// Records that the program owns a block of the heap from now on.
void give_to_caller(void* block) noexcept;

}  // namespace th

#endif
