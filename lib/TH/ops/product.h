#ifndef TH_OPS_PRODUCT_H
#define TH_OPS_PRODUCT_H

#include "tensor/tensor.h"

namespace th {

// A batch of matrices in memory; strides in elements.
struct Factor {
  char* data;
  int64_t batch, row, col;
};

// c = beta c + alpha a b for each of the batches, or with the sum over them into one matrix c;
// a is m x k, b k x n. No type of 16-bit floats; scalars in the element type.
struct Product {
  DType dtype;
  int64_t batches, m, n, k;
  bool sum;
  Scalar alpha, beta;
  Factor a, b, c;
};

// Whether BLAS can take the matrices as they lie; where so, strides that do not matter are set so
// that one is 1 and the other the leading dimension.
bool has_blas_layout(Factor* factor, int64_t rows, int64_t cols);

// All sizes at least 1. For Float and Double all three factors need a BLAS layout; c's matrices
// must not overlap. Does not throw or allocate.
void multiply(const Product& p);

}  // namespace th

#endif
