#ifndef TH_OPS_COMPOSED_H
#define TH_OPS_COMPOSED_H

// Helpers shared by operations composed of other operations.

#include <algorithm>
#include <initializer_list>

#include "ops/operands.h"
#include "ops/ops.h"

namespace th {

inline bool shares_storage(const Tensor& r, std::initializer_list<Tensor*> operands) {
  return std::any_of(operands.begin(), operands.end(),
                     [&](Tensor* t) { return t == &r || share_storage(r, *t); });
}

inline bool has_shape(const Tensor& t, int ndim, const int64_t* size) {
  if (t.nDimension != ndim) return false;
  for (int d = 0; d < ndim; ++d) {
    if (t.size[d] != size[d]) return false;
  }
  return true;
}

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

// Resizes r and fills it by make(result). result is r, or a new tensor that is then copied to r if
// r shares memory with an operand or is not contiguous. Nothing has been written when make is
// called.
template <class Make>
void make_contiguous(Tensor* r, std::initializer_list<Tensor*> operands, int ndim,
                     const int64_t* size, const Make& make) {
  checked_numel(ndim, size);
  if (!shares_storage(*r, operands)) {
    int64_t held = r->nDimension == ndim && std::equal(size, size + ndim, r->size);
    if (!held || is_contiguous(*r)) {
      resize(r, ndim, size);
      place_result(device_of(operands.begin(), static_cast<int>(operands.size())), r);
      return make(r);
    }
  }
  TensorRef result(tensor_new_sized(r->dtype, ndim, size));
  place_result(device_of(operands.begin(), static_cast<int>(operands.size())), result.get());
  make(result.get());
  resize(r, ndim, size);
  ops::copy(r, result.get());
}

}  // namespace th

#endif
