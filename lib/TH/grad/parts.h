#ifndef TH_GRAD_PARTS_H
#define TH_GRAD_PARTS_H

// Helpers of the sources of the tape.

#include "grad/tape.h"

namespace th::grad {

// A tensor with the shape, strides and offset of t, but without memory.
TensorRef without_memory(const Tensor& t);
// The end of the elements that t shows in its storage.
int64_t extent_of(const Tensor& t);
// A new contiguous tensor with the elements of t, made by an operation that other tapes record.
TensorRef copy_of(Tensor* t);

inline uint32_t bit(int k) { return uint32_t{1} << k; }

// Calls visit(Tensor*, const Parameter&, number of the parameter) for each tensor.
template <class F>
void each_tensor(const TracedCall& call, const F& visit) {
  int number = 0;
  for (const Parameter& p : call.row()) {
    if (p.is_tensor()) {
      if (Tensor* t = argument<Tensor*>(call.arguments(), p)) visit(t, p, number);
    } else if (p.kind == ParameterKind::list) {
      const auto& list = argument<TensorList>(call.arguments(), p);
      for (int k = 0; k < list.count; ++k) visit(list.tensors[k], p, number);
    }
    ++number;
  }
}

}  // namespace th::grad

#endif
