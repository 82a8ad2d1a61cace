#ifndef TH_CPU_KERNELS_POSITIONS_H
#define TH_CPU_KERNELS_POSITIONS_H

#include <cstdint>

#ifdef __AVX2__
#include <immintrin.h>
#endif

namespace th {
namespace {

constexpr int64_t kPositionsAtOnce = 16;

#if defined(__AVX2__) && !defined(__AVX512F__)
// The positions of the ones in each byte, the first one in the lowest byte.
struct PositionsInBytes {
  uint64_t of[256] = {};
  constexpr PositionsInBytes() {
    for (unsigned byte = 0; byte < 256; ++byte) {
      int found = 0;
      for (unsigned k = 0; k < 8; ++k) {
        if (byte >> k & 1) of[byte] |= uint64_t(k) << (8 * found++);
      }
    }
  }
};
constexpr PositionsInBytes kPositionsInBytes;
#endif

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
  int64_t i = 0;
#ifdef __AVX2__
  for (; i + 32 <= n; i += 32) {
    const __m256i mark = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(marks + i));
    const __m256i absent = _mm256_cmpeq_epi8(mark, _mm256_setzero_si256());
    const uint32_t chosen = ~static_cast<uint32_t>(_mm256_movemask_epi8(absent));
    for (int k = 0; k < 32; k += 8) {
      const uint32_t byte = chosen >> k & 255;
      const __m128i in_byte = _mm_cvtsi64_si128(static_cast<int64_t>(kPositionsInBytes.of[byte]));
      const __m256i first = _mm256_set1_epi32(static_cast<int32_t>(i) + k);
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(positions + found),
                          _mm256_add_epi32(_mm256_cvtepu8_epi32(in_byte), first));
      found += __builtin_popcount(byte);
    }
  }
#endif
  for (; i < n; ++i) {
    positions[found] = static_cast<int32_t>(i);
    found += marks[i] != 0;
  }
#endif
  return found;
}

}  // namespace
}  // namespace th

#endif
