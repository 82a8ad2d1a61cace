#include "cpu/product.h"
#include "cpu/product_kernels.h"
#include "cpu/kernels/element_loop.h"
#include "cpu/kernels/few_rows.h"
#include "cpu/kernels/panel_product.h"
#include "cpu/kernels/quantized_rows.h"
#include "cpu/kernels/reduced_product.h"
#include "cpu/kernels/vector_bytes.h"

namespace th {
namespace {

// Products are computed modulo 2^32 (2^64 for Long) and truncated. This gives the same bits as
// int64_t accumulation, with twice the lanes.
template <class T>
struct IntegerProduct {
  using Word = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
  typedef Word Vector __attribute__((vector_size(kVectorBytes)));
  static constexpr int kVectorLanes = kVectorBytes / sizeof(Word);
  static constexpr int kRows = 4;
  static constexpr int kCols = 2 * kVectorLanes;
  static constexpr int kDepth = 128;  // of a block; its part of b stays in the L2 cache
  static constexpr int kWidth = 128;

  static void run(const ProductBlock& p) {
    if (p.n == 1) return run_vector(p.m, p.k, {p.a, p.a_row, p.a_col}, {p.b, p.b_row}, p.c_row, p);
    if (p.m == 1) return run_vector(p.n, p.k, {p.b, p.b_col, p.b_row}, {p.a, p.a_col}, p.c_col, p);
    alignas(64) Word b[kDepth * kWidth];
    alignas(64) Word a[kDepth * kRows];
    alignas(64) Word sums[kRows * kCols];
    Word alpha = static_cast<Word>(p.alpha.i), beta = static_cast<Word>(p.beta.i);
    for (int64_t j0 = 0; j0 < p.n; j0 += kWidth) {
      int64_t width = least(kWidth, p.n - j0);
      for (int64_t k0 = 0; k0 < p.k; k0 += kDepth) {
        int64_t depth = least(kDepth, p.k - k0);
        for (int64_t j = 0; j < width; j += kCols) {
          pack<kCols>(p.b, p.b_col, p.b_row, j0 + j, least(kCols, width - j), k0, depth,
                      b + j * depth);
        }
        for (int64_t i = 0; i < p.m; i += kRows) {
          int64_t rows = least(kRows, p.m - i);
          pack<kRows>(p.a, p.a_row, p.a_col, i, rows, k0, depth, a);
          for (int64_t j = 0; j < width; j += kCols) {
            multiply(a, b + j * depth, depth, sums);
            T* c = reinterpret_cast<T*>(p.c) + i * p.c_row + (j0 + j) * p.c_col;
            add(sums, alpha, k0 ? Word(1) : beta, c, p.c_row, p.c_col, rows,
                least(kCols, width - j));
          }
        }
      }
    }
  }

 private:
  static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

