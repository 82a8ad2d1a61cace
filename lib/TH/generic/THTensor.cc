#ifndef TH_GENERIC_FILE

// Typed C functions for the structure of tensors: casts around the type-erased core.

#include "TH.h"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <vector>

#include "generic/bridge.h"
#include "tensor/checked.h"
#include "tensor/views.h"

namespace th {
namespace {

// C code reads the public fields of the typed structs, so their offsets must agree with the core's.
static_assert(offsetof(THFloatTensor, size) == offsetof(Tensor, size));
static_assert(offsetof(THFloatTensor, stride) == offsetof(Tensor, stride));
static_assert(offsetof(THFloatTensor, nDimension) == offsetof(Tensor, nDimension));
static_assert(offsetof(THFloatTensor, storage) == offsetof(Tensor, storage));
static_assert(offsetof(THFloatTensor, storageOffset) == offsetof(Tensor, storageOffset));
static_assert(offsetof(THFloatTensor, refcount) == offsetof(Tensor, refcount));
static_assert(offsetof(THFloatTensor, flag) == offsetof(Tensor, flag));
static_assert(offsetof(THFloatStorage, data) == offsetof(Storage, data));
static_assert(offsetof(THFloatStorage, size) == offsetof(Storage, size));
static_assert(offsetof(THFloatStorage, refcount) == offsetof(Storage, refcount));
static_assert(offsetof(THFloatStorage, flag) == offsetof(Storage, flag));

int checked_dim(const Tensor& t, int dim) {
  if (t.nDimension == 0) fail_argument(2, "the tensor has no dimension %lld", shown(dim));
  return wrap_dim(t, dim, 2);
}

void check_strides(const Sizes& size, const Sizes& stride) {
  if (stride.size && stride.ndim != size.ndim) {
    fail("%d sizes and %d strides: as many strides as sizes are expected", size.ndim, stride.ndim);
  }
}

THLongStorage* new_sizes(const int64_t* values, int count) {
  return reinterpret_cast<THLongStorage*>(long_storage(values, count).release());
}

// Returns the number of dimensions of the functions ...1d ... 5d. As in Torch7, negative sizes at
// the end are left out, except the first size.
int count_dims(const int64_t* size, int ndim) {
  while (ndim > 1 && size[ndim - 1] < 0) --ndim;
  return ndim;
}

void resize_to(Tensor* t, std::initializer_list<int64_t> sizes) {
  resize(t, count_dims(sizes.begin(), static_cast<int>(sizes.size())), sizes.begin());
}

// pairs: size and stride of each dimension, as in the ...WithStorage1d ... 4d functions.
void view_storage(Tensor* t, Storage* storage, ptrdiff_t offset,
                  std::initializer_list<int64_t> pairs) {
  int64_t size[4], stride[4];
  int ndim = 0;
  for (const int64_t* p = pairs.begin(); p != pairs.end(); p += 2, ++ndim) {
    size[ndim] = p[0];
    stride[ndim] = p[1];
  }
  set_storage(t, storage, offset, count_dims(size, ndim), size, stride);
}

void view_storage(Tensor* t, Storage* storage, ptrdiff_t offset, Sizes size, Sizes stride) {
  check_strides(size, stride);
  set_storage(t, storage, offset, size.ndim, size.size, stride.size);
}

// Returns the offset of an element in its tensor's storage.
ptrdiff_t element(const Tensor& t, std::initializer_list<int64_t> indices) {
  if (t.nDimension != static_cast<int>(indices.size())) {
    fail_argument(1, "a tensor of %d dimensions is expected, got size %s",
                  static_cast<int>(indices.size()), shape_text(t).c_str());
  }
  t.check_storage();
  int d = 0;
  for (int64_t index : indices) {
    if (index < 0 || index >= t.size[d]) {
      fail_argument(d + 2, "index %lld is out of range of dimension %lld of size %lld",
                    shown(index), shown(d), as_long(t.size[d]));
    }
    ++d;
  }
  return t.position(indices.begin());
}

template <class T>
T get_element(const Tensor& t, std::initializer_list<int64_t> indices) {
  T value;
  storage_read(t.storage, element(t, indices), &value);
  return value;
}

template <class T>
void set_element(const Tensor& t, std::initializer_list<int64_t> indices, T value) {
  storage_write(t.storage, element(t, indices), &value, to_scalar(value));
}

// Broadcasts the shape in size (none yet if *ndim is 0) with that of t.
template <class T>
void broadcast_to(const T* t, int* ndim, int64_t* size) {
  int64_t both[kMaxDims];
  int result = 0;
  if (t->nDimension == 0) fail("a tensor without dimensions cannot be expanded");
  int before = *ndim ? *ndim : 1;
  const int64_t one = 1;
  if (!broadcast_sizes(before, *ndim ? size : &one, t->nDimension, t->size, &result, both)) {
    fail("sizes %s and %s do not broadcast", shape_text(*ndim, size).c_str(),
         shape_text(t->nDimension, t->size).c_str());
  }
  std::copy(both, both + result, size);
  *ndim = result;
}

template <class F>
Tensor* make(DType type, const F& initialize) {
  TensorRef t(tensor_new(type));
  t->exposed = true;
  initialize(t.get());
  settle(t->storage);
  return t.release();
}

// Returns the position of an address among those of the arguments of a C function; 0: none of them.
template <class... A>
int position_of_argument(const void* address, const A&... arguments) {
  const void* const addresses[] = {&arguments...};
  for (size_t k = 0; k < sizeof...(arguments); ++k) {
    if (addresses[k] == address) return static_cast<int>(k) + 1;
  }
  return 0;
}

// Returns a new view of a tensor. The arguments are those of the C function.
template <class View, class... A>
Tensor* make_view(DType type, View view, Tensor* t, const A&... arguments) {
  try {
    return make(type, [&](Tensor* r) { view(r, t, arguments...); });
  } catch (const ParameterError& error) {
    fail_argument(position_of_argument(error.parameter(), t, arguments...), "%s", error.what());
  }
}

// Prepares a tensor derived from source for C code. If source is on a device that the program has
// set, the result stays there.
Tensor* exposed(TensorRef t, const Tensor& source) {
  if (t->storage && !source.storage->is_exposed()) t->storage->set_exposed(false);
  settle(source.storage);
  expose_to_c(t.get());
  return t.release();
}

// Runs give, which changes the shape or storage of t.
template <class F>
void change(Tensor* t, const F& modify) {
  if (!t->exposed) t->exposed = true;
  modify();
  settle(t->storage);
}

}  // namespace
}  // namespace th

