// Orthogonal factorizations, and LU factorizations of batches.

#include <algorithm>

#include "ops/formula_operations.h"
#include "ops/linalg.h"

namespace th {

namespace {

// Checks the scales of the reflectors in a.
void check_reflectors(const Shapes& s, Tensor* const& tau, const Tensor& a) {
  const int64_t most = std::min(a.size[0], a.size[1]);
  if (tau->numel() == 0 && most == 0) return;
  if (tau->nDimension == 1 && tau->size[0] <= most) return;
  s.fail(tau, "tau should be a vector of at most %lld elements, got a size of %s", as_long(most),
         shape_text(*tau).c_str());
}

// Runs the factorization `qr` of the matrix a, which is column-major, in place.
void factor_by_reflectors(Op op, Device* device, Tensor* a, Tensor* tau) {
  run_lapack(op, device, Failure::none, [&](Operands& at) {
    FactorCall call;
    call.kind = Factorization::qr;
    call.a = matrices(at, a);
    call.tau = at.overwrite(tau);
    return call;
  });
}

// Replaces the reflectors in q, which is column-major, by the columns of Q.
// reflectors: the number of scales of each matrix.
void make_q(Op op, Device* device, Tensor* q, Tensor* tau, int64_t reflectors) {
  run_lapack(op, device, Failure::none, [&](Operands& at) {
    FactorCall call;
    call.kind = Factorization::q;
    call.tau = at.write(tau);
    call.reflectors = static_cast<int>(reflectors);
    call.a = matrices(at, q);
    return call;
  });
}

}  // namespace

void shapes(args::geqrf& a, Shapes& s) {
  if (!a.a) a.a = a.qr;
  check_matrices(s, a.a);
  const int last = a.a->nDimension - 1;
  set_columns_like(s, a.qr, *a.a);
  set_batch(s, a.tau, *a.a, 2, {std::min(a.a->size[last - 1], a.a->size[last])});
}
void calls(args::geqrf& a) {
  Device* device = device_of({a.qr, a.tau, a.a});
  copy_to_new(device, a.qr, a.a);
  factor_by_reflectors(Op::geqrf, device, a.qr, a.tau);
}

void shapes(args::orgqr& a, Shapes& s) {
  if (!a.qr) a.qr = a.r_;
  check_matrix(s, a.qr);
  check_reflectors(s, a.tau, *a.qr);
  // Q has at most as many columns as rows.
  const int64_t size[] = {a.qr->size[0], std::min(a.qr->size[0], a.qr->size[1])};
  s.set(a.r_, 2, size, Layout::columns);
}
void calls(args::orgqr& a) {
  Device* device = device_of({a.r_, a.qr, a.tau});
  TensorRef left = first_columns(a.qr, a.r_->size[1]), tau = copy_by_rows(device, a.tau);
  copy_to_new(device, a.r_, left.get());
  make_q(Op::orgqr, device, a.r_, tau.get(), tau->numel());
}

void shapes(args::ormqr& a, Shapes& s) {
  if (!a.c) a.c = a.r_;
  check_letter(s, a.side, "LR");
  check_letter(s, a.trans, "NT");
  check_matrix(s, a.qr);
  check_matrix(s, a.c, "C");
  check_reflectors(s, a.tau, *a.qr);
  if (a.qr->size[0] != a.c->size[a.side == 'L' ? 0 : 1]) {
    s.fail(a.c, "C should have as many %s as A has rows, %lld, got a size of %s",
           a.side == 'L' ? "rows" : "columns", as_long(a.qr->size[0]), shape_text(*a.c).c_str());
  }
  set_columns_like(s, a.r_, *a.c);
}
void calls(args::ormqr& a) {
  Device* device = device_of({a.r_, a.qr, a.tau, a.c});
  TensorRef factors = copy_by_columns(device, a.qr), tau = copy_by_rows(device, a.tau);
  copy_to_new(device, a.r_, a.c);
  auto build = [&](Operands& at) {
    SolveCall call;
    call.kind = Solver::multiply_by_q;
    call.side = a.side;
    call.trans = a.trans;
    call.reflectors = static_cast<int>(tau->numel());
    call.a = matrices(at, factors.get());
    call.tau = at.write(tau.get());
    call.b = matrices(at, a.r_);
    return call;
  };
  run_lapack(Op::ormqr, device, Failure::none, build, "A", "C");
}

void shapes(args::qr& a, Shapes& s) {
  check_matrices(s, a.a);
  const Tensor& t = *a.a;
  const int64_t m = t.size[t.nDimension - 2], n = t.size[t.nDimension - 1], k = std::min(m, n);
  const BatchShape q(t, 2, {m, k});
  s.set(a.q, q.ndim, q.size, Layout::columns);
  set_batch(s, a.r, t, 2, {k, n});
}
void calls(args::qr& a) {
  Device* device = device_of({a.q, a.r, a.a});
  const int64_t k = a.r->size[a.r->nDimension - 2], n = a.r->size[a.r->nDimension - 1];
  TensorRef tau = new_temporary(device, a.a->dtype, BatchShape(*a.r, 1, {})), wide;
  // Q has space for the factors unless they have more columns.
  if (k < n) wide = new_columns(device, a.a->dtype, BatchShape(*a.a, 0, {}));
  Tensor* factors = wide ? wide.get() : a.q;
  copy_to_new(device, factors, a.a);
  factor_by_reflectors(Op::qr, device, factors, tau.get());
  TensorRef top = first_rows(factors, k);
  ops::triu(a.r, top.get(), 0);
  if (wide) {
    TensorRef left = first_columns(factors, k);
    copy_to_new(device, a.q, left.get());
  }
  make_q(Op::qr, device, a.q, tau.get(), k);
}

void shapes(args::qrComplete& a, Shapes& s) {
  check_matrices(s, a.a);
  const Tensor& t = *a.a;
  const int64_t m = t.size[t.nDimension - 2], n = t.size[t.nDimension - 1];
  const int64_t k = a.complete ? m : std::min(m, n);
  const BatchShape q(t, 2, {m, k});
  s.set(a.q, q.ndim, q.size, Layout::columns);
  set_batch(s, a.r, t, 2, {k, n});
}
void calls(args::qrComplete& a) {
  const int last = a.a->nDimension - 1;
  const int64_t m = a.a->size[last - 1], n = a.a->size[last];
  if (!a.complete || m <= n) return ops::qr(a.q, a.r, a.a);
  Device* device = device_of({a.q, a.r, a.a});
  TensorRef tau = new_temporary(device, a.a->dtype, BatchShape(*a.a, 2, {n}));
  TensorRef factors = copy_by_columns(device, a.a);
  factor_by_reflectors(Op::qrComplete, device, factors.get(), tau.get());
  ops::triu(a.r, factors.get(), 0);
  // The n reflectors determine all columns of Q.
  ops::zero(a.q);
  ops::copy(first_columns(a.q, n).get(), factors.get());
  make_q(Op::qrComplete, device, a.q, tau.get(), n);
}

void shapes(args::btrifact& a, Shapes& s) {
  if (!a.a) a.a = a.lu;
  if (a.a->nDimension != 3) {
    s.fail(a.a, "A should be a batch of matrices, got a tensor of size %s",
           shape_text(*a.a).c_str());
  }
  check_matrices(s, a.a);
  s.set(a.lu, 3, a.a->size);
  s.set(a.pivots, 2, a.a->size, Layout::separate);
  if (a.info) s.set(a.info, 1, a.a->size, Layout::separate);
}
void calls(args::btrifact& a) {
  Device* device = device_of({a.lu, a.pivots, a.info, a.a});
  TensorRef factors = copy_by_columns(device, a.a);
  run_steps(Op::btrifact, device, [&](Operands& at) {
    Info info;
    FactorCall call;
    call.kind = a.pivot ? Factorization::lu : Factorization::lu_unpivoted;
    call.a = matrices(at, factors.get());
    call.pivots = overwrite_as<int>(at, a.pivots);
    call.info = a.info ? overwrite_as<int>(at, a.info) : info.allocate(at, call.a);
    if (!at.run(call)) return false;
    check_info(at, call.info, call.a, a.info ? Failure::none : Failure::singular);
    return true;
  });
  ops::copy(a.lu, factors.get());
  // The routines exchange no rows after the last column.
  const int64_t m = a.a->size[1], n = a.a->size[2], rest[] = {a.a->size[0], m - n};
  if (m <= n) return;
  const Var rows = formulas::expand(counting(ref(a.a), n + 1, m - n), Sizes{2, rest});
  ops::copy(narrowed(shared(a.pivots), 1, n, m - n).get(), rows.get());
}

void shapes(args::btrisolve& a, Shapes& s) {
  if (!a.b) a.b = a.r_;
  if (a.lu->nDimension != 3) {
    s.fail(a.lu, "LU should be a batch of matrices, got a tensor of size %s",
           shape_text(*a.lu).c_str());
  }
  check_square_matrices(s, a.lu, "LU");
  const Tensor &b = *a.b, &pivots = *a.pivots;
  const int64_t count = a.lu->size[0], n = a.lu->size[1];
  if ((b.nDimension != 2 && b.nDimension != 3) || b.size[0] != count || b.size[1] != n) {
    s.fail(a.b, "B should have the size [%lld x %lld] or [%lld x %lld x k], got %s", as_long(count),
           as_long(n), as_long(count), as_long(n), shape_text(b).c_str());
  }
  check_size(b.size[b.nDimension - 1]);
  if (pivots.nDimension != 2 || pivots.size[0] != count || pivots.size[1] != n) {
    s.fail(a.pivots, "the pivots should have the size [%lld x %lld], got %s", as_long(count),
           as_long(n), shape_text(pivots).c_str());
  }
  s.set(a.r_, b.nDimension, b.size);
}
void calls(args::btrisolve& a) {
  Device* device = device_of({a.r_, a.b, a.lu, a.pivots});
  const Tensor& b = *a.b;
  const int64_t columns = b.nDimension == 2 ? 1 : b.size[2];
  TensorRef factors = copy_by_columns(device, a.lu), pivots = copy_by_rows(device, a.pivots);
  TensorRef solution = new_columns(device, b.dtype, BatchShape(*a.lu, 1, {columns}));
  copy_to_new(device, solution.get(), a.b);
  auto build = [&](Operands& at) {
    SolveCall call;
    call.kind = Solver::lu;
    call.a = matrices(at, factors.get());
    call.pivots = reinterpret_cast<int*>(at.write(pivots.get()));
    call.b = matrices(at, solution.get());
    return call;
  };
  run_lapack(Op::btrisolve, device, Failure::wrong_pivot, build, "LU");
  ops::copy(a.r_, solution.get());
}

}  // namespace th
