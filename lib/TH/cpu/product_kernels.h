#ifndef TH_CPU_PRODUCT_KERNELS_H
#define TH_CPU_PRODUCT_KERNELS_H

// What BLAS does not do: products of integers, outer products in one pass that keep 0 * inf a NaN,
// and dot products with a fixed order of additions.

#include <cstdint>

#include "tensor/type_sets.h"

namespace th {

// c = beta c + alpha a b, where a is m x k and b k x n, of any layout; strides in elements. c is
// not read where beta is 0. Scalars are given in the element type.
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
using DotKernel = void (*)(const char* a, int64_t a_stride, const char* b, int64_t b_stride,
                           int64_t n, void* sum);

struct ProductKernels {
  TypeTable<ProductKernel> integer;  // null for floating point
  TypeTable<ProductKernel> outer;    // k = 1; Float and Double only
  // Sum of a[i] * b[i], strides in bytes: an int64_t for integers, otherwise a double. The lanes of
  // the sum are the same for all instruction sets.
  TypeTable<DotKernel> dot;
};

const ProductKernels& product_kernels();

}  // namespace th

#endif
