#ifndef TH_CPU_KERNELS_FACTORS_H
#define TH_CPU_KERNELS_FACTORS_H

// Factorizations and inverses of one matrix by blocks, on products and triangular systems. Requires
// AVX-512.

#if defined(__AVX512F__)

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "cpu/kernels/triangular.h"
#include "cpu/kernels/vectors.h"

namespace th {
namespace {

// The first position of the largest absolute value.
template <class T>
class Largest {
 public:
  using V = vector::Of<T>;
  void add(V x, int64_t first) {
    const V size = vector::abs(x);
    const vector::Bits<V> larger = size > size_;
    size_ = larger ? size : size_;
    at_ = larger ? static_cast<vector::Item<vector::Bits<V>>>(first) - vector::Bits<V>{} : at_;
  }
  // Adds the elements from `first` to `end`, after those that add() got. Returns the position,
  // which is valid if there are elements.
  int64_t search(const T* x, int64_t first, int64_t end) {
    for (; first + kLanes <= end; first += kLanes) add(vector::load<V>(x + first), first);
    T size = -1;
    int64_t found = 0;
    for (int l = 0; l < kLanes; ++l) {
      const int64_t at = at_[l] + l;
      if (size_[l] > size || (size_[l] == size && at < found)) size = size_[l], found = at;
    }
    for (; first < end; ++first) {
      if (std::fabs(x[first]) > size) size = std::fabs(x[first]), found = first;
    }
    return size < 0 ? end - 1 : found;
  }

 private:
  static constexpr int kLanes = sizeof(V) / sizeof(T);
  V size_ = V{} - 1;
  vector::Bits<V> at_ = {};
};

// Algorithms on one matrix.
template <class T>
class Factors {
 public:
  explicit Factors(const BlockMemory& memory) : blocks_(memory) {}

  // LU factorization with row exchanges of a matrix with at least as many rows as columns, by
  // halves of the columns: Toledo, Locality of Reference in LU Decomposition with Partial Pivoting,
  // 1997. Returns LAPACK's info; pivots count from 1.
  int lu(int64_t m, int64_t n, View<T> a, int* pivots) const {
    if (n == 0) return 0;
    if (n <= kPanel) return lu_panel(m, n, a, pivots);
    const int64_t half = (n / 2 + kPanel - 1) / kPanel * kPanel, rest = n - half;
    const View<T> right = a.at(0, half), corner = a.at(half, half);
    int info = lu(m, half, a, pivots);
    exchange_rows(half, rest, pivots, right);
    blocks_.solve(Triangle::lower, true, half, rest, a, right);
    blocks_.subtract(m - half, rest, half, a.at(half, 0), right, corner);
    const int later = lu(m - half, rest, corner, pivots + half);
    exchange_rows(rest, half, pivots + half, a.at(half, 0));
    for (int64_t i = half; i < n; ++i) pivots[i] += static_cast<int>(half);
    if (!info && later) info = later + static_cast<int>(half);
    return info;
  }

  // Exchanges rows of column-major b as row i with row pivots[i], for ascending i, or in the
  // reverse order.
  static void exchange_rows(int64_t n, int64_t columns, const int* pivots, View<T> b,
                            bool reverse = false) {
    constexpr int64_t kTogether = 4;
    int64_t j = 0;
    auto exchange = [&](auto count) {
      for (int64_t k = 0; k < n; ++k) {
        const int64_t i = reverse ? n - 1 - k : k, p = pivots[i] - 1;
        T* column = &b(0, j);
        for (int64_t l = 0; l < count; ++l, column += b.col) std::swap(column[i], column[p]);
      }
    };
    for (; j + kTogether <= columns; j += kTogether) {
      exchange(std::integral_constant<int64_t, kTogether>());
    }
    for (; j < columns; ++j) exchange(std::integral_constant<int64_t, 1>());
  }

