// Rounding of matrices to weights of 8 bits.

#include "backend/cpu_backend.h"
#include "cpu/kernels/exponentials.h"
#include "cpu/parallel.h"
#include "cpu/quantized_product.h"
#include "functors/quantize.h"
#include "tensor/type_sets.h"

namespace th {
namespace {

template <class T>
void quantize_row(const T* t, int64_t n, int8_t* q, float* scale) {
  using C = ComputeOf<T>;
  C largest = 0;
  bool has_nan = false;
  each_block(t, n, [&](int64_t, int64_t count, const C* x) {
    for (int64_t i = 0; i < count; ++i) {
      const C size = std::fabs(x[i]);
      largest = size > largest ? size : largest;
      has_nan |= size != size;
    }
  });
  const float s = *scale = scale_of(has_nan ? std::numeric_limits<C>::quiet_NaN() : largest);
  each_block(t, n, [&](int64_t first, int64_t count, const C* x) {
    for (int64_t i = 0; i < count; ++i) q[first + i] = quantized(x[i], s);
  });
}

template <class T>
void quantize(const QuantizeRowsCall& c) {
  const T* t = reinterpret_cast<const T*>(c.t);
  parallel_for(c.rows, Grain::costly / c.cols + 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      quantize_row(t + i * c.cols, c.cols, c.q + i * c.cols, c.scales + i);
    }
  });
}

}  // namespace

namespace TH_ISA {

void run_quantize_rows(const QuantizeRowsCall& call) {
  dispatch_types<FloatingTypes>(call.dtype, [&](auto zero) { quantize<decltype(zero)>(call); });
}
// multiply_quantized calls the kernels of product_kernels.
void run_quantized_product(const QuantizedProductCall& call) { multiply_quantized(call); }

}  // namespace TH_ISA
}  // namespace th
