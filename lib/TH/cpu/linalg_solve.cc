// Solutions of systems of equations, and least squares.

#include <limits>
#include <optional>

#include "backend/cpu_backend.h"
#include "cpu/linalg_batch.h"

namespace th::linalg {
namespace {

void lu_solve(const Matrices& lu, char trans, int* pivots, const Matrices& b) {
  if (run_blocks(linalg_kernels().lu_solve, lu, trans, pivots, b)) return;
  for_type(lu.dtype, [&](auto zero) {
    using T = decltype(zero);
    double work = static_cast<double>(lu.rows) * lu.rows * b.cols;
    for_matrices(lu.count, work, [&](int64_t k) {
      int* own = pivots + k * lu.rows;
      if (is_small(lu, b) || !has_usual_diagonal(lu.rows, elements<T>(lu, k))) {
        small_lu_solve(trans != 'N', lu.rows, b.cols, elements<T>(lu, k), own, elements<T>(b, k));
      } else {
        lapack::getrs(trans, lu.rows, b.cols, matrix<T>(lu, k), lu.ld, own, matrix<T>(b, k), b.ld);
      }
    });
  });
}

void triangular_solve(const Matrices& a, char uplo, char trans, char diag, const Matrices& b,
                      int* info) {
  if (run_blocks(linalg_kernels().triangular_solve, a, uplo, trans, diag, b, info)) return;
  for_type(a.dtype, [&](auto zero) {
    using T = decltype(zero);
    lapack::OneThread one(1);
    for (int64_t k = 0; k < a.count; ++k) {
      const Elements<T> own = elements<T>(a, k), right = elements<T>(b, k);
      const bool own_loops = is_small(a, b) || (diag == 'N' && !has_usual_diagonal(a.rows, own));
      info[k] = own_loops ? small_triangular_solve(uplo == 'L', trans != 'N', diag == 'U', a.rows,
                                                   b.cols, own, right)
                          : lapack::trtrs(uplo, trans, diag, a.rows, b.cols, own.at, a.ld, right.at,
                                          b.ld);
    }
  });
}

template <class T>
T* column_of(const Matrices& a, int64_t k, int64_t j) {
  return matrix<T>(a, k) + j * a.ld;
}

// Factors a again for each block of right sides.
void least_squares(const Matrices& a, const Matrices& b, int* info) {
  for_type(a.dtype, [&](auto zero) {
    using T = decltype(zero);
    lapack::OneThread one(1);
    const char trans = a.rows < a.cols ? 'T' : 'N';
    std::optional<TallCopy<T>> copy;
    if (trans == 'T' || b.cols > kMostColumns) copy.emplace(a);
    for (int64_t k = 0; k < a.count; ++k) {
      T* factors = copy ? copy->data() : matrix<T>(a, k);
      const int ld = copy ? copy->ld() : a.ld;
      info[k] = for_blocks(b.cols, kMostColumns, [&](int first, int count) {
        if (copy) copy->load(k);
        return with_work<T>([&](T* work, int size) {
          return lapack::gels(trans, std::max(a.rows, a.cols), std::min(a.rows, a.cols), count,
                              factors, ld, column_of<T>(b, k, first), b.ld, work, size);
        });
      });
      if (copy) copy->store(k);
    }
  });
}

template <class T>
void multiply(T* data, int64_t count, T factor) {
  for (int64_t i = 0; i < count; ++i) data[i] *= factor;
}

// Returns the number of right sides that gelsd gets at once. Its work space contains a.cols
// elements for each.
int gelsd_block(const Matrices& a) { return std::min(kMostColumns, (1 << 30) / a.cols); }

// Replaces b by the solutions for matrices with at least as many rows as columns, or with one block
// of right sides. Destroys a. The caller holds a lapack::OneThread.
void least_squares_by_gelsd(const Matrices& a, const Matrices& b, char* values, double rcond,
                            int64_t* rank, int* info) {
  for_type(a.dtype, [&](auto zero) {
    using T = decltype(zero);
    const int block = gelsd_block(a), smaller = std::min(a.rows, a.cols);
    std::optional<TallCopy<T>> copy;
    if (b.cols > block) copy.emplace(a);
    int own_rank = 0, integers = 0;
    auto solve = [&](int64_t k, int first, int count, T* work, int size, int* integer_work) {
      return lapack::gelsd(a.rows, a.cols, count, copy ? copy->data() : matrix<T>(a, k),
                           copy ? copy->ld() : a.ld, column_of<T>(b, k, first), b.ld,
                           items<T>(values, k * smaller), static_cast<T>(rcond), &own_rank, work,
                           size, integer_work);
    };
    T optimal = 0;
    solve(0, 0, std::min(b.cols, block), &optimal, -1, &integers);
    int size = work_size(optimal);
    Workspace<T> work(size);
    Workspace<int> integer_work(std::max(1, integers));
    for (int64_t k = 0; k < a.count; ++k) {
      info[k] = for_blocks(b.cols, block, [&](int first, int count) {
        if (copy) copy->load(k);
        return solve(k, first, count, work.data(), size, integer_work.data());
      });
      rank[k] = own_rank;
    }
  });
}

// The same for matrices with more columns than rows: a' = q * r, and the solution is q * y, where y
// is that of r' * y = b.
void least_squares_of_wide(const Matrices& a, const Matrices& b, char* values, double rcond,
                           int64_t* rank, int* info) {
  for_type(a.dtype, [&](auto zero) {
    using T = decltype(zero);
    const TallCopy<T> copy(a);
    const int m = copy.rows(), n = copy.cols();
    const int64_t elements = static_cast<int64_t>(n) * n;
    Workspace<T> tau(n), triangle(elements);
    const Matrices lower = {a.dtype, reinterpret_cast<char*>(triangle.data()), 1, elements, n, n,
                            n};
    for (int64_t k = 0; k < a.count; ++k) {
      T *right = matrix<T>(b, k), *own_values = items<T>(values, k * n);
      const Matrices one_b = {b.dtype, reinterpret_cast<char*>(right), 1, b.step, n, b.cols, b.ld};
      copy.load(k);
      const T scale = std::ldexp(T(1), scale_matrix(m, n, Elements<T>{copy.data(), 1, m}, false));
      info[k] = with_work<T>([&](T* work, int size) {
        return lapack::geqrf(m, n, copy.data(), m, tau.data(), work, size);
      });
      if (info[k]) continue;
      transpose(n, n, copy.data(), m, triangle.data(), n);
      clear_outside(lower, Part::lower);
      least_squares_by_gelsd(lower, one_b, reinterpret_cast<char*>(own_values), rcond, rank + k,
                             info + k);
      if (info[k]) continue;
      if (scale != 1) multiply(own_values, n, 1 / scale);
      for (int64_t j = 0; j < b.cols; ++j) {
        T* column = right + j * b.ld;
        if (scale != 1) multiply(column, n, scale);
        std::fill(column + n, column + m, T(0));
      }
      info[k] = apply_q('L', 'N', n, copy.data(), m, tau.data(), m, b.cols, right, b.ld);
    }
  });
}

void multiply_by_q(const Matrices& a, char side, char trans, int reflectors, char* tau,
                   const Matrices& c, int* info) {
  for_type(a.dtype, [&](auto zero) {
    using T = decltype(zero);
    lapack::OneThread one(1);
    *info = apply_q(side, trans, reflectors, matrix<T>(a, 0), a.ld, items<T>(tau), c.rows, c.cols,
                    matrix<T>(c, 0), c.ld);
  });
}

// Writes a.rows + i if pivot i of a matrix is not the number of a row; 0: all are.
void find_wrong_pivots(const Matrices& lu, const int* pivots, int* info) {
  for (int64_t k = 0; k < lu.count; ++k) {
    const int *own = pivots + k * lu.rows, *end = own + lu.rows;
    const int* wrong = std::find_if(own, end, [&](int p) { return p < 1 || p > lu.rows; });
    info[k] = wrong == end ? 0 : lu.rows + 1 + static_cast<int>(wrong - own);
  }
}

// Writes the position of the first 0 on the diagonal of each U; 0: no element is 0.
void find_zero_pivots(const Matrices& lu, int* info) {
  for_type(lu.dtype, [&](auto zero) {
    using T = decltype(zero);
    for (int64_t k = 0; k < lu.count; ++k) {
      info[k] = 0;
      for (int64_t i = lu.rows - 1; i >= 0; --i) {
        if (matrix<T>(lu, k)[i + i * lu.ld] == 0) info[k] = static_cast<int>(i) + 1;
      }
    }
  });
}

// Computes the sums of squares of b's columns, starting with row `first`.
void column_squares(const Matrices& b, int first, char* sums) {
  for_type(b.dtype, [&](auto zero) {
    using T = decltype(zero);
    for (int64_t k = 0; k < b.count; ++k) {
      for (int j = 0; j < b.cols; ++j) {
        const T* column = matrix<T>(b, k) + static_cast<int64_t>(j) * b.ld;
        double sum = 0;
        for (int i = first; i < b.rows; ++i) sum += static_cast<double>(column[i]) * column[i];
        items<T>(sums)[k * b.cols + j] = static_cast<T>(sum);
      }
    }
  });
}

// Returns true if LAPACK has found a failure, or an invalid argument.
bool failed(const SolveCall& call) {
  return std::any_of(call.info, call.info + call.a.count, [](int i) { return i != 0; });
}

void solve_by_svd(const SolveCall& call) {
  const Matrices &a = call.a, &b = call.b;
  if (a.count == 0) return;
  if (std::min(a.rows, a.cols) > 0 && b.cols == 0) return run_svd(values_of(call));
  if (std::min(a.rows, a.cols) == 0) {
    Matrices whole = b;
    whole.rows = std::max(a.rows, a.cols);
    if (a.cols > 0) clear(whole);  // otherwise b is the residual
    std::fill_n(call.ranks, a.count, 0);
  } else {
    lapack::OneThread one(1);
    // Below 1.5 times as many columns as rows, gelsd is faster without a factorization before it.
    const bool by_rows =
        int64_t{2} * a.cols > int64_t{3} * a.rows || (a.cols > a.rows && b.cols > gelsd_block(a));
    const auto find = by_rows ? least_squares_of_wide : least_squares_by_gelsd;
    find(a, b, call.values, call.rcond, call.ranks, call.info);
    if (failed(call)) return;
  }
  if (a.rows > a.cols) column_squares(b, a.cols, call.sums);
}

// Replaces a by its factors, and b by the solutions.
void solve_general(const SolveCall& call) {
  const Matrices &a = call.a, &b = call.b;
  Workspace<int> pivots(a.count * a.rows), exponents(a.count);
  lu(a, true, pivots.data(), call.info, exponents.data());
  if (!failed(call)) lu_solve(a, call.trans, pivots.data(), b);
  for_type(a.dtype, [&](auto zero) {
    using T = decltype(zero);
    for (int64_t k = 0; k < a.count; ++k) {
      if (exponents[k] == 0) continue;
      const T factor = std::ldexp(T(1), exponents[k]);
      for (int j = 0; j < b.cols; ++j) multiply(column_of<T>(b, k, j), b.rows, factor);
      for (int j = 0; j < a.cols; ++j) multiply(column_of<T>(a, k, j), j + 1, 1 / factor);
    }
  });
}

void solve(const SolveCall& call) {
  const Matrices &a = call.a, &b = call.b;
  const char uplo = static_cast<char>(call.part);
  switch (call.kind) {
    case Solver::general:
      return solve_general(call);
    case Solver::lu:
      find_wrong_pivots(a, call.pivots, call.info);
      if (failed(call)) return;
      find_zero_pivots(a, call.info);
      if (!failed(call)) lu_solve(a, call.trans, call.pivots, b);
      return;
    case Solver::triangular:
      return triangular_solve(a, uplo, call.trans, call.diag, b, call.info);
    case Solver::cholesky: {
      const bool upper = call.part == Part::upper;
      triangular_solve(a, uplo, upper ? 'T' : 'N', 'N', b, call.info);
      if (!failed(call)) triangular_solve(a, uplo, upper ? 'N' : 'T', 'N', b, call.info);
      return;
    }
    case Solver::least_squares:
      return least_squares(a, b, call.info);
    case Solver::least_squares_by_svd:
      return solve_by_svd(call);
    case Solver::multiply_by_q:
      return multiply_by_q(a, call.side, call.trans, call.reflectors, call.tau, b, call.info);
  }
}

}  // namespace
}  // namespace th::linalg

namespace th {

void run_solve(const SolveCall& call) {
  std::fill_n(call.info, call.a.count, 0);
  if (!linalg::all_finite(call.a, 1, call.info, call.part)) return;
  if (call.kind == Solver::multiply_by_q &&
      !linalg::all_finite(linalg::column(call.a, call.tau, call.reflectors), 3, call.info)) {
    return;
  }
  if (!linalg::all_finite(call.b, 2, call.info)) return;
  linalg::solve(call);
  linalg::check_accepted(call.a.count, call.info);
}

}  // namespace th
