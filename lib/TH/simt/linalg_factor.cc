// Factorizations, inverses and determinants on a device.

#include <algorithm>

#include "simt/device_lapack.h"
#include "simt/device_matrices.h"

namespace th {

namespace {

namespace lapack = device_lapack;
using namespace device_matrices;

size_t bytes_of_pivots(const Matrices& a) {
  return static_cast<size_t>(a.count * a.rows) * sizeof(int);
}

void invert(Queue& queue, const Matrices& a, int* info) {
  Scratch pivots(queue, bytes_of_pivots(a));
  TemporaryMatrices inverse(queue, a.dtype, a.count, a.rows, a.cols);
  lapack::getrf(queue, a, pivots.as<int>(), info);
  set_identity(queue, inverse.get());
  lapack::getrs(queue, 'N', a, pivots.as<int>(), inverse.get());
  copy(queue, a, inverse.get());
}

// LU factorization without row exchanges.
void eliminate(Queue& queue, const Matrices& a, int* pivots, int* info) {
  constexpr int kPanel = 32;
  const int n = a.rows;
  for (int p = 0; p < n; p += kPanel) {
    const int width = std::min(kPanel, n - p), next = p + width, rest = n - next;
    eliminate_panel(queue, block_of(a, p, p, n - p, width), p, n, pivots, info);
    if (rest == 0) return;
    const Matrices right = block_of(a, p, next, width, rest);
    lapack::trsm(queue, Part::lower, 'N', 'U', block_of(a, p, p, width, width), right);
    multiply(queue, block_of(a, next, p, rest, width), false, right, false,
             block_of(a, next, next, rest, rest), -1, 1);
  }
}

// Solves for the identity matrix, with the two triangles.
void invert_cholesky(Queue& queue, const Matrices& a, Part part) {
  TemporaryMatrices inverse(queue, a.dtype, a.count, a.rows, a.cols);
  const bool upper = part == Part::upper;
  set_identity(queue, inverse.get());
  lapack::trsm(queue, part, upper ? 'T' : 'N', 'N', a, inverse.get());
  lapack::trsm(queue, part, upper ? 'N' : 'T', 'N', a, inverse.get());
  copy(queue, a, inverse.get());
  mirror(queue, a, part);
}

void make_q(Queue& queue, const FactorCall& call) {
  if (call.reflectors == 0) return set_identity(queue, call.a);
  lapack::orgqr(queue, call.a, call.reflectors, call.tau);
}

void factor(Queue& queue, const FactorCall& call) {
  const Matrices& a = call.a;
  switch (call.kind) {
    case Factorization::lu:
      return lapack::getrf(queue, a, call.pivots, call.info);
    case Factorization::lu_unpivoted:
      return eliminate(queue, a, call.pivots, call.info);
    case Factorization::inverse:
      return invert(queue, a, call.info);
    case Factorization::cholesky:
      lapack::potrf(queue, a, call.part, call.info);
      return clear_outside(queue, a, call.part);
    case Factorization::cholesky_inverse:
      return invert_cholesky(queue, a, call.part);
    case Factorization::qr:
      return lapack::geqrf(queue, a, call.tau);
    case Factorization::q:
      return make_q(queue, call);
    case Factorization::cholesky_pivoted:  // unsupported
      return;
  }
}

}  // namespace

void run_factor(Queue& queue, const FactorCall& call) {
  const Matrices& a = call.a;
  if (a.count == 0) return;  // tau has no memory
  if (call.kind == Factorization::cholesky_pivoted) {
    fail_unsupported("no library has a pivoted Cholesky factorization");
  }
  const bool is_lu = call.kind == Factorization::lu || call.kind == Factorization::lu_unpivoted;
  if (is_lu && a.rows != a.cols) fail_unsupported("LU factorizations are of square matrices");
  lapack::open(queue);
  OperandChecks checks(queue, a.count, call.info);
  if (a.rows == 0 || a.cols == 0) return;
  checks.finite(a, 1, call.part);
  if (call.kind == Factorization::q)
    checks.finite(reflector_scales(a, call.tau, call.reflectors), 3);
  if (call.kind == Factorization::cholesky_inverse) checks.diagonal(a);
  if (checks.passed()) factor(queue, call);
}

void run_determinant(Queue& queue, const DeterminantCall& call) {
  const Matrices& a = call.a;
  if (a.count == 0) return;
  lapack::open(queue);
  const size_t bytes = static_cast<size_t>(a.count) * sizeof(int);
  Scratch pivots(queue, bytes_of_pivots(a)), info(queue, bytes), bad(queue, bytes);
  {
    OperandChecks checks(queue, a.count, bad.as<int>());
    checks.finite(a, 1);
  }
  set_identity(queue, a, bad.as<int>());
  if (a.rows > 0) lapack::getrf(queue, a, pivots.as<int>(), info.as<int>());
  determinants(queue, call, pivots.as<int>(), bad.as<int>());
}

}  // namespace th
