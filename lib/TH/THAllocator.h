#ifndef TH_ALLOCATOR_INC
#define TH_ALLOCATOR_INC

#include "THGeneral.h"

/* Allocates the host memory of a storage. ctx is the pointer that was passed to the storage
   together with the allocator. malloc and realloc return a block of at least size bytes or raise an
   error by THError. size is not 0: a storage that becomes empty frees its block. free accepts only
   blocks of the same allocator. If realloc is NULL, a storage is resized by malloc, copy and
   free. */
typedef struct THAllocator {
  void* (*malloc)(void* ctx, ptrdiff_t size);
  void* (*realloc)(void* ctx, void* ptr, ptrdiff_t size);
  void (*free)(void* ctx, void* ptr);
} THAllocator;

/* The heap of TH: THAlloc, THRealloc, THFree. ctx is ignored. */
TH_API THAllocator THDefaultAllocator;

/* ---- mapped files: allocators whose context is a THMapAllocatorContext ----

   Without SHARED and SHAREDMEM the file must exist and is mapped privately: writes do not reach it.
   With SHARED or SHAREDMEM, writes reach the file. It is created if it does not exist, and extended
   if it is too short. */
#define TH_ALLOCATOR_MAPPED_SHARED 1
#define TH_ALLOCATOR_MAPPED_SHAREDMEM 2 /* the name is that of a shared memory object */
#define TH_ALLOCATOR_MAPPED_EXCLUSIVE 4 /* error if the file exists */
#define TH_ALLOCATOR_MAPPED_NOCREATE 8  /* error if the file does not exist */
#define TH_ALLOCATOR_MAPPED_KEEPFD 16   /* the file descriptor stays open as long as the memory */
#define TH_ALLOCATOR_MAPPED_FROMFD 32   /* the caller passes a descriptor (newWithFd) */
#define TH_ALLOCATOR_MAPPED_UNLINK 64   /* the name is removed right after mapping */

typedef struct THMapAllocatorContext THMapAllocatorContext;
TH_API THMapAllocatorContext* THMapAllocatorContext_new(const char* filename, int flags);
TH_API THMapAllocatorContext* THMapAllocatorContext_newWithFd(const char* filename, int fd,
                                                              int flags);
TH_API char* THMapAllocatorContext_filename(THMapAllocatorContext* ctx);
/* Returns the descriptor. Error unless it was kept (KEEPFD). */
TH_API int THMapAllocatorContext_fd(THMapAllocatorContext* ctx);
/* Returns the number of mapped bytes: the size of the whole file if size 0 was requested. */
TH_API ptrdiff_t THMapAllocatorContext_size(THMapAllocatorContext* ctx);
/* Frees a context whose allocator never allocated. Otherwise the allocator's free frees the
   context. */
TH_API void THMapAllocatorContext_free(THMapAllocatorContext* ctx);

/* Maps the whole file, or its first bytes. The memory cannot be resized. Freeing the memory also
   removes the name of a shared memory object, unless the caller passed a descriptor or UNLINK
   removed it before. */
TH_API THAllocator THMapAllocator;
/* Shared memory that starts with a count of its users in all processes; the count precedes the
   first byte of data. The last user removes the name. */
TH_API THAllocator THRefcountedMapAllocator;
TH_API void THRefcountedMapAllocator_incref(THMapAllocatorContext* ctx, void* data);
/* Returns 1 if no user is left, else 0. */
TH_API int THRefcountedMapAllocator_decref(THMapAllocatorContext* ctx, void* data);

#endif
