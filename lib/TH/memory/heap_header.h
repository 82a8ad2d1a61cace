#ifndef TH_MEMORY_HEAP_HEADER_H
#define TH_MEMORY_HEAP_HEADER_H

#include <cstddef>

namespace th {

// Precedes each block of the heap.
struct HeapHeader {
  HeapHeader* next;  // for caller_blocks.cc
  void* raw;         // the address that recycle_allocate returned
  size_t bytes;
};

inline HeapHeader& header_of(void* block) { return static_cast<HeapHeader*>(block)[-1]; }

}  // namespace th

#endif
