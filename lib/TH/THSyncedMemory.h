#ifndef TH_SYNCED_MEMORY_INC
#define TH_SYNCED_MEMORY_INC

/* Blocks of bytes that are on the host, on a device, or on both, and move when they are asked for:
   what is below every storage, without element types and reference counts. The functions of one
   block may be called from several threads at a time. */

#include "THDevice.h"

typedef struct THSyncedMemory THSyncedMemory;

/* Where the valid bytes are. */
typedef enum THSyncedHead {
  TH_UNINITIALIZED = 0, /* nowhere: nothing was allocated, and zeros will be read */
  TH_HEAD_AT_CPU = 1,
  TH_HEAD_AT_GPU = 2, /* at a device of whatever kind */
  TH_SYNCED = 3       /* on both sides */
} THSyncedHead;

/* size in bytes. Nothing is allocated before it is asked for. */
TH_API THSyncedMemory* THSyncedMemory_new(size_t size);
/* As new, followed by setCpuData. */
TH_API THSyncedMemory* THSyncedMemory_newWithData(void* data, size_t size);
/* Frees what the memory allocated itself. NULL is ignored. */
TH_API void THSyncedMemory_free(THSyncedMemory* self);

TH_API size_t THSyncedMemory_size(const THSyncedMemory* self);
TH_API THSyncedHead THSyncedMemory_head(const THSyncedMemory* self);
/* The device that gpuData and its kin use: that given by to(), else where the bytes were last, else
   the calling thread's default device, else the first gpu. NULL where there is none. */
TH_API const char* THSyncedMemory_device(const THSyncedMemory* self);
/* From now on device is used; bytes go there. "cpu": they go to the host, and the device's block
   is freed. */
TH_API void THSyncedMemory_to(THSyncedMemory* self, const char* device);

/* The block on the host: to read; to read and write; to write all of it, with nothing copied
   before. A block that is not up to date is so when the function returns. Pointers are valid until
   set...Data, to and free. NULL only where size is 0. */
TH_API const void* THSyncedMemory_cpuData(THSyncedMemory* self);
TH_API void* THSyncedMemory_mutableCpuData(THSyncedMemory* self);
TH_API void* THSyncedMemory_overwriteCpuData(THSyncedMemory* self);
/* As mutableCpuData for count bytes from offset on: no others will be written, nor copied to the
   device next. Returns where they begin. */
TH_API void* THSyncedMemory_mutableCpuRange(THSyncedMemory* self, size_t offset, size_t count);

/* The same on the device, which has then done all work that was queued: the pointer may be used on
   any stream. Work of the caller's own must have ended when the memory is next asked for. */
TH_API const void* THSyncedMemory_gpuData(THSyncedMemory* self);
TH_API void* THSyncedMemory_mutableGpuData(THSyncedMemory* self);
TH_API void* THSyncedMemory_overwriteGpuData(THSyncedMemory* self);
TH_API void* THSyncedMemory_mutableGpuRange(THSyncedMemory* self, size_t offset, size_t count);

/* data, of size bytes, becomes the block of that side and is where the head is; what the other
   side has is out of date. data stays the caller's, and must live as long as it is used. */
TH_API void THSyncedMemory_setCpuData(THSyncedMemory* self, void* data);
TH_API void THSyncedMemory_setGpuData(THSyncedMemory* self, void* data);

/* Starts to copy to the device, or to the host, without waiting. The head, which must be at the CPU
   (at the device), is synced at once; who asks for the bytes waits as long as it takes. */
TH_API void THSyncedMemory_asyncGpuPush(THSyncedMemory* self);
TH_API void THSyncedMemory_asyncCpuPull(THSyncedMemory* self);
/* Waits until a copy that was started so has ended. */
TH_API void THSyncedMemory_wait(THSyncedMemory* self);

#endif
