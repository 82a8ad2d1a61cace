#ifndef TH_ALLOCATOR_INC
#define TH_ALLOCATOR_INC

#include "THGeneral.h"

/* Where a storage gets its host memory. ctx is whatever the storage was given with the allocator.
   malloc and realloc give a block of at least size bytes or fail by THError; free takes what they
   gave. realloc may be NULL: then a storage of this allocator is resized by malloc, copy, free. */
typedef struct THAllocator {
  void* (*malloc)(void* ctx, ptrdiff_t size);
  void* (*realloc)(void* ctx, void* ptr, ptrdiff_t size);
  void (*free)(void* ctx, void* ptr);
} THAllocator;

/* TH's heap: THAlloc, THRealloc, THFree; ctx is ignored. */
TH_API THAllocator THDefaultAllocator;

#endif
