#ifndef TH_GENERIC_FILE
#define TH_GENERIC_FILE "generic/THStorage.h"
#else

/* C code may read these fields. data is the host block, which TH's functions leave ready to be read
   and written; where the program has named a device for the storage, only THStorage_(data) does.
   Further fields follow that are TH's own. */
struct THStorage {
  real* data;
  ptrdiff_t size; /* in elements */
  int refcount;
  char flag;
};

/* Constructors return a storage with one reference, which is the caller's. Elements of a new
   storage are 0. */
TH_API THStorage* THStorage_(new)(void);
TH_API THStorage* THStorage_(newWithSize)(ptrdiff_t size);
TH_API THStorage* THStorage_(newWithSize1)(real v0);
TH_API THStorage* THStorage_(newWithSize2)(real v0, real v1);
TH_API THStorage* THStorage_(newWithSize3)(real v0, real v1, real v2);
TH_API THStorage* THStorage_(newWithSize4)(real v0, real v1, real v2, real v3);
/* Takes over data, which must come from THAlloc, and frees it in the end. */
TH_API THStorage* THStorage_(newWithData)(real* data, ptrdiff_t size);
TH_API THStorage* THStorage_(newWithAllocator)(ptrdiff_t size, THAllocator* allocator,
                                               void* allocatorContext);
/* The file's elements, all where size is 0: see THAllocator.h for flags. It cannot be resized. */
TH_API THStorage* THStorage_(newWithMapping)(const char* filename, ptrdiff_t size, int flags);
/* Takes over data, which must come from the allocator; NULL: data is borrowed, not resizable. */
TH_API THStorage* THStorage_(newWithDataAndAllocator)(real* data, ptrdiff_t size,
                                                      THAllocator* allocator,
                                                      void* allocatorContext);
TH_API void THStorage_(retain)(THStorage* storage);
/* Gives back one reference; the last one frees. NULL is ignored. */
TH_API void THStorage_(free)(THStorage* storage);

/* The host block, up to date; what is on a device is stale from now on. NULL when empty. The
   storage's home stays: the next operation there takes a copy, and what is written through an
   older pointer then is lost. */
TH_API real* THStorage_(data)(const THStorage* self);
TH_API ptrdiff_t THStorage_(size)(const THStorage* self);
TH_API size_t THStorage_(elementSize)(void); /* in bytes */

/* Indices count from 0. */
TH_API void THStorage_(set)(THStorage* self, ptrdiff_t index, real value);
TH_API real THStorage_(get)(const THStorage* self, ptrdiff_t index);
TH_API void THStorage_(fill)(THStorage* storage, real value);
/* Keeps the first min(old, new) elements. */
TH_API void THStorage_(resize)(THStorage* storage, ptrdiff_t size);
TH_API void THStorage_(swap)(THStorage* storage1, THStorage* storage2);
TH_API void THStorage_(setFlag)(THStorage* storage, const char flag);
TH_API void THStorage_(clearFlag)(THStorage* storage, const char flag);

/* From size elements at src. */
TH_API void THStorage_(rawCopy)(THStorage* storage, real* src);
/* Both storages must have as many elements. */
TH_API void THStorage_(copy)(THStorage* storage, THStorage* src);
#define TH_TYPE(Name, type, acctype, kind, ...) \
  TH_API void THStorage_(copy##Name)(THStorage * storage, struct TH##Name##Storage * src);
#include "THTypes.def"
#undef TH_TYPE

/* ---- where the elements are: see THSyncedMemory.h, whose functions these are for storages ---- */

/* The home of a storage is where operations on it run: a device's name, or "cpu". */
TH_API const char* THStorage_(device)(const THStorage* self);
/* Makes the named device the home, and moves the elements there. */
TH_API void THStorage_(to)(THStorage* self, const char* device);
/* Starts to copy the elements there without waiting; the home stays. */
TH_API void THStorage_(prefetch)(THStorage* self, const char* device);
TH_API THSyncedHead THStorage_(head)(const THStorage* self);
TH_API const real* THStorage_(cpuData)(THStorage* self);
TH_API real* THStorage_(mutableCpuData)(THStorage* self);
TH_API real* THStorage_(overwriteCpuData)(THStorage* self);
/* On the home, where it is a device; else as THSyncedMemory_device says. */
TH_API const real* THStorage_(gpuData)(THStorage* self);
TH_API real* THStorage_(mutableGpuData)(THStorage* self);
TH_API real* THStorage_(overwriteGpuData)(THStorage* self);
/* data must have as many elements as the storage, which cannot be resized from then on. */
TH_API void THStorage_(setCpuData)(THStorage* self, real* data);
TH_API void THStorage_(setGpuData)(THStorage* self, real* data);
TH_API void THStorage_(asyncGpuPush)(THStorage* self);

#endif
