#ifndef TH_CPU_KERNELS_POSITIONS_H
#define TH_CPU_KERNELS_POSITIONS_H

#include <cstdint>

#ifdef __AVX512F__
#include <immintrin.h>
#endif

namespace th {
namespace {

constexpr int64_t kPositionsAtOnce = 16;

// Writes the positions of the nonzero bytes and returns their number. Branch-free, because the
// bytes are unpredictable: the positions of zero bytes are overwritten. The array must be longer by
// kPositionsAtOnce.
__attribute__((noinline)) int64_t positions_of(const uint8_t* marks, int64_t n,
                                               int32_t* positions) {
  int64_t found = 0;
#if defined(__AVX512F__)
  __m512i number = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  for (int64_t i = 0; i < n; i += kPositionsAtOnce) {
    auto there = static_cast<__mmask16>(n - i < kPositionsAtOnce ? (1 << (n - i)) - 1 : 0xffff);
    __m128i mark = _mm_maskz_loadu_epi8(there, marks + i);
    __mmask16 chosen = _mm_test_epi8_mask(mark, mark);
    _mm512_storeu_si512(positions + found, _mm512_maskz_compress_epi32(chosen, number));
    found += __builtin_popcount(chosen);
    number = _mm512_add_epi32(number, _mm512_set1_epi32(kPositionsAtOnce));
  }
#else
  for (int64_t i = 0; i < n; ++i) {
    positions[found] = static_cast<int32_t>(i);
    found += marks[i] != 0;
  }
#endif
  return found;
}

}  // namespace
}  // namespace th

#endif
