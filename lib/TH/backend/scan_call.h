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

// For each position of the plan, whose operands are the values, their indices, which are int64_t,
// and the input: the largest or smallest of all elements up to each, the last of equal ones, or the
// last NaN. Values and input may be the same memory with the same strides.
struct ScanExtremesCall {
  DType dtype;
  bool largest;
  int64_t n;
  int64_t value_step, index_step, in_step;
  int64_t index_base;
  LoopPlan plan;
};

}  // namespace th

#endif
