// Products of 16-bit matrices by instructions for BFloat16. Compiled for AVX512-BF16 and for AMX.
//
// A Half is the sum of two BFloat16: its 8 high bits, and the rest, of 3 bits. So a product of
// Halfs is exactly the sum of four products of BFloat16. The products of high parts have sums of
// their own. These alone are the result if they are not finite, because the other three have
// infinity * 0 then.
//
// Sums are computed in float. Each is a chain over the tiles in order, in parts of kPackedDepth, so
// it depends neither on the size of blocks nor on the number of threads.

#include "cpu/bfloat16_product.h"

#include <immintrin.h>

#include <cstring>
#include <type_traits>

#include "cpu/kernels/bfloat16/pack.h"

#if defined(__AMX_BF16__) || defined(__AMXBF16__)
#define TH_HAVE_AMX_TILES 1
#endif

namespace th {
namespace {

// A panel of results of type T.
template <class T>
struct Result {
  T* c;
  int64_t row, col, rows, cols;
  float alpha, beta;
};

// Up to 16 elements as floats, and back.
inline __m512 load(__mmask16 mask, const BFloat16* c) {
  const __m512i x = _mm512_maskz_cvtepu16_epi32(0xffff, _mm256_maskz_loadu_epi16(mask, c));
  return _mm512_castsi512_ps(_mm512_maskz_slli_epi32(0xffff, x, 16));
}
[[maybe_unused]] inline __m512 load(__mmask16 mask, const Half* c) {
  return _mm512_maskz_cvtph_ps(0xffff, _mm256_maskz_loadu_epi16(mask, c));
}
inline __m512 load(__mmask16 mask, const float* c) { return _mm512_maskz_loadu_ps(mask, c); }
inline void store(BFloat16* c, __mmask16 mask, __m512 x) {
  _mm256_mask_storeu_epi16(c, mask, (__m256i)_mm512_cvtneps_pbh(x));
}
[[maybe_unused]] inline void store(Half* c, __mmask16 mask, __m512 x) {
  _mm256_mask_storeu_epi16(c, mask, _mm512_maskz_cvtps_ph(0xffff, x, _MM_FROUND_TO_NEAREST_INT));
}
inline void store(float* c, __mmask16 mask, __m512 x) { _mm512_mask_storeu_ps(c, mask, x); }

// c = beta * c + alpha * sum, for up to 16 contiguous elements.
template <class T>
void finish_elements(const Result<T>& r, T* c, int64_t n, __m512 sum) {
  const auto mask = static_cast<__mmask16>(first_elements(n < 16 ? n : 16));
  sum = _mm512_mul_ps(sum, _mm512_set1_ps(r.alpha));
  if (r.beta != 0) sum = _mm512_fmadd_ps(load(mask, c), _mm512_set1_ps(r.beta), sum);
  store(c, mask, sum);
}

// For a row-major c. lines: rows of c; elements: those of a row.
template <class T>
void finish_rows(const float* sums, const Packed& lines, const Packed& elements,
                 const Result<T>& r) {
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
      T* c = r.c + row * r.row;
      finish_elements(r, c, r.cols, low);
      if (r.cols > kLanes) finish_elements(r, c + kLanes, r.cols - kLanes, high);
    }
  }
}

