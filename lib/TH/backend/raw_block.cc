#include "backend/raw_block.h"

#include "backend/device_list.h"

namespace th {

Device* gpu_of(const SyncedMemory& memory, Device* current_device, Device* default_for_thread) {
  if (current_device) return current_device;
  if (Device* last = memory.device()) return last;
  return default_for_thread ? default_for_thread : default_device();
}

Device& need_gpu_of(const SyncedMemory& memory, Device* current_device,
                    Device* default_for_thread) {
  Device* device = gpu_of(memory, current_device, default_for_thread);
  return device ? *device : *find_device("gpu");
}

void* raw_block(SyncedMemory& memory, Device& device, Access access, ByteRange range) {
  void* block = memory.device(access, device, range);
  device.synchronize();
  return block;
}

}  // namespace th
