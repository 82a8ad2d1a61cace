#ifndef TH_CPU_LINALG_BATCH_H
#define TH_CPU_LINALG_BATCH_H

// Helpers shared by cpu/linalg_*.cc.

#include <algorithm>
#include <climits>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "cpu/blas.h"
#include "cpu/lapack.h"
#include "cpu/linalg.h"
#include "cpu/linalg_kernels.h"
#include "cpu/linalg_small.h"
#include "cpu/parallel.h"
#include "cpu/team.h"
#include "cpu/workspace.h"
#include "tensor/type_sets.h"

namespace th::linalg {
namespace {

template <class T>
T* matrix(const Matrices& a, int64_t k) {
  return reinterpret_cast<T*>(a.data) + k * a.step;
}
template <class T>
Elements<T> elements(const Matrices& a, int64_t k) {
  return {matrix<T>(a, k), 1, a.ld};
}
inline bool is_small(const Matrices& a) { return std::max(a.rows, a.cols) <= kMostSmallRows; }
inline bool is_small(const Matrices& a, const Matrices& b) {
  return is_small(a) && b.cols <= kMostSmallSides;
}
// Returns true if the first n elements of the diagonal are normal numbers or 0. LAPACK multiplies
// by their reciprocals, which may be infinite for denormal ones.
template <class T>
bool has_usual_diagonal(int n, const Elements<T>& a) {
  using Limits = std::numeric_limits<T>;
  for (int i = 0; i < n; ++i) {
    const T size = std::fabs(a(i, i));
    if (!(size >= Limits::min() && size <= Limits::max()) && size != 0) return false;
  }
  return true;
}

template <class T>
void copy_matrix(int rows, int cols, const T* a, int64_t lda, T* r, int64_t ldr) {
  if (lda == rows && ldr == rows) {
    std::copy_n(a, int64_t{rows} * cols, r);
    return;
  }
  for (int64_t j = 0; j < cols; ++j) std::copy_n(a + j * lda, rows, r + j * ldr);
}
template <class T>
T* items(char* data, int64_t first = 0) {
  return reinterpret_cast<T*>(data) + first;
}

// Calls f(T()) for the element type.
template <class F>
void for_type(DType dtype, const F& f) {
  dispatch_types<BlasTypes>(dtype, f);
}

// r = a' for a column-major matrix. Copies blocks, because one of both has large strides.
template <class T>
void transpose(int rows, int cols, const T* a, int64_t lda, T* r, int64_t ldr) {
  constexpr int64_t kBlock = 32;
  for (int64_t first_col = 0; first_col < cols; first_col += kBlock) {
    const int64_t end_col = std::min<int64_t>(first_col + kBlock, cols);
    for (int64_t first_row = 0; first_row < rows; first_row += kBlock) {
      const int64_t end_row = std::min<int64_t>(first_row + kBlock, rows);
      for (int64_t j = first_col; j < end_col; ++j) {
        for (int64_t i = first_row; i < end_row; ++i) r[i * ldr + j] = a[j * lda + i];
      }
    }
  }
}

// Space for a copy of one matrix at a time with at least as many rows as columns: the transpose if
// the matrix has more columns than rows. LAPACK is inaccurate for long rows of a column-major
// matrix: BLAS sums floats with a stride one after the other, each with a rounding error. Rows of
// more than 128 MiB overflow a buffer of OpenBLAS.
template <class T>
class TallCopy {
 public:
  explicit TallCopy(const Matrices& a)
      : a_(a),
        rows_(std::max(a.rows, a.cols)),
        cols_(std::min(a.rows, a.cols)),
        space_(static_cast<int64_t>(rows_) * cols_) {}
  bool is_transposed() const { return a_.rows < a_.cols; }
  int rows() const { return rows_; }
  int cols() const { return cols_; }
  int ld() const { return std::max(rows_, 1); }
  T* data() const { return space_.data(); }
  void load(int64_t k) const {
    const T* own = matrix<T>(a_, k);
    if (is_transposed()) return transpose(a_.rows, a_.cols, own, a_.ld, data(), rows_);
    copy_matrix(rows_, cols_, own, a_.ld, data(), rows_);
  }
  void store(int64_t k) const {
    T* own = matrix<T>(a_, k);
    if (is_transposed()) return transpose(rows_, cols_, data(), rows_, own, a_.ld);
    copy_matrix(rows_, cols_, data(), rows_, own, a_.ld);
  }