  // Replaces the factors L and U by U^-1, then by the solution X of X L = U^-1, and exchanges
  // columns: Du Croz, Higham, Stability of Methods for Matrix Inversion, 1992, method B. work has
  // n * kColumns elements.
  void lu_inverse(int64_t n, View<T> a, const int* pivots, T* work) const {
    invert_upper(n, a);
    for (int64_t j = (n - 1) / kColumns * kColumns; j >= 0; j -= kColumns) {
      const int64_t columns = std::min(kColumns, n - j), next = j + columns;
      const View<T> lower = {work, 1, n}, block = a.at(0, j);
      for (int64_t c = 0; c < columns; ++c) {
        for (int64_t i = j + c + 1; i < n; ++i) {
          lower(i - j, c) = block(i, c);
          block(i, c) = 0;
        }
      }
      blocks_.subtract(n, columns, n - next, a.at(0, next), lower.at(columns, 0), block);
      blocks_.solve(Triangle::upper, true, columns, n, lower.transposed(), block.transposed());
    }
    for (int64_t j = n - 1; j >= 0; --j) {
      T *column = &a(0, j), *other = &a(0, pivots[j] - 1);
      if (column != other) std::swap_ranges(column, column + n, other);
    }
  }

  // Replaces an upper triangle by its inverse.
  void invert_upper(int64_t n, View<T> a) const {
    if (n <= kSmall) return invert_small(n, a);
    const int64_t half = (n / 2 + kSmall - 1) / kSmall * kSmall, rest = n - half;
    const View<T> beside = a.at(0, half), corner = a.at(half, half);
    for (int64_t j = 0; j < rest; ++j) {
      for (int64_t i = 0; i < half; ++i) beside(i, j) = -beside(i, j);
    }
    blocks_.solve(Triangle::upper, false, half, rest, a, beside);
    blocks_.solve(Triangle::lower, false, rest, half, corner.transposed(), beside.transposed());
    invert_upper(half, a);
    invert_upper(rest, corner);
  }

  // Cholesky factorization of a lower triangle. Elements above it are overwritten.
  int cholesky(int64_t n, View<T> a) const {
    if (n <= kSmall) return cholesky_small(n, a);
    const int64_t half = (n / 2 + kSmall - 1) / kSmall * kSmall, rest = n - half;
    const View<T> low = a.at(half, 0), corner = a.at(half, half);
    if (int info = cholesky(half, a)) return info;
    blocks_.solve(Triangle::lower, false, half, rest, a, low.transposed());
    subtract_square(rest, half, low, corner);
    const int later = cholesky(rest, corner);
    return later ? later + static_cast<int>(half) : 0;
  }

  // Replaces a lower Cholesky factor by the lower triangle of the inverse. work has n * kColumns
  // elements.
  void cholesky_inverse(int64_t n, View<T> a, T* work) const {
    invert_upper(n, a.transposed());
    for (int64_t j = 0; j < n; ++j) {
      for (int64_t i = 0; i < j; ++i) a(i, j) = 0;
    }
    // Rows i to `next` of V'V for the lower triangle V need rows from i on only.
    for (int64_t i = 0; i < n; i += kColumns) {
      const int64_t rows = std::min(kColumns, n - i), next = i + rows;
      const View<T> sums = a.row == 1 ? View<T>{work, 1, kColumns} : View<T>{work, n, 1};
      blocks_.subtract(rows, next, n - i, a.at(i, i).transposed(), a.at(i, 0), sums, true);
      for (int64_t k = 0; k < rows; ++k) {
        for (int64_t j = 0; j <= i + k; ++j) a(i + k, j) = sums(k, j);
      }
    }
  }

  const Blocks<T>& blocks() const { return blocks_; }
  static constexpr int64_t kColumns = 4 * kPanelRows;

 private:
  static constexpr int64_t kPanel = 8, kSmall = 16;

