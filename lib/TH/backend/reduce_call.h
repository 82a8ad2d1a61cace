#ifndef TH_BACKEND_REDUCE_CALL_H
#define TH_BACKEND_REDUCE_CALL_H

#include "backend/loop_plan.h"
#include "functors/reduction.h"
#include "tensor/dtype.h"

namespace th {

// The values that are reduced: the elements of one operand, or a function of pairs of elements.
enum class Transform : int {
  none,
  difference,  // floating-point types only
  product,     // for Reducer::sum of vectors; integers wrap modulo 2^64
  unequal,     // for Reducer::sum: 0 if all pairs are equal, else at least 1
};

// Reduces all elements of the plan, whose operands are all inputs, to *out. The result still has to
// be finished (see Finish). With moment (for Reducer::sum), also writes out->aux.
struct ReduceAllCall {
  Reducer reducer;
  Transform transform;
  bool moment;
  DType dtype;
  double parameter;
  LoopPlan plan;
  Partial* out;
};

// For each position of the plan, whose operands are input and output: reduces n elements of the
// input, which are step bytes apart. The outputs are contiguous, in the order of the shape.
// indices: null, or an array with as many elements as the output.
struct ReduceDimCall {
  Reducer reducer;
  Finish finish;
  bool moment;  // also compute out->aux, which some values of finish need
  DType dtype;
  // Element type of the output: dtype. On the CPU it may be another floating-point type for
  // floating-point elements, Long for integers, or Double for a mean of integers.
  DType result;
  double parameter;
  int64_t n;
  int64_t step;
  LoopPlan plan;
  int64_t* indices;
  int64_t index_base;
};

}  // namespace th

// The rows of TH_KERNEL_OPS.
#define TH_REDUCE_OPS(X)       \
  X(reduce_all, ReduceAllCall) \
  X(reduce_dim, ReduceDimCall)

#endif
