#ifndef TH_OPS_COMPOSE_H
#define TH_OPS_COMPOSE_H

// Helpers for operations composed of other operations: views and temporaries in one expression.

#include "ops/indexing.h"
#include "ops/ops.h"
#include "ops/reduce.h"

namespace th {

// Returns true if r, resized to this shape, may share elements with t.
inline bool may_share(const Tensor& r, const Tensor& t, int ndim, const int64_t* size) {
  if (&r == &t) return true;
  return share_storage(r, t) &&
         (!has_shape(r, ndim, size) || same_view(r, t) || spans_overlap(r, t));
}

// Returns a view of t. Throws if t's storage has been made too small, because setting up the view
// would grow it again.
inline TensorRef view_of(Tensor* t) {
  t->check_storage();
  return TensorRef(tensor_new_view(t));
}

// Returns t with another shape: a view if possible, else a copy.
inline TensorRef reshaped(Tensor* t, int ndim, const int64_t* size) {
  int64_t stride[kMaxDims];
  TensorRef r = view_strides(*t, ndim, size, stride) ? view_of(t) : clone(t);
  views::view(r.get(), r.get(), {ndim, size});
  return r;
}

namespace {

inline TensorRef contiguous_or_null(Tensor* t) { return t ? contiguous(t) : TensorRef(); }
inline TensorRef empty(DType type) { return TensorRef(tensor_new(type)); }

// Returns a new tensor, computed by f(r).
template <class F>
TensorRef made(DType type, const F& f) {
  TensorRef r(tensor_new(type));
  f(r.get());
  return r;
}
// Returns a view of t, made by f(view).
template <class F>
TensorRef view_of(const TensorRef& t, const F& f) {
  TensorRef view(tensor_new(t->dtype));
  f(view.get());
  return view;
}

inline TensorRef narrowed(const TensorRef& t, int64_t dim, int64_t first, int64_t size) {
  return view_of(t, [&](Tensor* v) { views::narrow(v, t.get(), dim, first, size); });
}
inline TensorRef selected(const TensorRef& t, int64_t dim, int64_t index) {
  return view_of(t, [&](Tensor* v) { views::select(v, t.get(), dim, index); });
}
inline TensorRef unsqueezed(const TensorRef& t, int64_t dim) {
  return view_of(t, [&](Tensor* v) { views::unsqueeze1d(v, t.get(), dim); });
}
inline TensorRef expanded(const TensorRef& t, const Tensor& like) {
  return view_of(t, [&](Tensor* v) { views::expand(v, t.get(), {like.nDimension, like.size}); });
}
// Removes a dimension of size 1. A vector stays a vector.
inline TensorRef without(const TensorRef& t, int64_t dim) {
  return view_of(t, [&](Tensor* v) { views::squeeze1d(v, t.get(), dim); });
}
// Returns a new tensor on the device of t, filled with value.
inline TensorRef filled(const Tensor& t, DType type, int ndim, const int64_t* size, Scalar value) {
  TensorRef r(tensor_new_sized(type, ndim, size));
  place_result(device_of({&t}), r.get());
  ops::fill(r.get(), value);
  return r;
}
// Fills a result for an operand that has no elements.
inline void fill_for_none(Tensor* r, const Tensor& operand, Scalar value) {
  place_result(device_of({&operand}), r);
  ops::fill(r, value);
}
inline TensorRef filled_like(const TensorRef& t, DType type, Scalar value) {
  return filled(*t, type, t->nDimension, t->size, value);
}
// Returns t's elements in the order of its shape, as a vector; a view if t is contiguous.
inline TensorRef flattened(Tensor* t) {
  int64_t n = t->numel();
  if (n == 0) return TensorRef(tensor_new_sized(t->dtype, 1, &n));
  TensorRef whole = contiguous(t);
  return strided_view(*whole, whole->storageOffset, 1, &n, nullptr);
}
// Converts t to another type. Returns t itself if it has that type.
inline TensorRef in_type(Tensor* t, DType type) {
  if (t->dtype == type) return shared(t);
  return made(type, [&](Tensor* r) {
    resize_as(r, *t);
    ops::copy(r, t);
  });
}

// Computes r by f(to), in the given type, directly if r has that type.
template <class F>
void compute_in(DType type, Tensor* r, const F& f) {
  if (r->dtype == type) return f(r);
  TensorRef result(tensor_new_sized(type, r->nDimension, r->size));
  f(result.get());
  ops::copy(r, result.get());
}

}  // namespace
}  // namespace th

#endif
