#ifndef TH_CPU_PRODUCT_KERNELS_H
#define TH_CPU_PRODUCT_KERNELS_H

// Products that BLAS does not support (integers, outer products in one pass in which 0 * inf gives
// NaN) or computes slowly (few rows, small matrices).

#include <cstdint>

#include "tensor/type_sets.h"

namespace th {

// c = beta * c + alpha * a * b, where a is m x k and b is k x n, with any strides, in elements. If
// beta is 0, c is not read. Scalars have the element type.
struct ProductBlock {
  int64_t m, n, k;
  Scalar alpha, beta;
  const char* a;
  int64_t a_row, a_col;
  const char* b;
  int64_t b_row, b_col;
  char* c;
  int64_t c_row, c_col;
};

using ProductKernel = void (*)(const ProductBlock&);
// Computes count products; step: elements from one to the next in a, b and c.
using ProductsKernel = void (*)(const ProductBlock&, int64_t count, const int64_t* step);

struct ProductKernels {
  TypeTable<ProductKernel> integer;  // null for floating point
  TypeTable<ProductKernel> outer;    // k = 1; Float and Double only
  // Products with 2 to most_rows rows and row-major b. most_rows is 0 if the instruction set does
  // not support them.
  TypeTable<ProductKernel> few_rows;
  int64_t most_rows;
  TypeTable<ProductsKernel> small;  // up to kSmallProduct rows, columns and terms each
  // Products of a matrix of a 16-bit type and a contiguous vector of floats (n = 1), for a matrix
  // with contiguous rows, and for one with contiguous columns, whose results are the sums as
  // floats. Null if the instruction set does not support them.
  TypeTable<ProductKernel> reduced_rows, reduced_columns;
};
constexpr int64_t kSmallProduct = 8;

const ProductKernels& product_kernels();

}  // namespace th

#endif
