// Products of 16-bit matrices by instructions for BFloat16. Compiled for AVX512-BF16 and for AMX.
//
// A Half is the sum of two BFloat16: its 8 high bits, and the rest, of 3 bits. So a product of
// Halfs is exactly the sum of four products of BFloat16. The products of high parts have sums of
// their own. These alone are the result if they are not finite, because the other three have
// infinity * 0 then.
//
// A tile is 16 x 64 bytes. A tile of a has 16 rows of 32 elements. A tile of b has 16 columns: its
// line p has the elements 2p and 2p + 1 of each column. A panel has up to 32 rows of a or columns
// of b for all of `depth`, in one or two tiles for each 32 elements. Sums are computed in float.
// Each is a chain over the tiles in order, so it depends neither on the size of blocks nor on the
// number of threads.

#include "cpu/bfloat16_product.h"

#include <immintrin.h>

#include <cstring>
#include <type_traits>

#if defined(__AMX_BF16__) || defined(__AMXBF16__)
#define TH_HAVE_AMX_TILES 1
#endif

namespace th {
namespace {

constexpr int64_t kLanes = 16;  // rows or columns of a tile
constexpr int64_t kTileDepth = 32;
constexpr int64_t kTile = kLanes * kTileDepth;  // elements of a tile
constexpr int64_t kSums = kLanes * kLanes;      // elements of a tile of sums
constexpr int64_t kPanel = 2 * kLanes;          // rows or columns of a panel

int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
int64_t round_up(int64_t n, int64_t unit) { return (n + unit - 1) / unit * unit; }

__mmask32 first_elements(int64_t n) {
  return static_cast<__mmask32>(n >= 32 ? ~0u : (1u << n) - 1);
}

// Transposes 16 x 16 words of 32 bits.
void transpose(__m512i* v) {
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
void prefetch(const uint16_t* data, int64_t elements) {
  const auto address = reinterpret_cast<uintptr_t>(data) + 2 * static_cast<uintptr_t>(elements);
  _mm_prefetch(reinterpret_cast<const char*>(address), _MM_HINT_T1);
}

// The part of elements that is packed: BFloat16 are whole.
enum class Part { whole, high, low };

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
void load_lines(const Lines& from, int64_t lines, int64_t depth, __m512i* v) {
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
void load_pair(const Lines& from, __mmask32 mask, int64_t p, int64_t depth, __m512i* low,
               __m512i* high) {
  const uint16_t* data = from.data + 2 * p * from.along;
  const __m512i zero = _mm512_setzero_si512();
  const __m512i first = 2 * p < depth ? _mm512_maskz_loadu_epi16(mask, data) : zero;
  const __m512i second =
      2 * p + 1 < depth ? _mm512_maskz_loadu_epi16(mask, data + from.along) : zero;
  *low = _mm512_unpacklo_epi16(first, second);
  *high = _mm512_unpackhi_epi16(first, second);
}
int column_of(int tile, int word) { return word / 4 * 8 + tile * 4 + word % 4; }

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

// A panel of results.
struct Result {
  uint16_t* c;
  int64_t row, col, rows, cols;
  float alpha, beta;
};

// 16 elements as floats, and back.
inline __m512 widen(BFloat16, __m256i x) {
  return _mm512_castsi512_ps(
      _mm512_maskz_slli_epi32(0xffff, _mm512_maskz_cvtepu16_epi32(0xffff, x), 16));
}
[[maybe_unused]] inline __m512 widen(Half, __m256i x) { return _mm512_maskz_cvtph_ps(0xffff, x); }
inline __m256i narrow(BFloat16, __m512 x) { return (__m256i)_mm512_cvtneps_pbh(x); }
[[maybe_unused]] inline __m256i narrow(Half, __m512 x) {
  return _mm512_maskz_cvtps_ph(0xffff, x, _MM_FROUND_TO_NEAREST_INT);
}

// c = beta * c + alpha * sum, for up to 16 contiguous elements.
template <class T>
void store(const Result& r, uint16_t* c, int64_t n, __m512 sum) {
  const auto mask = static_cast<__mmask16>(first_elements(n < 16 ? n : 16));
  sum = _mm512_mul_ps(sum, _mm512_set1_ps(r.alpha));
  if (r.beta != 0) {
    const __m512 old = widen(T(), _mm256_maskz_loadu_epi16(mask, c));
    sum = _mm512_fmadd_ps(old, _mm512_set1_ps(r.beta), sum);
  }
  _mm256_mask_storeu_epi16(c, mask, narrow(T(), sum));
}

// For a row-major c. lines: rows of c; elements: those of a row.
template <class T>
void finish_rows(const float* sums, const Packed& lines, const Packed& elements, const Result& r) {
  const int down = lines.tiles(r.rows), across = elements.tiles(r.cols);
  for (int i = 0; i < down; ++i, sums += across * kSums) {
    for (int lane = 0; lane < kLanes; ++lane) {
      const int64_t row = lines.position(i, lane);
      if (row >= r.rows) continue;
      __m512 low = _mm512_load_ps(sums + lane * kLanes), high = _mm512_setzero_ps();
      if (across > 1) high = _mm512_load_ps(sums + kSums + lane * kLanes);
      if (elements.by_pairs) {
        // Groups of four words of both, in turn.
        const __m512i first = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
        const __m512i second = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
        const __m512d x = _mm512_castps_pd(low), y = _mm512_castps_pd(high);
        low = _mm512_castpd_ps(_mm512_permutex2var_pd(x, first, y));
        high = _mm512_castpd_ps(_mm512_permutex2var_pd(x, second, y));
      }
      uint16_t* c = r.c + row * r.row;
      store<T>(r, c, r.cols, low);
      if (r.cols > kLanes) store<T>(r, c + kLanes, r.cols - kLanes, high);
    }
  }
}

template <class T>
void finish(const float* sums, const Packed& a, const Packed& b, const Result& r) {
  if (r.col == 1) return finish_rows<T>(sums, a, b, r);
  alignas(64) float transposed[4 * kSums];
  const int down = a.tiles(r.rows), across = b.tiles(r.cols);
  for (int i = 0; i < down; ++i) {
    for (int j = 0; j < across; ++j, sums += kSums) {
      __m512i v[kLanes];
      for (int lane = 0; lane < kLanes; ++lane) v[lane] = _mm512_load_si512(sums + lane * kLanes);
      transpose(v);
      float* to = transposed + (j * down + i) * kSums;
      for (int lane = 0; lane < kLanes; ++lane) _mm512_store_si512(to + lane * kLanes, v[lane]);
    }
  }
  finish_rows<T>(transposed, b, a, {r.c, r.col, 1, r.cols, r.rows, r.alpha, r.beta});
}

// Adds the sums of the other products to those of high parts that are finite.
void add_rest(float* sums, const float* rest, int64_t count) {
  constexpr int kNotFinite = 0x99;  // NaNs and infinities
  for (int64_t i = 0; i < count; i += kLanes) {
    const __m512 sum = _mm512_load_ps(sums + i);
    const __mmask16 finite = _knot_mask16(_mm512_fpclass_ps_mask(sum, kNotFinite));
    _mm512_store_ps(sums + i, _mm512_mask_add_ps(sum, finite, sum, _mm512_load_ps(rest + i)));
  }
}

// Contiguous lines that are packed next: they are read from memory during the arithmetic.
struct Ahead {
  const uint16_t* data;
  int64_t step, first, count;

  void fetch(int64_t k) const {
    for (int64_t i = first; i < first + count; ++i) prefetch(data, i * step + k);
  }
};

// multiply adds the product of two panels to their tiles of sums, or writes it if `first` is set.
#ifdef TH_HAVE_AMX_TILES
class Unit {
 public:
  Unit() {
    struct {
      uint8_t palette, start_row, reserved[14];
      uint16_t bytes[16];
      uint8_t rows[16];
    } config = {};
    config.palette = 1;
    for (int tile = 0; tile < 8; ++tile) {
      config.bytes[tile] = 64;
      config.rows[tile] = kLanes;
    }
    // GCC's _tile_loadconfig does not state that it reads all of this.
    __asm__ volatile("" : : "r"(&config) : "memory");
    _tile_loadconfig(&config);
  }
  ~Unit() { _tile_release(); }

  template <int rows, int cols>
  static void multiply(const uint16_t* a, const uint16_t* b, int64_t depth, bool first, Ahead ahead,
                       float* sums) {
    // GCC's _tile_loadd does not state that it reads memory.
    __asm__ volatile("" ::: "memory");
    if (first) {
      _tile_zero(0);
      _tile_zero(1);
      _tile_zero(2);
      _tile_zero(3);
    } else {
      _tile_loadd(0, sums, 64);
      if (cols > 1) _tile_loadd(1, sums + kSums, 64);
      if (rows > 1) _tile_loadd(2, sums + cols * kSums, 64);
      if (rows > 1 && cols > 1) _tile_loadd(3, sums + 3 * kSums, 64);
    }
    for (int64_t k = 0; k < depth; k += kTileDepth, a += rows * kTile, b += cols * kTile) {
      ahead.fetch(k);
      _tile_loadd(4, a, 64);
      _tile_loadd(6, b, 64);
      if (rows > 1) _tile_loadd(5, a + kTile, 64);
      if (cols > 1) _tile_loadd(7, b + kTile, 64);
      _tile_dpbf16ps(0, 4, 6);
      if (cols > 1) _tile_dpbf16ps(1, 4, 7);
      if (rows > 1) _tile_dpbf16ps(2, 5, 6);
      if (rows > 1 && cols > 1) _tile_dpbf16ps(3, 5, 7);
    }
    _tile_stored(0, sums, 64);
    if (cols > 1) _tile_stored(1, sums + kSums, 64);
    if (rows > 1) _tile_stored(2, sums + cols * kSums, 64);
    if (rows > 1 && cols > 1) _tile_stored(3, sums + 3 * kSums, 64);
  }
};
#else
struct Unit {
  Unit() {}  // a constructor, so that an object is not an unused variable

  template <int rows, int cols>
  static void multiply(const uint16_t* a, const uint16_t* b, int64_t depth, bool first, Ahead ahead,
                       float* sums) {
    for (int64_t k = 0; k < depth; k += kTileDepth) ahead.fetch(k);
    constexpr int kRows = 8;  // whose sums fit into registers
    for (int row = 0; row < rows * kLanes; row += kRows) {
      const uint16_t* lines = a + row * kTileDepth;
      float* out = sums + row / kLanes * cols * kSums + row % kLanes * kLanes;
      __m512 sum[kRows][cols];
      for (int i = 0; i < kRows; ++i) {
        for (int j = 0; j < cols; ++j) {
          const float* from = out + (j * kLanes + i) * kLanes;
          sum[i][j] = first ? _mm512_setzero_ps() : _mm512_load_ps(from);
        }
      }
      for (int64_t k = 0; k < depth; k += kTileDepth, lines += rows * kTile) {
        const uint16_t* columns = b + k * cols * kLanes;
        for (int64_t pair = 0; pair < kTileDepth; pair += 2) {
          __m512i line[cols];
          for (int j = 0; j < cols; ++j) {
            line[j] = _mm512_load_si512(columns + j * kTile + pair * kLanes);
          }
#pragma GCC unroll 8
          for (int i = 0; i < kRows; ++i) {
            int32_t factors;
            std::memcpy(&factors, lines + i * kTileDepth + pair, sizeof(factors));
            const auto both = (__m512bh)_mm512_set1_epi32(factors);
            for (int j = 0; j < cols; ++j) {
              sum[i][j] = _mm512_dpbf16_ps(sum[i][j], both, (__m512bh)line[j]);
            }
          }
        }
      }
      for (int i = 0; i < kRows; ++i) {
        for (int j = 0; j < cols; ++j) {
          _mm512_store_ps(out + (j * kLanes + i) * kLanes, sum[i][j]);
        }
      }
    }
  }
};
#endif

using Multiply = void (*)(const uint16_t*, const uint16_t*, int64_t, bool, Ahead, float*);
Multiply multiply_for(int rows, int cols) {
  if (rows > 1) return cols > 1 ? &Unit::multiply<2, 2> : &Unit::multiply<2, 1>;
  return cols > 1 ? &Unit::multiply<1, 2> : &Unit::multiply<1, 1>;
}

template <class T>
void multiply_block(const ProductBlock& p, const BatchSum& sum, int64_t part_depth, void* memory) {
  constexpr int parts = std::is_same_v<T, Half> ? 2 : 1;
  constexpr Part main = parts > 1 ? Part::high : Part::whole;
  const BFloat16Sizes size = {BFloat16Sizes::whole(p.m), BFloat16Sizes::whole(p.n), part_depth,
                              parts};
  auto* sums = static_cast<float*>(memory);
  float* rest = sums + size.rows * size.cols;
  auto* b = reinterpret_cast<uint16_t*>(sums + parts * size.rows * size.cols);
  uint16_t* low_b = b + size.cols * size.depth;
  uint16_t* a = b + parts * size.cols * size.depth;
  uint16_t* low_a = a + kPanel * size.depth;
  const auto alpha = static_cast<float>(p.alpha.d), beta = static_cast<float>(p.beta.d);
  const Unit unit;
  for (int64_t batch = 0; batch < sum.batches; ++batch) {
    const auto* from_a = reinterpret_cast<const uint16_t*>(p.a) + batch * sum.a_step;
    const auto* from_b = reinterpret_cast<const uint16_t*>(p.b) + batch * sum.b_step;
    for (int64_t k = 0; k < p.k; k += size.depth) {
      const int64_t depth = least(size.depth, p.k - k), whole = round_up(depth, kTileDepth);
      const bool first = batch == 0 && k == 0;
      const bool last = batch == sum.batches - 1 && k + depth == p.k;
      const Lines lines_b = {from_b + k * p.b_row, p.b_col, p.b_row};
      const Packed packed_b = pack<main>(lines_b, p.n, depth, true, b);
      if (parts > 1) pack<Part::low>(lines_b, p.n, depth, true, low_b);
      for (int64_t i = 0; i < p.m; i += kPanel) {
        const int64_t rows = least(kPanel, p.m - i);
        const Lines lines_a = {from_a + i * p.a_row + k * p.a_col, p.a_row, p.a_col};
        const Packed packed_a = pack<main>(lines_a, rows, depth, false, a);
        if (parts > 1) pack<Part::low>(lines_a, rows, depth, false, low_a);
        for (int64_t j = 0; j < p.n; j += kPanel) {
          const int64_t cols = least(kPanel, p.n - j);
          // Sums that are complete at once stay in the L1 cache.
          const int64_t panel = first && last ? 0 : i * size.cols + j * kPanel;
          // The product with each panel of b reads some lines of the next panel of a.
          const int64_t line = j * kPanel / size.cols, end = (j + kPanel) * kPanel / size.cols;
          const Ahead ahead = {from_a + k * p.a_col, p.a_row, i + kPanel + line,
                               p.a_col == 1 ? end - line : 0};
          const Multiply multiply = multiply_for(packed_a.tiles(rows), packed_b.tiles(cols));
          multiply(a, b + j * whole, whole, first, ahead, sums + panel);
          if (parts > 1) {
            multiply(low_a, b + j * whole, whole, first, {}, rest + panel);
            multiply(a, low_b + j * whole, whole, false, {}, rest + panel);
            multiply(low_a, low_b + j * whole, whole, false, {}, rest + panel);
          }
          if (!last) continue;
          if (parts > 1) {
            add_rest(sums + panel, rest + panel,
                     packed_a.tiles(rows) * packed_b.tiles(cols) * kSums);
          }
          uint16_t* c = reinterpret_cast<uint16_t*>(p.c) + i * p.c_row + j * p.c_col;
          finish<T>(sums + panel, packed_a, packed_b,
                    {c, p.c_row, p.c_col, rows, cols, alpha, beta});
        }
      }
    }
  }
}

}  // namespace

namespace TH_ISA {
extern const BFloat16Products bfloat16_products;
#ifdef TH_HAVE_AMX_TILES
constexpr BFloat16Products bfloat16_products = {&multiply_block<BFloat16>, &multiply_block<Half>};
#else
constexpr BFloat16Products bfloat16_products = {&multiply_block<BFloat16>, nullptr};
#endif
}  // namespace TH_ISA
}  // namespace th
