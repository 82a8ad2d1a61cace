#ifndef TH_OPS_COMPOSED_H
#define TH_OPS_COMPOSED_H

// What operations that are made of others share.

#include <algorithm>
#include <initializer_list>

#include "ops/operands.h"
#include "ops/ops.h"

namespace th {

inline bool shares_storage(const Tensor& r, std::initializer_list<Tensor*> operands) {
  return std::any_of(operands.begin(), operands.end(),
                     [&](Tensor* t) { return t == &r || share_storage(r, *t); });
}

// Throws where t's storage has been made too small: a view would make it larger again.
inline TensorRef view_of(Tensor* t) {
  t->check_storage();
  return TensorRef(tensor_new_view(t));
}

// t's elements under other sizes: a view, or a copy where there is none.
inline TensorRef reshaped(Tensor* t, int ndim, const int64_t* size) {
  int64_t stride[kMaxDims];
  TensorRef r = view_strides(*t, ndim, size, stride) ? view_of(t) : clone(t);
  ops::view(r.get(), r.get(), {ndim, size});
  return r;
}

// r gets these sizes, and its elements from make(result): result is r, or, where r is no place to
// write them in order, a new tensor that is copied. Nothing has been written yet.
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
