// Systems of equations, and least squares, on a device.

#include <algorithm>
#include <vector>

#include "simt/device_lapack.h"
#include "simt/device_matrices.h"

namespace th {

namespace {

namespace lapack = device_lapack;
using namespace device_matrices;

// Waits for the results of a routine.
bool has_failed(Queue& queue, const int* info, int64_t count) {
  std::vector<int> found(static_cast<size_t>(count));
  queue.read(found.data(), info, found.size() * sizeof(int));
  return std::any_of(found.begin(), found.end(), [](int i) { return i != 0; });
}

// The right side is unchanged if a matrix is singular.
void solve_general(Queue& queue, const SolveCall& call) {
  const Matrices& a = call.a;
  Scratch pivots(queue, static_cast<size_t>(a.count * a.rows) * sizeof(int));
  lapack::getrf(queue, a, pivots.as<int>(), call.info);
  if (call.b.cols == 0 || has_failed(queue, call.info, a.count)) return;
  lapack::getrs(queue, call.trans, a, pivots.as<int>(), call.b);
}

void solve_cholesky(Queue& queue, const SolveCall& call) {
  const bool upper = call.part == Part::upper;
  lapack::trsm(queue, call.part, upper ? 'T' : 'N', 'N', call.a, call.b);
  lapack::trsm(queue, call.part, upper ? 'N' : 'T', 'N', call.a, call.b);
}

size_t bytes_of_vectors(const Matrices& a, int n) {
  return static_cast<size_t>(a.count * n) * item_size(a.dtype);
}

// A matrix as a product of an orthogonal and a triangular matrix: a = q r, or, if a has more
// columns than rows, a = r' q'. The factors replace a. The work queued before must not have changed
// an operand.
class Orthogonal {
 public:
  Orthogonal(Queue& queue, const Matrices& a)
      : queue_(queue),
        wide_(a.cols > a.rows),
        reflectors_(std::min(a.rows, a.cols)),
        transposed_(queue, a.dtype, wide_ ? a.count : 0, a.cols, a.rows),
        tau_(queue, bytes_of_vectors(a, reflectors_)),
        factors_(wide_ ? transposed_.get() : a) {
    if (wide_) copy(queue, transposed_.get(), a, true);
    queue.allow_repetition();
    lapack::geqrf(queue, factors_, tau_.as<char>());
    if (wide_) copy(queue, a, transposed_.get(), true);
  }
  bool is_wide() const { return wide_; }
  // The matrix whose upper triangle is r.
  Matrices triangle() const { return block_of(factors_, 0, 0, reflectors_, reflectors_); }
  // b = q b or q' b; b has as many rows as q.
  void multiply(char trans, const Matrices& b) const {
    lapack::ormqr(queue_, 'L', trans, factors_, reflectors_, tau_.as<char>(), b);
  }

