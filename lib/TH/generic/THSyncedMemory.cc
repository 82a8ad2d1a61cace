#ifndef TH_GENERIC_FILE

// C functions of synced memory: for blocks of bytes, for storages, and for the storages of tensors.

#include "TH.h"

#include <atomic>

#include "backend/raw_block.h"
#include "generic/bridge.h"
#include "generic/device_names.h"
#include "tensor/storage.h"

struct THSyncedMemory {
  template <class... T>
  explicit THSyncedMemory(T... arguments) : memory(arguments...) {}

  th::SyncedMemory memory;
  std::atomic<th::Device*> device{nullptr};  // device set by the program
};

namespace th {
namespace {

static_assert(static_cast<int>(Head::uninitialized) == TH_UNINITIALIZED);
static_assert(static_cast<int>(Head::cpu) == TH_HEAD_AT_CPU);
static_assert(static_cast<int>(Head::device) == TH_HEAD_AT_GPU);
static_assert(static_cast<int>(Head::synced) == TH_SYNCED);

THSyncedHead head_of(const SyncedMemory& memory) {
  return static_cast<THSyncedHead>(memory.head());
}

Device& chosen_gpu(const SyncedMemory& memory, Device* device) {
  return need_gpu_of(memory, device, thread_default_device());
}

char* on_gpu(SyncedMemory& memory, Device* device, Access access, ByteRange range) {
  return static_cast<char*>(raw_block(memory, chosen_gpu(memory, device), access, range));
}
char* on_gpu(SyncedMemory& memory, Device* device, Access access) {
  return on_gpu(memory, device, access, {0, memory.size()});
}

ByteRange checked_range(const SyncedMemory& memory, size_t offset, size_t count) {
  if (offset > memory.size() || count > memory.size() - offset) {
    fail_argument(3, "%zu bytes from offset %zu on exceed a memory of %zu bytes", count, offset,
                  memory.size());
  }
  return {offset, offset + count};
}

char* at(void* block, size_t offset) {
  return block ? static_cast<char*>(block) + offset : nullptr;
}

// storage_to for C code, which may read the data field on the CPU.
void move_storage(Storage* s, Device* device) {
  storage_to(s, device);
  settle(s);
}

// Returns the storage, to whose elements a pointer is handed out.
Storage* exposed(Storage* s) {
  trace_use(s, ElementUse::hands_out);
  return s;
}

Storage* storage_of(Tensor* t) {
  ensure_storage(t);
  return t->storage;
}

}  // namespace
}  // namespace th

extern "C" {

THSyncedMemory* THSyncedMemory_new(size_t size) {
  return th::guard([&] { return new THSyncedMemory(size, &THDefaultAllocator, nullptr); });
}
THSyncedMemory* THSyncedMemory_newWithData(void* data, size_t size) {
  return th::guard([&] {
    if (!data && size) th::fail_argument(1, "%zu bytes are expected, got NULL", size);
    return new THSyncedMemory(data, size, static_cast<THAllocator*>(nullptr), nullptr);
  });
}
void THSyncedMemory_free(THSyncedMemory* self) { delete self; }

size_t THSyncedMemory_size(const THSyncedMemory* self) { return self->memory.size(); }
THSyncedHead THSyncedMemory_head(const THSyncedMemory* self) { return th::head_of(self->memory); }
const char* THSyncedMemory_device(const THSyncedMemory* self) {
  return th::guard([&] {
    th::Device* device = th::gpu_of(self->memory, self->device, th::thread_default_device());
    return device ? device->name() : nullptr;
  });
}
void THSyncedMemory_to(THSyncedMemory* self, const char* name) {
  th::guard([&] {
    th::Device* device = th::device_named(name, 2);
    if (!device) {
      self->memory.leave_device();
    } else if (self->memory.size() && self->memory.head() != th::Head::uninitialized) {
      self->memory.device(th::Access::read, *device);
    }
    self->device = device;
  });
}

const void* THSyncedMemory_cpuData(THSyncedMemory* self) {
  return th::guard([&] { return self->memory.cpu(th::Access::read); });
}
void* THSyncedMemory_mutableCpuData(THSyncedMemory* self) {
  return th::guard([&] { return self->memory.cpu(th::Access::write); });
}
void* THSyncedMemory_overwriteCpuData(THSyncedMemory* self) {
  return th::guard([&] { return self->memory.cpu(th::Access::overwrite); });
}
void* THSyncedMemory_mutableCpuRange(THSyncedMemory* self, size_t offset, size_t count) {
  return th::guard([&]() -> void* {
    th::ByteRange range = th::checked_range(self->memory, offset, count);
    return th::at(self->memory.cpu(th::Access::write, range), offset);
  });
}

const void* THSyncedMemory_gpuData(THSyncedMemory* self) {
  return th::guard([&] { return th::on_gpu(self->memory, self->device, th::Access::read); });
}
void* THSyncedMemory_mutableGpuData(THSyncedMemory* self) {
  return th::guard([&] { return th::on_gpu(self->memory, self->device, th::Access::write); });
}
void* THSyncedMemory_overwriteGpuData(THSyncedMemory* self) {
  return th::guard([&] { return th::on_gpu(self->memory, self->device, th::Access::overwrite); });
}
void* THSyncedMemory_mutableGpuRange(THSyncedMemory* self, size_t offset, size_t count) {
  return th::guard([&]() -> void* {
    th::ByteRange range = th::checked_range(self->memory, offset, count);
    return th::at(th::on_gpu(self->memory, self->device, th::Access::write, range), offset);
  });
}

void THSyncedMemory_setCpuData(THSyncedMemory* self, void* data) {
  th::guard([&] { self->memory.set_cpu(data); });
}
void THSyncedMemory_setGpuData(THSyncedMemory* self, void* data) {
  th::guard([&] { self->memory.set_device(th::chosen_gpu(self->memory, self->device), data); });
}
void THSyncedMemory_asyncGpuPush(THSyncedMemory* self) {
  th::guard([&] { self->memory.push_async(th::chosen_gpu(self->memory, self->device)); });
}
void THSyncedMemory_asyncCpuPull(THSyncedMemory* self) {
  th::guard([&] { self->memory.pull_async(); });
}
void THSyncedMemory_wait(THSyncedMemory* self) {
  th::guard([&] { self->memory.wait(); });
}
}

