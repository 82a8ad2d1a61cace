// Derivatives of products with weights of 8 bits.

#include "grad/functions.h"

namespace th::grad {

// The weights are integers, which have no gradients.
void quantized_linear_slopes(Backward& b) {
  constexpr int kT = 1, kWeight = 2, kScales = 3;
  const Var t = b.value(kT), weight = b.value(kWeight), scales = b.value(kScales);
  const int64_t n = weight->size[0], k = weight->size[1];
  if (t->numel() == 0 || n == 0) return;
  const DType type = compute_type(t->dtype);
  const int64_t rows = t->numel() / k, g_size[] = {rows, n}, t_size[] = {rows, k}, one[] = {1, n};
  const Var g = reshaped(converted(b.gradient(), type), 2, g_size);
  const Var w = converted(weight, type);
  if (b.wants(kT)) {
    const Var scaled = g * reshaped(converted(scales, type), 2, one);
    b.give(kT, reshaped(mm(scaled, w), t->nDimension, t->size));
  }
  if (b.wants(kScales)) {
    const Var sums = mm(reshaped(converted(t, type), 2, t_size), transposed(w));
    const int64_t dims[] = {0};
    b.give(kScales, sumDims(g * sums, Sizes{1, dims}, false));
  }
}

}  // namespace th::grad
