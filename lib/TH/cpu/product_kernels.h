#ifndef TH_CPU_PRODUCT_KERNELS_H
#define TH_CPU_PRODUCT_KERNELS_H

// Products that BLAS does not support (integers, outer products in one pass in which 0 * inf gives
// NaN) or computes slowly (few rows, small matrices).

#include <algorithm>
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
  // The panel kernel writes c past the caches. Requires beta = 0, and lines that begin at multiples
  // of kVectorBytes.
  bool streams = false;
  // The kernel of rows reads them one by one, which is faster if a is in no cache.
  bool one_by_one = false;
};

// sums[i][j] = the sum of x[i][l] * weight[j][l], for contiguous x, m x k, and sums, m x n. weight:
// n rows of k contiguous elements, `step` elements apart.
struct QuantizedBlock {
  int64_t m, n, k;
  const float* x;
  const int8_t* weight;
  int64_t step;
  float* sums;
  bool one_by_one;  // reads rows of weights one by one, which is faster if they are in no cache
};

using ProductKernel = void (*)(const ProductBlock&);
// memory: panel_bytes(type, n).
using PanelKernel = void (*)(const ProductBlock&, void* memory);
// Computes count products; step: elements from one to the next in a, b and c.
using ProductsKernel = void (*)(const ProductBlock&, int64_t count, const int64_t* step);

struct ProductKernels {
  TypeTable<ProductKernel> integer;  // null for floating point
  TypeTable<ProductKernel> outer;    // k = 1; Float and Double only
  // Products with 2 to most_rows rows and row-major b. most_rows is 0 if the instruction set does
  // not support them.
  TypeTable<ProductKernel> few_rows;
  int64_t most_rows;
  // Products in blocks that stay in the caches; null if the instruction set does not support them.
  TypeTable<PanelKernel> panels;
  // Up to kSmallProduct rows, columns and terms each; or one contiguous row and column.
  TypeTable<ProductsKernel> small;
  // Products of a matrix of a 16-bit type and a contiguous vector of floats (n = 1), for a matrix
  // with contiguous rows, and for one with contiguous columns. The results of the latter are the
  // sums, as floats. Null if the instruction set does not support them.
  TypeTable<ProductKernel> reduced_rows, reduced_columns;
  // Products of weights of 8 bits with up to most_quantized_rows rows of x; more are faster as
  // products of floats. 0 and null if the instruction set does not support them.
  void (*quantized_rows)(const QuantizedBlock&);
  int64_t most_quantized_rows;
};
constexpr int64_t kSmallProduct = 16;
constexpr int64_t kMostQuantizedRows = 48;  // of all instruction sets

// The rows of a in a panel, and the bytes of each line of a panel of b.
constexpr int64_t kPanelRows = 14, kPanelBytes = 128;
// The rows of a and the panels of b that a product by panels copies at a time, and their terms.
constexpr int64_t kPanelTile = 16 * kPanelRows, kPanelsOfB = 32, kPanelDepth = 256;
// The memory for these rows, an unused line, and panels of b with this number of columns.
inline int64_t panel_bytes(DType type, int64_t cols) {
  const auto item = static_cast<int64_t>(item_size(type));
  const int64_t panels = std::min(kPanelsOfB, (cols * item + kPanelBytes - 1) / kPanelBytes);
  return kPanelDepth * (kPanelTile * item + panels * kPanelBytes) + kPanelBytes;
}

const ProductKernels& product_kernels();

}  // namespace th

#endif
