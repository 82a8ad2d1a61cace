#ifndef TH_CPU_KERNELS_BFLOAT16_PACK_H
#define TH_CPU_KERNELS_BFLOAT16_PACK_H

// Packing of 16-bit factors in tiles of BFloat16.
//
// A tile is 16 x 64 bytes. A tile of a has 16 rows of 32 elements. A tile of b has 16 columns: its
// line p has the elements 2p and 2p + 1 of each column. A panel has up to 32 rows of a or columns
// of b for a part of the depth, in one or two tiles for each 32 elements.

#include <immintrin.h>

#include <cstdint>
#include <type_traits>

#include "cpu/bfloat16_product.h"

namespace th {
namespace {

constexpr int64_t kLanes = 16;  // rows or columns of a tile
constexpr int64_t kTileDepth = 32;
constexpr int64_t kTile = kLanes * kTileDepth;  // elements of a tile
constexpr int64_t kSums = kLanes * kLanes;      // elements of a tile of sums
constexpr int64_t kPanel = 2 * kLanes;          // rows or columns of a panel
constexpr int64_t kPackedDepth = BFloat16Sizes::kPackedDepth;

inline int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
inline int64_t round_up(int64_t n, int64_t unit) { return (n + unit - 1) / unit * unit; }

inline __mmask32 first_elements(int64_t n) {
  return static_cast<__mmask32>(n >= 32 ? ~0u : (1u << n) - 1);
}

// Transposes 16 x 16 words of 32 bits.
inline void transpose(__m512i* v) {
  __m512i w[16];
  for (int i = 0; i < 16; i += 2) {
    w[i] = _mm512_maskz_unpacklo_epi32(0xffff, v[i], v[i + 1]);
    w[i + 1] = _mm512_maskz_unpackhi_epi32(0xffff, v[i], v[i + 1]);
  }
  for (int i = 0; i < 16; i += 4) {
    v[i] = _mm512_maskz_unpacklo_epi64(0xff, w[i], w[i + 2]);
    v[i + 1] = _mm512_maskz_unpackhi_epi64(0xff, w[i], w[i + 2]);
    v[i + 2] = _mm512_maskz_unpacklo_epi64(0xff, w[i + 1], w[i + 3]);
    v[i + 3] = _mm512_maskz_unpackhi_epi64(0xff, w[i + 1], w[i + 3]);
  }
  for (int i = 0; i < 16; i += 8) {
    for (int k = 0; k < 4; ++k) {
      w[i + k] = _mm512_maskz_shuffle_i32x4(0xffff, v[i + k], v[i + k + 4], 0x88);
      w[i + k + 4] = _mm512_maskz_shuffle_i32x4(0xffff, v[i + k], v[i + k + 4], 0xdd);
    }
  }
  for (int k = 0; k < 8; ++k) {
    v[k] = _mm512_maskz_shuffle_i32x4(0xffff, w[k], w[k + 8], 0x88);
    v[k + 8] = _mm512_maskz_shuffle_i32x4(0xffff, w[k], w[k + 8], 0xdd);
  }
}

// Lines (rows of a, or columns of b) of a factor. step: from one line to the next; along: from one
// element of a line to the next. One of them is 1.
struct Lines {
  const uint16_t* data;
  int64_t step, along;
};

// Reads the cache line of an element, which need not exist, ahead.
inline void prefetch(const uint16_t* data, int64_t elements) {
  const auto address = reinterpret_cast<uintptr_t>(data) + 2 * static_cast<uintptr_t>(elements);
  _mm_prefetch(reinterpret_cast<const char*>(address), _MM_HINT_T1);
}

// The part of elements that is packed: BFloat16 are whole.
enum class Part { whole, high, low };
template <class T>
constexpr Part main_part = std::is_same_v<T, Half> ? Part::high : Part::whole;

// Stores 32 elements, or parts of 32 Halfs as BFloat16.
template <Part part>
void put(uint16_t* to, __m512i v) {
  if constexpr (part != Part::whole) {
    alignas(64) static constexpr uint16_t kHighWords[] = {
        1,  3,  5,  7,  9,  11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31,
        33, 35, 37, 39, 41, 43, 45, 47, 49, 51, 53, 55, 57, 59, 61, 63};
    __m512 x[2];
    for (int i = 0; i < 2; ++i) {
      const __m256i half = i ? _mm512_maskz_extracti64x4_epi64(0xf, v, 1)
                             : _mm512_maskz_extracti64x4_epi64(0xf, v, 0);
      x[i] = _mm512_maskz_cvtph_ps(0xffff, half);
      if (part == Part::low) {
        const __m512i high = _mm512_and_si512(_mm512_castps_si512(x[i]),
                                              _mm512_set1_epi32(static_cast<int>(0xffff0000)));
        x[i] = _mm512_sub_ps(x[i], _mm512_castsi512_ps(high));
      }
    }
    v = _mm512_permutex2var_epi16(_mm512_castps_si512(x[0]), _mm512_load_si512(kHighWords),
                                  _mm512_castps_si512(x[1]));
  }
  _mm512_store_si512(to, v);
}

// Loads up to 16 lines of up to 32 elements, and zeros for missing ones.
inline void load_lines(const Lines& from, int64_t lines, int64_t depth, __m512i* v) {
  const __mmask32 mask = first_elements(depth);
  for (int i = 0; i < 16; ++i) {
    v[i] = i < lines ? _mm512_maskz_loadu_epi16(mask, from.data + i * from.step)
                     : _mm512_setzero_si512();
  }
}

// Packs up to 32 lines of up to 32 elements, which are contiguous, as tiles of b.
template <Part part>
void pack_columns(const Lines& from, int64_t lines, int64_t depth, uint16_t* to) {
  for (int64_t i = 0; i < lines; i += kLanes, to += kTile) {
    __m512i v[16];
    load_lines({from.data + i * from.step, from.step, 1}, lines - i, depth, v);
    transpose(v);
    for (int line = 0; line < 16; ++line) put<part>(to + line * kTileDepth, v[line]);
  }
}

// Packs up to 32 lines, which are contiguous, as tiles of a: line by line, as memory is read
// fastest.
template <Part part>
void pack_rows(const Lines& from, int64_t lines, int64_t depth, uint16_t* to) {
  const int64_t tiles = lines > kLanes ? 2 : 1;
  for (int64_t i = 0; i < tiles * kLanes; ++i) {
    const uint16_t* line = from.data + i * from.step;
    uint16_t* row = to + i / kLanes * kTile + i % kLanes * kTileDepth;
    for (int64_t k = 0; k < depth; k += kTileDepth, row += tiles * kTile) {
      const __mmask32 mask = i < lines ? first_elements(depth - k) : 0;
      put<part>(row, _mm512_maskz_loadu_epi16(mask, line + k));
    }
  }
}

// Loads elements 2p and 2p + 1 of up to 32 lines, of which the elements at the same position are
// contiguous. Word i of `low` has those of line column_of(0, i), and of `high` column_of(1, i).
inline void load_pair(const Lines& from, __mmask32 mask, int64_t p, int64_t depth, __m512i* low,
                      __m512i* high) {
  const uint16_t* data = from.data + 2 * p * from.along;
  const __m512i zero = _mm512_setzero_si512();
  const __m512i first = 2 * p < depth ? _mm512_maskz_loadu_epi16(mask, data) : zero;
  const __m512i second =
      2 * p + 1 < depth ? _mm512_maskz_loadu_epi16(mask, data + from.along) : zero;
  *low = _mm512_unpacklo_epi16(first, second);
  *high = _mm512_unpackhi_epi16(first, second);
}
inline int column_of(int tile, int word) { return word / 4 * 8 + tile * 4 + word % 4; }

// Packs up to 32 lines by pairs, as two tiles of b, whose columns are in the order of column_of, or
// as two tiles of a, whose rows are.
template <Part part>
void pack_pairs(const Lines& from, int64_t lines, int64_t depth, bool of_b, uint16_t* to) {
  const __mmask32 mask = first_elements(lines);
  __m512i v[2][16];
  for (int p = 0; p < 16; ++p) load_pair(from, mask, p, depth, &v[0][p], &v[1][p]);
  for (int tile = 0; tile < 2; ++tile) {
    if (!of_b) transpose(v[tile]);
    for (int line = 0; line < 16; ++line) {
      put<part>(to + tile * kTile + line * kTileDepth, v[tile][line]);
    }
  }
}

// Lines packed as panels. The panel from line i on begins at i * whole elements, where whole is the
// depth in whole tiles.
struct Packed {
  const uint16_t* data;
  bool by_pairs;

