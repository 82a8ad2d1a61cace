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

// counts[k] = the number of elements of x in bin k: edges[k] <= x < edges[k + 1]. The last bin
// includes its upper edge. Elements outside, and NaN, are in no bin. The edges ascend; bins >= 1.
// Without edges, which is for integers only, counts[k] = the number of elements equal to first + k,
// and there are no other elements. All arrays are contiguous.
struct HistogramCall {
  DType dtype;
  int64_t n, bins;
  const char* x;
  const char* edges;  // bins + 1 of them, or null
  int64_t first;
  int64_t* counts;
};

}  // namespace th

// The rows of TH_KERNEL_OPS.
#define TH_SEARCH_OPS(X) \
  X(search, SearchCall)  \
  X(histogram, HistogramCall)

#endif
