#ifndef TH_BACKEND_SCAN_CALL_H
#define TH_BACKEND_SCAN_CALL_H

#include "tensor/dtype.h"

namespace th {

// Running sums or products along the middle dimension of [outer x n x inner]; in and out are
// contiguous, and may be the same.
struct DeviceScanCall {
  DType dtype;
  bool product;
  int64_t outer, n, inner;
  const char* in;
  char* out;
};

}  // namespace th

#endif
