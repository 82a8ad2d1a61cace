#ifndef TH_BACKEND_RAW_BLOCK_H
#define TH_BACKEND_RAW_BLOCK_H

// Raw device memory for programs that use their own kernels.

#include "memory/synced_memory.h"

namespace th TH_VISIBLE {

// Returns the first that exists of: the storage's device, the device that last held the memory, the
// thread's default device, the first gpu. nullptr: none.
Device* gpu_of(const SyncedMemory& memory, Device* current_device, Device* default_for_thread);
// The same, but throws with the reason if there is none.
Device& need_gpu_of(const SyncedMemory& memory, Device* current_device, Device* default_for_thread);

// Returns the device block after synchronizing the device, because the caller's work is not ordered
// with the device's queue.
void* raw_block(SyncedMemory& memory, Device& device, Access access, ByteRange range);

}  // namespace TH_VISIBLE

#endif
