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

// Computes a block of c whose a and b have BLAS layouts. depth: that of the parts in which sums are
// computed, from bfloat16_sizes(). memory: its bytes() for a block of this size or larger, aligned
// to 64 bytes.
using BFloat16Product = void (*)(const ProductBlock&, const BatchSum&, int64_t depth, void* memory);
struct BFloat16Products {
  BFloat16Product bfloat16, half;  // null: float copies are faster
};

// The sizes of packed factors. A Half is packed as two BFloat16: as 2 parts.
struct BFloat16Sizes {
  int64_t rows, cols, depth;
  int parts;
  static int64_t whole(int64_t size) { return (size + 31) / 32 * 32; }
  int64_t bytes() const { return parts * (4 * rows * cols + 2 * (cols + 32) * depth); }
};
static inline BFloat16Sizes bfloat16_sizes(int64_t m, int64_t n, int64_t k, int parts) {
  const auto whole = &BFloat16Sizes::whole;
  constexpr int64_t kMost = 1 << 18, kLeast = 512;
  const int64_t rows = whole(m), cols = whole(n);
  const int64_t most = kMost / cols > kLeast ? kMost / cols : kLeast, count = (k + most - 1) / most;
  return {rows, cols, whole((k + count - 1) / count), parts};
}

// Returns null if the CPU or the build has no such instructions for the type, or TENSOR_ISA
// excludes them.
BFloat16Product bfloat16_product(DType dtype);

}  // namespace th

#endif
