#ifndef TH_GENERIC_FILE

#include "TH.h"

#include <cstring>

#include "generic/bridge.h"
#include "tensor/views.h"

namespace th {
namespace {

void check_index(const Storage* s, ptrdiff_t index) {
  if (index < 0 || index >= s->size) {
    fail_argument(2, "index %td is out of bounds of a storage of %td elements",
                  static_cast<ptrdiff_t>(shown(index)), s->size);
  }
}

void copy_storage(Storage* to, Storage* from) {
  if (to->size != from->size) {
    fail("storages of %td and %td elements differ in size", to->size, from->size);
  }
  copy_and_expose(vector_of(to, 0, to->size).get(), vector_of(from, 0, from->size).get());
}

}  // namespace
}  // namespace th

#define TH_GENERIC_FILE "generic/THStorage.cc"
#include "THGenerateEveryType.h"

extern "C" {

THDescBuff THLongStorage_sizeDesc(const THLongStorage* size) {
  return _THSizeDesc(size->size ? THLongStorage_data(size) : nullptr, size->size);
}

THLongStorage* THLongStorage_newInferSize(THLongStorage* size, ptrdiff_t elements) {
  return th::guard([&] {
    th::Sizes sizes = th::to_sizes(size);
    int64_t inferred[th::kMaxDims];
    th::infer_sizes(sizes, elements, inferred);
    if (th::checked_numel(sizes.ndim, inferred) != elements) {
      th::fail("%td elements do not fill sizes %s", elements,
               th::shape_text(sizes.ndim, sizes.size).c_str());
    }
    return reinterpret_cast<THLongStorage*>(th::long_storage(inferred, sizes.ndim).release());
  });
}
}

#else

