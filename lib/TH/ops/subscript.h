#ifndef TH_OPS_SUBSCRIPT_H
#define TH_OPS_SUBSCRIPT_H

#include "ops/ops.h"

namespace th TH_VISIBLE {

// One entry of a subscript, as t[{2, {1, -1, 2}, indices}] has three: for one dimension, or, a mask
// of k dimensions, for k.
struct Subscript {
  enum class Kind { index, range, indices } kind;
  int64_t first = 0, last = 0;  // from 0, last included; of an index first alone
  int64_t step = 1;             // not 0; last lies on the same side of first
  Tensor* tensor = nullptr;  // a LongTensor of indices from 1, or from the end where negative; or
                             // a ByteTensor, a mask
};

// r becomes t's elements there: a view of t, or, where a step is negative or tensors are given, a
// copy. As with NumPy, tensors are broadcast together, and their dimensions stand where the first
// of theirs was, or in front where others lie between.
void subscript_read(Tensor* r, Tensor* t, const Subscript* subscripts, int count);
// The elements there become src's, which are broadcast to them or pair in order, or value; or these
// are added, which is for subscripts with tensors.
void subscript_write(Tensor* t, const Subscript* subscripts, int count, Tensor* src,
                     bool accumulate = false);
void subscript_fill(Tensor* t, const Subscript* subscripts, int count, Scalar value,
                    bool accumulate = false);

}  // namespace TH_VISIBLE

#endif
