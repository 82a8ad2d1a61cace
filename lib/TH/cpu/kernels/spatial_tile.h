#ifndef TH_CPU_KERNELS_SPATIAL_TILE_H
#define TH_CPU_KERNELS_SPATIAL_TILE_H

// The inner loop of convolutions: a tile of a matrix product, whose sums stay in registers.

#include <cstdint>
#include <utility>

#include "cpu/kernels/multiply_add.h"
#include "cpu/kernels/prefetch.h"
#include "cpu/kernels/vector_bytes.h"

namespace th {
namespace {

// The largest tile: its sums and a row of b fill the registers.
template <class T>
struct TileSize {
  static constexpr int kLanes = kVectorBytes / sizeof(T);
  static constexpr int kVectors = 3, kWidth = kVectors * kLanes;
  static constexpr int kRows = kVectorBytes == 64 ? 8 : 4;
  // Number of rows of b in the first-level cache.
  static constexpr int64_t kDepth = (24 << 10) / (kWidth * static_cast<int64_t>(sizeof(T)));
};

// c[i][j] = sum over k < count of a[row[i] + at[k]] * b[k][j], added to `before` if `adds`. Row k
// of b is at b + b_at[k] or, if b_at is null, the rows are contiguous, in whole vectors.
template <class T>
struct Tile {
  int64_t count;
  const T* a;
  const int64_t* row;  // not an array: loads wait for the vector stores that fill one
  const int64_t* at;
  int64_t ahead;  // from each row of a to the one that the next tile reads; 0: unknown
  const T* b;
  const int64_t* b_at;
  T* c;
  int64_t c_row;
  bool adds;
  const T* before;  // may be c
  int64_t before_row;
};

// Returns the numbers from 0 to TileSize<T>::kDepth - 1, for rows of a that are contiguous.
template <class T>
const int64_t* consecutive_numbers() {
  struct Numbers {
    int64_t number[TileSize<T>::kDepth];
    constexpr Numbers() : number() {
      for (int64_t k = 0; k < TileSize<T>::kDepth; ++k) number[k] = k;
    }
  };
  static constexpr Numbers numbers;
  return numbers.number;
}

template <class T, int kRows, int kVectors, bool kScattered>
void multiply_tile(const Tile<T>& t) {
  constexpr int kLanes = TileSize<T>::kLanes;
  typedef T Vector __attribute__((vector_size(kVectorBytes)));
  typedef T Unaligned __attribute__((vector_size(kVectorBytes), aligned(sizeof(T))));
  // All loops over sums are unrolled, which keeps the sums in registers.
  Vector sum[kRows][kVectors];
  if (t.adds) {
#pragma GCC unroll 16
    for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 16
      for (int v = 0; v < kVectors; ++v) {
        sum[i][v] = *reinterpret_cast<const Unaligned*>(t.before + i * t.before_row + v * kLanes);
      }
    }
  } else {
#pragma GCC unroll 16
    for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 16
      for (int v = 0; v < kVectors; ++v) sum[i][v] = Vector{};
    }
  }
  const T* row[kRows];
#pragma GCC unroll 16
  for (int i = 0; i < kRows; ++i) row[i] = t.a + t.row[i];
  constexpr bool kPrefetches = !kScattered && kRows == 8;
  constexpr int64_t kLine = 64 / sizeof(T);
  const T* b = t.b;
  for (int64_t k = 0; k < t.count;) {
    if (kPrefetches) {
#pragma GCC unroll 16
      for (int i = 0; i < kRows; ++i) prefetch(row[i], t.ahead + k);
    }
    const int64_t end = t.count - k < kLine ? t.count : k + kLine;
    for (; k < end; ++k) {
      if (kScattered) b = t.b + t.b_at[k];
      Vector x[kVectors];
#pragma GCC unroll 16
      for (int v = 0; v < kVectors; ++v) x[v] = *reinterpret_cast<const Unaligned*>(b + v * kLanes);
      const int64_t at = t.at[k];
#pragma GCC unroll 16
      for (int i = 0; i < kRows; ++i) {
        const T factor = row[i][at];
#pragma GCC unroll 16
        for (int v = 0; v < kVectors; ++v) sum[i][v] = multiply_add<T>(factor, x[v], sum[i][v]);
      }
      if (!kScattered) b += kVectors * kLanes;
    }
  }
  T* c = t.c;
  const int64_t c_row = t.c_row;  // a copy, because c may alias t for the compiler
#pragma GCC unroll 16
  for (int i = 0; i < kRows; ++i, c += c_row) {
#pragma GCC unroll 16
    for (int v = 0; v < kVectors; ++v) *reinterpret_cast<Unaligned*>(c + v * kLanes) = sum[i][v];
  }
}

template <class T, bool kScattered>
struct TileFunctions {
  using Function = void (*)(const Tile<T>&);
  static constexpr int kRows = TileSize<T>::kRows, kVectors = TileSize<T>::kVectors;
  Function function[kRows * kVectors];

  template <size_t... k>
  static constexpr TileFunctions all(std::index_sequence<k...>) {
    return {{&multiply_tile<T, k / kVectors + 1, k % kVectors + 1, kScattered>...}};
  }
};

// Computes a tile of this size, with at most TileSize::kRows rows and kVectors vectors.
template <class T>
void multiply_tile(const Tile<T>& t, int64_t rows, int vectors) {
  constexpr auto each = std::make_index_sequence<TileSize<T>::kRows * TileSize<T>::kVectors>();
  static constexpr auto packed = TileFunctions<T, false>::all(each);
  static constexpr auto scattered = TileFunctions<T, true>::all(each);
  const auto k = (rows - 1) * TileSize<T>::kVectors + vectors - 1;
  (t.b_at ? scattered.function : packed.function)[k](t);
}

}  // namespace
}  // namespace th

#endif
