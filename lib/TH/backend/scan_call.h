#ifndef TH_BACKEND_SCAN_CALL_H
#define TH_BACKEND_SCAN_CALL_H

#include "backend/loop_plan.h"
#include "tensor/dtype.h"

namespace th {

// For each position of the plan, whose operands are output and input: cumulative sums or products
// of n elements. Steps are in bytes. Output and input may be the same memory with the same strides.
struct ScanCall {
  DType dtype;
  bool product;
  int64_t n;
  int64_t out_step, in_step;
  LoopPlan plan;
};

// For each position of the plan, whose operands are values, indices (int64_t) and input: the
// cumulative maximum or minimum and its index. Among equal elements, and among NaNs, the last one
// counts. Values and input may be the same memory with the same strides.
struct ScanExtremesCall {
  DType dtype;
  bool largest;
  int64_t n;
  int64_t value_step, index_step, in_step;
  int64_t index_base;
  LoopPlan plan;
};

}  // namespace th

// The rows of TH_KERNEL_OPS.
#define TH_SCAN_OPS(X) \
  X(scan, ScanCall)    \
  X(scan_extremes, ScanExtremesCall)

#endif
