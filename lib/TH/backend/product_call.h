#ifndef TH_BACKEND_PRODUCT_CALL_H
#define TH_BACKEND_PRODUCT_CALL_H

#include <cstdint>

#include "tensor/dtype.h"

namespace th {

// A batch of matrices in memory; strides in elements.
struct Factor {
  char* data;
  int64_t batch, row, col;
};

// c = beta c + alpha a b for each of the batches, or with the sum over them into one matrix c;
// a is m x k, b k x n. Scalars in the element type; c is not read where beta is 0. All sizes are
// at least 1. Floating point has a BLAS layout: of each factor's row and col one is 1, the other
// the leading dimension. c's matrices do not overlap, nor with a's and b's.
struct ProductCall {
  DType dtype;
  int64_t batches, m, n, k;
  bool sum;   // only on the CPU
  bool tf32;  // Float may be rounded to 10 bits before it is multiplied
  Scalar alpha, beta;
  Factor a, b, c;
};

}  // namespace th

#endif
