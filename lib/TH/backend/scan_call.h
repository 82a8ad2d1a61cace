#ifndef TH_BACKEND_SCAN_CALL_H
#define TH_BACKEND_SCAN_CALL_H

#include "backend/loop_plan.h"
#include "tensor/dtype.h"

namespace th {

// For each position of the plan, whose operands are the output and the input: running sums or
// products of n elements, steps in bytes. Both may be the same memory with the same strides.
struct ScanCall {
  DType dtype;
  bool product;
  int64_t n;
  int64_t out_step, in_step;
  LoopPlan plan;
};

}  // namespace th

#endif
