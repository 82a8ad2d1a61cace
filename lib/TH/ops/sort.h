#ifndef TH_OPS_SORT_H
#define TH_OPS_SORT_H

#include "base/op.h"
#include "tensor/tensor.h"

namespace th {

// A part of the sorted order of the rows of a tensor along a dimension.
struct SortRange {
  int64_t dim;
  bool descending;
  int64_t first, count;
};

// Writes the elements of t in this part of the order, and their indices, for operation op. values
// and indices have the shape of t with size `count` in the dimension; if count is 1, the dimension
// may be missing.
void sort_range(Op op, Tensor* values, Tensor* indices, Tensor* t, const SortRange& range);

}  // namespace th

#endif
