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

/* ---- files as memory: allocators whose context is a THMapAllocatorContext ----

   Without SHARED or SHAREDMEM, what is written stays in the process, and the file must be there;
   with them it goes to the file, which is made, or made longer, where needed. */
#define TH_ALLOCATOR_MAPPED_SHARED 1
#define TH_ALLOCATOR_MAPPED_SHAREDMEM 2 /* the name is that of an object of shared memory */
#define TH_ALLOCATOR_MAPPED_EXCLUSIVE 4 /* it must not be there yet */
#define TH_ALLOCATOR_MAPPED_NOCREATE 8  /* it must be there */
#define TH_ALLOCATOR_MAPPED_KEEPFD 16   /* the descriptor stays open as long as the memory */
#define TH_ALLOCATOR_MAPPED_FROMFD 32   /* of newWithFd: the descriptor is given */
#define TH_ALLOCATOR_MAPPED_UNLINK 64   /* the name is removed as soon as it is mapped */

typedef struct THMapAllocatorContext THMapAllocatorContext;
TH_API THMapAllocatorContext* THMapAllocatorContext_new(const char* filename, int flags);
TH_API THMapAllocatorContext* THMapAllocatorContext_newWithFd(const char* filename, int fd,
                                                              int flags);
TH_API char* THMapAllocatorContext_filename(THMapAllocatorContext* ctx);
/* Of a descriptor that was kept; an error otherwise. */
TH_API int THMapAllocatorContext_fd(THMapAllocatorContext* ctx);
/* The bytes that were mapped: of the whole file where 0 were asked for. */
TH_API ptrdiff_t THMapAllocatorContext_size(THMapAllocatorContext* ctx);
/* For a context whose allocator never gave memory: free of the allocator does it otherwise. */
TH_API void THMapAllocatorContext_free(THMapAllocatorContext* ctx);

/* The whole file, or its first bytes. Memory of it is not reallocated. Shared memory's name is
   removed with the memory, unless it came with a descriptor. */
TH_API THAllocator THMapAllocator;
/* Shared memory with a count of its users in all processes, before its first byte. The last one
   removes its name. */
TH_API THAllocator THRefcountedMapAllocator;
TH_API void THRefcountedMapAllocator_incref(THMapAllocatorContext* ctx, void* data);
/* 1 where no user is left. */
TH_API int THRefcountedMapAllocator_decref(THMapAllocatorContext* ctx, void* data);

#endif
