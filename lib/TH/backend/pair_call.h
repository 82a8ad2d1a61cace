#ifndef TH_BACKEND_PAIR_CALL_H
#define TH_BACKEND_PAIR_CALL_H

#include <cstdint>

#include "tensor/dtype.h"

namespace th {

// For each batch, the p-norms of the differences of all rows of a and b, in float or double:
//   r[i][j] = (sum over k of |a[i][k] - b[j][k]|^p)^(1 / p)
// If p is infinity, the largest difference; if it is 0, the number of differences other than 0. All
// tensors are contiguous and no size is 0.
struct DistancesCall {
  DType dtype;
  int64_t batches, rows, columns, length;
  double p;
  const char *a, *b;
  char* r;
};

// The products of n complex numbers in float or double: pairs of a real and an imaginary part. All
// tensors are contiguous.
struct ComplexProductCall {
  DType dtype;
  int64_t n;
  const char *a, *b;
  char* r;
};

}  // namespace th

// The rows of TH_KERNEL_OPS.
#define TH_PAIR_OPS(X)        \
  X(distances, DistancesCall) \
  X(complex_product, ComplexProductCall)

#endif
