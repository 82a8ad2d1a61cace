// Derivatives of determinants, linear systems and Cholesky factors. Sources of the formulas:
//   Giles, Collected matrix derivative results for forward and reverse mode algorithmic
//     differentiation (2008): determinants, inverses, systems.
//   Golub and Pereyra, The differentiation of pseudo-inverses and nonlinear least squares problems
//     whose variables separate (1973): pseudoinverses, least squares.
//   Murray, Differentiation of the Cholesky decomposition (2016).

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "grad/matrices.h"
#include "grad/tape.h"

namespace th::grad {

// ---- determinants and inverses

namespace {

// The transposed inverses of the matrices where mask is not 0, and `other` elsewhere. mask has one
// element for each matrix, as a matrix. tensor.compile can replay it, as no branch depends on mask.
Var inverse_transposed(const Var& t, const Var& mask, double other) {
  const Var one = identity_like(t);
  return where(mask, transposed(solve(where(mask, t, one), one)), filled_like(t, other));
}

// 1 for each matrix of finite elements, as a matrix of one element.
Var are_finite(const Var& t) {
  const Pause pause;
  // 0 * x is 0 if x is finite, else NaN.
  return isfinite(sum(sum(t * 0, int64_t{-1}, true), int64_t{-2}, true));
}

// The square root of the rounding error of the type of t.
double half_precision(const Tensor& t) { return t.dtype == DType::Double ? 0x1p-26 : 0x1p-11; }

// False if the derivatives of the inverse of one of the matrices have large rounding errors.
bool is_well_conditioned(const Var& t, const Var& inverse) {
  const Pause pause;
  const Var all = as_batch(t), inverses = as_batch(inverse);
  const double limit = static_cast<double>(columns_of(t)) / half_precision(*t);
  for (int64_t i = 0; i < all->size[0]; ++i) {
    const Var a = select(all, int64_t{0}, i), b = select(inverses, int64_t{0}, i);
    const double condition = number(ops::normall(a.get(), 2)) * number(ops::normall(b.get(), 2));
    if (!(condition < limit)) return false;
  }
  return true;
}

Var trace_of(const Var& a) {
  return sum(sum(a * identity_like(a), int64_t{0}, true), int64_t{1}, true);
}

// The determinant and the adjugate of a matrix: the transposed matrix of cofactors.
struct Polynomials {
  Var det, adjugate;
};

// The algorithm of Faddeev and LeVerrier, for a matrix that is 0 but for rounding errors, or for a
// small one. It divides by no element, so derivatives of all orders exist.
Polynomials polynomials_by_traces(const Var& x) {
  constexpr int64_t kMostRows = 16;
  const int64_t n = columns_of(x);
  const Var identity = identity_like(x);
  Var m = identity;
  if (n > kMostRows) m = x * 0;  // a product of n - 1 rounding errors
  for (int64_t k = 1; k < n && n <= kMostRows; ++k) {
    const Var product = matmul(x, m);
    m = product - identity * (trace_of(product) * (1.0 / static_cast<double>(k)));
  }
  if (n % 2 == 0) m = -m;
  return {trace_of(matmul(x, m)) * (1.0 / static_cast<double>(n)), m};
}

// For a matrix of any rank. Derivatives of all orders are finite. noise: the size of rounding
// errors, or -1 for those of x.
// The matrices u = [u1 u2] and v = [v1 v2] of an SVD are constants here. The block u1' * x * v1 of
// u' * x * v has the larger singular values. Its Schur complement s has the smaller ones.
//
//   factor = det(u) * det(v) * det(block)
//
//   right = inverse(block) * u1' * x * v2, left = u2' * x * v1 * inverse(block)
//
//   inner = (v2 - v1 * right) * adj(s) * (u2' - left * u1')
//
//   adj(x) = factor * (det(s) * v1 * inverse(block) * u1' + inner)
Polynomials polynomials_of(const Var& x, double noise) {
  // In larger matrices, traces of powers lose the small singular values.
  constexpr int64_t kFewRows = 4;
  const int64_t n = columns_of(x);
  if (noise >= 0 && n <= kFewRows) return polynomials_by_traces(x);
  Var u, v, signs;
  int64_t rank = 0;
  {
    const Pause pause;
    const Svd d = svd_of(x);
    const double largest = number(ops::maxall(d.s.get()));
    const double half = half_precision(*x);
    if (noise < 0) noise = static_cast<double>(n) * half * half * largest;
    const Var large = gtValue(d.s, Scalar(std::max(noise, largest * half)));
    rank = static_cast<int64_t>(number(ops::sumall(large.get())));
    u = transposed(d.u);
    v = d.v;
    signs = sign(det(d.u) * det(d.v));
  }
  if (rank == 0) return polynomials_by_traces(x);
  auto rows = [&](int64_t first, int64_t count) { return narrow(u, int64_t{0}, first, count); };
  auto columns = [&](int64_t first, int64_t count) { return narrow(v, int64_t{1}, first, count); };
  const Var u1 = rows(0, rank), u2 = rows(rank, n - rank);
  const Var v1 = columns(0, rank), v2 = columns(rank, n - rank);
  const Var block = product(u1, x, v1), inverse = solve(block, identity_like(block));
  Var sign_of_block{TensorRef(tensor_new(x->dtype))}, logarithm{TensorRef(tensor_new(x->dtype))};
  ops::slogdet(sign_of_block.get(), logarithm.get(), block.get());
  const Var factor = exp(logarithm) * sign_of_block * signs;
  const Var large_part = product(v1, inverse, u1) * factor;
  if (rank == n) return {factor, large_part};
  const Var beside = product(u1, x, v2), right = matmul(inverse, beside);
  const Var left = matmul(product(u2, x, v1), inverse);
  const Polynomials s = polynomials_of(product(u2, x, v2) - matmul(left, beside), noise);
  const Var inner = product(v2 - matmul(v1, right), s.adjugate, u2 - matmul(left, u1));
  return {factor * s.det, large_part * s.det + inner * factor};
}

// The matrix of cofactors, without a record of how it depends on a:
// det(u) * det(v) * u * diag(the products of the other singular values) * v'.
Var constant_cofactors_of(const Var& a) {
  const Svd d = svd_of(a);
  const int64_t one = 1;
  const Var others = functions::prod_slope(filled_like(d.s, 1), d.s, filled(*d.s, 1, &one, 1));
  const Var signs = sign(det(d.u) * det(d.v));
  return matmul(d.u * as_rows(others * signs), transposed(d.v));
}

// Replaces the matrices of r where mask is 0 by matrices of cofactors, which are the derivatives of
// determinants; by NaN for matrices of t that are not finite.
void put_cofactors(const Var& r, const Var& t, const Var& mask) {
  const Var all = as_batch(t), results = as_batch(r);
  const int64_t count = all->size[0];
  Var numbers{TensorRef(tensor_new(DType::Long))};
  ops::nonzero(numbers.get(), eqValue(reshaped(mask, 1, &count), Scalar(0)).get());
  for (int64_t k = 0; k < numbers->size[0]; ++k) {
    const Var row = select(numbers, int64_t{0}, k);
    const int64_t i = ops::sumall(row.get()).i - TH_INDEX_BASE;
    const Var a = select(all, int64_t{0}, i);
    const Var one = !ops::logicalall(are_finite(a).get()) ? a * NAN
                    : is_recording() ? transposed(polynomials_of(a, -1).adjugate)
                                     : constant_cofactors_of(a);
    ops::copy(select(results, int64_t{0}, i).get(), one.get());
  }
}

}  // namespace

namespace functions {

Var det_slope(const Var& g, const Var& t, const Var& r) {
  if (t->numel() == 0) return Var();
  trace_access("computes the derivative of 'det', which depends on elements");
  Var regular;
  {
    const Pause pause;
    const Var det = for_each_matrix(r, t);
    regular = cmul(isfinite(det), neValue(det, Scalar(0)));
  }
  const Var inverse = inverse_transposed(t, regular, 0);
  if (is_recording() && !is_well_conditioned(t, inverse)) ops::zero(regular.get());
  if (ops::logicalall(regular.get())) return for_each_matrix(g * r, t) * inverse;
  const Var slope = where(regular, for_each_matrix(r, t) * inverse, filled_like(t, 0));
  put_cofactors(slope, t, regular);
  return for_each_matrix(g, t) * slope;
}

Var logdet_slope(const Var& g, const Var& t) {
  if (t->numel() == 0) return Var();
  return for_each_matrix(g, t) * inverse_transposed(t, are_finite(t), NAN);
}

Var pinverse_slope(const Var& g, const Var& t, const Var& r) {
  const Var gt = transposed(g), rt = transposed(r);
  const Var left = gt - product(t, r, gt), right = gt - product(gt, r, t);
  return product(left, r, rt) + product(rt, r, right) - product(rt, g, rt);
}

// For matrices like t, which is repeated for each vector of g.
Var svdvals_slope(const Var& g, const Var& t) {
  if (t->numel() == 0) return Var();
  int64_t size[kMaxDims];
  int64_t* end = std::copy(g->size, g->size + g->nDimension - 1, size);
  std::copy(t->size + t->nDimension - 2, t->size + t->nDimension, end);
  const Svd d = svd_of(expand(t, Sizes{g->nDimension + 1, size}));
  return matmul(d.u * as_rows(g), transposed(d.v));
}

// ---- Cholesky factors

namespace {

Var as_lower(const Var& x, bool upper) { return upper ? transposed(x) : x; }

}  // namespace

Var cholesky_slope(const Var& g, const Var& r, bool upper) {
  const Var l = triangle(as_lower(r, upper), true, 1), lt = transposed(l);
  const Var inner = triangle(matmul(lt, triangle(as_lower(g, upper), true, 1)), true, 0.5);
  const Var left = solve_triangular(lt, false, inner);
  const Var slope = solve_triangular(lt, false, transposed(left));
  return in_triangle(slope, !upper);
}

Var cholesky_slope(const Var& g, const Var& r, char uplo) {
  return cholesky_slope(g, r, is_letter(uplo, 'U'));
}

namespace {

// The gradient of a Cholesky factor, from that of the matrix.
Var factor_slope(const Var& g, const Var& factor, char uplo) {
  const bool upper = is_letter(uplo, 'U');
  const Var both = g + transposed(g), f = triangle(factor, !upper, 1);
  return triangle(upper ? matmul(f, both) : matmul(both, f), !upper, 1);
}

}  // namespace

Var potri_slope(const Var& g, const Var& a, const Var& r, char uplo) {
  return factor_slope(-product(r, g, r), a, uplo);
}

}  // namespace functions

void slogdet_slopes(Backward& b) {
  enum { kSign, kLogarithm, kT };
  // The sign is constant.
  if (const Var g = b.gradient(kLogarithm)) b.give(kT, functions::logdet_slope(g, b.value(kT)));
}

void potrs_slopes(Backward& b) {
  enum { kX, kB, kFactor };
  const char uplo = static_cast<const args::potrs*>(b.arguments())->uplo;
  const Var factor = b.value(kFactor), x = b.value(kX);
  const Var right = potrs(b.gradient(), factor, uplo);
  b.give(kB, right);
  if (!b.wants(kFactor)) return;
  b.give(kFactor, functions::factor_slope(-matmul(right, transposed(x)), factor, uplo));
}

void pstrf_slopes(Backward& b) {
  enum { kFactor, kOrder, kA };
  const bool upper = is_letter(static_cast<const args::pstrf*>(b.arguments())->uplo, 'U');
  const Var factor = b.value(kFactor);
  const Var order(new_tensor(DType::Long, 1, factor->size, *factor));
  ops::copy(order.get(), b.value(kOrder).get());
  const Var slope = functions::cholesky_slope(b.gradient(), factor, upper);
  // Back to the order of the rows and columns of A.
  Var rows = filled_like(slope, 0), all = filled_like(slope, 0);
  ops::indexCopy(rows.get(), 0, order.get(), (slope + transposed(slope)).get());
  ops::indexCopy(all.get(), 1, order.get(), rows.get());
  b.give(kA, in_triangle(all * 0.5, !upper));
}

// ---- linear systems

void solve_slopes(Backward& b) {
  enum { kX, kA, kB };
  const Var a = b.value(kA);
  Var x = b.value(kX), g = b.gradient();
  const bool vectors = x->nDimension < a->nDimension;
  if (vectors) {
    x = as_columns(x);
    g = as_columns(g);
  }
  const Var right = solve(transposed(a), g);
  if (b.wants(kA)) b.give(kA, -matmul(right, transposed(x)));
  b.give(kB, vectors ? select(right, int64_t{-1}, int64_t{0}) : right);
}

void gesv_slopes(Backward& b) {
  enum { kX, kLu, kB, kA };
  const Var a = b.value(kA), g = b.gradient(kX), of_factors = b.gradient(kLu);
  if (a->numel() == 0) return;
  if (g) {
    const Var right = solve(transposed(a), g);
    b.give(kB, right);
    if (b.wants(kA)) b.give(kA, -matmul(right, transposed(b.value(kX))));
  }
  if (of_factors && b.wants(kA)) {
    Var lu{TensorRef(tensor_new(a->dtype))}, pivots{TensorRef(tensor_new(DType::Int))};
    Var info{TensorRef(tensor_new(DType::Int))};
    ops::btrifact(lu.get(), pivots.get(), info.get(), true, as_batch(a).get());
    b.give(kA, select(lu_slope(as_batch(of_factors), lu, pivots), int64_t{0}, int64_t{0}));
  }
}

void trtrs_slopes(Backward& b) {
  enum { kX, kCopy, kB, kA };
  const auto& arguments = *static_cast<const args::trtrs*>(b.arguments());
  const bool upper = is_letter(arguments.uplo, 'U'), trans = !is_letter(arguments.trans, 'N');
  const Var a = b.value(kA), g = b.gradient(kX);
  Var slope = b.gradient(kCopy);
  if (g) {
    Var right{TensorRef(tensor_new(a->dtype))}, copy{TensorRef(tensor_new(a->dtype))};
    ops::trtrs(right.get(), copy.get(), g.get(), a.get(), arguments.uplo, trans ? 'N' : 'T',
               arguments.diag);
    b.give(kB, right);
    const Var x = b.value(kX);
    const Var product = trans ? matmul(x, transposed(right)) : matmul(right, transposed(x));
    add_to(&slope, -triangle(product, !upper, is_letter(arguments.diag, 'U') ? 0 : 1));
  }
  b.give(kA, slope);
}

// ---- least squares

namespace {

struct Slopes {
  Var a, b;
};

// The gradients of x = pinverse(a) * b. They do not depend on the rank of a, if it is constant.
Slopes least_squares_slopes(const Var& g, const Var& inverse, const Var& a, const Var& b,
                            const Var& x) {
  const Var right = matmul(transposed(inverse), g);
  const Var residual = b - matmul(a, x);
  const Var of_residual = matmul(residual, transposed(matmul(inverse, right)));
  const Var of_null_space =
      product(transposed(inverse), x, transposed(g - matmul(transposed(a), right)));
  return {of_residual + of_null_space - matmul(right, transposed(x)), right};
}

}  // namespace

void gels_slopes(Backward& b) {
  enum { kX, kQr, kB, kA };
  if (b.gradient(kQr)) fail("the derivative of the factors is not implemented");
  const Var a = b.value(kA), x = b.value(kX), right = b.value(kB);
  const int64_t size[] = {a->size[0], x->size[1]};
  const Slopes slopes =
      least_squares_slopes(b.gradient(kX), pinverse(a, -1.0), a, reshaped(right, 2, size), x);
  b.give(kA, slopes.a);
  b.give(kB, slopes.b);
}

void lstsq_slopes(Backward& b) {
  enum { kX, kResiduals, kRank, kValues, kA, kB };
  const Var a = b.value(kA);
  Var x = b.value(kX), right = b.value(kB), g = b.gradient(kX);
  const Var of_residuals = b.gradient(kResiduals), of_values = b.gradient(kValues);
  const bool vectors = x->nDimension < a->nDimension;
  if (vectors) {
    x = as_columns(x);
    right = as_columns(right);
    if (g) g = as_columns(g);
  }
  Slopes slopes;
  if (g) {
    const Var inverse = pinverse(a, static_cast<const args::lstsq*>(b.arguments())->rcond);
    slopes = least_squares_slopes(g, inverse, a, right, x);
  }
  if (of_residuals) {
    // The residuals are orthogonal to the columns of A, so the change of x has no influence.
    const Var slope = (right - matmul(a, x)) * as_rows(of_residuals) * 2;
    add_to(&slopes.b, slope);
    add_to(&slopes.a, -matmul(slope, transposed(x)));
  }
  if (of_values) add_to(&slopes.a, functions::svdvals_slope(of_values, a));
  b.give(kA, slopes.a);
  if (slopes.b) b.give(kB, vectors ? select(slopes.b, int64_t{-1}, int64_t{0}) : slopes.b);
}

}  // namespace th::grad
