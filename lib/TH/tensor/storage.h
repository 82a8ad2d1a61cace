#ifndef TH_TENSOR_STORAGE_H
#define TH_TENSOR_STORAGE_H

#include <algorithm>
#include <memory>

#include "base/visibility.h"
#include "memory/recycle.h"
#include "memory/synced_memory.h"
#include "tensor/dtype.h"

namespace th TH_VISIBLE {

constexpr char kRefcounted = 1;
constexpr char kResizable = 2;
constexpr char kFreeMemory = 4;

// A reference-counted block of elements of one type. The first fields are those of the public
// THFloatStorage and the other storage structs, through which C code reads them.
struct Storage : Recycled {
  // The host block at the last CPU access, for C code that reads this field.
  void* data;
  ptrdiff_t size;  // in elements
  int refcount;
  char flag;
  DType dtype;
  // Set once the storage has been made smaller: tensors may then exceed it and must be checked.
  bool shrunk;
  // C code may use `data` directly, so TH's functions leave it valid (settle). False for a storage
  // whose device was set by the program: its C code has to call a function for the data.
  bool exposed;
  // The number of references that Lua code took by retain() and may release by free().
  int retained;
  // While pins > 0, the storage cannot be resized or get other memory. Used where loops hold raw
  // pointers for long (apply, map) and where finalizers may run in the middle of an operation.
  int pins;
  // The device where operations on the storage run; null: the CPU.
  Device* device;
  // A number that no other storage has; 0: none yet (see storage_identity).
  uint64_t identity = 0;
  SyncedMemory memory;

  Storage(DType type, ptrdiff_t elements, THAllocator* allocator, void* context)
      : data(nullptr),
        size(elements),
        refcount(1),
        flag(kRefcounted | kResizable | kFreeMemory),
        dtype(type),
        shrunk(false),
        exposed(true),
        retained(0),
        pins(0),
        device(nullptr),
        memory(elements * item_size(type), allocator, context) {}
  Storage(DType type, void* block, ptrdiff_t elements, THAllocator* allocator, void* context)
      : data(block),
        size(elements),
        refcount(1),
        flag(allocator ? kRefcounted | kResizable | kFreeMemory : kRefcounted | kFreeMemory),
        dtype(type),
        shrunk(false),
        exposed(true),
        retained(0),
        pins(0),
        device(nullptr),
        memory(block, elements * item_size(type), allocator, context) {}
  ~Storage() {
    if (!(flag & kFreeMemory)) memory.disown_host();
  }

  void* cpu(Access access) {
    void* block = memory.cpu_if_ready(access);
    return mirrored(block ? block : memory.cpu(access));
  }
  // Unless access is overwrite, only bytes of the range are written.
  void* cpu(Access access, ByteRange range) { return mirrored(memory.cpu(access, range)); }

  void* get_data() const { return __atomic_load_n(&data, __ATOMIC_RELAXED); }
  Device* current_device() const { return __atomic_load_n(&device, __ATOMIC_RELAXED); }
  void set_current_device(Device* to) { __atomic_store_n(&device, to, __ATOMIC_RELAXED); }
  bool is_exposed() const { return __atomic_load_n(&exposed, __ATOMIC_RELAXED); }
  void set_exposed(bool on) { __atomic_store_n(&exposed, on, __ATOMIC_RELAXED); }

