#ifndef TH_OPS_INDEXING_H
#define TH_OPS_INDEXING_H

// Helpers shared by the operations on indices and masks.

#include "ops/operands.h"
#include "ops/ops.h"

namespace th {

// full: one index for each element. vector: one index for each position along the dimension.
enum class IndexShape { full, vector };

// The indices of an operation into one dimension of a tensor.
struct DimIndices {
  Op op;
  int dim;
  int64_t size;  // of the dimension
  Tensor* index;
  IndexShape shape;
  int argument;  // the number of the index
};
// For operations with the parameters dim, which must be wrapped, and index. t: the indexed tensor.
template <class Arguments>
DimIndices indices_of(const Arguments& a, const Tensor& t, IndexShape shape) {
  return {Arguments::op, static_cast<int>(a.dim),    t.size[a.dim], a.index,
          shape,         argument_number(a, a.index)};
}

// Checks indices on the host before r, which has not been resized, is changed: see ValueCheck. For
// shapes(); the kernel checks the other indices.
void check_indices(const DimIndices& by, const Tensor& t, const Tensor& r);

// r = elements of t at the indices. r has its final sizes. check_indices has been called.
void gather_by(const DimIndices& by, Tensor* r, Tensor* t);
// Moves, adds or fills: the elements of r at the indices become those of src, are increased by
// them, or become value if src is null. Checks the indices. Neither src nor the index shares memory
// with r.
void scatter_by(const DimIndices& by, ScatterAction action, Tensor* r, Tensor* src, Scalar value);

// Returns the bits of an element, starting from the lowest.
uint64_t element_bits(DType type, Scalar value);

}  // namespace th

#endif