extern "C" {

#define TH_THIS_TYPE th::DType::Real

static THStorage* THStorage_(wrap)(th::Storage* s) { return reinterpret_cast<THStorage*>(s); }

THStorage* THStorage_(new)(void) { return THStorage_(newWithSize)(0); }
THStorage* THStorage_(newWithSize)(ptrdiff_t size) {
  return th::guard([&] {
    th::StorageRef s(th::storage_new(TH_THIS_TYPE, size));
    th::settle(s.get());
    return THStorage_(wrap)(s.release());
  });
}
static THStorage* THStorage_(of)(const real* values, int count,
                                 const char* function = __builtin_FUNCTION()) {
  return th::guard(
      [&] {
        th::StorageRef s(th::storage_new(TH_THIS_TYPE, count));
        std::memcpy(s->cpu(th::Access::overwrite), values, count * sizeof(real));
        return THStorage_(wrap)(s.release());
      },
      function);
}
THStorage* THStorage_(newWithSize1)(real v0) { return THStorage_(of)(&v0, 1); }
THStorage* THStorage_(newWithSize2)(real v0, real v1) {
  real values[] = {v0, v1};
  return THStorage_(of)(values, 2);
}
THStorage* THStorage_(newWithSize3)(real v0, real v1, real v2) {
  real values[] = {v0, v1, v2};
  return THStorage_(of)(values, 3);
}
THStorage* THStorage_(newWithSize4)(real v0, real v1, real v2, real v3) {
  real values[] = {v0, v1, v2, v3};
  return THStorage_(of)(values, 4);
}
static THStorage* THStorage_(ofBlock)(real* data, ptrdiff_t size, THAllocator* allocator,
                                      void* context, const char* function = __builtin_FUNCTION()) {
  return th::guard(
      [&] {
        return THStorage_(wrap)(
            th::storage_from_block(TH_THIS_TYPE, data, size, allocator, context));
      },
      function);
}
THStorage* THStorage_(newWithData)(real* data, ptrdiff_t size) {
  return THStorage_(ofBlock)(data, size, &THDefaultAllocator, nullptr);
}
THStorage* THStorage_(newWithAllocator)(ptrdiff_t size, THAllocator* allocator, void* context) {
  return th::guard([&] {
    if (!allocator) th::fail_argument(2, "an allocator is needed");
    // Allocators of callers determine the contents of the memory (a mapped file's, for example), so
    // it is not cleared.
    return THStorage_(wrap)(th::storage_from_allocator(TH_THIS_TYPE, size, allocator, context));
  });
}
THStorage* THStorage_(newWithMapping)(const char* filename, ptrdiff_t size, int flags) {
  return th::guard([&] {
    th::Storage* s = th::storage_from_file(TH_THIS_TYPE, filename, size, flags);
    return THStorage_(wrap)(s);
  });
}
THStorage* THStorage_(newWithDataAndAllocator)(real* data, ptrdiff_t size, THAllocator* allocator,
                                               void* context) {
  return THStorage_(ofBlock)(data, size, allocator, context);
}
void THStorage_(retain)(THStorage* s) { th::storage_retain(th::erase_storage(s)); }
void THStorage_(free)(THStorage* s) { th::storage_free(th::erase_storage(s)); }

real* THStorage_(data)(const THStorage* self) {
  return th::guard([&] {
    th::trace_use(th::erase_storage(self), th::ElementUse::hands_out);
    return static_cast<real*>(th::erase_storage(self)->cpu(th::Access::write));
  });
}
ptrdiff_t THStorage_(size)(const THStorage* self) { return self->size; }
size_t THStorage_(elementSize)(void) { return sizeof(real); }

void THStorage_(set)(THStorage* self, ptrdiff_t index, real value) {
  th::guard([&] {
    th::check_index(th::erase_storage(self), index);
    th::storage_write(th::erase_storage(self), index, &value, th::to_scalar(value));
  });
}
real THStorage_(get)(const THStorage* self, ptrdiff_t index) {
  return th::guard([&] {
    th::check_index(th::erase_storage(self), index);
    real value;
    th::storage_read(th::erase_storage(self), index, &value);
    return value;
  });
}
void THStorage_(fill)(THStorage* storage, real value) {
  th::guard([&] {
    th::TensorRef all = th::vector_of(th::erase_storage(storage), 0, storage->size);
    th::ops::fill(all.get(), th::to_scalar(value));
    th::settle(all->storage);
  });
}
void THStorage_(resize)(THStorage* storage, ptrdiff_t size) {
  th::guard([&] {
    th::Storage* s = th::erase_storage(storage);
    const bool shrinks = size < s->size;
    if (shrinks) th::trace_use(s, th::ElementUse::drops);
    th::storage_resize_now(s, size);
    if (shrinks) th::trace_use(s, th::ElementUse::dropped);
  });
}
void THStorage_(swap)(THStorage* a, THStorage* b) {
  th::guard([&] {
    for (auto* s : {a, b}) th::trace_use(th::erase_storage(s), th::ElementUse::writes);
    th::storage_swap(th::erase_storage(a), th::erase_storage(b));
  });
}
void THStorage_(setFlag)(THStorage* s, const char flag) {
  th::storage_set_flags(th::erase_storage(s), flag);
}
void THStorage_(clearFlag)(THStorage* s, const char flag) {
  th::guard([&] {
    if (flag & TH_STORAGE_FREEMEM) {
      th::trace_use(th::erase_storage(s), th::ElementUse::hands_out);
    }
    th::storage_clear_flags(th::erase_storage(s), flag);
  });
}

void THStorage_(rawCopy)(THStorage* storage, real* src) {
  th::guard([&] {
    if (storage->size == 0) return;
    th::trace_use(th::erase_storage(storage), th::ElementUse::writes);
    std::memcpy(th::erase_storage(storage)->cpu(th::Access::overwrite), src,
                storage->size * sizeof(real));
  });
}
void THStorage_(copy)(THStorage* storage, THStorage* src) {
  th::guard([&] { th::copy_storage(th::erase_storage(storage), th::erase_storage(src)); });
}
#define TH_TYPE(Name, type, acctype, kind, ...)                                               \
  void THStorage_(copy##Name)(THStorage * storage, struct TH##Name##Storage * src) {          \
    th::guard([&] { th::copy_storage(th::erase_storage(storage), th::erase_storage(src)); }); \
  }
#include "THTypes.def"
#undef TH_TYPE

#undef TH_THIS_TYPE
}

#endif