 private:
  void* mirrored(void* block) {
    if (get_data() != block) __atomic_store_n(&data, block, __ATOMIC_RELAXED);
    return block;
  }
};

// Throws if elements is negative or its bytes do not fit into the address space.
Storage* storage_new(DType type, ptrdiff_t elements = 0,
                     THAllocator* allocator = &THDefaultAllocator, void* context = nullptr);
// allocator frees and resizes the block. If it is null, the block is borrowed and never resized.
Storage* storage_from_block(DType type, void* block, ptrdiff_t elements, THAllocator* allocator,
                            void* context);
// The allocator allocates the block and determines its contents.
Storage* storage_from_allocator(DType type, ptrdiff_t elements, THAllocator* allocator,
                                void* context);
// Maps a file; elements 0: the whole file. For flags see THAllocator.h.
Storage* storage_from_file(DType type, const char* filename, ptrdiff_t elements, int flags);
// Returns a storage that shares memory with `of`, which must be on the CPU. While both live, the
// memory stays on the CPU and cannot be resized.
Storage* storage_view(Storage* of, ptrdiff_t first, ptrdiff_t elements);
bool is_view(const Storage* s) noexcept;
// Returns a number that no other storage of the process has or had.
uint64_t storage_identity(Storage* s) noexcept;
inline void storage_retain(Storage* s) {
  if (s && (s->flag & kRefcounted)) __atomic_fetch_add(&s->refcount, 1, __ATOMIC_RELAXED);
}
void storage_free(Storage* s) noexcept;

struct StorageRelease {
  void operator()(Storage* s) const noexcept { storage_free(s); }
};
// Owns one reference, so that an exception releases it.
using StorageRef = std::unique_ptr<Storage, StorageRelease>;
// Returns a LongStorage of these numbers.
inline StorageRef long_storage(const int64_t* values, int count) {
  StorageRef s(storage_new(DType::Long, count));
  std::copy(values, values + count, static_cast<int64_t*>(s->cpu(Access::overwrite)));
  return s;
}

inline void pin(Storage* s) { __atomic_fetch_add(&s->pins, 1, __ATOMIC_ACQ_REL); }
inline void unpin(Storage* s) { __atomic_fetch_sub(&s->pins, 1, __ATOMIC_ACQ_REL); }
inline bool is_pinned(const Storage* s) { return __atomic_load_n(&s->pins, __ATOMIC_ACQUIRE) > 0; }
// Keeps the first min(old, new) elements. If it throws, the storage is unchanged.
void storage_resize(Storage* s, ptrdiff_t elements);
// Resizes, then settles (see settle).
void storage_resize_now(Storage* s, ptrdiff_t elements);
// Copies one element to out, from the host or the device; out has item_size bytes.
void storage_read(Storage* s, ptrdiff_t index, void* out);
// Returns true if only a device has the valid bytes.
inline bool is_on_device(const Storage* s) { return s && s->memory.head() == Head::device; }
void storage_swap(Storage* a, Storage* b);
// Without kFreeMemory the host block, which this allocates and updates, belongs to the caller. A
// view never owns its memory, so its flag stays.
void storage_clear_flags(Storage* s, char flags);
// With kFreeMemory the storage frees its memory again.
void storage_set_flags(Storage* s, char flags) noexcept;
// Called before C code sees the storage: makes its data valid on the host for reading and writing,
// so device memory becomes stale. Does nothing for storages that are not exposed.
inline void settle(Storage* s) {
  if (!s || !s->is_exposed() || s->size == 0) return;
  void* block = s->memory.cpu_if_ready(Access::write);
  if (!block || block != s->get_data()) s->cpu(Access::write);
}
// Lets C code use the data field of the storage from now on.
void expose_to_c(Storage* s);
// Sets the device of the storage (null: the CPU) and copies its bytes there.
void storage_to(Storage* s, Device* device);
// Starts to copy the bytes to the device asynchronously. The storage's device does not change.
void storage_prefetch(Storage* s, Device* device);

// Make the caller's block, which must have as many elements, the storage's memory on that side.
void storage_set_cpu(Storage* s, void* block);
// release: see SharedBlock::borrow.
void storage_set_device(Storage* s, Device& device, void* block,
                        SharedBlock::Release release = nullptr, void* context = nullptr);

// The device of storages that the calling thread creates for its tensors; null: the CPU.
Device* thread_default_device() noexcept;
void set_thread_default_device(Device* device) noexcept;

}  // namespace TH_VISIBLE

#endif
