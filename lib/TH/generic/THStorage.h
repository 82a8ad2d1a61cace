#ifndef TH_GENERIC_FILE
#define TH_GENERIC_FILE "generic/THStorage.h"
#else

/* C code may read these fields, but not write them. After any TH function, data is valid for
   reading and writing on the host. The exception is a storage with a device set by the program: its
   host memory is valid only after THStorage_(data). The struct has further fields that are private
   to TH. */
struct THStorage {
  real* data;
  ptrdiff_t size; /* in elements */
  int refcount;
  char flag;
};

/* Constructors return a storage with one reference, owned by the caller. The elements of a new
   storage are 0. */
TH_API THStorage* THStorage_(new)(void);
TH_API THStorage* THStorage_(newWithSize)(ptrdiff_t size);
TH_API THStorage* THStorage_(newWithSize1)(real v0);
TH_API THStorage* THStorage_(newWithSize2)(real v0, real v1);
TH_API THStorage* THStorage_(newWithSize3)(real v0, real v1, real v2);
TH_API THStorage* THStorage_(newWithSize4)(real v0, real v1, real v2, real v3);
/* Takes ownership of data, which must come from THAlloc. */
TH_API THStorage* THStorage_(newWithData)(real* data, ptrdiff_t size);
/* The elements are those of the block that the allocator returns, as those of a mapped file. If
   size is 0, THMapAllocator maps the whole file, and other allocators are not called. */
TH_API THStorage* THStorage_(newWithAllocator)(ptrdiff_t size, THAllocator* allocator,
                                               void* allocatorContext);
/* Maps the elements of a file; size 0 maps the whole file. For flags see THAllocator.h. The storage
   cannot be resized. */
TH_API THStorage* THStorage_(newWithMapping)(const char* filename, ptrdiff_t size, int flags);
/* Takes ownership of data, which must come from allocator. If allocator is NULL, data is borrowed
   and the storage cannot be resized. */
TH_API THStorage* THStorage_(newWithDataAndAllocator)(real* data, ptrdiff_t size,
                                                      THAllocator* allocator,
                                                      void* allocatorContext);
TH_API void THStorage_(retain)(THStorage* storage);
/* Releases one reference; the last release frees the storage. NULL is ignored. */
TH_API void THStorage_(free)(THStorage* storage);

/* Returns the host memory, up to date; device memory becomes stale. NULL if the storage is empty.
   The device of the storage does not change: its next operation there copies the elements, and
   writes through the old pointer after that are lost. */
TH_API real* THStorage_(data)(const THStorage* self);
TH_API ptrdiff_t THStorage_(size)(const THStorage* self);
TH_API size_t THStorage_(elementSize)(void); /* in bytes */

/* Indices count from 0. An index out of range is an error. */
TH_API void THStorage_(set)(THStorage* self, ptrdiff_t index, real value);
TH_API real THStorage_(get)(const THStorage* self, ptrdiff_t index);
TH_API void THStorage_(fill)(THStorage* storage, real value);
/* Keeps the first min(old size, new size) elements. */
TH_API void THStorage_(resize)(THStorage* storage, ptrdiff_t size);
TH_API void THStorage_(swap)(THStorage* storage1, THStorage* storage2);
/* Without TH_STORAGE_FREEMEM the caller owns the host memory. It may free it by THFree, or pass it
   to newWithData, before or after it frees the storage. clearFlag allocates and updates this
   memory. It replaces memory that a device allocated. */
TH_API void THStorage_(setFlag)(THStorage* storage, const char flag);
TH_API void THStorage_(clearFlag)(THStorage* storage, const char flag);

/* Copies size elements from src, where size is the size of the storage. */
TH_API void THStorage_(rawCopy)(THStorage* storage, real* src);
/* Both storages must have the same number of elements. */
TH_API void THStorage_(copy)(THStorage* storage, THStorage* src);
#define TH_TYPE(Name, type, acctype, kind, ...) \
  TH_API void THStorage_(copy##Name)(THStorage * storage, struct TH##Name##Storage * src);
#include "../THTypes.def"
#undef TH_TYPE

/* ---- location of the elements: the functions of THSyncedMemory.h for storages ---- */

/* Returns the device where operations on the storage run: a device name or "cpu". */
TH_API const char* THStorage_(device)(const THStorage* self);
/* Sets the device of the storage and copies the elements there. */
TH_API void THStorage_(to)(THStorage* self, const char* device);
/* Starts an asynchronous copy of the elements to device. The storage's device does not change. */
TH_API void THStorage_(prefetch)(THStorage* self, const char* device);
TH_API THSyncedHead THStorage_(head)(const THStorage* self);
TH_API const real* THStorage_(cpuData)(THStorage* self);
TH_API real* THStorage_(mutableCpuData)(THStorage* self);
TH_API real* THStorage_(overwriteCpuData)(THStorage* self);
/* Use the device of the storage if one is set, else the one that THSyncedMemory_device returns. */
TH_API const real* THStorage_(gpuData)(THStorage* self);
TH_API real* THStorage_(mutableGpuData)(THStorage* self);
TH_API real* THStorage_(overwriteGpuData)(THStorage* self);
/* data must have as many elements as the storage. The storage cannot be resized afterwards. */
TH_API void THStorage_(setCpuData)(THStorage* self, real* data);
TH_API void THStorage_(setGpuData)(THStorage* self, real* data);
TH_API void THStorage_(asyncGpuPush)(THStorage* self);

#endif
