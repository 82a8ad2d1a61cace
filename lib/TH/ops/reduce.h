#ifndef TH_OPS_REDUCE_H
#define TH_OPS_REDUCE_H

// Reductions by one kernel call, and the table of the reductions that are computed so.

#include "backend/reduce_call.h"
#include "base/op.h"
#include "ops/ops.h"

namespace th {

struct Reduction {
  Reducer reducer;
  Finish finish = Finish::none;
  double parameter = 0;  // for Reducer::powers, Reducer::huber and Finish::root
};

// Reduces all elements of a. With a transform other than none, reduces its values for pairs of
// elements of a and b, which have equal sizes. finish is not applied.
Partial reduce_all(Op op, const Reduction& reduction, Tensor* a,
                   Transform transform = Transform::none, Tensor* b = nullptr);
// Returns the number that reduces n elements. type: of the elements.
Scalar finish_all(const Reduction& reduction, const Partial& partial, int64_t n, DType type);

// Reduces dimension d of t. r has the type of t. On the CPU it may have another type of the same
// kind, floating-point or integral, and a mean of integers may be a DoubleTensor. r and indices (or
// null) are contiguous and share no memory with t. Their elements are the results in row-major
// order. If the dimension has no elements, r is filled with the reduction of nothing and indices
// must be null.
void reduce_dim(Op op, const Reduction& reduction, Tensor* r, Tensor* indices, Tensor* t, int d);

// The reduction of a p-norm.
Reduction norm_of(double p);

// A reduction that THOps.def computes by one kernel. op: the operation for one dimension.
struct KernelReduction {
  const char* name;  // in Lua
  Op op;
  Reducer reducer;
  Finish finish;
  bool floating;  // floating-point types only
  // Reduces a dimension, which keeps size 1.
  void (*reduce)(Tensor* r, Tensor* t, int64_t dim);
};
// Return null if no row matches.
const KernelReduction* find_reduction(const char* name);
const KernelReduction* find_reduction(Op op);

inline Scalar to_scalar(Wide value, DType type) {
  return is_integral(type) ? Scalar(value.i) : Scalar(value.d);
}

}  // namespace th

#endif
