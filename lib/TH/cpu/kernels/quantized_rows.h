#ifndef TH_CPU_KERNELS_QUANTIZED_ROWS_H
#define TH_CPU_KERNELS_QUANTIZED_ROWS_H

// Products of a few rows of floats and weights of 8 bits. Weights are converted in registers, so
// that memory is read once.

#include "cpu/kernels/prefetch.h"
#include "cpu/kernels/vectors.h"
#include "cpu/product_kernels.h"

#ifdef TH_HAVE_VECTORS

namespace th {
namespace {

class QuantizedRows {
 public:
  static constexpr int64_t kMostRows = vector::kBytes == 64 ? kMostQuantizedRows : 20;

  // The order of a sum depends on m only.
  static void run(const QuantizedBlock& p) {
    int64_t j = 0;
    for (; !p.one_by_one && j + kRows <= p.n; j += kRows) rows<kRows>(p, j);
    for (; j < p.n; ++j) rows<1>(p, j);
  }

 private:
  using V = vector::F32;
  static constexpr int kMost = 4;  // rows of x of one pass over some weights
  static constexpr int kLanes = sizeof(V) / sizeof(float);
  static constexpr int kRows = kLanes == 16 ? 4 : 2;  // of weights; their sums fit into registers
  // Weights from a load to a prefetch, of several rows and of a single one, in which the processor
  // finds the later ones itself.
  static constexpr int64_t kAhead = 1024, kAheadOfOne = 128;

  static V load(const int8_t* w) {
#ifdef __AVX512F__
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(w));
    return _mm512_maskz_cvtepi32_ps(0xffff, _mm512_maskz_cvtepi8_epi32(0xffff, bytes));
#else
    const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(w));
    return _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(bytes));
#endif
  }

  template <int n>
  static void rows(const QuantizedBlock& p, int64_t j0) {
    int64_t i = 0;
    for (; i + kMost <= p.m; i += kMost) part<n, kMost, 1>(p, i, j0);
    if (p.m - i == 1) part<n, 1, 2>(p, i, j0);
    if (p.m - i == 2) part<n, 2, 2>(p, i, j0);
    if (p.m - i == 3) part<n, 3, 1>(p, i, j0);
  }

  // n rows of weights times m rows of x, whose sums have `chains` independent parts.
  template <int n, int m, int chains>
  static void part(const QuantizedBlock& p, int64_t i0, int64_t j0) {
    const float* x = p.x + i0 * p.k;
    const int8_t* w = p.weight + j0 * p.step;
    const int64_t k = p.k, step = p.step;
    constexpr int64_t kStep = chains * kLanes;
    V sum[n][m][chains] = {};
    int64_t l = 0;
    for (; l + kStep <= k; l += kStep) {
      // Behind the end of these rows, the next ones begin.
      const int64_t next = l + (n == 1 ? kAheadOfOne : kAhead);
      const int64_t ahead = next < k ? next : next - k + n * step;
      if (l % 64 == 0) {
        for (int j = 0; j < n; ++j) prefetch(w + j * step, ahead);
      }
      for (int chain = 0; chain < chains; ++chain) {
        const int64_t at = l + chain * kLanes;
        V line[n];
        for (int j = 0; j < n; ++j) line[j] = load(w + j * step + at);
        for (int i = 0; i < m; ++i) {
          const V factor = vector::load<V>(x + i * k + at);
          for (int j = 0; j < n; ++j) {
            sum[j][i][chain] = vector::fma(line[j], factor, sum[j][i][chain]);
          }
        }
      }
    }
    for (int i = 0; i < m; ++i) {
      for (int j = 0; j < n; ++j) {
        V lanes = sum[j][i][0];
        for (int chain = 1; chain < chains; ++chain) lanes += sum[j][i][chain];
        float total = vector::sum_of_lanes(lanes);
        for (int64_t r = l; r < k; ++r) total += static_cast<float>(w[j * step + r]) * x[i * k + r];
        p.sums[(i0 + i) * p.n + j0 + j] = total;
      }
    }
  }
};

}  // namespace
}  // namespace th

#endif  // TH_HAVE_VECTORS

#endif
