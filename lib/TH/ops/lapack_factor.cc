// Orthogonal factorizations, and LU factorizations of batches.

#include <algorithm>

#include "base/error.h"
#include "ops/direct.h"
#include "ops/linalg.h"

namespace th::direct {

using linalg::Matrices;

namespace {

// Returns the number of reflectors in tau.
int64_t check_reflectors(Op op, Named named, const Tensor& tau, const Tensor& a) {
  int64_t most = std::min(a.size[0], a.size[1]);
  if (tau.numel() == 0 && most == 0) return 0;
  if (tau.nDimension != 1 || tau.size[0] > most) {
    fail_argument(named.argument,
                  "%s: tau should be a vector of at most %lld elements, got a size of %s", name(op),
                  static_cast<long long>(most), shape_text(tau).c_str());
  }
  return tau.size[0];
}

// Returns tau as a column in host memory.
Columns column_of(Op op, Tensor* tau) {
  if (tau->nDimension == 0) return Columns(op, *new_tensor(tau->dtype, {1, 1}), 0, 1);
  TensorRef column(tensor_new(tau->dtype));
  unsqueeze1d(column.get(), tau, 1);
  return Columns(op, column.get());
}

TensorRef first_column(const Columns& columns) {
  TensorRef matrix = columns.whole();
  TensorRef vector(tensor_new(matrix->dtype));
  select(vector.get(), matrix.get(), 1, 0);
  return vector;
}

}  // namespace

void geqrf(Tensor* r, Tensor* tau, Tensor* a) {
  Op op = Op::geqrf;
  if (!a) a = r;
  check_types(op, a->dtype, {r, tau});
  check_distinct(op, {r, tau});
  check_matrix(op, {3, "A"}, *a);
  Device* device = device_of({r, tau, a});
  Columns factors(op, a), scales(op, *a, std::min(a->size[0], a->size[1]), 1);
  run_lapack(op, device, [&](Operands& at) {
    Matrices m = factors.open(at);
    check_finite(op, "A", m);
    linalg::qr(m, scales.open(at).data);
  });
  give(device, r, factors.whole(), a);
  give_contiguous(device, tau, first_column(scales));
}

void orgqr(Tensor* r, Tensor* a, Tensor* tau) {
  Op op = Op::orgqr;
  if (!a) a = r;
  check_types(op, a->dtype, {r, tau});
  check_matrix(op, {2, "A"}, *a);
  int64_t reflectors = check_reflectors(op, {3, "tau"}, *tau, *a);
  Device* device = device_of({r, a, tau});
  // Q has at most as many columns as rows.
  TensorRef left(tensor_new_view(a));
  left->size[1] = std::min(a->size[0], a->size[1]);
  Columns q(op, left.get()), scales = column_of(op, tau);
  run_lapack(op, device, [&](Operands& at) {
    Matrices m = q.open(at), t = scales.open(at);
    check_finite(op, "A", m);
    check_finite(op, "tau", t);
    linalg::make_q(m, static_cast<int>(reflectors), t.data);
  });
  give(device, r, q.whole(), a);
}

void ormqr(Tensor* r, Tensor* a, Tensor* tau, Tensor* c, char side, char trans) {
  Op op = Op::ormqr;
  if (!c) c = r;
  check_types(op, a->dtype, {r, tau, c});
  side = check_letter(op, 5, side, "LR");
  trans = check_letter(op, 6, trans, "NT");
  check_matrix(op, {2, "A"}, *a);
  check_matrix(op, {4, "C"}, *c);
  int64_t reflectors = check_reflectors(op, {3, "tau"}, *tau, *a);
  int64_t meets = side == 'L' ? c->size[0] : c->size[1];
  if (a->size[0] != meets) {
    fail_argument(4, "%s: Q of A %s is not to be multiplied by C %s from the %s", name(op),
                  shape_text(*a).c_str(), shape_text(*c).c_str(), side == 'L' ? "left" : "right");
  }
  Device* device = device_of({r, a, tau, c});
  Columns factors(op, a), scales = column_of(op, tau), product(op, c);
  run_lapack(op, device, [&](Operands& at) {
    Matrices m = factors.open(at), t = scales.open(at), p = product.open(at);
    check_finite(op, "A", m);
    check_finite(op, "tau", t);
    check_finite(op, "C", p);
    linalg::multiply_by_q(m, side, trans, static_cast<int>(reflectors), t.data, p);
  });
  give(device, r, product.whole(), c);
}

void qr(Tensor* q, Tensor* r, Tensor* a) {
  Op op = Op::qr;
  check_types(op, a->dtype, {q, r});
  check_distinct(op, {q, r});
  check_matrix(op, {3, "A"}, *a);
  Device* device = device_of({q, r, a});
  int64_t k = std::min(a->size[0], a->size[1]);
  Columns factors(op, a), scales(op, *a, k, 1);
  TensorRef upper(tensor_new(a->dtype));
  run_lapack(op, device, [&](Operands& at) {
    Matrices m = factors.open(at);
    check_finite(op, "A", m);
    char* tau = scales.open(at).data;
    linalg::qr(m, tau);
    TensorRef top = factors.whole();
    top->size[0] = k;
    triu(upper.get(), top.get(), 0);
    m.cols = static_cast<int>(k);
    linalg::make_q(m, m.cols, tau);
  });
  give(device, q, factors.cols(k));
  give_contiguous(device, r, upper);
}

void btrifact(Tensor* lu, Tensor* pivots, Tensor* info, bool pivot, Tensor* a) {
  Op op = Op::btrifact;
  if (!a) a = lu;
  check_types(op, a->dtype, {lu});
  check_types(op, DType::Int, {pivots, info});
  check_distinct(op, {pivots, info});
  if (a->nDimension != 3) {
    fail_argument(5, "%s: A should be a batch of matrices, got a tensor of size %s", name(op),
                  shape_text(*a).c_str());
  }
  check_square_matrices(op, {5, "A"}, *a);
  Device* device = device_of({lu, pivots, info, a});
  Columns factors(op, a);
  TensorRef order = new_tensor(DType::Int, {a->size[0], a->size[1]});
  TensorRef failures = new_tensor(DType::Int, {a->size[0]});
  run_lapack(op, device, [&](Operands& at) {
    Matrices m = factors.open(at);
    check_finite(op, "A", m);
    auto* infos = reinterpret_cast<int*>(at.write(failures.get()));
    linalg::lu(m, pivot, reinterpret_cast<int*>(at.write(order.get())), infos);
    if (!info) check_info(op, Failure::singular, infos, m.count);
  });
  give_contiguous(device, lu, factors.whole());
  give_contiguous(device, pivots, order);
  if (info) give_contiguous(device, info, failures);
}

void btrisolve(Tensor* x, Tensor* b, Tensor* lu, Tensor* pivots) {
  Op op = Op::btrisolve;
  if (!b) b = x;
  check_types(op, lu->dtype, {x, b});
  check_types(op, DType::Int, {pivots});
  if (lu->nDimension != 3) {
    fail_argument(3, "%s: LU should be a batch of matrices, got a tensor of size %s", name(op),
                  shape_text(*lu).c_str());
  }
  check_square_matrices(op, {3, "LU"}, *lu);
  int64_t count = lu->size[0], n = lu->size[1];
  if ((b->nDimension != 2 && b->nDimension != 3) || b->size[0] != count || b->size[1] != n) {
    fail_argument(2, "%s: B should have the size [%lld x %lld] or [%lld x %lld x k], got %s",
                  name(op), static_cast<long long>(count), static_cast<long long>(n),
                  static_cast<long long>(count), static_cast<long long>(n), shape_text(*b).c_str());
  }
  if (pivots->nDimension != 2 || pivots->size[0] != count || pivots->size[1] != n) {
    fail_argument(4, "%s: the pivots should have the size [%lld x %lld], got %s", name(op),
                  static_cast<long long>(count), static_cast<long long>(n),
                  shape_text(*pivots).c_str());
  }
  Device* device = device_of({x, b, lu, pivots});
  bool vectors = b->nDimension == 2;
  TensorRef right(tensor_new_view(b));
  if (vectors) unsqueeze1d(right.get(), b, 2);
  Columns factors(op, lu), solution(op, right.get());
  TensorRef order = new_tensor(DType::Int, {count, n});
  if (order->storage) order->storage->cpu(Access::overwrite);
  copy(order.get(), pivots);
  run_lapack(op, device, [&](Operands& at) {
    Matrices m = factors.open(at), s = solution.open(at);
    check_finite(op, "LU", m);
    check_finite(op, "B", s);
    auto* rows = reinterpret_cast<int*>(at.write(order.get()));
    int64_t wrong = linalg::find_wrong_pivot(rows, m);
    if (wrong >= 0) {
      fail_argument(4, "%s: pivot %d is not a row of a matrix with %d", name(op), rows[wrong],
                    m.rows);
    }
    Workspace<int> info(m.count);
    linalg::find_zero_pivots(m, info.data());
    check_info(op, Failure::singular, info.data(), m.count);
    linalg::lu_solve(m, 'N', rows, s);
  });
  TensorRef made = solution.whole();
  if (vectors) select(made.get(), made.get(), 2, 0);
  give_contiguous(device, x, made);
}

}  // namespace th::direct
