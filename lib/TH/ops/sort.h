#ifndef TH_OPS_SORT_H
#define TH_OPS_SORT_H

#include "base/error.h"
#include "base/op.h"
#include "ops/call.h"
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

// Checks the argument k, the number of elements of dimension dim.
template <class Arguments>
void check_k(const Arguments& a, int64_t dim, int least, const Shapes& s) {
  const auto most = as_long(a.t->size[dim]);
  if (a.k >= least && a.k <= most) return;
  s.fail(a.k, "k is %lld; expected from %d to %lld, the size of dimension %lld of %s", as_long(a.k),
         least, most, shown(dim), shape_text(*a.t).c_str());
}

}  // namespace th

#endif