#define TH_GENERIC_FILE "generic/THTensor.cc"
#include "THGenerateEveryType.h"

#else

// Returns a new tensor, initialized by a statement that uses th::Tensor* t.
#define TH_MAKE(statement)                                             \
  return th::guard([&] {                                               \
    return reinterpret_cast<THTensor*>(                                \
        th::make(th::DType::Real, [&](th::Tensor* t) { statement; })); \
  })
#define TH_VIEW(name, ...)                                                                     \
  return th::guard([&] {                                                                       \
    return reinterpret_cast<THTensor*>(                                                        \
        th::make_view(th::DType::Real, th::views::name, th::erase_tensor(self), __VA_ARGS__)); \
  })
#define TH_SELF th::erase_tensor(self)
#define TH_CHANGE(...) th::guard([&] { th::change(TH_SELF, __VA_ARGS__); })

extern "C" {

THStorage* THTensor_(storage)(const THTensor* self) { return self->storage; }
ptrdiff_t THTensor_(storageOffset)(const THTensor* self) { return self->storageOffset; }
int THTensor_(nDimension)(const THTensor* self) { return self->nDimension; }
int64_t THTensor_(size)(const THTensor* self, int dim) {
  return th::guard([&] { return self->size[th::checked_dim(*TH_SELF, dim)]; });
}
int64_t THTensor_(stride)(const THTensor* self, int dim) {
  return th::guard([&] { return self->stride[th::checked_dim(*TH_SELF, dim)]; });
}
THLongStorage* THTensor_(newSizeOf)(THTensor* self) {
  return th::guard([&] { return th::new_sizes(self->size, self->nDimension); });
}
THLongStorage* THTensor_(newStrideOf)(THTensor* self) {
  return th::guard([&] { return th::new_sizes(self->stride, self->nDimension); });
}
real* THTensor_(data)(const THTensor* self) {
  return th::guard([&] {
    th::trace_use(TH_SELF->storage, th::ElementUse::hands_out);
    return reinterpret_cast<real*>(TH_SELF->data(th::Access::write));
  });
}
void THTensor_(setFlag)(THTensor* self, const char flag) { self->flag |= flag; }
void THTensor_(clearFlag)(THTensor* self, const char flag) { self->flag &= ~flag; }
ptrdiff_t THTensor_(nElement)(const THTensor* self) { return TH_SELF->numel(); }
ptrdiff_t THTensor_(numel)(THTensor* self) { return TH_SELF->numel(); }
int THTensor_(isContiguous)(const THTensor* self) { return th::is_contiguous(*TH_SELF); }
int THTensor_(isSize)(const THTensor* self, const THLongStorage* dims) {
  return th::guard([&] {
    th::Sizes size = th::to_sizes(dims);
    return static_cast<int>(th::has_shape(*TH_SELF, size.ndim, size.size));
  });
}
THDescBuff THTensor_(sizeDesc)(const THTensor* self) {
  return _THSizeDesc(self->size, self->nDimension);
}
THDescBuff THTensor_(desc)(const THTensor* self) {
  THDescBuff size = THTensor_(sizeDesc)(self), text;
  constexpr size_t space = 32;
  if (strlen(size.str) > space) snprintf(size.str + space - 4, 5, "...]");
  snprintf(text.str, sizeof(text.str), "torch." TH_CONCAT_STRING_2(Real, Tensor) " of size %.32s",
           size.str);
  return text;
}

THTensor* THTensor_(new)(void) { TH_MAKE((void)t); }
THTensor* THTensor_(newWithTensor)(THTensor* self) { TH_MAKE(th::set_view(t, *TH_SELF)); }
THTensor* THTensor_(newWithStorage)(THStorage* storage, ptrdiff_t offset, THLongStorage* size,
                                    THLongStorage* stride) {
  TH_MAKE(th::view_storage(t, th::erase_storage(storage), offset, th::to_sizes(size),
                           th::to_sizes(stride)));
}
THTensor* THTensor_(newWithStorage1d)(THStorage* s, ptrdiff_t offset, int64_t n0, int64_t s0) {
  TH_MAKE(th::view_storage(t, th::erase_storage(s), offset, {n0, s0}));
}
THTensor* THTensor_(newWithStorage2d)(THStorage* s, ptrdiff_t offset, int64_t n0, int64_t s0,
                                      int64_t n1, int64_t s1) {
  TH_MAKE(th::view_storage(t, th::erase_storage(s), offset, {n0, s0, n1, s1}));
}
THTensor* THTensor_(newWithStorage3d)(THStorage* s, ptrdiff_t offset, int64_t n0, int64_t s0,
                                      int64_t n1, int64_t s1, int64_t n2, int64_t s2) {
  TH_MAKE(th::view_storage(t, th::erase_storage(s), offset, {n0, s0, n1, s1, n2, s2}));
}
THTensor* THTensor_(newWithStorage4d)(THStorage* s, ptrdiff_t offset, int64_t n0, int64_t s0,
                                      int64_t n1, int64_t s1, int64_t n2, int64_t s2, int64_t n3,
                                      int64_t s3) {
  TH_MAKE(th::view_storage(t, th::erase_storage(s), offset, {n0, s0, n1, s1, n2, s2, n3, s3}));
}
THTensor* THTensor_(newWithSize)(THLongStorage* size, THLongStorage* stride) {
  TH_MAKE(th::view_storage(t, nullptr, 0, th::to_sizes(size), th::to_sizes(stride)));
}
THTensor* THTensor_(newWithSize1d)(int64_t n0) { TH_MAKE(th::resize_to(t, {n0})); }
THTensor* THTensor_(newWithSize2d)(int64_t n0, int64_t n1) { TH_MAKE(th::resize_to(t, {n0, n1})); }
THTensor* THTensor_(newWithSize3d)(int64_t n0, int64_t n1, int64_t n2) {
  TH_MAKE(th::resize_to(t, {n0, n1, n2}));
}
THTensor* THTensor_(newWithSize4d)(int64_t n0, int64_t n1, int64_t n2, int64_t n3) {
  TH_MAKE(th::resize_to(t, {n0, n1, n2, n3}));
}
THTensor* THTensor_(newClone)(THTensor* self) {
  return th::guard(
      [&] { return reinterpret_cast<THTensor*>(th::exposed(th::clone(TH_SELF), *TH_SELF)); });
}
THTensor* THTensor_(newContiguous)(THTensor* self) {
  return th::guard(
      [&] { return reinterpret_cast<THTensor*>(th::exposed(th::contiguous(TH_SELF), *TH_SELF)); });
}
THTensor* THTensor_(newSelect)(THTensor* self, int dim, int64_t index) {
  TH_VIEW(select, int64_t{dim}, index);
}
THTensor* THTensor_(newNarrow)(THTensor* self, int dim, int64_t first, int64_t size) {
  TH_VIEW(narrow, int64_t{dim}, first, size);
}
THTensor* THTensor_(newTranspose)(THTensor* self, int dim1, int dim2) {
  TH_VIEW(transpose, int64_t{dim1}, int64_t{dim2});
}
THTensor* THTensor_(newUnfold)(THTensor* self, int dim, int64_t size, int64_t step) {
  TH_VIEW(unfold, int64_t{dim}, size, step);
}
THTensor* THTensor_(newView)(THTensor* self, THLongStorage* size) {
  TH_VIEW(view, th::to_sizes(size));
}
THTensor* THTensor_(newExpand)(THTensor* self, THLongStorage* size) {
  TH_VIEW(expand, th::to_sizes(size));
}
void THTensor_(expandNd)(THTensor** rets, THTensor** ops, int count) {
  th::guard([&] {
    int ndim = 0;
    int64_t size[th::kMaxDims];
    for (int k = 0; k < count; ++k) th::broadcast_to(ops[k], &ndim, size);
    // A tensor of rets may be one of ops, so all views are made first.
    std::vector<th::TensorRef> views(std::max(count, 0));
    for (int k = 0; k < count; ++k) {
      views[k] = th::TensorRef(th::tensor_new(th::DType::Real));
      th::views::expand(views[k].get(), th::erase_tensor(ops[k]), {ndim, size});
    }
    for (int k = 0; k < count; ++k) {
      th::Tensor* r = th::erase_tensor(rets[k]);
      th::change(r, [&] { th::set_view(r, *views[k]); });
    }
  });
}
void THTensor_(retain)(THTensor* self) { th::tensor_retain(TH_SELF); }
void THTensor_(free)(THTensor* self) { th::tensor_free(TH_SELF); }
void THTensor_(freeCopyTo)(THTensor* self, THTensor* dst) {
  th::guard([&] {
    th::TensorRef mine(TH_SELF);
    if (self != dst && !(self->storage && self->storage == dst->storage &&
                         th::same_view(*TH_SELF, *th::erase_tensor(dst)))) {
      th::copy_and_expose(th::erase_tensor(dst), TH_SELF);
    }
  });
}

void THTensor_(resize)(THTensor* self, THLongStorage* size, THLongStorage* stride) {
  TH_CHANGE([&] {
    if (!size) th::fail_argument(2, "sizes are expected, got NULL");
    th::Sizes sizes = th::to_sizes(size), strides = th::to_sizes(stride);
    th::check_strides(sizes, strides);
    th::resize(TH_SELF, sizes.ndim, sizes.size, strides.size);
  });
}
void THTensor_(resizeAs)(THTensor* self, THTensor* src) {
  TH_CHANGE([&] { th::resize_as(TH_SELF, *th::erase_tensor(src)); });
}
void THTensor_(resizeNd)(THTensor* self, int ndim, int64_t* size, int64_t* stride) {
  TH_CHANGE([&] { th::resize(TH_SELF, ndim, size, stride); });
}
void THTensor_(resize1d)(THTensor* self, int64_t n0) {
  TH_CHANGE([&] { th::resize_to(TH_SELF, {n0}); });
}
void THTensor_(resize2d)(THTensor* self, int64_t n0, int64_t n1) {
  TH_CHANGE([&] { th::resize_to(TH_SELF, {n0, n1}); });
}
void THTensor_(resize3d)(THTensor* self, int64_t n0, int64_t n1, int64_t n2) {
  TH_CHANGE([&] { th::resize_to(TH_SELF, {n0, n1, n2}); });
}
void THTensor_(resize4d)(THTensor* self, int64_t n0, int64_t n1, int64_t n2, int64_t n3) {
  TH_CHANGE([&] { th::resize_to(TH_SELF, {n0, n1, n2, n3}); });
}
void THTensor_(resize5d)(THTensor* self, int64_t n0, int64_t n1, int64_t n2, int64_t n3,
                         int64_t n4) {
  TH_CHANGE([&] { th::resize_to(TH_SELF, {n0, n1, n2, n3, n4}); });
}
void THTensor_(setStorage)(THTensor* self, THStorage* storage, ptrdiff_t offset,
                           THLongStorage* size, THLongStorage* stride) {
  TH_CHANGE([&] {
    th::view_storage(TH_SELF, th::erase_storage(storage), offset, th::to_sizes(size),
                     th::to_sizes(stride));
  });
}
void THTensor_(setStorageNd)(THTensor* self, THStorage* storage, ptrdiff_t offset, int ndim,
                             int64_t* size, int64_t* stride) {
  TH_CHANGE(
      [&] { th::set_storage(TH_SELF, th::erase_storage(storage), offset, ndim, size, stride); });
}
void THTensor_(setStorage1d)(THTensor* self, THStorage* s, ptrdiff_t offset, int64_t n0,
                             int64_t s0) {
  TH_CHANGE([&] { th::view_storage(TH_SELF, th::erase_storage(s), offset, {n0, s0}); });
}
void THTensor_(setStorage2d)(THTensor* self, THStorage* s, ptrdiff_t offset, int64_t n0, int64_t s0,
                             int64_t n1, int64_t s1) {
  TH_CHANGE([&] { th::view_storage(TH_SELF, th::erase_storage(s), offset, {n0, s0, n1, s1}); });
}
void THTensor_(setStorage3d)(THTensor* self, THStorage* s, ptrdiff_t offset, int64_t n0, int64_t s0,
                             int64_t n1, int64_t s1, int64_t n2, int64_t s2) {
  TH_CHANGE([&] {
    th::view_storage(TH_SELF, th::erase_storage(s), offset, {n0, s0, n1, s1, n2, s2});
  });
}
void THTensor_(setStorage4d)(THTensor* self, THStorage* s, ptrdiff_t offset, int64_t n0, int64_t s0,
                             int64_t n1, int64_t s1, int64_t n2, int64_t s2, int64_t n3,
                             int64_t s3) {
  TH_CHANGE([&] {
    th::view_storage(TH_SELF, th::erase_storage(s), offset, {n0, s0, n1, s1, n2, s2, n3, s3});
  });
}

void THTensor_(set1d)(THTensor* self, int64_t x0, real value) {
  th::guard([&] { th::set_element(*TH_SELF, {x0}, value); });
}
void THTensor_(set2d)(THTensor* self, int64_t x0, int64_t x1, real value) {
  th::guard([&] { th::set_element(*TH_SELF, {x0, x1}, value); });
}
void THTensor_(set3d)(THTensor* self, int64_t x0, int64_t x1, int64_t x2, real value) {
  th::guard([&] { th::set_element(*TH_SELF, {x0, x1, x2}, value); });
}
void THTensor_(set4d)(THTensor* self, int64_t x0, int64_t x1, int64_t x2, int64_t x3, real value) {
  th::guard([&] { th::set_element(*TH_SELF, {x0, x1, x2, x3}, value); });
}
real THTensor_(get1d)(const THTensor* self, int64_t x0) {
  return th::guard([&] { return th::get_element<real>(*TH_SELF, {x0}); });
}
real THTensor_(get2d)(const THTensor* self, int64_t x0, int64_t x1) {
  return th::guard([&] { return th::get_element<real>(*TH_SELF, {x0, x1}); });
}
real THTensor_(get3d)(const THTensor* self, int64_t x0, int64_t x1, int64_t x2) {
  return th::guard([&] { return th::get_element<real>(*TH_SELF, {x0, x1, x2}); });
}
real THTensor_(get4d)(const THTensor* self, int64_t x0, int64_t x1, int64_t x2, int64_t x3) {
  return th::guard([&] { return th::get_element<real>(*TH_SELF, {x0, x1, x2, x3}); });
}

// copy accepts a source of any element type, so it cannot be generated from the table.
void THTensor_(copy)(THTensor* self, THTensor* src) {
  th::copy_from_c(th::erase_tensor(self), th::erase_tensor(src));
}
#define TH_TYPE(Name, type, acctype, kind, ...)                                \
  void THTensor_(copy##Name)(THTensor * self, struct TH##Name##Tensor * src) { \
    th::copy_from_c(th::erase_tensor(self), th::erase_tensor(src));            \
  }
#include "THTypes.def"
#undef TH_TYPE
}

#undef TH_CHANGE
#undef TH_SELF
#undef TH_MAKE

#endif
