#ifndef TH_CPU_PRODUCT_KERNELS_H
#define TH_CPU_PRODUCT_KERNELS_H

// What BLAS does not do: products of integers, and outer products in one pass that keep 0 * inf a
// NaN; or what it does slowly: products of few rows, and small ones.

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
// count products, one after the other; step: elements from one to the next in a, b and c.
using ProductsKernel = void (*)(const ProductBlock&, int64_t count, const int64_t* step);

struct ProductKernels {
  TypeTable<ProductKernel> integer;  // null for floating point
  TypeTable<ProductKernel> outer;    // k = 1; Float and Double only
  // Those, too, of 2 to most_rows rows, where b goes by rows. No rows: not with this instruction
  // set.
  TypeTable<ProductKernel> few_rows;
  int64_t most_rows;
  TypeTable<ProductsKernel> small;  // up to kSmallProduct rows, columns and terms
};
constexpr int64_t kSmallProduct = 8;

const ProductKernels& product_kernels();

}  // namespace th

#endif
