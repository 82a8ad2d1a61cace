#ifndef TH_CPU_KERNELS_TRIANGULAR_H
#define TH_CPU_KERNELS_TRIANGULAR_H

// Products and triangular systems on parts of matrices, with any strides. A triangle is divided in
// halves until it fits into registers, so that most of the work is in products: Gustavson,
// Recursion Leads to Automatic Variable Blocking, 1997. Diagonal blocks are solved by substitution,
// not inverted, which would be less stable (Higham, Accuracy and Stability of Numerical Algorithms,
// chapters 8 and 14). Requires AVX-512.

#if defined(__AVX512F__)

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "cpu/kernels/few_rows.h"
#include "cpu/kernels/panel_product.h"
#include "cpu/parallel.h"
#include "cpu/team.h"

namespace th {
namespace {

// Element (i, j) is data[i * row + j * col].
template <class T>
struct View {
  T* data;
  int64_t row, col;
  T& operator()(int64_t i, int64_t j) const { return data[i * row + j * col]; }
  View at(int64_t i, int64_t j) const { return {data + i * row + j * col, row, col}; }
  View transposed() const { return {data, col, row}; }
};

enum class Triangle { lower, upper };
inline Triangle transposed(Triangle t) {
  return t == Triangle::lower ? Triangle::upper : Triangle::lower;
}

// Memory for the products of each thread of a team.
struct BlockMemory {
  const Team& team;
  char* data;
  int64_t bytes;
  char* own() const { return data + team.index() * bytes; }
};

template <class T>
class Blocks {
 public:
  explicit Blocks(const BlockMemory& memory) : memory_(memory) {}

  // c -= a * b, or c = a * b if `replace` is set, where a is m x k and b is k x n. Each element is
  // the same sum in all tilings, so the number of threads may decide.
  void subtract(int64_t m, int64_t n, int64_t k, View<T> a, View<T> b, View<T> c,
                bool replace = false) const {
    if (m == 0 || n == 0 || k == 0) return;
    if (c.col != 1) {
      std::swap(m, n);
      std::swap(a, b);
      a = a.transposed(), b = b.transposed(), c = c.transposed();
    }
    const bool few = m <= kFewRows && b.col == 1;
    auto run = [&](int64_t i, int64_t j, int64_t rows, int64_t cols) {
      const ProductBlock block = {rows,
                                  cols,
                                  k,
                                  Scalar(replace ? 1.0 : -1.0),
                                  Scalar(replace ? 0.0 : 1.0),
                                  reinterpret_cast<const char*>(&a(i, 0)),
                                  a.row,
                                  a.col,
                                  reinterpret_cast<const char*>(&b(0, j)),
                                  b.row,
                                  b.col,
                                  reinterpret_cast<char*>(&c(i, j)),
                                  c.row,
                                  c.col};
      few ? FewRows<T>::run(block) : PanelProduct<T>::run(block, memory_.own());
    };
    const double work = static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
    if (work < kParallelWork || m < kTile) return run(0, 0, m, n);
    parallel_for((m + kTile - 1) / kTile, 1, [&](int64_t begin, int64_t end) {
      run(begin * kTile, 0, std::min(m, end * kTile) - begin * kTile, n);
    });
  }

  // b = inverse(a) * b for a triangle a of n rows and `sides` right sides. If `unit` is set, the
  // diagonal counts as 1.
  void solve(Triangle part, bool unit, int64_t n, int64_t sides, View<T> a, View<T> b) const {
    const double work =
        static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(sides);
    if (work < kParallelWork) return solve_part(part, unit, n, sides, a, b);
    parallel_for((sides + kTile - 1) / kTile, 1, [&](int64_t begin, int64_t end) {
      solve_part(part, unit, n, std::min(sides, end * kTile) - begin * kTile, a,
                 b.at(0, begin * kTile));
    });
  }

 private:
  typedef T Vector __attribute__((vector_size(kVectorBytes)));
  static constexpr int kLanes = kVectorBytes / sizeof(T);
  static constexpr int kLeaf = 16;        // rows of a triangle whose right sides fit into registers
  static constexpr int64_t kFewRows = 4;  // with more, panels are faster
  static constexpr double kParallelWork = 1 << 21;
  static constexpr int64_t kTile = 4 * kPanelRows;

  void solve_part(Triangle part, bool unit, int64_t n, int64_t sides, View<T> a, View<T> b) const {
    if (n <= kLeaf) return solve_leaf(part, unit, n, sides, a, b);
    const int64_t half = (n / 2 + kLeaf - 1) / kLeaf * kLeaf, rest = n - half;
    const View<T> low = b.at(half, 0);
    if (part == Triangle::lower) {
      solve_part(part, unit, half, sides, a, b);
      subtract(rest, sides, half, a.at(half, 0), b, low);
      solve_part(part, unit, rest, sides, a.at(half, half), low);
    } else {
      solve_part(part, unit, rest, sides, a.at(half, half), low);
      subtract(half, sides, rest, a.at(0, half), low, b);
      solve_part(part, unit, half, sides, a, b);
    }
  }

