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
// element type. If beta is 0, c is not read. Floating-point factors have a BLAS layout. The
// matrices of c overlap neither each other nor a and b.
struct ProductCall {
  DType dtype;
  int64_t batches, m, n, k;
  bool sum;
  bool tf32;  // factors of type Float may be rounded to 10 bits of mantissa
  Scalar alpha, beta;
  Factor a, b, c;
};

// Returns true if the rows (or columns) of a matrix of this size are contiguous, and at least as
// far apart as they are long. The stride of a dimension of size 1 does not count.
constexpr bool has_contiguous_rows(const Factor& f, int64_t rows, int64_t cols) {
  return (f.col == 1 || cols == 1) && (f.row >= cols || rows == 1);
}
constexpr bool has_contiguous_columns(const Factor& f, int64_t rows, int64_t cols) {
  return has_contiguous_rows({f.data, f.batch, f.col, f.row}, cols, rows);
}
constexpr bool has_blas_layout(const Factor& f, int64_t rows, int64_t cols) {
  return has_contiguous_rows(f, rows, cols) || has_contiguous_columns(f, rows, cols);
}

}  // namespace th

// The rows of TH_KERNEL_OPS.
#define TH_PRODUCT_OPS(X) X(product, ProductCall)

#endif
