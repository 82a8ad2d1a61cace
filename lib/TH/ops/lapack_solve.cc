// Linear systems, inverses and Cholesky factorizations.

#include <algorithm>

#include "base/error.h"
#include "ops/direct.h"
#include "ops/linalg.h"

namespace th::direct {

using linalg::Matrices;
using linalg::Part;

namespace {

Part part_of(char uplo) { return uplo == 'U' ? Part::upper : Part::lower; }

// r = change(m, uplo) of one triangle of a square matrix.
template <class Change>
void from_triangle(Op op, Tensor* r, Tensor* a, char uplo, const Change& change) {
  if (!a) a = r;
  check_types(op, a->dtype, {r});
  uplo = check_letter(op, 3, uplo, "UL");
  check_square(op, {2, "A"}, *a);
  Device* device = device_of({r, a});
  Columns result(op, a);
  run_lapack(op, device, [&](Operands& at) {
    Matrices m = result.open(at);
    check_finite(op, "A", m, part_of(uplo));
    change(m, uplo);
  });
  give(device, r, result.whole(), a);
}

}  // namespace

void gesv(Tensor* x, Tensor* lu, Tensor* b, Tensor* a) {
  Op op = Op::gesv;
  if (!b) b = x;
  if (!a) a = lu;
  check_types(op, a->dtype, {x, lu, b});
  check_distinct(op, {x, lu});
  check_square(op, {4, "A"}, *a);
  TensorRef right = right_side(op, {3, "B"}, b, a->size[0]);
  Device* device = device_of({x, lu, b, a});
  Columns factors(op, a), solution(op, right.get());
  run_lapack(op, device, [&](Operands& at) {
    Matrices m = factors.open(at), s = solution.open(at);
    check_finite(op, "A", m);
    check_finite(op, "B", s);
    Workspace<int> pivots(m.rows);
    int info = 0;
    linalg::lu(m, true, pivots.data(), &info);
    check_info(op, Failure::singular, &info);
    linalg::lu_solve(m, 'N', pivots.data(), s);
  });
  give(device, lu, factors.whole(), a);
  give(device, x, solution.whole(), b);
}

void trtrs(Tensor* x, Tensor* copy_of_a, Tensor* b, Tensor* a, char uplo, char trans, char diag) {
  Op op = Op::trtrs;
  if (!b) b = x;
  if (!a) a = copy_of_a;
  check_types(op, a->dtype, {x, copy_of_a, b});
  check_distinct(op, {x, copy_of_a});
  uplo = check_letter(op, 5, uplo, "UL");
  trans = check_letter(op, 6, trans, "NTC");
  diag = check_letter(op, 7, diag, "NU");
  check_square(op, {4, "A"}, *a);
  TensorRef right = right_side(op, {3, "B"}, b, a->size[0]);
  Device* device = device_of({x, copy_of_a, b, a});
  Columns factor(op, a), solution(op, right.get());
  run_lapack(op, device, [&](Operands& at) {
    Matrices m = factor.open(at), s = solution.open(at);
    check_finite(op, "A", m, part_of(uplo));
    check_finite(op, "B", s);
    int info = 0;
    linalg::triangular_solve(m, uplo, trans, diag, s, &info);
    check_info(op, Failure::zero_diagonal, &info);
  });
  give(device, copy_of_a, factor.whole(), a);
  give(device, x, solution.whole(), b);
}

void gels(Tensor* x, Tensor* qr, Tensor* b, Tensor* a) {
  Op op = Op::gels;
  if (!b) b = x;
  if (!a) a = qr;
  check_types(op, a->dtype, {x, qr, b});
  check_distinct(op, {x, qr});
  check_matrix(op, {4, "A"}, *a);
  TensorRef right = right_side(op, {3, "B"}, b, a->size[0]);
  Device* device = device_of({x, qr, b, a});
  Columns factors(op, a), solution(op, right.get(), a->size[1]);
  run_lapack(op, device, [&](Operands& at) {
    Matrices m = factors.open(at), s = solution.open(at);
    check_finite(op, "A", m);
    check_finite(op, "B", s);
    int info = 0;
    linalg::least_squares(m, s, &info);
    check_info(op, Failure::rank, &info);
  });
  TensorRef made = solution.rows(a->size[1]);
  give(device, qr, factors.whole(), a);
  give(device, x, made, b);
}

void getri(Tensor* r, Tensor* a) {
  Op op = Op::getri;
  if (!a) a = r;
  check_types(op, a->dtype, {r});
  check_square_matrices(op, {2, "A"}, *a);
  Device* device = device_of({r, a});
  Columns inverse(op, a);
  run_lapack(op, device, [&](Operands& at) {
    Matrices m = inverse.open(at);
    check_finite(op, "A", m);
    Workspace<int> pivots(m.count * m.rows), info(m.count);
    linalg::lu(m, true, pivots.data(), info.data());
    check_info(op, Failure::singular, info.data(), m.count);
    linalg::lu_invert(m, pivots.data(), info.data());
    check_info(op, Failure::singular, info.data(), m.count);
  });
  give(device, r, inverse.whole(), a);
}

void potrf(Tensor* r, Tensor* a, char uplo) {
  from_triangle(Op::potrf, r, a, uplo, [](const Matrices& m, char part) {
    int info = 0;
    linalg::cholesky(m, part, &info);
    check_info(Op::potrf, Failure::indefinite, &info);
    clear_outside(m, part_of(part));
  });
}

void potri(Tensor* r, Tensor* a, char uplo) {
  from_triangle(Op::potri, r, a, uplo, [](const Matrices& m, char part) {
    int info = 0;
    linalg::cholesky_invert(m, part, &info);
    check_info(Op::potri, Failure::zero_diagonal, &info);
    mirror(m, part_of(part));
  });
}

void potrs(Tensor* x, Tensor* b, Tensor* a, char uplo) {
  Op op = Op::potrs;
  if (!b) b = x;
  check_types(op, a->dtype, {x, b});
  uplo = check_letter(op, 4, uplo, "UL");
  check_square(op, {3, "A"}, *a);
  TensorRef right = right_side(op, {2, "B"}, b, a->size[0]);
  Device* device = device_of({x, b, a});
  Columns factor(op, a), solution(op, right.get());
  run_lapack(op, device, [&](Operands& at) {
    Matrices m = factor.open(at), s = solution.open(at);
    check_finite(op, "A", m, part_of(uplo));
    check_finite(op, "B", s);
    int info = 0;
    linalg::triangular_solve(m, uplo, uplo == 'U' ? 'T' : 'N', 'N', s, &info);
    check_info(op, Failure::zero_diagonal, &info);
    linalg::triangular_solve(m, uplo, uplo == 'U' ? 'N' : 'T', 'N', s, &info);
  });
  give(device, x, solution.whole(), b);
}

void pstrf(Tensor* r, Tensor* pivots, Tensor* a, char uplo, Scalar tolerance) {
  Op op = Op::pstrf;
  if (!a) a = r;
  check_types(op, a->dtype, {r});
  check_types(op, DType::Int, {pivots});
  uplo = check_letter(op, 4, uplo, "UL");
  check_square(op, {3, "A"}, *a);
  Device* device = device_of({r, pivots, a});
  Columns factor(op, a);
  TensorRef order = new_tensor(DType::Int, {a->size[0]});
  run_lapack(op, device, [&](Operands& at) {
    Matrices m = factor.open(at);
    check_finite(op, "A", m, part_of(uplo));
    int rank = linalg::cholesky_pivoted(m, uplo, tolerance.to_double(),
                                        reinterpret_cast<int*>(at.write(order.get())));
    if (rank < m.rows) {
      fail("%s: A is not positive definite: of %d pivots %d are above the tolerance", name(op),
           m.rows, rank);
    }
    clear_outside(m, part_of(uplo));
  });
  give(device, r, factor.whole(), a);
  give_contiguous(device, pivots, order);
}

}  // namespace th::direct