#define TH_GENERIC_FILE "generic/THSyncedMemory.cc"
#include "THGenerateEveryType.h"

#else

#define TH_STORAGE th::erase_storage(self)

extern "C" {

const char* THStorage_(device)(const THStorage* self) {
  return th::name_of(TH_STORAGE->current_device());
}
void THStorage_(to)(THStorage* self, const char* name) {
  th::guard([&] { th::move_storage(TH_STORAGE, th::device_named(name, 2)); });
}
void THStorage_(prefetch)(THStorage* self, const char* name) {
  th::guard([&] { th::storage_prefetch(TH_STORAGE, th::device_named(name, 2)); });
}
THSyncedHead THStorage_(head)(const THStorage* self) { return th::head_of(TH_STORAGE->memory); }

const real* THStorage_(cpuData)(THStorage* self) {
  return th::guard([&] { return static_cast<real*>(TH_STORAGE->cpu(th::Access::read)); });
}
real* THStorage_(mutableCpuData)(THStorage* self) {
  return th::guard(
      [&] { return static_cast<real*>(th::exposed(TH_STORAGE)->cpu(th::Access::write)); });
}
real* THStorage_(overwriteCpuData)(THStorage* self) {
  return th::guard(
      [&] { return static_cast<real*>(th::exposed(TH_STORAGE)->cpu(th::Access::overwrite)); });
}
static real* THStorage_(onGpu)(THStorage* self, th::Access access,
                               const char* function = __builtin_FUNCTION()) {
  return th::guard(
      [&] {
        if (access != th::Access::read) th::exposed(TH_STORAGE);
        return reinterpret_cast<real*>(
            th::on_gpu(TH_STORAGE->memory, TH_STORAGE->current_device(), access));
      },
      function);
}
const real* THStorage_(gpuData)(THStorage* self) {
  return THStorage_(onGpu)(self, th::Access::read);
}
real* THStorage_(mutableGpuData)(THStorage* self) {
  return THStorage_(onGpu)(self, th::Access::write);
}
real* THStorage_(overwriteGpuData)(THStorage* self) {
  return THStorage_(onGpu)(self, th::Access::overwrite);
}
void THStorage_(setCpuData)(THStorage* self, real* data) {
  th::guard([&] { th::storage_set_cpu(th::exposed(TH_STORAGE), data); });
}
void THStorage_(setGpuData)(THStorage* self, real* data) {
  th::guard([&] {
    th::exposed(TH_STORAGE);
    th::Device& device = th::chosen_gpu(TH_STORAGE->memory, TH_STORAGE->current_device());
    th::storage_set_device(TH_STORAGE, device, data);
  });
}
void THStorage_(asyncGpuPush)(THStorage* self) {
  th::guard([&] {
    TH_STORAGE->memory.push_async(th::chosen_gpu(TH_STORAGE->memory, TH_STORAGE->current_device()));
  });
}

const char* THTensor_(device)(const THTensor* self) {
  th::Storage* storage = th::erase_tensor(self)->storage;
  return th::name_of(storage ? storage->current_device() : th::thread_default_device());
}
void THTensor_(to)(THTensor* self, const char* name) {
  th::guard([&] {
    th::Device* device = th::device_named(name, 2);
    th::move_storage(th::storage_of(th::erase_tensor(self)), device);
  });
}
void THTensor_(prefetch)(THTensor* self, const char* name) {
  th::guard([&] {
    th::Device* device = th::device_named(name, 2);
    th::storage_prefetch(th::storage_of(th::erase_tensor(self)), device);
  });
}
}

#undef TH_STORAGE

#endif
