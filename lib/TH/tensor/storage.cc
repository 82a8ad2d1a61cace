#include "tensor/storage.h"

#include <atomic>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "memory/c_errors.h"

namespace th {

namespace {
void check_size(DType type, ptrdiff_t elements) {
  if (elements < 0) {
    fail("%sStorage cannot have %td elements", name_with_article(type), elements);
  }
  // The address space of a process on x86-64: 47 bits.
  constexpr ptrdiff_t most_bytes = ptrdiff_t{1} << 47;
  if (elements > most_bytes / static_cast<ptrdiff_t>(item_size(type))) {
    fail("%sStorage of %td elements does not fit into the address space", name_with_article(type),
         elements);
  }
}

void check_pins(const Storage* s, const char* done) {
  if (is_pinned(s)) {
    fail("this %sStorage is in use by apply, map, an operation or a view and cannot be %s now",
         name(s->dtype), done);
  }
}

}  // namespace

uint64_t storage_identity(Storage* s) noexcept {
  static std::atomic<uint64_t> last{0};
  uint64_t identity = __atomic_load_n(&s->identity, __ATOMIC_RELAXED);
  if (identity) return identity;
  const uint64_t next = ++last;
  const bool first = __atomic_compare_exchange_n(&s->identity, &identity, next, false,
                                                 __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return first ? next : identity;
}

Storage* storage_new(DType type, ptrdiff_t elements, THAllocator* allocator, void* context) {
  check_size(type, elements);
  return new Storage(type, elements, allocator, context);
}

Storage* storage_from_block(DType type, void* block, ptrdiff_t elements, THAllocator* allocator,
                            void* context) {
  check_size(type, elements);
  if (!block && elements) fail("a storage of %td elements needs memory, got NULL", elements);
  return new Storage(type, block, elements, allocator, context);
}

Storage* storage_from_allocator(DType type, ptrdiff_t elements, THAllocator* allocator,
                                void* context) {
  if (allocator == &THDefaultAllocator) {
    StorageRef s(storage_new(type, elements));
    settle(s.get());
    return s.release();
  }
  check_size(type, elements);
  auto bytes = static_cast<ptrdiff_t>(elements * item_size(type));
  // With size 0, the allocators of mapped files map the whole file.
  const bool maps = allocator == &THMapAllocator || allocator == &THRefcountedMapAllocator;
  void* block = nullptr;
  if (bytes || maps) block = call_allocator([&] { return allocator->malloc(context, bytes); });
  try {
    return storage_from_block(type, block, elements, allocator, context);
  } catch (...) {
    if (block) allocator->free(context, block);
    throw;
  }
}

void storage_free(Storage* s) noexcept {
  if (!s || !(s->flag & kRefcounted)) return;
  bool only = __atomic_load_n(&s->refcount, __ATOMIC_ACQUIRE) == 1;  // see tensor_free
  if (only || __atomic_sub_fetch(&s->refcount, 1, __ATOMIC_ACQ_REL) == 0) delete s;
}

void storage_resize(Storage* s, ptrdiff_t elements) {
  if (elements == s->size) return;
  check_size(s->dtype, elements);
  if (!(s->flag & kResizable)) fail("this %sStorage cannot be resized", name(s->dtype));
  check_pins(s, "resized");
  if (!(s->flag & kFreeMemory))
    fail("the caller owns the memory of this %sStorage", name(s->dtype));
  s->memory.resize(elements * item_size(s->dtype), s->current_device() != nullptr);
  if (elements < s->size) s->shrunk = true;
  s->size = elements;
  s->data = s->memory.cpu_if_valid();
}

void storage_resize_now(Storage* s, ptrdiff_t elements) {
  ptrdiff_t before = s->size;
  storage_resize(s, elements);
  try {
    settle(s);
  } catch (...) {
    storage_resize(s, before);
    throw;
  }
}

void storage_read(Storage* s, ptrdiff_t index, void* out) {
  size_t item = item_size(s->dtype);
  if (is_on_device(s)) {
    s->memory.read_bytes(index * item, item, out);
  } else {
    std::memcpy(out, static_cast<char*>(s->cpu(Access::read)) + index * item, item);
  }
}

void storage_swap(Storage* a, Storage* b) {
  if (a->dtype != b->dtype) {
    fail("%sStorage and %sStorage cannot be swapped", name_with_article(a->dtype),
         name_with_article(b->dtype));
  }
  check_pins(a, "swapped");
  check_pins(b, "swapped");
  bool a_shrinks = a->shrunk || b->size < a->size, b_shrinks = b->shrunk || a->size < b->size;
  std::swap(a->data, b->data);
  std::swap(a->size, b->size);
  std::swap(a->flag, b->flag);
  std::swap(a->device, b->device);
  std::swap(a->exposed, b->exposed);
  a->memory.swap(b->memory);
  a->shrunk = a_shrinks;
  b->shrunk = b_shrinks;
}

void storage_clear_flags(Storage* s, char flags) {
  if (is_view(s)) flags = static_cast<char>(flags & ~kFreeMemory);
  if (s->flag & flags & kFreeMemory) {
    if (s->size) s->cpu(Access::read);
    s->memory.wait();
    if (s->memory.is_host_of_device()) check_pins(s, "given other memory");
    s->memory.disown_host();
    s->data = s->memory.cpu_if_valid();
  }
  s->flag = static_cast<char>(s->flag & ~flags);
}

void storage_set_flags(Storage* s, char flags) noexcept {
  if (~s->flag & flags & kFreeMemory) s->memory.own_host();
  s->flag = static_cast<char>(s->flag | flags);
}

void expose_to_c(Storage* s) {
  if (!s) return;
  s->set_exposed(true);
  settle(s);
}

void storage_to(Storage* s, Device* device) {
  if (!device) {
    s->memory.leave_device();
  } else if (s->size && s->memory.head() != Head::uninitialized) {
    s->memory.device(Access::read, *device);
  }
  s->set_exposed(!device);
  s->set_current_device(device);
}

void storage_prefetch(Storage* s, Device* device) { s->memory.prefetch(device); }

void storage_set_cpu(Storage* s, void* block) {
  check_pins(s, "given other memory");
  s->memory.set_cpu(block);
  s->data = block;
}

void storage_set_device(Storage* s, Device& device, void* block, SharedBlock::Release release,
                        void* context) {
  check_pins(s, "given other memory");
  s->memory.set_device(device, block, release, context);
  s->set_exposed(false);
}

namespace {
thread_local Device* own_default_device = nullptr;
}
Device* thread_default_device() noexcept { return own_default_device; }
void set_thread_default_device(Device* device) noexcept { own_default_device = device; }

}  // namespace th
