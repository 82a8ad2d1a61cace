#ifndef TH_BACKEND_DISTANCE_CALL_H
#define TH_BACKEND_DISTANCE_CALL_H

#include <cstdint>

#include "tensor/dtype.h"

namespace th {

// For each batch, the p-norms of the differences of all rows of a and b, in float or double.
//   r[i][j] = (sum over k of |a[i][k] - b[j][k]|^p)^(1 / p).
// For p = infinity it is the largest difference, and for p = 0 the number of differences other than
// 0. All tensors are contiguous and no size is 0.
struct DistancesCall {
  DType dtype;
  int64_t batches, rows, columns, length;
  double p;
  bool squared;  // for p = 2: without the root
  const char *a, *b;
  char* r;
};

}  // namespace th

// The rows of TH_KERNEL_OPS.
#define TH_DISTANCE_OPS(X) X(distances, DistancesCall)

#endif