  struct Matrix {
    const char* data;
    int64_t row, col;
  };
  struct Operand {
    const char* data;
    int64_t step;
  };
  // factor * x is added to sums, or the sum of x * y is returned, for n elements.
  static void add_multiple(Word* sums, Word factor, const T* x, int64_t step, int64_t n) {
    if (step == 1) {
      for (int64_t i = 0; i < n; ++i) sums[i] += factor * static_cast<Word>(x[i]);
    } else {
      for (int64_t i = 0; i < n; ++i) sums[i] += factor * static_cast<Word>(x[i * step]);
    }
  }
  static Word dot(const T* x, int64_t x_step, const T* y, int64_t y_step, int64_t n) {
    Word sum = 0;
    if (x_step == 1 && y_step == 1) {
      for (int64_t j = 0; j < n; ++j) sum += static_cast<Word>(x[j]) * static_cast<Word>(y[j]);
    } else {
      for (int64_t j = 0; j < n; ++j) {
        sum += static_cast<Word>(x[j * x_step]) * static_cast<Word>(y[j * y_step]);
      }
    }
    return sum;
  }
  // The product of an m x k matrix and a vector, whose result has the step c_step.
  static void run_vector(int64_t m, int64_t k, const Matrix& a, const Operand& x, int64_t c_step,
                         const ProductBlock& p) {
    const T *in = reinterpret_cast<const T*>(a.data), *by = reinterpret_cast<const T*>(x.data);
    T* c = reinterpret_cast<T*>(p.c);
    const auto alpha = static_cast<Word>(p.alpha.i), beta = static_cast<Word>(p.beta.i);
    const int64_t row = a.row, col = a.col, step = x.step;
    Word sums[kWidth];
    for (int64_t i0 = 0; i0 < m; i0 += kWidth) {
      const int64_t rows = least(kWidth, m - i0);
      const T* block = in + i0 * row;
      for (int64_t i = 0; i < rows; ++i) sums[i] = 0;
      if (row < col) {
        for (int64_t j = 0; j < k; ++j) {
          add_multiple(sums, static_cast<Word>(by[j * step]), block + j * col, row, rows);
        }
      } else {
        for (int64_t i = 0; i < rows; ++i) sums[i] = dot(block + i * row, col, by, step, k);
      }
      for (int64_t i = 0; i < rows; ++i) {
        T& out = c[(i0 + i) * c_step];
        Word value = alpha * sums[i];
        if (beta != 0) value += beta * static_cast<Word>(out);
        out = static_cast<T>(value);
      }
    }
  }

  // Packs kLanes rows (or columns) next to each other; missing ones are zeros.
  template <int kLanes>
  static void pack(const char* data, int64_t lane_stride, int64_t stride, int64_t lane0,
                   int64_t lanes, int64_t k0, int64_t depth, Word* out) {
    const T* in = reinterpret_cast<const T*>(data) + lane0 * lane_stride + k0 * stride;
    if (lanes < kLanes) {
      for (int64_t i = 0; i < depth * kLanes; ++i) out[i] = 0;
    }
    if (lane_stride == 1 && lanes == kLanes) {
      for (int64_t k = 0; k < depth; ++k) {
        for (int64_t l = 0; l < kLanes; ++l) {
          out[k * kLanes + l] = static_cast<Word>(in[k * stride + l]);
        }
      }
      return;
    }
    for (int64_t l = 0; l < lanes; ++l) {
      for (int64_t k = 0; k < depth; ++k) {
        out[k * kLanes + l] = static_cast<Word>(in[l * lane_stride + k * stride]);
      }
    }
  }

  static void multiply(const Word* a, const Word* b, int64_t depth, Word* sums) {
    Vector sum[kRows][2] = {};
    for (int64_t k = 0; k < depth; ++k) {
      Vector b0 = *reinterpret_cast<const Vector*>(b + k * kCols);
      Vector b1 = *reinterpret_cast<const Vector*>(b + k * kCols + kVectorLanes);
      for (int i = 0; i < kRows; ++i) {
        sum[i][0] += a[k * kRows + i] * b0;
        sum[i][1] += a[k * kRows + i] * b1;
      }
    }
    for (int i = 0; i < kRows; ++i) {
      *reinterpret_cast<Vector*>(sums + i * kCols) = sum[i][0];
      *reinterpret_cast<Vector*>(sums + i * kCols + kVectorLanes) = sum[i][1];
    }
  }

  static void add(const Word* sums, Word alpha, Word beta, T* c, int64_t row, int64_t col,
                  int64_t rows, int64_t cols) {
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < cols; ++j) {
        Word value = alpha * sums[i * kCols + j];
        T& out = c[i * row + j * col];
        if (beta != 0) value += beta * static_cast<Word>(out);
        out = static_cast<T>(value);
      }
    }
  }
};

template <class T>
void integer_product(const ProductBlock& p) {
  IntegerProduct<T>::run(p);
}