  int tiles(int64_t lines) const { return by_pairs || lines > kLanes ? 2 : 1; }
  int64_t position(int tile, int lane) const {
    return by_pairs ? column_of(tile, lane) : tile * kLanes + lane;
  }
};

template <Part part>
Packed pack(const Lines& from, int64_t lines, int64_t depth, bool of_b, uint16_t* to) {
  const int64_t whole = round_up(depth, kTileDepth);
  const Packed packed = {to, from.along != 1};
  const auto at = [&](int64_t i, int64_t k) {
    return Lines{from.data + i * from.step + k * from.along, from.step, from.along};
  };
  // In the order of memory.
  if (packed.by_pairs) {
    for (int64_t k = 0; k < depth; k += kTileDepth) {
      for (int64_t i = 0; i < lines; i += kPanel) {
        pack_pairs<part>(at(i, k), least(kPanel, lines - i), depth - k, of_b,
                         to + i * whole + k * kPanel);
      }
    }
    return packed;
  }
  for (int64_t i = 0; i < lines; i += kPanel, to += kPanel * whole) {
    const int64_t count = least(kPanel, lines - i);
    if (!of_b) {
      pack_rows<part>(at(i, 0), count, depth, to);
      continue;
    }
    for (int64_t k = 0; k < depth; k += kTileDepth) {
      pack_columns<part>(at(i, k), count, depth - k, to + packed.tiles(count) * k * kLanes);
    }
  }
  return packed;
}

}  // namespace
}  // namespace th

#endif
