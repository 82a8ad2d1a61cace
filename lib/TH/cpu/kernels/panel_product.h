#ifndef TH_CPU_KERNELS_PANEL_PRODUCT_H
#define TH_CPU_KERNELS_PANEL_PRODUCT_H

// Products c = beta * c + alpha * a * b. Blocks of a and b are copied into panels that the inner
// loop reads in order, as BLAS libraries do: see Goto, van de Geijn: Anatomy of High-Performance
// Matrix Multiplication, 2008. OpenBLAS has a slower inner loop. Requires AVX-512.

#if defined(__AVX512F__)

#include "cpu/kernels/multiply_add.h"
#include "cpu/kernels/prefetch.h"
#include "cpu/product_kernels.h"

namespace th {
namespace {

template <class T>
class PanelProduct {
 public:
  static void run(const ProductBlock& p, void* memory) {
    const int64_t parts = (p.k + kPanelDepth - 1) / kPanelDepth, depth = (p.k + parts - 1) / parts;
    for (int64_t j0 = 0; j0 < p.n; j0 += kPanelsOfB * kCols) {
      for (int64_t k0 = 0; k0 < p.k; k0 += depth) {
        multiply_columns(p, j0, k0, least(depth, p.k - k0), static_cast<T*>(memory));
      }
    }
    if (p.streams) _mm_sfence();
  }

  // out[k * width + l] = in[l * stride + k] for k and l below kLanes; 0 for l from `lanes` on.
  static void transpose(const T* in, int64_t stride, int64_t lanes, T* out, int64_t width) {
    Vector line[kLanes];
#pragma GCC unroll 16
    for (int l = 0; l < kLanes; ++l) line[l] = l < lanes ? load(in + l * stride) : Vector{};
    exchange<kLanes / 2>(line);
#pragma GCC unroll 16
    for (int k = 0; k < kLanes; ++k) store(out + k * width, line[k]);
  }

 private:
  typedef T Vector __attribute__((vector_size(kVectorBytes)));
  typedef std::conditional_t<sizeof(T) == 4, int32_t, int64_t> Index
      __attribute__((vector_size(kVectorBytes)));
  static constexpr int kLanes = kVectorBytes / sizeof(T);
  static constexpr int64_t kAhead = 16;  // lines; the processor does not foresee long strides
  static constexpr int kRows = kPanelRows, kCols = 2 * kLanes;  // 28 registers hold sums
  static constexpr int64_t kGroup = 4 * kCols;  // long lines of b are read once for these columns
  static constexpr int64_t kShallow = 128;      // terms; with more, lines of c are read ahead
  static_assert(kCols * sizeof(T) == kPanelBytes && kPanelDepth % kLanes == 0);

  // The part of c that is computed from panels of a and one panel of b.
  struct Block {
    T* c;
    int64_t row, col, rows, cols;
    T alpha, beta;
    bool streams;
  };

