// Linear systems, inverses and Cholesky factorizations of matrices.

#include <algorithm>

#include "ops/linalg.h"

namespace th {

namespace {

Part part_of(char uplo) { return uplo == 'U' ? Part::upper : Part::lower; }

// Sets the solution x of a system with right sides b. Columns of x have space for those of b.
void set_solution(Shapes& s, Tensor*& x, Tensor* const& b, const Tensor& a) {
  if (a.nDimension > 2) {
    check_matrices(s, b, "B");
    const int rows = a.nDimension - 2;
    if (b->nDimension != a.nDimension || !std::equal(a.size, a.size + rows + 1, b->size)) {
      s.fail(b, "B should be a matrix with as many rows for each matrix of A, got sizes %s and %s",
             shape_text(a).c_str(), shape_text(*b).c_str());
    }
    return s.set(x, b->nDimension, b->size, Layout::columns);
  }
  check_right_sides(s, b, a.size[0]);
  const int64_t size[] = {a.size[1], b->nDimension == 1 ? 1 : b->size[1]};
  s.set(x, 2, size, Layout::columns, std::max(a.size[0], a.size[1]));
}

// Copies the right sides b, for a matrix with that many rows, to x.
void copy_right_sides(Device* device, Tensor* x, Tensor* b, int64_t rows) {
  TensorRef view = first_rows(x, rows);
  copy_to_new(device, view.get(), b);
}

// Sets the factors of a, which is `factors` if it is null, and the solution.
template <class Arguments>
void set_system(Arguments& a, Shapes& s, Tensor*& factors) {
  if (!a.b) a.b = a.x;
  set_solution(s, a.x, a.b, *a.a);
  set_columns_like(s, factors, *a.a);
}

// Solves a system in place: call.a = factors, call.b = x.
template <class Arguments>
void solve_system(Arguments& a, Tensor* factors, Failure failure, SolveCall call) {
  Device* device = device_of({a.x, factors, a.b, a.a});
  const Tensor& t = *a.a;
  const int64_t rows = t.size[t.nDimension - 2];
  const int64_t most = std::max(rows, t.size[t.nDimension - 1]);
  copy_to_new(device, factors, a.a);
  copy_right_sides(device, a.x, a.b, rows);
  TensorRef columns = first_rows(a.x, most);
  run_lapack(Arguments::op, device, failure, [&](Operands& at) {
    call.a = matrices(at, factors);
    call.b = matrices(at, columns.get());
    call.b.rows = static_cast<int>(rows);
    return call;
  });
}

// r = f(a) for one triangle of a square matrix, or of a batch.
template <class Arguments>
void set_from_triangle(Arguments& a, Shapes& s, Tensor*& r, bool batches = true) {
  if (!a.a) a.a = r;
  check_letter(s, a.uplo, "UL");
  if (batches) {
    check_square_matrices(s, a.a);
  } else {
    check_square_matrix(s, a.a);
  }
  set_columns_like(s, r, *a.a);
}

template <class Arguments>
void factor_triangle(Arguments& a, Factorization kind, Failure failure) {
  Device* device = device_of({a.r_, a.a});
  copy_to_new(device, a.r_, a.a);
  run_lapack(Arguments::op, device, failure, [&](Operands& at) {
    FactorCall call;
    call.kind = kind;
    call.part = part_of(a.uplo);
    call.a = matrices(at, a.r_);
    return call;
  });
}

}  // namespace

void shapes(args::gesv& a, Shapes& s) {
  if (!a.a) a.a = a.lu;
  check_square_matrix(s, a.a);
  set_system(a, s, a.lu);
}
void calls(args::gesv& a) {
  SolveCall call;
  call.kind = Solver::general;
  solve_system(a, a.lu, Failure::singular, call);
}

void shapes(args::trtrs& a, Shapes& s) {
  if (!a.a) a.a = a.copy;
  check_letter(s, a.uplo, "UL");
  check_letter(s, a.trans, "NTC");
  check_letter(s, a.diag, "NU");
  check_square_matrices(s, a.a);
  set_system(a, s, a.copy);
}
void calls(args::trtrs& a) {
  SolveCall call;
  call.kind = Solver::triangular;
  call.part = part_of(a.uplo);
  call.trans = a.trans;
  call.diag = a.diag;
  solve_system(a, a.copy, Failure::zero_diagonal, call);
}

void shapes(args::gels& a, Shapes& s) {
  if (!a.a) a.a = a.qr;
  check_matrix(s, a.a);
  set_system(a, s, a.qr);
}
void calls(args::gels& a) {
  SolveCall call;
  call.kind = Solver::least_squares;
  solve_system(a, a.qr, Failure::rank, call);
}

void shapes(args::getri& a, Shapes& s) {
  if (!a.a) a.a = a.r_;
  check_square_matrices(s, a.a);
  set_columns_like(s, a.r_, *a.a);
}
void calls(args::getri& a) {
  Device* device = device_of({a.r_, a.a});
  copy_to_new(device, a.r_, a.a);
  run_lapack(Op::getri, device, Failure::singular, [&](Operands& at) {
    FactorCall call;
    call.kind = Factorization::inverse;
    call.a = matrices(at, a.r_);
    return call;
  });
}

void shapes(args::potrf& a, Shapes& s) { set_from_triangle(a, s, a.r_); }
void calls(args::potrf& a) { factor_triangle(a, Factorization::cholesky, Failure::indefinite); }

void shapes(args::potri& a, Shapes& s) { set_from_triangle(a, s, a.r_); }
void calls(args::potri& a) {
  factor_triangle(a, Factorization::cholesky_inverse, Failure::zero_diagonal);
}

void shapes(args::potrs& a, Shapes& s) {
  if (!a.b) a.b = a.r_;
  check_letter(s, a.uplo, "UL");
  check_square_matrices(s, a.a);
  set_solution(s, a.r_, a.b, *a.a);
}
void calls(args::potrs& a) {
  Device* device = device_of({a.r_, a.b, a.a});
  TensorRef factor = copy_by_columns(device, a.a);
  copy_right_sides(device, a.r_, a.b, a.a->size[a.a->nDimension - 1]);
  run_lapack(Op::potrs, device, Failure::zero_diagonal, [&](Operands& at) {
    SolveCall call;
    call.kind = Solver::cholesky;
    call.part = part_of(a.uplo);
    call.a = matrices(at, factor.get());
    call.b = matrices(at, a.r_);
    return call;
  });
}

void shapes(args::pstrf& a, Shapes& s) {
  set_from_triangle(a, s, a.factor, false);
  s.set(a.order, 1, a.a->size, Layout::separate);
}
void calls(args::pstrf& a) {
  Device* device = device_of({a.factor, a.order, a.a});
  copy_to_new(device, a.factor, a.a);
  run_lapack(Op::pstrf, device, Failure::low_rank, [&](Operands& at) {
    FactorCall call;
    call.kind = Factorization::cholesky_pivoted;
    call.part = part_of(a.uplo);
    call.tolerance = a.tol.to_double();
    call.a = matrices(at, a.factor);
    call.pivots = overwrite_as<int>(at, a.order);
    return call;
  });
}

}  // namespace th