 private:
  const Matrices a_;
  const int rows_, cols_;
  const Workspace<T> space_;
};

// Matrix k as a batch of its own.
inline Matrices matrix_of(Matrices a, int64_t k) {
  a.data += k * a.step * static_cast<int64_t>(item_size(a.dtype));
  a.count = 1;
  return a;
}

// Calls f(k, memory) for each matrix, in parallel if there is enough work. memory: n elements. f
// must not throw.
template <class T, class F>
void for_matrices_with(int64_t n, int64_t count, double work, const F& f) {
  constexpr double kEnough = 1 << 17;
  int64_t grain = work >= kEnough ? 1 : static_cast<int64_t>(kEnough / std::max(work, 1.0));
  const Team team(count / grain);
  const Workspace<T> memory(team.size() * n);
  lapack::OneThread one(team.size());
  parallel_for(count, grain, [&](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k) f(k, memory.data() + team.index() * n);
  });
}
// The same without memory.
template <class F>
void for_matrices(int64_t count, double work, const F& f) {
  for_matrices_with<char>(0, count, work, [&](int64_t k, char*) { f(k); });
}

// Returns false if the function of cpu/linalg_kernels.h is null, or if LAPACK is faster.
template <class Kernel>
bool has_blocks(const TypeTable<Kernel>& kernels, const Matrices& a) {
  return kernels[a.dtype] && a.rows >= kFewestBlockRows;
}
// Calls the function for these matrices, or returns false.
template <class Kernel, class... Arguments>
bool run_blocks(const TypeTable<Kernel>& kernels, const Matrices& a,
                const Arguments&... arguments) {
  if (!has_blocks(kernels, a)) return false;
  kernels[a.dtype](a, arguments...);
  return true;
}

// Returns true if all elements of the part are finite. Otherwise sets the info of the first matrix
// that contains another one to -operand.
inline bool all_finite(const Matrices& a, int operand, int* info, Part part = Part::all) {
  int64_t found = find_not_finite(a, part);
  if (found >= 0) info[found] = -operand;
  return found < 0;
}

// The largest absolute value of n elements. Independent maxima are computed at the same time.
template <class T>
T largest_of(const T* x, int64_t n) {
  constexpr int kLanes = 64 / sizeof(T);
  T most[kLanes] = {};
  for (; n >= kLanes; n -= kLanes, x += kLanes) {
#pragma GCC unroll 16
    for (int k = 0; k < kLanes; ++k) most[k] = std::max(most[k], std::fabs(x[k]));
  }
  for (int k = 0; k < n; ++k) most[k] = std::max(most[k], std::fabs(x[k]));
  return *std::max_element(most, most + kLanes);
}

// Returns the exponent of a power of 2. The square of the largest absolute value times it is
// neither infinite nor 0.
template <class T>
int exponent_for_squares(T largest) {
  constexpr int kMost = std::numeric_limits<T>::max_exponent / 2;
  int exponent = 0;
  std::frexp(largest, &exponent);
  return exponent > kMost ? -kMost : exponent < -kMost ? kMost : 0;
}

// Multiplies the matrix by the power of 2 whose exponent is returned, so that sums and products of
// its elements are finite. Returns 0 if the elements are unchanged. With `exact`, they are
// unchanged if some would be rounded.
template <class T>
int scale_matrix(int rows, int cols, const Elements<T>& a, bool exact) {
  T largest = a.column == rows ? largest_of(a.at, int64_t{rows} * cols) : 0;
  for (int j = 0; j < cols && a.column != rows; ++j) {
    largest = std::max(largest, largest_of(&a(0, j), rows));
  }
  const int exponent = exponent_for_squares(largest);
  if (exponent == 0) return 0;
  const T scale = std::ldexp(T(1), exponent);
  for (int j = 0; j < cols && exact; ++j) {
    for (int i = 0; i < rows; ++i) {
      if (a(i, j) * scale / scale != a(i, j)) return 0;
    }
  }
  for (int j = 0; j < cols; ++j) {
    for (int i = 0; i < rows; ++i) a(i, j) *= scale;
  }
  return exponent;
}

// The scales of reflectors as a matrix with one column.
inline Matrices column(const Matrices& a, char* tau, int n) {
  return {a.dtype, tau, 1, n, n, 1, std::max(n, 1)};
}

// Throws if LAPACK reports an invalid argument, which only an incompatible library does.
inline void check_accepted(int64_t count, const int* info) {
  const int* rejected = std::find_if(info, info + count, [](int i) { return i < 0; });
  if (rejected != info + count) fail("LAPACK rejected its argument %d", -*rejected);
}

inline double cube(const Matrices& a) {
  return static_cast<double>(a.rows) * a.cols * std::min(a.rows, a.cols);
}

// Converts a work space size that LAPACK returned as a float, which may be rounded down. LAPACK
// computes it as an int, which overflow makes negative.
template <class T>
int work_size(T optimal) {
  double size = std::nextafter(optimal, std::numeric_limits<T>::infinity());
  if (!(size >= 0 && size < INT_MAX)) {
    fail("LAPACK does not support the work space of %.0f elements that this matrix needs", size);
  }
  return std::max(1, static_cast<int>(size));
}

// Runs call(work, lwork) with the work space size returned by the query call(&size, -1).
template <class T, class Call>
int with_work(const Call& call) {
  T optimal = 0;
  if (int info = call(&optimal, -1)) return info;
  int size = work_size(optimal);
  Workspace<T> work(size);
  return call(work.data(), size);
}

// The most columns (or rows) that LAPACK gets if it works on each independently. Its work spaces
// have up to 64 elements for each one, and their size must fit into int.
constexpr int kMostColumns = 1 << 16;

// Calls f(first, count) for blocks of up to `most` of n columns until it returns a nonzero info.
// Calls it for n = 0, too.
template <class F>
int for_blocks(int n, int most, const F& f) {
  int first = 0, info = 0;
  do {
    const int count = std::min(n - first, most);
    info = f(first, count);
    first += count;
  } while (first < n && info == 0);
  return info;
}

// Multiplies the m x n matrix c by Q or, for trans 'T', by Q', on the left or, for side 'R', on the
// right. a and tau are results of geqrf.
template <class T>
int apply_q(char side, char trans, int reflectors, T* a, int lda, T* tau, int m, int n, T* c,
            int ldc) {
  const bool left = side == 'L';
  return for_blocks(left ? n : m, kMostColumns, [&](int first, int count) {
    T* block = c + first * (left ? static_cast<int64_t>(ldc) : 1);
    return with_work<T>([&](T* work, int size) {
      return lapack::ormqr(side, trans, left ? m : count, left ? count : n, reflectors, a, lda, tau,
                           block, ldc, work, size);
    });
  });
}

}  // namespace
}  // namespace th::linalg

#endif
