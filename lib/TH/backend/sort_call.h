#ifndef TH_BACKEND_SORT_CALL_H
#define TH_BACKEND_SORT_CALL_H

#include "backend/loop_plan.h"
#include "tensor/dtype.h"

namespace th {

// For each position of the plan, whose operands are values, indices (int64_t) and input: sorts n
// elements stably; NaN is larger than all numbers. Steps are in bytes. Only `count` elements of the
// sorted order are written, starting with element `first`. If all are, values and input may be the
// same memory with the same strides.
struct SortCall {
  DType dtype;
  bool descending;
  int64_t n;  // more than 2^32 - 1 are unsupported on devices
  int64_t first, count;
  int64_t value_step, index_step, in_step;
  int64_t index_base;
  LoopPlan plan;
};

// The distinct values of n elements in ascending order, if there are at most `most` of them and no
// NaN. *found is their number, otherwise -1; then the results are undefined. Devices do not support
// this call and the next one.
struct DistinctCall {
  DType dtype;
  int64_t n, most;
  int64_t index_base;
  const char* in;    // contiguous
  char* values;      // the first occurrence of each value
  int64_t* numbers;  // of the value of each element
  int64_t* counts;   // elements with each value
  int64_t* firsts;   // indices of the first occurrences
  int64_t* found;
};

// The distinct values of n elements in ascending order, without positions. *found is their number,
// otherwise -1, for elements with NaN or -0; then the values are undefined. values and counts have
// memory for n values, or for all values that a type of 1 or 2 bytes has.
struct DistinctValuesCall {
  DType dtype;
  int64_t n;
  const char* in;  // contiguous
  char* values;
  int64_t* counts;  // of the elements with each value; may be null
  int64_t* found;
};

}  // namespace th

// The rows of TH_KERNEL_OPS.
#define TH_SORT_OPS(X)      \
  X(sort, SortCall)         \
  X(distinct, DistinctCall) \
  X(distinctValues, DistinctValuesCall)

#endif