 private:
  Queue& queue_;
  bool wide_;
  int reflectors_;
  TemporaryMatrices transposed_;
  Scratch tau_;
  Matrices factors_;
};

// The columns of b, with space for the solution.
Matrices whole_columns(const SolveCall& call) {
  return first_rows(call.b, std::max(call.a.rows, call.a.cols));
}

// As in LAPACK, the solution for a matrix of zeros is 0, and other matrices need full rank.
void solve_least_squares(Queue& queue, const SolveCall& call) {
  const Matrices& a = call.a;
  const Matrices whole = whole_columns(call);
  if (a.rows == 0 || a.cols == 0 || call.b.cols == 0) return fill(queue, whole, 0);
  Scratch is_zero(queue, static_cast<size_t>(a.count) * sizeof(int));
  find_zero_matrices(queue, a, is_zero.as<int>());
  Orthogonal q(queue, a);
  const Matrices r = q.triangle();
  OperandChecks(queue, a.count, call.info).diagonal(r, is_zero.as<int>());
  if (has_failed(queue, call.info, a.count)) return;
  const Matrices top = first_rows(whole, r.rows);
  if (q.is_wide()) {
    lapack::trsm(queue, Part::upper, 'T', 'N', r, top);
    fill(queue, without_rows(whole, r.rows), 0);
    q.multiply('N', whole);
  } else {
    q.multiply('T', whole);
    lapack::trsm(queue, Part::upper, 'N', 'N', r, top);
  }
  fill(queue, whole, 0, is_zero.as<int>());
}

// Computes b = a^-1 b for a square matrix by its singular values, which may be small. Destroys a.
// Returns false if they were not found.
bool solve_square(Queue& queue, const SolveCall& call, const Matrices& a, const Matrices& b) {
  const int n = a.rows;
  TemporaryMatrices u(queue, a.dtype, a.count, n, n), vt(queue, a.dtype, a.count, n, n);
  TemporaryMatrices parts(queue, a.dtype, a.count, n, b.cols);
  lapack::gesvd(queue, a, false, u.get(), call.values, vt.get(), call.info);
  if (has_failed(queue, call.info, a.count)) return false;
  const double rcond = valid_rcond(call);
  count_above(queue, a, call.values, n, 0, rcond, call.ranks);
  multiply(queue, u.get(), true, b, false, parts.get());
  divide_rows(queue, parts.get(), call.values, n, rcond);
  multiply(queue, vt.get(), true, parts.get(), false, b);
  return true;
}

void solve_by_svd(Queue& queue, const SolveCall& call) {
  const Matrices &a = call.a, whole = whole_columns(call);
  const int n = std::min(a.rows, a.cols);
  if (n > 0 && call.b.cols == 0) return run_svd(queue, values_of(call));
  if (n == 0) {
    if (a.cols > 0) fill(queue, whole, 0);  // otherwise b is the residual
    count_above(queue, a, nullptr, 0, 0, 0, call.ranks);
  } else if (a.rows == a.cols) {
    if (!solve_square(queue, call, a, call.b)) return;
  } else {
    Orthogonal q(queue, a);
    TemporaryMatrices square(queue, a.dtype, a.count, n, n);
    if (!q.is_wide()) q.multiply('T', whole);
    // r, or r' if a has more columns than rows.
    copy(queue, square.get(), q.triangle(), q.is_wide(), Part::upper);
    if (!solve_square(queue, call, square.get(), first_rows(whole, n))) return;
    if (q.is_wide()) {
      fill(queue, without_rows(whole, n), 0);
      q.multiply('N', whole);
    }
  }
  if (a.rows > a.cols) column_squares(queue, without_rows(call.b, a.cols), call.sums);
}

void solve(Queue& queue, const SolveCall& call) {
  switch (call.kind) {
    case Solver::general:
      return solve_general(queue, call);
    case Solver::lu:
      return lapack::getrs(queue, call.trans, call.a, call.pivots, call.b);
    case Solver::triangular:
      return lapack::trsm(queue, call.part, call.trans, call.diag, call.a, call.b);
    case Solver::cholesky:
      return solve_cholesky(queue, call);
    case Solver::multiply_by_q:
      return lapack::ormqr(queue, call.side, call.trans, call.a, call.reflectors, call.tau, call.b);
    case Solver::least_squares:
      return solve_least_squares(queue, call);
    case Solver::least_squares_by_svd:
      return solve_by_svd(queue, call);
  }
}

// Returns true if the routine has to be called.
bool has_work(const SolveCall& call) {
  switch (call.kind) {
    case Solver::general:
      return call.a.rows > 0;
    case Solver::lu:
    case Solver::triangular:
    case Solver::cholesky:
      return call.a.rows > 0 && call.b.cols > 0;
    case Solver::multiply_by_q:
      return call.reflectors > 0 && call.b.rows > 0 && call.b.cols > 0;
    case Solver::least_squares:
    case Solver::least_squares_by_svd:
      return true;
  }
  return true;
}

}  // namespace

void run_solve(Queue& queue, const SolveCall& call) {
  const Matrices &a = call.a, &b = call.b;
  if (a.count == 0) return;
  lapack::open(queue);
  OperandChecks checks(queue, a.count, call.info);
  checks.finite(a, 1, call.part);
  if (call.kind == Solver::multiply_by_q) {
    checks.finite(reflector_scales(a, call.tau, call.reflectors), 3);
  }
  checks.finite(b, 2);
  if (call.kind == Solver::lu) checks.pivots(a, call.pivots);
  const bool has_triangle = call.kind == Solver::triangular || call.kind == Solver::cholesky;
  if (call.kind == Solver::lu || (has_triangle && call.diag == 'N')) checks.diagonal(a);
  if (checks.passed() && has_work(call)) solve(queue, call);
}

}  // namespace th
