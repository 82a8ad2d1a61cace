#ifndef TH_CPU_KERNELS_REDUCED_PRODUCT_H
#define TH_CPU_KERNELS_REDUCED_PRODUCT_H

// Products of a matrix of 16-bit floats and a vector of floats: the block has n = 1 and b_row = 1.
// Elements of a are converted in registers, so that memory is read once. Sums are computed in
// float. The order of a sum does not depend on the number of rows.

#include "cpu/kernels/prefetch.h"
#include "cpu/kernels/vectors.h"
#include "cpu/product_kernels.h"
#include "tensor/convert.h"

#ifdef TH_HAVE_VECTORS

namespace th {
namespace {

inline vector::F32 load_as_float(const Half* p) {
#ifdef __AVX512F__
  return _mm512_maskz_cvtph_ps(0xffff, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
#else
  return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
#endif
}
inline vector::F32 load_as_float(const BFloat16* p) {
#ifdef __AVX512F__
  const __m256i half = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  return (vector::F32)_mm512_maskz_slli_epi32(0xffff, _mm512_maskz_cvtepu16_epi32(0xffff, half),
                                              16);
#else
  const __m128i half = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  return (vector::F32)_mm256_slli_epi32(_mm256_cvtepu16_epi32(half), 16);
#endif
}

template <class T>
class ReducedProduct {
 public:
  // a has contiguous rows.
  static void by_rows(const ProductBlock& p) {
    int64_t i = 0;
    for (; !p.one_by_one && i + kRows <= p.m; i += kRows) sum_rows<kRows>(p, i);
    for (; i < p.m; ++i) sum_rows<1>(p, i);
  }

  // a has contiguous columns. Writes the sums a * b to c, which are floats; alpha and beta are not
  // used.
  static void by_columns(const ProductBlock& p) {
    const float* b = reinterpret_cast<const float*>(p.b);
    for (int64_t first = 0; first < p.m; first += kHeight) {
      const int64_t rows = p.m - first < kHeight ? p.m - first : kHeight;
      float* sums = reinterpret_cast<float*>(p.c) + first;
      for (int64_t i = 0; i < rows; ++i) sums[i] = 0;
      const T* a = reinterpret_cast<const T*>(p.a) + first;
      int64_t k = 0;
      for (; k + kColumns <= p.k; k += kColumns) {
        add_columns<kColumns>(a + k * p.a_col, p.a_col, b + k, rows, sums);
      }
      for (; k < p.k; ++k) add_columns<1>(a + k * p.a_col, p.a_col, b + k, rows, sums);
    }
  }

 private:
  using V = vector::F32;
  static constexpr int kLanes = sizeof(V) / sizeof(float);
  static constexpr int kRows = 4;       // of one pass over the vector
  static constexpr int kChains = 2;     // independent sums of a row
  static constexpr int kColumns = 4;    // of one pass over the sums
  static constexpr int kHeight = 4096;  // of a block whose sums stay in the L1 cache
  // Elements of a row from a load to a prefetch. The processor finds the next elements of short
  // rows, and of several columns, too late. In a single row it finds the later ones itself.
  static constexpr int kAhead = 512, kAheadOfOne = 64;

  static void finish(const ProductBlock& p, int64_t i, float sum) {
    T& c = reinterpret_cast<T*>(p.c)[i * p.c_row];
    float result = static_cast<float>(p.alpha.d) * sum;
    if (p.beta.d != 0) result += static_cast<float>(p.beta.d) * load(c);
    c = convert<T>(result);
  }

  // Sums of contiguous elements.
  template <int rows>
  static void sum_rows(const ProductBlock& p, int64_t i) {
    const T* a = reinterpret_cast<const T*>(p.a) + i * p.a_row;
    const float* b = reinterpret_cast<const float*>(p.b);
    V sum[rows][kChains] = {};
    int64_t k = 0;
    for (; k + kChains * kLanes <= p.k; k += kChains * kLanes) {
      // Behind the end of these rows, the next ones begin.
      const int64_t next = k + (rows == 1 ? kAheadOfOne : kAhead);
      const int64_t ahead = next < p.k ? next : next - p.k + rows * p.a_row;
      for (int r = 0; r < rows; ++r) prefetch(a + r * p.a_row, ahead);
      for (int chain = 0; chain < kChains; ++chain) {
        const V factor = vector::load<V>(b + k + chain * kLanes);
        for (int r = 0; r < rows; ++r) {
          const V line = load_as_float(a + r * p.a_row + k + chain * kLanes);
          sum[r][chain] = vector::fma(line, factor, sum[r][chain]);
        }
      }
    }
    for (int r = 0; r < rows; ++r) {
      V lanes = sum[r][0];
      for (int chain = 1; chain < kChains; ++chain) lanes += sum[r][chain];
      float total = vector::sum_of_lanes(lanes);
      for (int64_t l = k; l < p.k; ++l) total += load(a[r * p.a_row + l]) * b[l];
      finish(p, i + r, total);
    }
  }

  // Adds columns k ... k + columns - 1 of some rows to their sums.
  template <int columns>
  static void add_columns(const T* a, int64_t step, const float* b, int64_t rows, float* sums) {
    V factor[columns];
    for (int k = 0; k < columns; ++k) factor[k] = vector::all<V>(b[k]);
    int64_t i = 0;
    for (; i + 2 * kLanes <= rows; i += 2 * kLanes) {
      V sum = vector::load<V>(sums + i), next = vector::load<V>(sums + i + kLanes);
      for (int k = 0; k < columns; ++k) {
        prefetch(a + k * step, i + columns * step);
        sum = vector::fma(load_as_float(a + k * step + i), factor[k], sum);
        next = vector::fma(load_as_float(a + k * step + i + kLanes), factor[k], next);
      }
      vector::store(sums + i, sum);
      vector::store(sums + i + kLanes, next);
    }
    for (; i < rows; ++i) {
      for (int k = 0; k < columns; ++k) {
        sums[i] = __builtin_fmaf(load(a[k * step + i]), b[k], sums[i]);
      }
    }
  }
};

}  // namespace
}  // namespace th

#endif  // TH_HAVE_VECTORS

#endif
