#include "tensor/storage.h"

#include <utility>

#include "memory/error.h"

namespace th {

namespace {
void check_size(DType type, ptrdiff_t elements) {
  if (elements < 0) {
    fail("a %sStorage cannot have %td elements", name(type), elements);
  }
  // What a process can address on today's 64-bit machines.
  constexpr ptrdiff_t most_bytes = ptrdiff_t{1} << 47;
  if (elements > most_bytes / static_cast<ptrdiff_t>(item_size(type))) {
    fail("a %sStorage of %td elements does not fit into the address space", name(type), elements);
  }
}
}  // namespace

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

void storage_free(Storage* s) noexcept {
  if (!s || !(s->flag & kRefcounted)) return;
  if (__atomic_sub_fetch(&s->refcount, 1, __ATOMIC_ACQ_REL) == 0) delete s;
}

void storage_resize(Storage* s, ptrdiff_t elements) {
  if (elements == s->size) return;
  check_size(s->dtype, elements);
  if (!(s->flag & kResizable)) fail("this %sStorage cannot be resized", name(s->dtype));
  if (__atomic_load_n(&s->pins, __ATOMIC_ACQUIRE) > 0) {
    fail("this %sStorage is in use by apply or map and cannot be resized now", name(s->dtype));
  }
  s->memory.resize(elements * item_size(s->dtype));
  if (elements < s->size) s->shrunk = true;
  s->size = elements;
  s->data = s->memory.cpu_if_valid();
}

void storage_swap(Storage* a, Storage* b) {
  if (a->dtype != b->dtype) {
    fail("a %sStorage and a %sStorage cannot be swapped", name(a->dtype), name(b->dtype));
  }
  std::swap(a->data, b->data);
  std::swap(a->size, b->size);
  std::swap(a->flag, b->flag);
  a->memory.swap(b->memory);
  a->shrunk = b->shrunk = true;
}

}  // namespace th
