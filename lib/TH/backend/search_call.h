#ifndef TH_BACKEND_SEARCH_CALL_H
#define TH_BACKEND_SEARCH_CALL_H

#include "backend/loop_plan.h"
#include "tensor/dtype.h"

namespace th {

// For each position of the plan, whose operands are the places, which are int64_t, the wanted
// values, and the first of n sorted elements: how many of these come before the value, or, where
// right, are no larger; in the order of sorting.
struct SearchCall {
  DType dtype;
  bool right;
  int64_t n, step;  // bytes from one sorted element to the next
  int64_t index_base;
  LoopPlan plan;
};

}  // namespace th

#endif
