#ifndef TH_BACKEND_SORT_CALL_H
#define TH_BACKEND_SORT_CALL_H

#include "backend/loop_plan.h"
#include "tensor/dtype.h"

namespace th {

// For each position of the plan, whose operands are the sorted values, their indices, which are
// int64_t, and the input: n elements, steps in bytes, sorted stably; NaNs are the largest. Of the
// sorted ones count are wanted, from first on. Where all are, values and input may be the same
// memory with the same strides.
struct SortCall {
  DType dtype;
  bool descending;
  int64_t n;  // devices decline more than 2^32 - 1
  int64_t first, count;
  int64_t value_step, index_step, in_step;
  int64_t index_base;
  LoopPlan plan;
};

}  // namespace th

#endif