template <class T>
void finish(const float* sums, const Packed& a, const Packed& b, const Result<T>& r) {
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

// Rows of a panel of a: the elements from one row to the next, and from one tile to the next in
// depth. The second tile begins at 16 rows, or packed behind the first.
struct Rows {
  const uint16_t* data;
  int64_t step, along, second;
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
  static void multiply(Rows lines, const uint16_t* b, int64_t depth, bool first, Ahead ahead,
                       float* sums) {
    const uint16_t* a = lines.data;
    const int64_t bytes = 2 * lines.step;
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
    for (int64_t k = 0; k < depth; k += kTileDepth, a += lines.along, b += cols * kTile) {
      ahead.fetch(k);
      _tile_loadd(4, a, bytes);
      _tile_loadd(6, b, 64);
      if (rows > 1) _tile_loadd(5, a + lines.second, bytes);
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
  static void multiply(Rows a, const uint16_t* b, int64_t depth, bool first, Ahead ahead,
                       float* sums) {
    for (int64_t k = 0; k < depth; k += kTileDepth) ahead.fetch(k);
    constexpr int kRows = 8;  // whose sums fit into registers
    for (int row = 0; row < rows * kLanes; row += kRows) {
      const uint16_t* lines = a.data + row / kLanes * a.second + row % kLanes * a.step;
      float* out = sums + row / kLanes * cols * kSums + row % kLanes * kLanes;
      __m512 sum[kRows][cols];
      for (int i = 0; i < kRows; ++i) {
        for (int j = 0; j < cols; ++j) {
          const float* from = out + (j * kLanes + i) * kLanes;
          sum[i][j] = first ? _mm512_setzero_ps() : _mm512_load_ps(from);
        }
      }
      for (int64_t k = 0; k < depth; k += kTileDepth, lines += a.along) {
        const uint16_t* columns = b + k * cols * kLanes;
        for (int64_t pair = 0; pair < kTileDepth; pair += 2) {
          __m512i line[cols];
          for (int j = 0; j < cols; ++j) {
            line[j] = _mm512_load_si512(columns + j * kTile + pair * kLanes);
          }
#pragma GCC unroll 8
          for (int i = 0; i < kRows; ++i) {
            int32_t factors;
            std::memcpy(&factors, lines + i * a.step + pair, sizeof(factors));
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

using Multiply = void (*)(Rows, const uint16_t*, int64_t, bool, Ahead, float*);
Multiply multiply_for(int rows, int cols) {
  if (rows > 1) return cols > 1 ? &Unit::multiply<2, 2> : &Unit::multiply<2, 1>;
  return cols > 1 ? &Unit::multiply<1, 2> : &Unit::multiply<1, 1>;
}

// A panel of a for a part of the depth: packed, or where it is if the instructions can read it.
template <class T>
struct PanelOfA {
  Packed packed;
  Rows main, low;

  PanelOfA(const Lines& from, int64_t rows, int64_t depth, bool direct, uint16_t* memory) {
    constexpr bool whole = std::is_same_v<T, BFloat16>;
    if (whole && direct && from.along == 1 && rows % kLanes == 0 && depth % kTileDepth == 0) {
      packed = {from.data, false};
      main = {from.data, from.step, kTileDepth, kLanes * from.step};
      return;
    }
    packed = pack<main_part<T>>(from, rows, depth, false, memory);
    main = {memory, kTileDepth, packed.tiles(rows) * kTile, kTile};
    if (whole) return;
    uint16_t* const rest = memory + kPanel * kPackedDepth;
    pack<Part::low>(from, rows, depth, false, rest);
    low = main;
    low.data = rest;
  }
};

// T: the type of the factors. R: that of the results.
template <class T, class R = T>
void multiply_block(const ProductBlock& p, const BatchSum& sum, int64_t part_depth, void* memory) {
  constexpr int parts = std::is_same_v<T, Half> ? 2 : 1;
  constexpr int64_t kFewPanels = 4;  // of b: packing a would take longer than it saves
  const BFloat16Sizes size = {
      sum.batches == 1 && p.k <= part_depth ? kPanel : round_up(p.m, kPanel), round_up(p.n, kPanel),
      part_depth, parts};
  auto* sums = static_cast<float*>(memory);
  float* rest = sums + size.rows * size.cols;
  auto* b = reinterpret_cast<uint16_t*>(sums + parts * size.rows * size.cols);
  uint16_t* low_b = b + size.cols * size.depth;
  uint16_t* a = b + parts * size.cols * size.depth;
  const auto alpha = static_cast<float>(p.alpha.d), beta = static_cast<float>(p.beta.d);
  const bool direct = p.n <= kFewPanels * kPanel;
  const Unit unit;
  for (int64_t batch = 0; batch < sum.batches; ++batch) {
    const auto* from_a = reinterpret_cast<const uint16_t*>(p.a) + batch * sum.a_step;
    const auto* from_b = reinterpret_cast<const uint16_t*>(p.b) + batch * sum.b_step;
    for (int64_t begin = 0; begin < p.k; begin += size.depth) {
      const int64_t end = least(begin + size.depth, p.k);
      const int64_t whole = round_up(end - begin, kTileDepth);
      const Lines lines_b = {from_b + begin * p.b_row, p.b_col, p.b_row};
      const Packed packed_b = pack<main_part<T>>(lines_b, p.n, end - begin, true, b);
      if (parts > 1) pack<Part::low>(lines_b, p.n, end - begin, true, low_b);
      for (int64_t i = 0; i < p.m; i += kPanel) {
        const int64_t rows = least(kPanel, p.m - i);
        for (int64_t k = begin; k < end; k += kPackedDepth) {
          const int64_t next = least(k + kPackedDepth, end), depth = round_up(next - k, kTileDepth);
          const bool first = batch == 0 && k == 0;
          const bool last = batch == sum.batches - 1 && next == p.k;
          const PanelOfA<T> panel({from_a + i * p.a_row + k * p.a_col, p.a_row, p.a_col}, rows,
                                  next - k, direct, a);
          const int tiles = panel.packed.tiles(rows);
          for (int64_t j = 0; j < p.n; j += kPanel) {
            const int64_t cols = least(kPanel, p.n - j);
            // Sums that are complete at once stay in the L1 cache.
            const int64_t at =
                first && last ? 0 : (size.rows > kPanel ? i * size.cols : 0) + j * kPanel;
            // The product with each panel of b reads some lines of the next part of a.
            const int64_t line = j * kPanel / size.cols, stop = (j + kPanel) * kPanel / size.cols;
            const bool same_rows = next < end;
            const Ahead ahead = {from_a + (same_rows ? next : begin) * p.a_col, p.a_row,
                                 (same_rows ? i : i + kPanel) + line,
                                 p.a_col == 1 ? stop - line : 0};
            const Multiply multiply = multiply_for(tiles, packed_b.tiles(cols));
            const int64_t at_b = j * whole + (k - begin) * kLanes * packed_b.tiles(cols);
            multiply(panel.main, b + at_b, depth, first, ahead, sums + at);
            if (parts > 1) {
              multiply(panel.low, b + at_b, depth, first, {}, rest + at);
              multiply(panel.main, low_b + at_b, depth, false, {}, rest + at);
              multiply(panel.low, low_b + at_b, depth, false, {}, rest + at);
            }
            if (!last) continue;
            if (parts > 1) {
              add_rest(sums + at, rest + at, tiles * packed_b.tiles(cols) * kSums);
            }
            R* c = reinterpret_cast<R*>(p.c) + i * p.c_row + j * p.c_col;
            finish<R>(sums + at, panel.packed, packed_b,
                      {c, p.c_row, p.c_col, rows, cols, alpha, beta});
          }
        }
      }
    }
  }
}

}  // namespace

namespace TH_ISA {
extern const BFloat16Products bfloat16_products;
#ifdef TH_HAVE_AMX_TILES
constexpr BFloat16Products bfloat16_products = {&multiply_block<BFloat16>, &multiply_block<Half>,
                                                &multiply_block<BFloat16, float>};
#else
constexpr BFloat16Products bfloat16_products = {&multiply_block<BFloat16>, nullptr,
                                                &multiply_block<BFloat16, float>};
#endif
}  // namespace TH_ISA
}  // namespace th
