#ifndef TH_SYNCED_MEMORY_INC
#define TH_SYNCED_MEMORY_INC

/* Blocks of bytes that are on the host, on a device, or on both, and are copied on access. Every
   storage is built on one. A block has neither an element type nor a reference count. Several
   threads may call the functions of one block at the same time. */

#include "THDevice.h"

typedef struct THSyncedMemory THSyncedMemory;

/* The location of the valid bytes. */
typedef enum THSyncedHead {
  TH_UNINITIALIZED = 0, /* nothing is allocated; reads return zeros */
  TH_HEAD_AT_CPU = 1,
  TH_HEAD_AT_GPU = 2, /* at a device of any kind */
  TH_SYNCED = 3       /* valid on both sides */
} THSyncedHead;

/* Creates a block of size bytes. Memory is allocated on first use. */
TH_API THSyncedMemory* THSyncedMemory_new(size_t size);
/* THSyncedMemory_new followed by THSyncedMemory_setCpuData. */
TH_API THSyncedMemory* THSyncedMemory_newWithData(void* data, size_t size);
/* Frees the memory that the block allocated itself. NULL is ignored. */
TH_API void THSyncedMemory_free(THSyncedMemory* self);

TH_API size_t THSyncedMemory_size(const THSyncedMemory* self);
TH_API THSyncedHead THSyncedMemory_head(const THSyncedMemory* self);
/* Returns the device that gpuData and the other gpu functions use. It is the device passed to
   THSyncedMemory_to, else the device that holds or last held the bytes, else the calling thread's
   default device, else the first gpu. NULL if there is none. */
TH_API const char* THSyncedMemory_device(const THSyncedMemory* self);
/* Sets the device of the block and copies the bytes there. "cpu" copies them to the host and frees
   the block's device memory. */
TH_API void THSyncedMemory_to(THSyncedMemory* self, const char* device);

/* Return the host memory, up to date, to read; to read and write; or to overwrite completely.
   Before an overwrite nothing is copied. Pointers are valid until THSyncedMemory_setCpuData,
   _setGpuData, _to or _free. NULL only if the size is 0. */
TH_API const void* THSyncedMemory_cpuData(THSyncedMemory* self);
TH_API void* THSyncedMemory_mutableCpuData(THSyncedMemory* self);
TH_API void* THSyncedMemory_overwriteCpuData(THSyncedMemory* self);
/* Like mutableCpuData, but the caller writes only count bytes starting at offset, so only these are
   copied to the device later. Returns the address of the first of them. */
TH_API void* THSyncedMemory_mutableCpuRange(THSyncedMemory* self, size_t offset, size_t count);

/* The same on the device. The functions wait for all queued work on the device, so the pointer may
   be used on any stream. The caller's own work on the pointer must have finished before the next
   access to the block. */
TH_API const void* THSyncedMemory_gpuData(THSyncedMemory* self);
TH_API void* THSyncedMemory_mutableGpuData(THSyncedMemory* self);
TH_API void* THSyncedMemory_overwriteGpuData(THSyncedMemory* self);
TH_API void* THSyncedMemory_mutableGpuRange(THSyncedMemory* self, size_t offset, size_t count);

/* Make data, a block of size bytes, the memory of the host (of the device), with valid contents;
   the other side becomes stale. The caller keeps ownership of data and must keep it alive as long
   as it is in use. */
TH_API void THSyncedMemory_setCpuData(THSyncedMemory* self, void* data);
TH_API void THSyncedMemory_setGpuData(THSyncedMemory* self, void* data);

/* Start an asynchronous copy to the device (to the host). The head, which must be at the CPU (at
   the device), becomes synced immediately. Later accesses wait for the copy. */
TH_API void THSyncedMemory_asyncGpuPush(THSyncedMemory* self);
TH_API void THSyncedMemory_asyncCpuPull(THSyncedMemory* self);
/* Waits for the end of such a copy. */
TH_API void THSyncedMemory_wait(THSyncedMemory* self);

#endif
