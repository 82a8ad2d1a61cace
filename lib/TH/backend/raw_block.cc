#include "backend/raw_block.h"

#include "backend/device_list.h"

namespace th {

Device* gpu_of(const SyncedMemory& memory, Device* home, Device* default_home) {
  if (home) return home;
  if (Device* last = memory.device()) return last;
  return default_home ? default_home : default_device();
}

Device& need_gpu_of(const SyncedMemory& memory, Device* home, Device* default_home) {
  Device* device = gpu_of(memory, home, default_home);
  return device ? *device : *find_device("gpu");
}

void* raw_block(SyncedMemory& memory, Device& device, Access access, ByteRange range) {
  void* block = memory.device(access, device, range);
  device.synchronize();
  return block;
}

}  // namespace th
