// Eigenvalues and singular values on a device.

#include <algorithm>

#include "simt/device_lapack.h"
#include "simt/device_matrices.h"

namespace th {

namespace {

namespace lapack = device_lapack;
using namespace device_matrices;

// Decomposes a matrix with more columns than rows: a' = u1 s vt1, so a = vt1' s u1'.
void decompose_transposed(Queue& queue, const SvdCall& call) {
  const Matrices &a = call.a, &u = call.u, &vt = call.vt;
  TemporaryMatrices transposed(queue, a.dtype, a.count, a.cols, a.rows);
  copy(queue, transposed.get(), a, true);
  queue.allow_repetition();
  if (!u.data) {
    return lapack::gesvd(queue, transposed.get(), false, u, call.values, vt, call.info);
  }
  TemporaryMatrices left(queue, a.dtype, a.count, vt.cols, vt.rows);
  TemporaryMatrices right(queue, a.dtype, a.count, u.cols, u.rows);
  lapack::gesvd(queue, transposed.get(), call.all, left.get(), call.values, right.get(), call.info);
  copy(queue, u, right.get(), true);
  copy(queue, vt, left.get(), true);
}

void decompose(Queue& queue, const SvdCall& call) {
  if (call.a.rows < call.a.cols) return decompose_transposed(queue, call);
  lapack::gesvd(queue, call.a, call.all, call.u, call.values, call.vt, call.info);
}

}  // namespace

void run_eigen(Queue& queue, const EigenCall& call) {
  const Matrices& a = call.a;
  if (a.count == 0) return;
  lapack::open(queue);
  OperandChecks checks(queue, a.count, call.info);
  if (a.rows == 0) return;
  checks.finite(a, 1, call.part);
  if (!checks.passed()) return;
  if (call.part != Part::all) {
    lapack::syevd(queue, a, call.part, call.vectors, call.values, call.info);
  } else {
    Matrices v = call.v;
    if (!call.vectors) v.data = nullptr;
    lapack::geev(queue, a, call.values, v, call.info);
  }
}

void run_svd(Queue& queue, const SvdCall& call) {
  const Matrices& a = call.a;
  if (a.count == 0) return;
  lapack::open(queue);
  const int n = std::min(a.rows, a.cols);
  OperandChecks checks(queue, a.count, call.info);
  if (n > 0) {
    checks.finite(a, 1);
    if (!checks.passed()) return;
    decompose(queue, call);
  } else {
    if (call.u.data) set_identity(queue, call.u);
    if (call.vt.data) set_identity(queue, call.vt);
  }
  if (call.ranks) count_above(queue, a, call.values, n, call.limit, call.rcond, call.ranks);
  if (call.inverse.data && n > 0) {
    // v * diag(1 / s) * u'
    divide_columns(queue, call.u, call.values, n, call.rcond);
    multiply(queue, call.vt, true, call.u, true, call.inverse);
  }
}

}  // namespace th
