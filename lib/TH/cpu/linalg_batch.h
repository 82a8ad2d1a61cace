#ifndef TH_CPU_LINALG_BATCH_H
#define TH_CPU_LINALG_BATCH_H

// Helpers shared by cpu/linalg_*.cc.

#include <algorithm>
#include <climits>
#include <cmath>

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
    for (int64_t j = 0; j < cols_; ++j) std::copy_n(own + j * a_.ld, rows_, data() + j * rows_);
  }
  void store(int64_t k) const {
    T* own = matrix<T>(a_, k);
    if (is_transposed()) return transpose(rows_, cols_, data(), rows_, own, a_.ld);
    for (int64_t j = 0; j < cols_; ++j) std::copy_n(data() + j * rows_, rows_, own + j * a_.ld);
  }

 private:
  const Matrices a_;
  const int rows_, cols_;
  const Workspace<T> space_;
};

// Calls f(k) for each matrix, in parallel if there is enough work. f must not throw.
template <class F>
void for_matrices(int64_t count, double work, const F& f) {
  constexpr double kEnough = 1 << 17;
  int64_t grain = work >= kEnough ? 1 : static_cast<int64_t>(kEnough / std::max(work, 1.0));
  const Team team(count / grain);
  lapack::OneThread one(team.size());
  parallel_for(count, grain, [&](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k) f(k);
  });
}

// Calls the function of cpu/linalg_kernels.h for these matrices. Returns false if the function is
// null, or if LAPACK is faster.
template <class Kernel, class... Arguments>
bool run_blocks(const TypeTable<Kernel>& kernels, const Matrices& a,
                const Arguments&... arguments) {
  const Kernel kernel = kernels[a.dtype];
  if (!kernel || a.rows < kFewestBlockRows) return false;
  kernel(a, arguments...);
  return true;
}

// Returns true if all elements of the part are finite. Otherwise sets the info of the first matrix
// that contains another one to -operand.
inline bool all_finite(const Matrices& a, int operand, int* info, Part part = Part::all) {
  int64_t found = find_not_finite(a, part);
  if (found >= 0) info[found] = -operand;
  return found < 0;
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