  static int lu_panel(int64_t m, int64_t n, View<T> a, int* pivots) {
    using Step = int64_t (*)(int64_t m, T * a, int64_t ld, T inverse);
    constexpr Step kSteps[kPanel] = {&eliminate<0>, &eliminate<1>, &eliminate<2>, &eliminate<3>,
                                     &eliminate<4>, &eliminate<5>, &eliminate<6>, &eliminate<7>};
    int info = 0;
    Largest<T> first;
    int64_t p = first.search(a.data, 0, m);
    for (int64_t j = 0; j < n; ++j) {
      const T pivot = a(p, j);
      pivots[j] = static_cast<int>(p) + 1;
      for (int64_t k = 0; k < n; ++k) std::swap(a(j, k), a(p, k));
      T inverse = 1 / pivot;
      if (pivot == 0) {
        if (!info) info = static_cast<int>(j) + 1;
        inverse = 1;
      } else if (std::fabs(pivot) < std::numeric_limits<T>::min()) {
        for (int64_t i = j + 1; i < m; ++i) a(i, j) /= pivot;
        inverse = 1;
      }
      p = j + kSteps[n - 1 - j](m - j, &a(j, j), a.col, inverse);
    }
    return info;
  }

  // Multiplies column 0 by `inverse` below its first row, and subtracts it times the first row from
  // the next columns. Returns the position of the largest absolute value of column 1.
  template <int columns>
  static int64_t eliminate(int64_t m, T* a, int64_t ld, T inverse) {
    using V = vector::Of<T>;
    constexpr int kLanes = sizeof(V) / sizeof(T);
    T minus[columns + 1];
    for (int k = 1; k <= columns; ++k) minus[k] = -a[k * ld];
    Largest<T> largest;
    int64_t i = 1;
    for (; i + kLanes <= m; i += kLanes) {
      const V first = vector::load<V>(a + i) * inverse;
      vector::store(a + i, first);
#pragma GCC unroll 8
      for (int k = 1; k <= columns; ++k) {
        T* x = a + k * ld + i;
        const V sum = multiply_add<T>(minus[k], first, vector::load<V>(x));
        vector::store(x, sum);
        if (k == 1) largest.add(sum, i);
      }
    }
    for (int64_t row = i; row < m; ++row) {
      a[row] *= inverse;
      for (int k = 1; k <= columns; ++k) a[k * ld + row] += minus[k] * a[row];
    }
    return columns > 0 ? largest.search(a + ld, i, m) : 0;
  }

  static void invert_small(int64_t n, View<T> a) {
    for (int64_t j = 0; j < n; ++j) {
      const T inverse = 1 / a(j, j);
      // Column j of the inverse is that of the inverse above and left of it, times column j of a.
      for (int64_t i = 0; i < j; ++i) {
        T sum = 0;
        for (int64_t k = i; k < j; ++k) sum += a(i, k) * a(k, j);
        a(i, j) = -sum * inverse;
      }
      a(j, j) = inverse;
    }
  }

  static int cholesky_small(int64_t n, View<T> a) {
    for (int64_t j = 0; j < n; ++j) {
      T sum = a(j, j);
      for (int64_t k = 0; k < j; ++k) sum -= a(j, k) * a(j, k);
      if (!(sum > 0)) return static_cast<int>(j) + 1;
      a(j, j) = std::sqrt(sum);
      for (int64_t i = j + 1; i < n; ++i) {
        T value = a(i, j);
        for (int64_t k = 0; k < j; ++k) value -= a(i, k) * a(j, k);
        a(i, j) = value / a(j, j);
      }
    }
    return 0;
  }

  // c -= b * b' for the lower triangle of c, and some elements above it.
  void subtract_square(int64_t n, int64_t k, View<T> b, View<T> c) const {
    if (n <= kColumns) return blocks_.subtract(n, n, k, b, b.transposed(), c);
    const int64_t half = (n / 2 + kSmall - 1) / kSmall * kSmall, rest = n - half;
    subtract_square(half, k, b, c);
    blocks_.subtract(rest, half, k, b.at(half, 0), b.transposed(), c.at(half, 0));
    subtract_square(rest, k, b.at(half, 0), c.at(half, half));
  }

  Blocks<T> blocks_;
};

}  // namespace
}  // namespace th

#endif  // __AVX512F__

#endif
