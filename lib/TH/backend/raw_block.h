#ifndef TH_BACKEND_RAW_BLOCK_H
#define TH_BACKEND_RAW_BLOCK_H

// Devices' memory for programs that use it by means of their own.

#include "memory/synced_memory.h"

namespace th TH_VISIBLE {

// The first that there is of: the home, the device where the memory was last, the calling thread's
// default, the first gpu. nullptr: none.
Device* gpu_of(const SyncedMemory& memory, Device* home, Device* default_home);
// Throws where there is none, saying why.
Device& need_gpu_of(const SyncedMemory& memory, Device* home, Device* default_home);

// The device's block, when the device has done all that was queued: the program knows nothing of
// the order of its work.
void* raw_block(SyncedMemory& memory, Device& device, Access access, ByteRange range);

}  // namespace TH_VISIBLE

#endif
