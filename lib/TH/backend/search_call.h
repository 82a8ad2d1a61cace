#ifndef TH_BACKEND_SEARCH_CALL_H
#define TH_BACKEND_SEARCH_CALL_H

#include "backend/loop_plan.h"
#include "tensor/dtype.h"

namespace th {

// For each position of the plan, whose operands are results (int64_t), values, and the first of n
// sorted elements: the number of sorted elements less than the value or, if right, not greater than
// it, plus index_base. NaNs are ordered as in sorting.
struct SearchCall {
  DType dtype;
  bool right;
  int64_t n, step;  // bytes from one sorted element to the next
  int64_t index_base;
  LoopPlan plan;
};

}  // namespace th

// The rows of TH_KERNEL_OPS.
#define TH_SEARCH_OPS(X) X(search, SearchCall)

#endif
