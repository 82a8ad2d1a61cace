#ifndef TH_OPS_DEVICE_OPERANDS_H
#define TH_OPS_DEVICE_OPERANDS_H

// Operands and results for operations that take contiguous memory only on a device.

#include "ops/elementwise.h"
#include "ops/on_device.h"
#include "ops/ops.h"

namespace th {

// A tensor of t's elements in order, contiguous: t itself, or a copy made where t is at home.
inline TensorRef packed(Device& device, Tensor* t) {
  if (is_contiguous(*t)) {
    tensor_retain(t);
    return TensorRef(t);
  }
  TensorRef copy(tensor_new_sized(t->dtype, t->nDimension, t->size));
  result_on(device, *copy, Access::overwrite);
  ops::copy(copy.get(), t);
  return copy;
}

// Contiguous memory for all of r's elements: r's own, or that of a temporary, which finish() copies
// to r.
class PackedResult {
 public:
  // apart: a temporary at any rate.
  PackedResult(Device& device, Tensor* r, bool apart = false) : r_(tensor_new_view(r)) {
    if (!apart && is_contiguous(*r)) {
      data_ = result_on(device, *r_, access_for_result(*r));
      return;
    }
    temporary_ = TensorRef(tensor_new_sized(r->dtype, r->nDimension, r->size));
    data_ = result_on(device, *temporary_, Access::overwrite);
  }
  template <class T = char>
  T* data() const {
    return reinterpret_cast<T*>(data_);
  }
  void finish() {
    if (temporary_) ops::copy(r_.get(), temporary_.get());
  }

 private:
  TensorRef r_, temporary_;
  char* data_;
};

}  // namespace th

#endif
