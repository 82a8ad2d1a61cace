// Functions of whole matrices: powers, the exponential, norms and distances of rows.

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "ops/formula_operations.h"
#include "ops/linalg.h"
#include "ops/tracer.h"
#include "tensor/checked.h"

namespace th {

namespace {

using namespace formulas;

// The identity matrix of n rows in the type of t.
Var identity(const Var& t, int64_t n) {
  const int64_t size[] = {n, n};
  Var one = filled(t, t->dtype, 2, size, 0);
  if (n > 0) {
    const Var ones = filled(t, t->dtype, 1, &n, 1);
    TensorRef diagonal(tensor_new(t->dtype));
    ops::diagonal(diagonal.get(), one.get(), 0, 0, 1);
    ops::copy(diagonal.get(), ones.get());
  }
  return one;
}
// The identity matrix that broadcasts to t.
Var identity_of(const Var& t) { return identity(t, columns_of(*t)); }

Var power(const Var& t, uint64_t n) {
  Var result, square = t;
  for (;; n /= 2) {
    if (n % 2) result = result ? matmul(result, square) : square;
    if (n < 2) return result;
    square = matmul(square, square);
  }
}

// With a 1-norm up to this, the error of taylor_exponential is that of rounding (same source).
double largest_norm(DType type) {
  return type == DType::Float ? 3.010066362817634 : 1.090863719290036;
}

// The exponential of a matrix by its Taylor polynomial of degree 18 in 5 products. No system is
// solved, so the zeros of a triangular matrix stay 0. Source of the coefficients: Bader, Blanes,
// Casas, Computing the matrix exponential with an optimized Taylor polynomial approximation (2019).
// The multiples of the identity in their factors are multiplied out here, so that the result is the
// identity plus a sum that is small for small matrices.
Var taylor_exponential(const Var& a) {
  const Var a2 = matmul(a, a), a3 = matmul(a2, a), a6 = matmul(a3, a3);
  auto combine = [&](double c1, double c2, double c3, double c6) {
    const Var sum = cadd(cadd(a * c1, Scalar(c2), a2), Scalar(c3), a3);
    return c6 == 0 ? sum : cadd(sum, Scalar(c6), a6);
  };
  const Var p1 = combine(-1.00365581030144618291e-01, -8.02924648241156932449e-03,
                         -8.92138498045729985177e-04, 0);
  const Var p2 = combine(0, -9.23364619367118555360e-02, -1.69364939002081722752e-02,
                         -1.40086798182036094347e-05);
  constexpr double p3_of_a = -6.76404519071381882256e-02, sum_of_p9 = -11.14850297177436830304;
  const Var p3 = combine(p3_of_a, 6.75961301770459654925e-02, 2.95552570429315521194e-02,
                         -1.39180257516060693404e-05);
  const Var p4 = combine(1.68015813878906206114e+00, 5.71779846478865511061e-02,
                         -6.98210122488052056106e-03, 3.34975017086070470649e-05);
  // The coefficient of a in the result is exactly 1.
  const Var p5 = combine(1 - sum_of_p9 * p3_of_a, 1.362667083208190485331, 0.4989210256916942645214,
                         -6.409274300585366091949e-04);
  const Var p9 = matmul(p1, p2) + p3;
  const Var sum = matmul(p9 + p4, p9) + cadd(p5, Scalar(sum_of_p9), p9);
  return sum + identity_of(a);
}

// Scales each matrix by a power of 2, and squares its exponential as often.
Var exponential(const Var& t) {
  const Var columns = sum(abs(t), int64_t{-2}, true);
  const int64_t last = t->nDimension - 1;
  const Var norms = maxDims(columns, Sizes{1, &last}, true), finite = isfinite(norms);
  const Var squarings = cmaxValue(exponentOf(norms * (1 / largest_norm(t->dtype))), Scalar(0));
  // NaN for matrices that are not finite.
  const Var scale = where(finite, ldexp(filled(norms, 1), -squarings), filled(norms, NAN));
  const int64_t least = static_cast<int64_t>(ops::minall(squarings.get()).to_double());
  const int64_t most = static_cast<int64_t>(ops::maxall(squarings.get()).to_double());
  Var r = taylor_exponential(t * scale);
  for (int64_t k = 0; k < most; ++k) {
    const Var square = matmul(r, r);
    r = k < least ? square : where(gtValue(squarings, Scalar(k)), square, r);
  }
  return r;
}

// Reduces the last dimension, which is removed. The result of a vector has one element.
Var largest(const Var& t) {
  const int64_t last = t->nDimension - 1;
  return maxDims(t, Sizes{1, &last}, false);
}
Var smallest(const Var& t) {
  const int64_t last = t->nDimension - 1;
  return minDims(t, Sizes{1, &last}, false);
}

// p: 1 and infinity are the largest sums of columns and rows, 2 is the largest singular value. The
// negative numbers stand for the smallest ones.
Var matrix_norm(const Var& t, double p) {
  const double size = std::fabs(p);
  const Var values = size == 2 ? svdvals(t) : sum(abs(t), int64_t{size == 1 ? -2 : -1}, false);
  return p > 0 ? largest(values) : smallest(values);
}

Var frobenius(const Var& t) {
  const int64_t dims[] = {-2, -1};
  return normDims(t, Scalar(2), Sizes{2, dims}, false);
}

bool is_norm(double p) {
  const double size = std::fabs(p);
  return size == 1 || size == 2 || size == HUGE_VAL;
}

// Checks the matrices. If they have no elements, gives norms of 0 and returns true. `undefined`:
// there is no result for a matrix without elements.
template <class A>
bool give_norms_of_nothing(A& a, Shapes& s, bool undefined = false) {
  check_matrices(s, a.t);
  const Tensor& t = *a.t;
  if (t.numel() > 0) return false;
  if (undefined && rows_of(t) * columns_of(t) == 0) {
    s.fail(a.t, "a matrix of size %s has no elements", shape_text(t).c_str());
  }
  const int64_t one = 1;
  const bool single = t.nDimension == 2;
  give(s, a.r_,
       filled(ref(a.t), t.dtype, single ? 1 : t.nDimension - 2, single ? &one : t.size, 0));
  return true;
}
template <class A>
void check_order(const A& a, const Shapes& s) {
  if (!is_norm(a.p)) s.fail(a.p, "the norm is 1, 2, inf, -1, -2 or -inf, got %g", a.p);
}

// Undefined condition numbers, as of a matrix of zeros, become infinite. Matrices with NaN have no
// singular values: that is an error.
Var without_undefined(const Var& r) { return where(isnan(r), filled(r, HUGE_VAL), r); }

// Returns a ByteTensor with 1 for each singular matrix of t.
Var are_singular(const Var& t) {
  const int64_t n = columns_of(*t), batch[] = {t->numel() / n / n, n, n};
  TensorRef factors = empty(t->dtype), pivots = empty(DType::Int), info = empty(DType::Int);
  ops::btrifact(factors.get(), pivots.get(), info.get(), true, with_shape(t, 3, batch).get());
  const Var singular = gtValue(Var(std::move(info)), Scalar(0));
  return t->nDimension == 2 ? singular : with_shape(singular, t->nDimension - 2, t->size);
}

// Returns the product of the norms of the matrices t and of their inverses.
Var condition_by_inverse(const Var& t, double p) {
  const Var singular = are_singular(t);
  if (ops::maxall(singular.get()).to_double() == 0) {
    return without_undefined(matrix_norm(t, p) * matrix_norm(getri(t), p));
  }
  int64_t size[kMaxDims];
  std::copy_n(singular->size, singular->nDimension, size);
  size[singular->nDimension] = size[singular->nDimension + 1] = 1;
  const Var regular =
      where(with_shape(singular, singular->nDimension + 2, size), identity_of(t), t);
  return where(singular, filled(matrix_norm(t, p), HUGE_VAL),
               without_undefined(matrix_norm(t, p) * matrix_norm(getri(regular), p)));
}

}  // namespace

void shapes(args::matrixPower& a, Shapes& s) {
  check_square_matrices(s, a.t);
  if (a.n == 0) {
    Var one = identity_of(ref(a.t));
    return give(s, a.r_, Var(clone(expand(one, Sizes{a.t->nDimension, a.t->size}).get())));
  }
  const uint64_t n = a.n < 0 ? 0 - static_cast<uint64_t>(a.n) : static_cast<uint64_t>(a.n);
  if (n == 1 && a.n > 0) return give(s, a.r_, Var(clone(a.t)));
  give(s, a.r_, power(a.n < 0 ? getri(ref(a.t)) : ref(a.t), n));
}
void calls(args::matrixPower&) {}

void shapes(args::matrixExp& a, Shapes& s) {
  check_square_matrices(s, a.t);
  if (a.t->numel() == 0) return s.set(a.r_, *a.t);
  give(s, a.r_, exponential(ref(a.t)));
}
void calls(args::matrixExp&) {}

void shapes(args::matrixNorm& a, Shapes& s) {
  if (give_norms_of_nothing(a, s)) return;
  give(s, a.r_, frobenius(ref(a.t)));
}
void calls(args::matrixNorm&) {}

void shapes(args::matrixNormOrder& a, Shapes& s) {
  check_order(a, s);
  if (give_norms_of_nothing(a, s, a.p < 0)) return;
  give(s, a.r_, matrix_norm(ref(a.t), a.p));
}
void calls(args::matrixNormOrder&) {}

void shapes(args::nuclearNorm& a, Shapes& s) {
  if (give_norms_of_nothing(a, s)) return;
  give(s, a.r_, sum(svdvals(ref(a.t)), int64_t{-1}, false));
}
void calls(args::nuclearNorm&) {}

void shapes(args::cond& a, Shapes& s) {
  if (give_norms_of_nothing(a, s, true)) return;
  const Var values = svdvals(ref(a.t));
  give(s, a.r_, without_undefined(largest(values) / smallest(values)));
}
void calls(args::cond&) {}

void shapes(args::condOrder& a, Shapes& s) {
  check_order(a, s);
  if (give_norms_of_nothing(a, s, true)) return;
  const Var t = ref(a.t);
  if (std::fabs(a.p) == 2) {
    const Var values = svdvals(t), up = largest(values), down = smallest(values);
    return give(s, a.r_, without_undefined(a.p > 0 ? up / down : down / up));
  }
  check_square_matrices(s, a.t);
  give(s, a.r_, condition_by_inverse(t, a.p));
}
void calls(args::condOrder&) {}

// ---- LU -----------------------------------------------------------------------------------------

namespace {

// Returns the numbers of the rows of each matrix after the exchanges by the pivots of btrifact, as
// a vector. one: the identity matrix with as many rows.
Var order_of_rows(const Var& pivots, const Var& one) {
  const int64_t count = pivots->size[0], m = pivots->size[1], all = count * m;
  if (!on_host(*pivots) || tracing()) {
    // On a device, or if operations are recorded: if b has the numbers of the rows, the solution of
    // P * x = b has those of the rows of L * U.
    const int64_t column[] = {count, m, 1}, square[] = {count, m, m};
    const Var numbers = with_shape(as(counting(one, 0, m), one->dtype), 2, column + 1);
    const Var order =
        btrisolve(expand(numbers, Sizes{3, column}), expand(one, Sizes{3, square}), pivots);
    return as(flat(order) + Scalar(0.5), DType::Long) + Scalar(TH_INDEX_BASE);
  }
  Var order{TensorRef(tensor_new_sized(DType::Long, 1, &all))};
  Operands at(nullptr);
  const int* pivot = reinterpret_cast<const int*>(at.read(pivots.get()).data);
  int64_t* rows = overwrite_as<int64_t>(at, order.get());
  for (int64_t k = 0; k < count; ++k, rows += m, pivot += m) {
    std::iota(rows, rows + m, int64_t{TH_INDEX_BASE});
    for (int64_t i = 0; i < m; ++i) std::swap(rows[i], rows[pivot[i] - 1]);
  }
  return order;
}

}  // namespace

void shapes(args::lu& a, Shapes& s) {
  check_matrices(s, a.t);
  const Tensor& t = *a.t;
  const int64_t m = rows_of(t), n = columns_of(t), k = std::min(m, n);
  const BatchShape square(t, 2, {m, m}), left(t, 2, {m, k}), right(t, 2, {k, n});
  const Var one = identity(ref(a.t), m);
  if (t.numel() == 0) {
    s.set(a.lower, left.ndim, left.size);
    s.set(a.upper, right.ndim, right.size);
    return give(s, a.permutation, Var(clone(expand(one, Sizes{square.ndim, square.size}).get())));
  }
  const int64_t count = t.numel() / m / n, size[] = {count, m, n}, rows[] = {count, m, m};
  const Var matrices = with_shape(ref(a.t), 3, size);
  TensorRef factors = empty(t.dtype), pivots = empty(DType::Int), info = empty(DType::Int);
  ops::btrifact(factors.get(), pivots.get(), info.get(), true, matrices.get());
  const Var lu(std::move(factors));
  const Var lower = tril(part(lu, 2, 0, k), int64_t{-1}) + part(one, 1, 0, k);
  const Var upper = triu(part(lu, 1, 0, k), int64_t{0});
  const Var index = order_of_rows(ref(pivots.get()), one);
  const Var exchange(
      made(t.dtype, [&](Tensor* r) { ops::indexSelect(r, one.get(), 0, index.get()); }));
  const Var permutation = transposed(with_shape(exchange, 3, rows));
  give(s, a.lower, with_shape(lower, left.ndim, left.size));
  give(s, a.upper, with_shape(upper, right.ndim, right.size));
  give(s, a.permutation, with_shape(permutation, square.ndim, square.size));
}
void calls(args::lu&) {}

}  // namespace th