  static int64_t least(int64_t x, int64_t y) { return x < y ? x : y; }
  static const T* at(const char* data, int64_t offset) {
    return reinterpret_cast<const T*>(data) + offset;
  }
  static Vector load(const T* x) {
    Vector v;
    __builtin_memcpy(&v, x, sizeof(v));
    return v;
  }
  static void store(T* x, Vector v) { __builtin_memcpy(x, &v, sizeof(v)); }
  static void stream(T* x, Vector v) {
    _mm512_stream_si512(reinterpret_cast<__m512i*>(x), (__m512i)v);
  }
  // Adds the products of these terms for up to kPanelsOfB panels of columns. The first rows copy
  // the panels of b, and all read them. If there are no other rows, the memory is used again.
  static void multiply_columns(const ProductBlock& p, int64_t j0, int64_t k0, int64_t depth,
                               T* memory) {
    T *a = memory, *b = memory + kPanelTile * kPanelDepth + kCols;
    const int64_t width = least(kPanelsOfB * kCols, p.n - j0);
    const int64_t kept = p.m > kPanelTile ? width : kGroup;
    for (int64_t i0 = 0; i0 < p.m; i0 += kPanelTile) {
      const int64_t rows = least(kPanelTile, p.m - i0);
      pack_panels<kRows, 4>(p.a, i0 * p.a_row + k0 * p.a_col, p.a_row, p.a_col, rows, depth, a);
      for (int64_t j = 0; j < width; j += kCols) {
        const int64_t cols = least(kCols, width - j);
        if (i0 == 0 && j % kGroup == 0) {
          pack_panels<kLanes, kGroup / kLanes>(p.b, (j0 + j) * p.b_col + k0 * p.b_row, p.b_col,
                                               p.b_row, least(kGroup, width - j), depth,
                                               b + j % kept * depth);
        }
        const Block block = {const_cast<T*>(at(p.c, i0 * p.c_row + (j0 + j) * p.c_col)),
                             p.c_row,
                             p.c_col,
                             rows,
                             cols,
                             static_cast<T>(p.alpha.d),
                             k0 ? T(1) : static_cast<T>(p.beta.d),
                             p.streams};
        multiply_rows(a, b + j % kept * depth, depth, block);
      }
    }
  }

  // ---- panels: out[k * kWidth + l] = in[l * lane_stride + k * stride], and 0 for missing lanes

  template <int kWidth>
  static void pack(const T* in, int64_t lane_stride, int64_t stride, int64_t lanes, int64_t depth,
                   T* out) {
    int64_t k = 0;
    if (lane_stride == 1 && lanes == kWidth) {
      for (; k < depth; ++k) {
        prefetch(in, (k + kAhead) * stride);
        prefetch(in, (k + kAhead) * stride + kWidth - 1);
        __builtin_memcpy(out + k * kWidth, in + k * stride, kWidth * sizeof(T));
      }
      return;
    }
    if (stride == 1) {
      // The last vector of a narrow panel's line reaches into the next line, which is written
      // later. After the last line follows the next panel, or unused memory.
      for (; k + kLanes <= depth; k += kLanes) {
        for (int first = (kWidth - 1) / kLanes * kLanes; first >= 0; first -= kLanes) {
          transpose(in + first * lane_stride + k, lane_stride, lanes - first,
                    out + k * kWidth + first, kWidth);
        }
      }
    }
    for (; k < depth; ++k) {
      for (int64_t l = 0; l < kWidth; ++l) {
        out[k * kWidth + l] = l < lanes ? in[l * lane_stride + k * stride] : T(0);
      }
    }
  }

  // Packs `lanes` lanes into panels of kWidth, which follow each other. Long lines are read once
  // for kPanels panels.
  template <int kWidth, int kPanels>
  static void pack_panels(const char* data, int64_t offset, int64_t lane_stride, int64_t stride,
                          int64_t lanes, int64_t depth, T* out) {
    const T* in = at(data, offset);
    for (int64_t l = 0; l < lanes;) {
      if (lane_stride == 1 && lanes - l >= kPanels * kWidth) {
        pack_lines<kWidth, kPanels>(in + l, stride, depth, out + l * depth);
        l += kPanels * kWidth;
      } else {
        pack<kWidth>(in + l * lane_stride, lane_stride, stride, least(kWidth, lanes - l), depth,
                     out + l * depth);
        l += kWidth;
      }
    }
  }
  template <int kWidth, int kPanels>
  static void pack_lines(const T* in, int64_t stride, int64_t depth, T* out) {
    for (int64_t k = 0; k < depth; ++k, in += stride, out += kWidth) {
#pragma GCC unroll 16
      for (int64_t panel = 0; panel < kPanels; ++panel) {
        prefetch(in, kAhead * stride + panel * kWidth);
        __builtin_memcpy(out + panel * kWidth * depth, in + panel * kWidth, kWidth * sizeof(T));
      }
    }
  }

