#ifndef TH_BACKEND_REDUCE_CALL_H
#define TH_BACKEND_REDUCE_CALL_H

#include "backend/loop_plan.h"
#include "functors/reduction.h"
#include "tensor/dtype.h"

namespace th {

// What is reduced: elements of one operand, or what each pair of two becomes.
enum class Transform : int {
  none,
  difference,  // of floating point
  product,     // for Reducer::sum, of vectors; of integers modulo 2^64
  unequal,     // for Reducer::sum: 0 where no pair is unequal, else at least 1
};

// out = all elements of the plan, whose operands are the inputs. The result is not finished. With
// moment, for Reducer::sum, out->aux is written too.
struct ReduceAllCall {
  Reducer reducer;
  Transform transform;
  bool moment;
  DType dtype;
  double parameter;
  LoopPlan plan;
  Partial* out;
};

// For each element of the plan, whose operands are the input and the output: n elements of the
// input, step bytes apart. Outputs lie in the shape's order, one after the other. indices: null, or
// as many elements as the output, with its layout.
struct ReduceDimCall {
  Reducer reducer;
  Finish finish;
  bool moment;  // as above, for finish
  DType dtype;
  double parameter;
  int64_t n;
  int64_t step;
  LoopPlan plan;
  int64_t* indices;
  int64_t index_base;
};

}  // namespace th

#endif
