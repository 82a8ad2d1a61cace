#ifndef TH_BACKEND_PRODUCT_CALL_H
#define TH_BACKEND_PRODUCT_CALL_H

#include <cstdint>

#include "tensor/dtype.h"

namespace th {

// A batch of matrices; strides in elements.
struct Factor {
  char* data;
  int64_t batch, row, col;
};

// For each batch: c = beta * c + alpha * a * b. If sum is set, the products are summed over the
// batches into a single c. a is m x k, b is k x n; all sizes are at least 1. Scalars have the
// element type. If beta is 0, c is not read. Floating-point factors have a BLAS layout: one of row
// and col is 1, the other is the leading dimension. The matrices of c overlap neither each other
// nor a and b.
struct ProductCall {
  DType dtype;
  int64_t batches, m, n, k;
  bool sum;
  bool tf32;  // factors of type Float may be rounded to 10 bits of mantissa
  Scalar alpha, beta;
  Factor a, b, c;
};

}  // namespace th

// The rows of TH_KERNEL_OPS.
#define TH_PRODUCT_OPS(X) X(product, ProductCall)

#endif