  // Like solve_leaf, with divisions by elements of the diagonal whose reciprocals may be infinite.
  static void divide_leaf(int64_t n, int64_t sides, View<T> a, View<T> b) {
    for (int64_t j = 0; j < sides; ++j) {
      for (int64_t k = 0; k < n; ++k) {
        const T x = b(k, j) /= a(k, k);
        for (int64_t i = k + 1; i < n; ++i) b(i, j) -= a(i, k) * x;
      }
    }
  }

  // Right sides are the lanes of vectors. Missing rows and lanes are zeros.
  static void solve_leaf(Triangle part, bool unit, int64_t n, int64_t sides, View<T> a, View<T> b) {
    alignas(64) T rows[kLeaf][kLanes] = {};
    Leaf leaf = {};
    const bool upper = part == Triangle::upper;
    if (upper) a = {&a(n - 1, n - 1), -a.row, -a.col};  // the last row is solved first
    for (int64_t k = 0; k < n && !unit; ++k) {
      if (std::fabs(a(k, k)) >= std::numeric_limits<T>::min()) continue;
      return divide_leaf(n, sides, a, upper ? View<T>{&b(n - 1, 0), -b.row, b.col} : b);
    }
    for (int64_t k = 0; k < kLeaf; ++k) {
      leaf.inverse[k] = unit || k >= n ? T(1) : 1 / a(k, k);
      for (int64_t i = k + 1; i < n; ++i) leaf.minus[k][i] = -a(i, k);
    }
    T(*used)[kLanes] = rows + (upper ? kLeaf - n : 0);
    for (int64_t j = 0; j < sides; j += kLanes) {
      const int64_t lanes = std::min<int64_t>(kLanes, sides - j);
      read(n, lanes, b.at(0, j), used);
      upper ? substitute<true>(leaf, rows) : substitute<false>(leaf, rows);
      write(n, lanes, used, b.at(0, j));
    }
  }
  // A triangle, column by column, in the order in which its rows are solved.
  struct Leaf {
    T minus[kLeaf][kLeaf], inverse[kLeaf];
  };
  template <bool backward>
  static void substitute(const Leaf& leaf, T (*rows)[kLanes]) {
    Vector x[kLeaf];
#pragma GCC unroll 16
    for (int k = 0; k < kLeaf; ++k) {
      __builtin_memcpy(&x[k], rows[backward ? kLeaf - 1 - k : k], sizeof(Vector));
    }
#pragma GCC unroll 16
    for (int k = 0; k < kLeaf; ++k) {
      x[k] *= leaf.inverse[k];
#pragma GCC unroll 16
      for (int i = 0; i < kLeaf; ++i) {
        if (i > k) x[i] = multiply_add<T>(leaf.minus[k][i], x[k], x[i]);
      }
    }
#pragma GCC unroll 16
    for (int k = 0; k < kLeaf; ++k) {
      __builtin_memcpy(rows[backward ? kLeaf - 1 - k : k], &x[k], sizeof(Vector));
    }
  }

  static void read(int64_t n, int64_t lanes, View<T> b, T (*rows)[kLanes]) {
    if (lanes == kLanes && b.col == 1) {
      for (int64_t i = 0; i < n; ++i) __builtin_memcpy(rows[i], &b(i, 0), sizeof(Vector));
    } else if (lanes == kLanes && b.row == 1 && n == kLeaf) {
      for (int i = 0; i < kLeaf; i += kLanes) {
        PanelProduct<T>::transpose(&b(i, 0), b.col, kLanes, rows[i], kLanes);
      }
    } else {
      for (int64_t l = 0; l < lanes; ++l) {
        for (int64_t i = 0; i < n; ++i) rows[i][l] = b(i, l);
      }
    }
  }
  static void write(int64_t n, int64_t lanes, const T (*rows)[kLanes], View<T> b) {
    if (lanes == kLanes && b.col == 1) {
      for (int64_t i = 0; i < n; ++i) __builtin_memcpy(&b(i, 0), rows[i], sizeof(Vector));
    } else if (lanes == kLanes && b.row == 1 && n == kLeaf) {
      for (int i = 0; i < kLeaf; i += kLanes) {
        PanelProduct<T>::transpose(rows[i], kLanes, kLanes, &b(i, 0), b.col);
      }
    } else {
      for (int64_t l = 0; l < lanes; ++l) {
        for (int64_t i = 0; i < n; ++i) b(i, l) = rows[i][l];
      }
    }
  }

  BlockMemory memory_;
};

}  // namespace
}  // namespace th

#endif  // __AVX512F__

#endif
