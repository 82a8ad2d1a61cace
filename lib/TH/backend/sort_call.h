#ifndef TH_BACKEND_SORT_CALL_H
#define TH_BACKEND_SORT_CALL_H

#include "tensor/dtype.h"

namespace th {

// Sorts each of the rows of n elements, stably; NaNs are the largest. All are contiguous and share
// no memory.
struct SortCall {
  DType dtype;
  bool descending;
  int64_t rows;
  int64_t n;  // devices decline more than 2^32 - 1
  const char* in;
  char* values;
  int64_t* indices;
  int64_t index_base;
};

}  // namespace th

#endif