template <class T>
void outer_product(const ProductBlock& block) {
  // A local copy, because for the compiler writes to c may alias block.
  const ProductBlock p = block;
  T alpha = static_cast<T>(p.alpha.d), beta = static_cast<T>(p.beta.d);
  const T* a = reinterpret_cast<const T*>(p.a);
  const T* b = reinterpret_cast<const T*>(p.b);
  T* c = reinterpret_cast<T*>(p.c);
  for (int64_t i = 0; i < p.m; ++i, c += p.c_row) {
    T factor = alpha * a[i * p.a_row];
    if (p.c_col != 1 || p.b_col != 1) {
      for (int64_t j = 0; j < p.n; ++j) {
        T value = factor * b[j * p.b_col];
        c[j * p.c_col] = beta == 0 ? value : value + beta * c[j * p.c_col];
      }
    } else if (beta == 0) {
#pragma GCC ivdep
      for (int64_t j = 0; j < p.n; ++j) c[j] = factor * b[j];
    } else {
#pragma GCC ivdep
      for (int64_t j = 0; j < p.n; ++j) c[j] = factor * b[j] + beta * c[j];
    }
  }
}

// Products with at most `lanes` columns: a row fits into a few SIMD registers. Without fused
// multiply-adds, so that the results do not depend on the instruction set.
template <class T, int lanes>
struct SmallProducts {
  static constexpr int kLineBytes = lanes * static_cast<int>(sizeof(T));
  static constexpr int kBytes = kLineBytes < kVectorBytes ? kLineBytes : kVectorBytes;
  static constexpr int kVectors = kLineBytes / kBytes, kLanes = lanes / kVectors;
  typedef T Vector __attribute__((vector_size(kBytes)));
  // Rows whose sums are computed at once, so that they do not wait for one another. Their sums fit
  // into 8 registers.
  static constexpr int kRows = kVectors < 2 ? 4 : 8 / kVectors;

  static void run(const ProductBlock& block, int64_t count, const int64_t* step) {
    // A local copy, because for the compiler writes to c may alias block.
    const ProductBlock p = block;
    const bool whole = p.n == lanes && p.b_col == 1;
    alignas(64) T own[kSmallProduct * lanes] = {};
    for (int64_t batch = 0; batch < count; ++batch) {
      const T* a = reinterpret_cast<const T*>(p.a) + batch * step[0];
      const T* b = reinterpret_cast<const T*>(p.b) + batch * step[1];
      T* c = reinterpret_cast<T*>(p.c) + batch * step[2];
      if (!whole) {
        for (int64_t l = 0; l < p.k; ++l) {
          for (int64_t j = 0; j < p.n; ++j) own[l * lanes + j] = b[l * p.b_row + j * p.b_col];
        }
      }
      const T* lines = whole ? b : own;
      const int64_t line = whole ? p.b_row : lanes;
      int64_t i = 0;
      for (; i + kRows <= p.m; i += kRows) {
        rows<kRows>(p, a + i * p.a_row, lines, line, c + i * p.c_row);
      }
      for (; i < p.m; ++i) rows<1>(p, a + i * p.a_row, lines, line, c + i * p.c_row);
    }
  }

 private:
  static Vector load(const T* p) {
    Vector v;
    __builtin_memcpy(&v, p, sizeof(v));
    return v;
  }

