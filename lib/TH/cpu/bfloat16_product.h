#ifndef TH_CPU_BFLOAT16_PRODUCT_H
#define TH_CPU_BFLOAT16_PRODUCT_H

// Products of matrices of 16-bit floats by instructions for BFloat16: AVX512-BF16 or AMX.

#include "backend/product_call.h"
#include "cpu/product_kernels.h"

namespace th {

// A sum of products: the number of factors, and the elements from one to the next.
struct BatchSum {
  int64_t batches, a_step, b_step;
};

// Computes a block of c whose a and b have BLAS layouts. depth: that of the parts of b that are
// packed, from bfloat16_sizes(). memory: its bytes() for a block of this size or larger, aligned to
// 64 bytes.
using BFloat16Product = void (*)(const ProductBlock&, const BatchSum&, int64_t depth, void* memory);
struct BFloat16Products {
  BFloat16Product bfloat16, half;  // null: float copies are faster
  BFloat16Product to_float;        // of BFloat16 factors, with float results
};

// The sizes of the sums in memory, rows x cols, and of the packed factors: cols x depth of b, and a
// panel of a. A Half is packed as two BFloat16: as 2 parts.
struct BFloat16Sizes {
  static constexpr int64_t kPanel = 32;
  static constexpr int64_t kPackedDepth = 512;  // of a panel of a, which stays in the L1 cache
  int64_t rows, cols, depth;
  int parts;
  static int64_t whole(int64_t size) { return (size + kPanel - 1) / kPanel * kPanel; }
  int64_t bytes() const {
    return parts * (4 * rows * cols + 2 * (cols * depth + kPanel * kPackedDepth));
  }
};
static inline BFloat16Sizes bfloat16_sizes(int64_t m, int64_t n, int64_t k, int parts,
                                           int64_t batches) {
  constexpr int64_t kMost = 1 << 19, kStep = BFloat16Sizes::kPackedDepth;
  const auto whole = &BFloat16Sizes::whole;
  const int64_t cols = whole(n), steps = (k + kStep - 1) / kStep;
  const int64_t room = kMost / parts / cols / kStep, most = room > 1 ? room : 1;
  // If b is packed at once, the sums of a panel are complete before those of the next one begin.
  if (steps <= most)
    return {batches == 1 ? BFloat16Sizes::kPanel : whole(m), cols, whole(k), parts};
  const int64_t count = (steps + most - 1) / most;
  return {whole(m), cols, (steps + count - 1) / count * kStep, parts};
}

// Returns null if the CPU or the build has no such instructions for the type, or TENSOR_ISA
// excludes them.
BFloat16Product bfloat16_product(DType dtype);
// The same for BFloat16 factors and float results.
BFloat16Product bfloat16_product_to_float();

}  // namespace th

#endif
