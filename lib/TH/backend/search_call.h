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
//
// Without edges, the bins of integers are the numbers from first on, and there are no elements of
// another value. Floating-point numbers from low to high have the bin
// (x - low) / (high - low) * bins, rounded down, or the last one. Each step is rounded to the type.
// low < high, and their difference is finite in the type. Floats have less than 2^31 bins. Only for
// these bins may there be several rows of n elements, each with counts of its own.
//
// All arrays are contiguous.
struct HistogramCall {
  DType dtype;
  int64_t n, bins;
  const char* x;
  const char* edges;  // bins + 1 of them, or null
  int64_t* counts;
  int64_t first = 0;
  double low = 0, high = 0;
  int64_t rows = 1;
};

}  // namespace th

// The rows of TH_KERNEL_OPS.
#define TH_SEARCH_OPS(X) \
  X(search, SearchCall)  \
  X(histogram, HistogramCall)

#endif
