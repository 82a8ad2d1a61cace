#ifndef TH_OPS_REDUCTION_H
#define TH_OPS_REDUCTION_H

// The drivers of the reductions: over all elements, and along one dimension. Both cut the work into
// blocks by index, reduce each, and combine the blocks in order, so that the result does not depend
// on the number of threads.

#include "cpu/reduce_kernels.h"
#include "tensor/tensor.h"

namespace th {

struct Reduction {
  enum class Extra { none, index, moment };  // Aside in use

  Reducer reducer;
  Extra extra = Extra::none;
  double parameter = 0;  // of Reducer::powers, and of Finish::root
  Finish finish = Finish::none;
};

// Of all elements of a; with b, which has a's sizes, of all a - b. finish is not applied.
Partial reduce_all(const Reduction& op, const Tensor& a, const Tensor* b = nullptr);

// Along a dimension of at least one element. r is contiguous, of t's type, shares no memory with t,
// and has t's sizes but for that dimension, which has size 1 or is left out; so has indices, a
// LongTensor, which is null unless the reduction has indices (written from TH_INDEX_BASE on).
void reduce_dim(const Reduction& op, Tensor* t, int dim, Tensor* r, Tensor* indices);

// The result for no elements.
Wide reduce_nothing(const Reduction& op, DType dtype);

}  // namespace th

#endif
