#ifndef TH_BACKEND_FUSED_CALL_H
#define TH_BACKEND_FUSED_CALL_H

#include "backend/loop_plan.h"
#include "backend/op.h"
#include "functors/reduction.h"
#include "tensor/dtype.h"

namespace th {

constexpr int kFusedSteps = 64;
constexpr int kFusedBuffers = 24;

// An element-wise row of THOps.def, applied to a block of elements. An operand is one of the
// plan's, or, from kFusedOperands on, a buffer that an earlier step wrote.
struct FusedStep {
  Op op;
  DType dtype, result;
  int8_t to, from[3];  // -1 behind the row's last operand
  DType type[3];       // of the operands
  Scalar params[2];
};

// An expression: the steps in their order, the last of which writes operand 0. Elements of buffers
// are of the type that their step gives.
struct FusedCall {
  DType dtype;  // of operand 0
  int steps, buffers;
  FusedStep step[kFusedSteps];
  int64_t grain;  // elements below which one thread is best
  FusedPlan plan;
  // With n > 0 operand 0, of which only data counts, is what each n elements, in the order of the
  // shape, are reduced to: contiguous.
  int64_t n;
  Reducer reducer;
  Finish finish;
};

}  // namespace th

#endif