  template <int count>
  static void rows(const ProductBlock& p, const T* a, const T* lines, int64_t step, T* c) {
    Vector sum[count][kVectors];
    for (auto& of_row : sum) {
      for (Vector& zero : of_row) zero = Vector{};
    }
    for (int64_t l = 0; l < p.k; ++l, lines += step) {
      Vector line[kVectors];
      for (int v = 0; v < kVectors; ++v) line[v] = load(lines + v * kLanes);
      for (int i = 0; i < count; ++i) {
        const T factor = a[i * p.a_row + l * p.a_col];
        for (int v = 0; v < kVectors; ++v) sum[i][v] += factor * line[v];
      }
    }
    const T alpha = static_cast<T>(p.alpha.d), beta = static_cast<T>(p.beta.d);
    // Unrolled, so that the sums stay in registers.
#pragma GCC unroll 4
    for (int i = 0; i < count; ++i) {
#pragma GCC unroll 8
      for (int v = 0; v < kVectors; ++v) {
        const int64_t rest = p.n - v * kLanes;
        if (rest <= 0) break;
        Vector y = sum[i][v] * alpha;
        T* to = c + i * p.c_row + v * kLanes * p.c_col;
        if (rest >= kLanes && p.c_col == 1) {
          if (beta != 0) y += beta * load(to);
          __builtin_memcpy(to, &y, sizeof(y));
          continue;
        }
        for (int64_t j = 0; j < kLanes && j < rest; ++j, to += p.c_col) {
          *to = beta == 0 ? y[j] : y[j] + beta * *to;
        }
      }
    }
  }
};
// Products of one row and one column, both contiguous. Short sums are computed in the order of
// their terms, as in SmallProducts: the processor computes those of several products at once.
template <class T, bool kIsShort>
void dot_products(const ProductBlock& block, int64_t count, const int64_t* step) {
  const ProductBlock p = block;
  const T alpha = static_cast<T>(p.alpha.d), beta = static_cast<T>(p.beta.d);
  for (int64_t batch = 0; batch < count; ++batch) {
    const T* a = reinterpret_cast<const T*>(p.a) + batch * step[0];
    const T* b = reinterpret_cast<const T*>(p.b) + batch * step[1];
    T* c = reinterpret_cast<T*>(p.c) + batch * step[2];
    T sum = 0;
    if constexpr (kIsShort) {
      for (int64_t l = 0; l < p.k; ++l) sum += a[l] * b[l];
    } else {
#pragma omp simd reduction(+ : sum)
      for (int64_t l = 0; l < p.k; ++l) sum += a[l] * b[l];
    }
    *c = beta == 0 ? alpha * sum : alpha * sum + beta * *c;
  }
}

template <class T>
void choose_small_products(const ProductBlock& p, int64_t count, const int64_t* step) {
  if (p.k > kSmallProduct) return dot_products<T, false>(p, count, step);
  if (p.m == 1 && p.n == 1 && p.a_col == 1 && p.b_row == 1) {
    return dot_products<T, true>(p, count, step);
  }
  p.n <= 4   ? SmallProducts<T, 4>::run(p, count, step)
  : p.n <= 8 ? SmallProducts<T, 8>::run(p, count, step)
             : SmallProducts<T, kSmallProduct>::run(p, count, step);
}

}  // namespace

namespace TH_ISA {

// multiply divides the call into blocks and calls the kernels of this table.
void run_product(const ProductCall& call) { multiply(call); }

extern const ProductKernels product_kernels;
constexpr ProductKernels product_kernels = {
    for_types<IntegralTypes>([](auto zero) { return &integer_product<decltype(zero)>; }),
    for_types<BlasTypes>([](auto zero) { return &outer_product<decltype(zero)>; }),
#if defined(__AVX2__)
    for_types<BlasTypes>([](auto zero) { return &FewRows<decltype(zero)>::run; }),
    FewRows<float>::kMostRows,
#else
    {},
    0,
#endif
#if defined(__AVX512F__)
    for_types<BlasTypes>([](auto zero) { return &PanelProduct<decltype(zero)>::run; }),
#else
    {},
#endif
    for_types<BlasTypes>([](auto zero) { return &choose_small_products<decltype(zero)>; }),
#ifdef TH_HAVE_VECTORS
    for_types<FloatingTypes>([](auto zero) -> ProductKernel {
      using T = decltype(zero);
      if constexpr (IsReduced<T>::value) return &ReducedProduct<T>::by_rows;
      return nullptr;
    }),
    for_types<FloatingTypes>([](auto zero) -> ProductKernel {
      using T = decltype(zero);
      if constexpr (IsReduced<T>::value) return &ReducedProduct<T>::by_columns;
      return nullptr;
    }),
    &QuantizedRows::run,
    QuantizedRows::kMostRows
#else
    {},
    {},
    nullptr,
    0
#endif
};

}  // namespace TH_ISA
}  // namespace th
