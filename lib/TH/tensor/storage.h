#ifndef TH_TENSOR_STORAGE_H
#define TH_TENSOR_STORAGE_H

#include <memory>

#include "memory/recycle.h"
#include "memory/synced_memory.h"
#include "tensor/dtype.h"
#include "memory/visibility.h"

namespace th TH_VISIBLE {

constexpr char kRefcounted = 1;
constexpr char kResizable = 2;
constexpr char kFreeMemory = 4;

// Elements of one type in one block of memory, shared by reference count. The first fields are
// those of the public THFloatStorage and its sisters, through which C code reads them.
struct Storage : Recycled {
  // Mirrors the host block as of the last CPU access, for C code that reads the field.
  void* data;
  ptrdiff_t size;  // in elements
  int refcount;
  char flag;
  DType dtype;
  // It once had more elements: tensors may view more than it has, and must be checked.
  bool shrunk;
  // C code may look at `data` without asking: TH's functions leave it valid (settle). Not where a
  // program has named a device for the storage: it asks.
  bool exposed;
  // References that Lua code took by retain(), and may give back by free().
  int retained;
  // While it is not 0 the storage cannot be resized, nor given other memory: loops hold raw
  // pointers for long (apply, map), or finalizers run in the middle of an operation.
  int pins;
  // Where operations on it run; null: the CPU.
  Device* home;
  uint64_t born;  // birth(), when it was made
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
        home(nullptr),
        born(birth()),
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
        home(nullptr),
        born(birth()),
        memory(block, elements * item_size(type), allocator, context) {}
  ~Storage() {
    if (!(flag & kFreeMemory)) memory.disown_host();
  }

  void* cpu(Access access) {
    void* block = memory.cpu_if_ready(access);
    return mirrored(block ? block : memory.cpu(access));
  }
  // Only bytes of the range will be written, unless the access is overwrite.
  void* cpu(Access access, ByteRange range) { return mirrored(memory.cpu(access, range)); }

  void* get_data() const { return __atomic_load_n(&data, __ATOMIC_RELAXED); }
  Device* get_home() const { return __atomic_load_n(&home, __ATOMIC_RELAXED); }
  void set_home(Device* device) { __atomic_store_n(&home, device, __ATOMIC_RELAXED); }
  bool is_exposed() const { return __atomic_load_n(&exposed, __ATOMIC_RELAXED); }
  void set_exposed(bool on) { __atomic_store_n(&exposed, on, __ATOMIC_RELAXED); }

 private:
  void* mirrored(void* block) {
    if (get_data() != block) __atomic_store_n(&data, block, __ATOMIC_RELAXED);
    return block;
  }
};

// Throws where elements is negative or its bytes do not fit into ptrdiff_t.
Storage* storage_new(DType type, ptrdiff_t elements = 0,
                     THAllocator* allocator = &THDefaultAllocator, void* context = nullptr);
// allocator: who frees and resizes the block; null: the block is borrowed and never resized.
Storage* storage_from_block(DType type, void* block, ptrdiff_t elements, THAllocator* allocator,
                            void* context);
// The block is what the allocator gives, with the contents that it has then.
Storage* storage_from_allocator(DType type, ptrdiff_t elements, THAllocator* allocator,
                                void* context);
// The file's elements, or all where 0 are asked for; flags: of THAllocator.h.
Storage* storage_from_file(DType type, const char* filename, ptrdiff_t elements, int flags);
// Elements of a storage on the CPU: the same memory, which stays there, and is not resized, as long
// as both live.
Storage* storage_view(Storage* of, ptrdiff_t first, ptrdiff_t elements);
inline void storage_retain(Storage* s) {
  if (s && (s->flag & kRefcounted)) __atomic_fetch_add(&s->refcount, 1, __ATOMIC_RELAXED);
}
void storage_free(Storage* s) noexcept;

struct StorageRelease {
  void operator()(Storage* s) const noexcept { storage_free(s); }
};
// Owns one reference, so that an exception releases it.
using StorageRef = std::unique_ptr<Storage, StorageRelease>;

inline void pin(Storage* s) { __atomic_fetch_add(&s->pins, 1, __ATOMIC_ACQ_REL); }
inline void unpin(Storage* s) { __atomic_fetch_sub(&s->pins, 1, __ATOMIC_ACQ_REL); }
inline bool is_pinned(const Storage* s) { return __atomic_load_n(&s->pins, __ATOMIC_ACQUIRE) > 0; }
// Keeps the first min(old, new) elements. Unchanged when it throws.
void storage_resize(Storage* s, ptrdiff_t elements);
// The same, and settled.
void storage_resize_now(Storage* s, ptrdiff_t elements);
// One element's bytes, wherever they are; out has room for item_size.
void storage_read(Storage* s, ptrdiff_t index, void* out);
// Whether only a device has the bytes.
inline bool is_on_device(const Storage* s) { return s && s->memory.head() == Head::device; }
void storage_swap(Storage* a, Storage* b);
// Before C code gets to see the storage: its data can be read and written, and what a device has is
// stale.
inline void settle(Storage* s) {
  if (!s || !s->is_exposed() || s->size == 0) return;
  void* block = s->memory.cpu_if_ready(Access::write);
  if (!block || block != s->get_data()) s->cpu(Access::write);
}
// C code may look at the storage from now on.
void expose_to_c(Storage* s);
// Makes the device, or, where it is null, the CPU, the storage's home and moves its bytes there.
void storage_to(Storage* s, Device* device);
// Starts moving them there without waiting; the home stays.
void storage_prefetch(Storage* s, Device* device);

// The caller's own block of as many elements becomes the storage's on that side.
void storage_set_cpu(Storage* s, void* block);
void storage_set_device(Storage* s, Device& device, void* block);

// The home of the storages that tensors of the calling thread get from now on; null: the CPU.
Device* default_home() noexcept;
void set_default_home(Device* device) noexcept;

}  // namespace TH_VISIBLE

#endif