  // Exchanges blocks of kStep x kStep elements across the diagonal, then those inside of them.
  template <int kStep>
  static void exchange(Vector* line) {
    Index upper, lower;
    for (int j = 0; j < kLanes; ++j) {
      upper[j] = j & kStep ? kLanes + j - kStep : j;
      lower[j] = j & kStep ? kLanes + j : j + kStep;
    }
#pragma GCC unroll 16
    for (int i = 0; i < kLanes; ++i) {
      if (i & kStep) continue;
      const Vector x = line[i], y = line[i + kStep];
      line[i] = select(x, upper, y);
      line[i + kStep] = select(x, lower, y);
    }
    if constexpr (kStep > 1) exchange<kStep / 2>(line);
  }
  static Vector select(Vector x, Index index, Vector y) {
    if constexpr (sizeof(T) == 4) {
      return (Vector)_mm512_permutex2var_ps((__m512)x, (__m512i)index, (__m512)y);
    } else {
      return (Vector)_mm512_permutex2var_pd((__m512d)x, (__m512i)index, (__m512d)y);
    }
  }

  // ---- products of panels

  static void multiply_rows(const T* a, const T* b, int64_t depth, const Block& block) {
    for (int64_t i = 0; i < block.rows; i += kRows) {
      Block own = block;
      own.c += i * block.row;
      own.rows = least(kRows, block.rows - i);
      const auto kernel = own.rows > 11  ? kernel_of<kRows>(own)
                          : own.rows > 8 ? kernel_of<11>(own)
                          : own.rows > 4 ? kernel_of<8>(own)
                                         : kernel_of<4>(own);
      kernel(a + i * depth, b, depth, own);
    }
  }
  using Kernel = void (*)(const T* a, const T* b, int64_t depth, const Block& block);
  template <int kR>
  static Kernel kernel_of(const Block& block) {
    return block.cols > kLanes ? &multiply<kR, 2> : &multiply<kR, 1>;
  }

  // Multiplies kR lines of a panel of a by kW vectors of a panel of b.
  template <int kR, int kW>
  static void multiply(const T* a, const T* b, int64_t depth, const Block& block) {
    Vector sum[kR][kW] = {};
    if (block.col == 1 && depth > kShallow) {
#pragma GCC unroll 16
      for (int i = 0; i < kR; ++i) {
        for (int j = 0; j < kW; ++j) prefetch(block.c, i * block.row + j * kLanes);
      }
    }
    for (int64_t k = 0; k < depth; ++k, a += kRows, b += kLanes) {
      Vector line[kW];
      for (int j = 0; j < kW; ++j) line[j] = load(b + j * depth * kLanes);
#pragma GCC unroll 16
      for (int i = 0; i < kR; ++i) {
#pragma GCC unroll 16
        for (int j = 0; j < kW; ++j) sum[i][j] = multiply_add<T>(a[i], line[j], sum[i][j]);
      }
    }
    if (block.col == 1 && block.cols == kW * kLanes) {
#pragma GCC unroll 16
      for (int i = 0; i < kR; ++i) {
        if (i >= block.rows) break;
        T* c = block.c + i * block.row;
#pragma GCC unroll 16
        for (int j = 0; j < kW; ++j) {
          Vector v = sum[i][j] * block.alpha;
          if (block.streams) {
            stream(c + j * kLanes, v);
            continue;
          }
          if (block.beta != 0) v += block.beta * load(c + j * kLanes);
          store(c + j * kLanes, v);
        }
      }
      return;
    }
    alignas(64) T sums[kR][kW * kLanes];
#pragma GCC unroll 16
    for (int i = 0; i < kR; ++i) {
#pragma GCC unroll 16
      for (int j = 0; j < kW; ++j) store(sums[i] + j * kLanes, sum[i][j] * block.alpha);
    }
    for (int64_t i = 0; i < block.rows; ++i) {
      for (int64_t j = 0; j < block.cols; ++j) {
        T& c = block.c[i * block.row + j * block.col];
        c = block.beta == 0 ? sums[i][j] : sums[i][j] + block.beta * c;
      }
    }
  }
};

}  // namespace
}  // namespace th

#endif  // __AVX512F__

#endif
