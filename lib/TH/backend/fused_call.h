#ifndef TH_BACKEND_FUSED_CALL_H
#define TH_BACKEND_FUSED_CALL_H

#include "backend/loop_plan.h"
#include "base/element_op.h"
#include "functors/reduction.h"
#include "tensor/dtype.h"

namespace th {

constexpr int kFusedSteps = 64;
constexpr int kFusedBuffers = 24;

// An element-wise operation of THOps.def, applied to a block of elements. An operand index is that
// of an operand of the plan or, from kFusedOperands on, that of a buffer written by an earlier
// step.
struct FusedStep {
  ElementOp op;
  DType dtype, result;
  int8_t to, from[3];  // -1 after the last operand of the row
  DType type[3];       // of the operands
  Scalar params[2];
};

// A fused expression: steps in order of execution; the last one writes operand 0. The elements of a
// buffer have the result type of the step that writes it.
struct FusedCall {
  DType dtype;  // of operand 0
  int steps, buffers;
  FusedStep step[kFusedSteps];
  int64_t grain;  // minimum number of elements per thread
  FusedPlan plan;
  // If n > 0, the result is reduced: each run of n elements, in the order of the shape, gives one
  // element of operand 0. Operand 0 is then contiguous and only its data pointer is used.
  int64_t n;
  Reducer reducer;
  Finish finish;
};

}  // namespace th

// The rows of TH_KERNEL_OPS.
#define TH_FUSED_OPS(X) X(fused, FusedCall)

#endif
