// A device plugin that does nothing: calls take the time of the host's code only. All blocks are
// one block, and copies to the host give zeros.

#include <cstdlib>
#include <cstring>

#include "THDLPack.h"
#include "backend/table.h"

namespace {

using namespace th;

char block_of_all[256];

const char* message() { return "the device does nothing"; }
int count(int* devices) {
  *devices = 1;
  return kDeviceOk;
}
int open(int, void** device) {
  *device = block_of_all;
  return kDeviceOk;
}
int properties(int, DeviceProperties* out) {
  *out = {};
  std::strcpy(out->name, "a device that does nothing");
  out->total_memory = int64_t{1} << 40;
  return kDeviceOk;
}
int allocate(void*, size_t, int, void** block) {
  *block = block_of_all;
  return kDeviceOk;
}
void release(void*, void*) {}
int allocate_host(void*, size_t, void** block) {
  *block = nullptr;
  return kDeviceOk;
}
int zero(void*, void*, size_t) { return kDeviceOk; }
int copy(void*, CopyKind kind, void* to, const void*, size_t bytes) {
  if (kind == CopyKind::device_to_host) std::memset(to, 0, bytes);
  return kDeviceOk;
}
int upload(void*, void*, const void*, size_t, int, void** event) {
  *event = nullptr;
  return kDeviceOk;
}
int copy_peer(void*, void*, void*, const void*, size_t) { return kDeviceOk; }
int copy_async(void* device, CopyKind kind, void* to, const void* from, size_t bytes, int,
               void** event) {
  *event = block_of_all;
  return copy(device, kind, to, from, bytes);
}
int wait(void*, void*) { return kDeviceOk; }
void release_event(void*, void*) {}
int synchronize(void*) { return kDeviceOk; }
void* stream(void*) { return nullptr; }
void assertion(void*, DeviceAssertion* out) { *out = {}; }
int usage(void*, DeviceUsage* out) {
  *out = {};
  return kDeviceOk;
}
int run(void*, int, const void*) { return kDeviceOk; }

}  // namespace

extern "C" __attribute__((visibility("default"))) const DeviceTable* th_device_table(void) {
  static constexpr DeviceTable table = {kDeviceAbi,    sizeof(DeviceTable),
                                        hash_of_ops(), "cuda",
                                        kDLCUDA,       message,
                                        count,         open,
                                        properties,    allocate,
                                        release,       allocate_host,
                                        release,       zero,
                                        copy,          upload,
                                        copy_peer,     copy_async,
                                        wait,          wait,
                                        release_event, synchronize,
                                        synchronize,   stream,
                                        assertion,     usage,
                                        synchronize,   run};
  return &table;
}
