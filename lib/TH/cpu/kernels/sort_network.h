#ifndef TH_CPU_KERNELS_SORT_NETWORK_H
#define TH_CPU_KERNELS_SORT_NETWORK_H

// Sorts kTogether short rows at a time, each in one lane of SIMD vectors. Uses Batcher's merge
// exchange, which compares the same positions for all data: Knuth, The Art of Computer Programming,
// volume 3, 5.2.2, algorithm M.

#include <cstdint>
#include <cstring>

#include "cpu/kernels/vector_bytes.h"

namespace th {
namespace {

constexpr int64_t kTogether = 8;

typedef uint64_t KeyLanes __attribute__((vector_size(kVectorBytes)));

inline void exchange(uint64_t* a, uint64_t* b) {
  constexpr int64_t lanes = kVectorBytes / sizeof(uint64_t);
#pragma GCC unroll 4
  for (int64_t k = 0; k < kTogether; k += lanes) {
    KeyLanes x, y;
    std::memcpy(&x, a + k, sizeof(x));
    std::memcpy(&y, b + k, sizeof(y));
    const KeyLanes least = x < y ? x : y, most = x < y ? y : x;
    std::memcpy(a + k, &least, sizeof(x));
    std::memcpy(b + k, &most, sizeof(y));
  }
}

inline void sort_together(uint64_t* keys, int64_t n) {
  int64_t top = 1;
  while (2 * top < n) top *= 2;
  for (int64_t p = top; p > 0; p /= 2) {
    int64_t q = top, from = 0, apart = p;
    for (;;) {
      for (int64_t run = from; run < n - apart; run += 2 * p) {
        const int64_t end = run + p < n - apart ? run + p : n - apart;
        for (int64_t i = run; i < end; ++i) {
          exchange(keys + i * kTogether, keys + (i + apart) * kTogether);
        }
      }
      if (q == p) break;
      apart = q - p;
      q /= 2;
      from = p;
    }
  }
}

}  // namespace
}  // namespace th

#endif
