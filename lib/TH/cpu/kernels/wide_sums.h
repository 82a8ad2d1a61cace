#ifndef TH_CPU_KERNELS_WIDE_SUMS_H
#define TH_CPU_KERNELS_WIDE_SUMS_H

// Sums in double of kSumLanes columns, which stay in registers: of elements, or of the products of
// two operands' elements. Compilers do not get there by
// themselves; the results are those of the plain loops.

#include <cstdint>

#ifdef __AVX2__
#include <immintrin.h>
#endif

namespace th {
namespace {

constexpr int64_t kSumLanes = 32;

#if defined(__AVX512F__)
struct Doubles {
  static constexpr int64_t lanes = 8;
  __m512d value;
  static Doubles of(const double* at) { return {_mm512_loadu_pd(at)}; }
  static Doubles of(const float* at) { return {_mm512_maskz_cvtps_pd(0xff, _mm256_loadu_ps(at))}; }
  void store(double* at) const { _mm512_storeu_pd(at, value); }
  Doubles operator+(Doubles other) const { return {_mm512_add_pd(value, other.value)}; }
  Doubles operator*(Doubles other) const { return {_mm512_mul_pd(value, other.value)}; }
};
#elif defined(__AVX2__)
struct Doubles {
  static constexpr int64_t lanes = 4;
  __m256d value;
  static Doubles of(const double* at) { return {_mm256_loadu_pd(at)}; }
  static Doubles of(const float* at) { return {_mm256_cvtps_pd(_mm_loadu_ps(at))}; }
  void store(double* at) const { _mm256_storeu_pd(at, value); }
  Doubles operator+(Doubles other) const { return {_mm256_add_pd(value, other.value)}; }
  Doubles operator*(Doubles other) const { return {_mm256_mul_pd(value, other.value)}; }
};
#endif

#ifdef __AVX2__
template <class... T>
inline void add_rows(int64_t n, double* sum, const T*... x) {
  constexpr int64_t lanes = Doubles::lanes, parts = kSumLanes / lanes;
  Doubles part[parts];
#pragma GCC unroll 8
  for (int64_t k = 0; k < parts; ++k) part[k] = Doubles::of(sum + k * lanes);
  for (int64_t i = 0; i < n * kSumLanes; i += kSumLanes) {
#pragma GCC unroll 8
    for (int64_t k = 0; k < parts; ++k) {
      part[k] = part[k] + (Doubles::of(x + i + k * lanes) * ...);
    }
  }
#pragma GCC unroll 8
  for (int64_t k = 0; k < parts; ++k) part[k].store(sum + k * lanes);
}
#else
template <class... T>
inline void add_rows(int64_t n, double* sum, const T*... x) {
  for (int64_t i = 0; i < n * kSumLanes; i += kSumLanes) {
    for (int64_t j = 0; j < kSumLanes; ++j) sum[j] += (static_cast<double>(x[i + j]) * ...);
  }
}
#endif

}  // namespace
}  // namespace th

#endif
