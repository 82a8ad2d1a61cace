#ifndef TH_CPU_LINALG_SMALL_H
#define TH_CPU_LINALG_SMALL_H

// Factorizations of matrices with a few rows, and solutions of a few systems with their factors.
// For these, LAPACK's routines spend most of their time on calls. Arguments and results are the
// same. A position on the diagonal counts from 1, and is 0 if no element has the property.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

namespace th::linalg {
namespace {

constexpr int kMostSmallRows = 8, kMostSmallSides = 32;

// A column-major matrix, or its transpose.
template <class T>
struct Elements {
  T* at;
  int64_t row, column;  // strides

  T& operator()(int64_t i, int64_t j) const { return at[i * row + j * column]; }
  Elements transposed() const { return {at, column, row}; }
};

// Factors the m rows of a into L and U. With pivots, exchanges rows for the largest pivot. Returns
// the position of the first pivot 0.
template <class T>
int eliminate(int m, int n, const Elements<T>& a, int* pivots) {
  int info = 0;
  for (int p = 0; p < std::min(m, n); ++p) {
    if (pivots) {
      int best = p;
      for (int i = p + 1; i < m; ++i) best = std::fabs(a(i, p)) > std::fabs(a(best, p)) ? i : best;
      pivots[p] = best + 1;
      for (int j = 0; j < n && best != p; ++j) std::swap(a(p, j), a(best, j));
    }
    const T pivot = a(p, p);
    if (pivot == 0) {
      if (!info) info = p + 1;
      continue;
    }
    for (int i = p + 1; i < m; ++i) a(i, p) /= pivot;
    for (int j = p + 1; j < n; ++j) {
      const T factor = a(p, j);
      for (int i = p + 1; i < m; ++i) a(i, j) -= a(i, p) * factor;
    }
  }
  return info;
}

// Replaces the lower triangle of n rows by the Cholesky factor. Returns the position of the first
// pivot that is not positive.
template <class T>
int small_cholesky(int n, const Elements<T>& a) {
  for (int j = 0; j < n; ++j) {
    for (int i = j; i < n; ++i) {
      T rest = a(i, j);
      for (int k = 0; k < j; ++k) rest -= a(i, k) * a(j, k);
      if (i == j && !(rest > 0)) return j + 1;
      a(i, j) = i == j ? std::sqrt(rest) : rest / a(j, j);
    }
  }
  return 0;
}

// Replaces the columns of b by solutions with the lower or the upper triangle of n rows. Element i
// of a solution is quotient(i, x), x divided by element i of the diagonal.
template <class T, class F>
void substitute(bool lower, int n, int sides, const Elements<T>& a, const Elements<T>& b,
                const F& quotient) {
  for (int s = 0; s < sides; ++s) {
    for (int k = 0; k < n; ++k) {
      const int i = lower ? k : n - 1 - k;
      T rest = b(i, s);
      for (int j = lower ? 0 : i + 1; j < (lower ? i : n); ++j) rest -= a(i, j) * b(j, s);
      b(i, s) = quotient(i, rest);
    }
  }
}
template <class T>
void substitute(bool lower, bool unit_diagonal, int n, int sides, const Elements<T>& a,
                const Elements<T>& b) {
  if (unit_diagonal) {
    substitute(lower, n, sides, a, b, [](int, T x) { return x; });
  } else {
    substitute(lower, n, sides, a, b, [&](int i, T x) { return x / a(i, i); });
  }
}

// The same with a triangle or its transpose. Returns the position of the first 0 on the diagonal.
// With such a 0, b is unchanged.
template <class T>
int small_triangular_solve(bool lower, bool transposed, bool unit_diagonal, int n, int sides,
                           const Elements<T>& a, const Elements<T>& b) {
  for (int i = 0; i < n && !unit_diagonal; ++i) {
    if (a(i, i) == 0) return i + 1;
  }
  substitute(lower != transposed, unit_diagonal, n, sides, transposed ? a.transposed() : a, b);
  return 0;
}

template <class T>
void exchange_rows(int from, int to, int step, int sides, const int* pivots, const Elements<T>& b) {
  for (int i = from; i != to; i += step) {
    for (int s = 0; s < sides; ++s) std::swap(b(i, s), b(pivots[i] - 1, s));
  }
}

// Replaces the columns of b by solutions with the factors of n rows, or with their transpose.
template <class T>
void small_lu_solve(bool transposed, int n, int sides, const Elements<T>& lu, const int* pivots,
                    const Elements<T>& b) {
  if (transposed) {
    substitute(true, false, n, sides, lu.transposed(), b);
    substitute(false, true, n, sides, lu.transposed(), b);
    exchange_rows(n - 1, -1, -1, sides, pivots, b);
  } else {
    exchange_rows(0, n, 1, sides, pivots, b);
    substitute(true, true, n, sides, lu, b);
    substitute(false, false, n, sides, lu, b);
  }
}

// Replaces the factors of n rows by the inverse. Multiplies by reciprocals, which are as few as
// rows.
template <class T>
void small_lu_inverse(int n, const Elements<T>& lu, const int* pivots) {
  T memory[kMostSmallRows * kMostSmallRows] = {}, reciprocal[kMostSmallRows];
  const Elements<T> inverse = {memory, 1, n};
  for (int i = 0; i < n; ++i) {
    inverse(i, i) = 1;
    reciprocal[i] = 1 / lu(i, i);
  }
  exchange_rows(0, n, 1, n, pivots, inverse);
  substitute(true, true, n, n, lu, inverse);
  substitute(false, n, n, lu, inverse, [&](int i, T x) { return x * reciprocal[i]; });
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) lu(i, j) = inverse(i, j);
  }
}

}  // namespace
}  // namespace th::linalg

#endif
