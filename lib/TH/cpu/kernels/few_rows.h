#ifndef TH_CPU_KERNELS_FEW_ROWS_H
#define TH_CPU_KERNELS_FEW_ROWS_H

// Products c = beta * c + alpha * a * b with few rows and row-major b. b is read once and in place,
// while BLAS libraries copy it first. Requires fused multiply-add, so AVX2 or AVX-512.

#if defined(__AVX2__)

#include "cpu/kernels/multiply_add.h"
#include "cpu/kernels/vector_bytes.h"
#include "cpu/product_kernels.h"

namespace th {
namespace {

template <class T>
class FewRows {
 public:
  // The number of rows whose sums fit into registers together with the factors.
  static constexpr int kRows = kVectorBytes == 64 ? 14 : 6;
  static constexpr int kMostRows = 2 * kRows;

  static void run(const ProductBlock& p) {
    alignas(64) T a[2 * kRows * kDepth];
    const int64_t panels = p.m > kRows ? 2 : 1;
    // Even, to reduce the number of compiled kernels.
    const auto rows = static_cast<int>((p.m + 2 * panels - 1) / (2 * panels) * 2);
    const Kernels kernels = kernels_for(rows);
    const int64_t parts = (p.k + kDepth - 1) / kDepth, depth = (p.k + parts - 1) / parts;
    for (int64_t k = 0; k < p.k; k += depth) {
      const int64_t part = k + depth < p.k ? depth : p.k - k;
      const T beta = k ? T(1) : static_cast<T>(p.beta.d);
      for (int64_t i = 0; i < panels; ++i) pack(p, i * rows, rows, k, part, a + i * rows * part);
      auto columns = [&](Kernel kernel, int64_t begin, int64_t count, const T* b, int64_t row) {
        for (int64_t i = 0; i < panels; ++i) {
          T* c = reinterpret_cast<T*>(p.c) + i * rows * p.c_row + begin * p.c_col;
          int64_t left = p.m - i * rows;
          kernel(a + i * rows * part, b, row, part,
                 {c, p.c_row, p.c_col, left < rows ? left : rows, count, static_cast<T>(p.alpha.d),
                  beta});
        }
      };
      const T* b = reinterpret_cast<const T*>(p.b) + k * p.b_row;
      int64_t j = 0;
      for (; j + kernels.width <= p.n; j += kernels.width) {
        columns(kernels.wide, j, kernels.width, b + j, p.b_row);
      }
      for (; j + kLanes <= p.n; j += kLanes) columns(kernels.narrow, j, kLanes, b + j, p.b_row);
      if (j < p.n) {
        alignas(64) T rest[kDepth * kLanes];
        for (int64_t l = 0; l < part; ++l) {
          for (int64_t q = 0; q < kLanes; ++q) {
            rest[l * kLanes + q] = j + q < p.n ? b[l * p.b_row + j + q] : T(0);
          }
        }
        columns(kernels.narrow, j, p.n - j, rest, kLanes);
      }
    }
  }

 private:
  typedef T Vector __attribute__((vector_size(kVectorBytes)));
  static constexpr int kLanes = kVectorBytes / sizeof(T);
  static constexpr int kDepth = 256;

  struct Result {
    T* c;
    int64_t row, col, rows, cols;
    T alpha, beta;
  };
  using Kernel = void (*)(const T* a, const T* b, int64_t b_row, int64_t depth, const Result& r);
  struct Kernels {
    Kernel wide, narrow;
    int64_t width;
  };

  static Vector load(const T* x) {
    Vector v;
    __builtin_memcpy(&v, x, sizeof(v));
    return v;
  }
  static void store(T* x, Vector v) { __builtin_memcpy(x, &v, sizeof(v)); }
  // Multiplies depth x kR packed elements of a by depth x kW vectors of b.
  template <int kR, int kW>
  static void multiply(const T* a, const T* b, int64_t b_row, int64_t depth, const Result& r) {
    Vector sum[kR][kW] = {};
    for (int64_t k = 0; k < depth; ++k, a += kR, b += b_row) {
      Vector line[kW];
      for (int j = 0; j < kW; ++j) line[j] = load(b + j * kLanes);
#pragma GCC unroll 16
      for (int i = 0; i < kR; ++i) {
#pragma GCC unroll 16
        for (int j = 0; j < kW; ++j) sum[i][j] = multiply_add<T>(a[i], line[j], sum[i][j]);
      }
    }
    alignas(64) T sums[kR][kW * kLanes];
#pragma GCC unroll 16
    for (int i = 0; i < kR; ++i) {
#pragma GCC unroll 16
      for (int j = 0; j < kW; ++j) store(sums[i] + j * kLanes, sum[i][j] * r.alpha);
    }
    for (int64_t i = 0; i < r.rows; ++i) {
      T* c = r.c + i * r.row;
      if (r.beta == 0) {
        for (int64_t j = 0; j < r.cols; ++j) c[j * r.col] = sums[i][j];
      } else {
        for (int64_t j = 0; j < r.cols; ++j) c[j * r.col] = sums[i][j] + r.beta * c[j * r.col];
      }
    }
  }

  template <int kR>
  static constexpr Kernels kernels() {
    constexpr int kRegisters = kVectorBytes == 64 ? 28 : 12;
    constexpr int kW = kRegisters / kR < 8 ? kRegisters / kR : 8;
    return {&multiply<kR, kW>, &multiply<kR, 1>, kW * kLanes};
  }
  static Kernels kernels_for(int rows) {
    if constexpr (kRows == 14) {
      if (rows == 14) return kernels<14>();
      if (rows == 12) return kernels<12>();
      if (rows == 10) return kernels<10>();
      if (rows == 8) return kernels<8>();
    }
    return rows == 6 ? kernels<6>() : rows == 4 ? kernels<4>() : kernels<2>();
  }

  // Packs rows next to each other; missing rows are zeros.
  static void pack(const ProductBlock& p, int64_t first, int rows, int64_t k0, int64_t depth,
                   T* out) {
    const T* in = reinterpret_cast<const T*>(p.a) + first * p.a_row + k0 * p.a_col;
    for (int64_t i = 0; i < rows; ++i) {
      bool there = first + i < p.m;
      for (int64_t k = 0; k < depth; ++k) {
        out[k * rows + i] = there ? in[i * p.a_row + k * p.a_col] : T(0);
      }
    }
  }
};

}  // namespace
}  // namespace th

#endif  // __AVX2__

#endif
