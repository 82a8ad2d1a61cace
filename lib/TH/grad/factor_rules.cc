// Derivatives of orthogonal factorizations, LU factors, eigenvalues and singular values. Sources of
// the formulas:
//   Giles, Collected matrix derivative results for forward and reverse mode algorithmic
//     differentiation (2008): eigenvalues.
//   Ionescu, Vantzos and Sminchisescu, Matrix backpropagation for deep networks with structured
//     layers (2015); Townsend, Differentiating the singular value decomposition (2016).
//   Liao, Liu, Wang and Xiang, Differentiable programming tensor networks (2019): QR.
//   Roberts and Roberts, QR and LQ decomposition matrix backpropagation algorithms for square,
//     wide, and deep matrices (2020): QR of wide matrices.
// The vectors of repeated values are not differentiable: their gradients are infinite or NaN.

#include <algorithm>

#include "base/error.h"
#include "grad/matrices.h"

namespace th::grad {

namespace {

// The differences values[j] - values[i], with 1 on the diagonal.
Var differences(const Var& values) {
  const Var d = as_rows(values) - as_columns(values);
  return d + identity_like(d);
}

Var skew(const Var& x) { return x - transposed(x); }

}  // namespace

// ---- QR

namespace {

// Columns after the first k may be chosen freely, so they have no derivative.
void check_no_gradient(const char* name, const Var& g, int64_t k) {
  const int64_t more = columns_of(g) - k;
  if (more > 0 && ops::logicalany(narrow(g, int64_t{-1}, k, more).get())) {
    fail("the columns of %s after the first %lld have no derivative", name, as_long(k));
  }
}

// The gradient of the square or tall matrix q * r.
Var qr_slope(const Var& gq, const Var& gr, const Var& q, const Var& r) {
  const Var inner = matmul(r, transposed(triangle(gr, false, 1))) - matmul(transposed(gq), q);
  const Var half = triangle(inner, true, 0.5);
  const Var left = gq + matmul(q, half + transposed(half));
  return transposed(solve_triangular(r, false, transposed(left)));
}

}  // namespace

void qr_slopes(Backward& b) {
  enum { kQ, kR, kA };
  Var q = b.value(kQ), r = b.value(kR), gq = b.gradient_or_zeros(kQ), gr = b.gradient_or_zeros(kR);
  const Var a = b.value(kA);
  const int64_t m = rows_of(a), n = columns_of(a);
  if (a->numel() == 0) return;
  if (columns_of(q) > n) {
    // The complete Q, which has columns beside those of A, and R with rows of zeros.
    check_no_gradient("Q", gq, n);
    q = narrow(q, int64_t{-1}, int64_t{0}, n);
    gq = narrow(gq, int64_t{-1}, int64_t{0}, n);
    r = narrow(r, int64_t{-2}, int64_t{0}, n);
    gr = narrow(gr, int64_t{-2}, int64_t{0}, n);
  }
  if (m >= n) return b.give(kA, qr_slope(gq, gr, q, r));
  // The columns after the first m do not depend on Q: they are Q times those of R.
  auto left = [&](const Var& x) { return narrow(x, int64_t{-1}, int64_t{0}, m); };
  auto right = [&](const Var& x) { return narrow(x, int64_t{-1}, m, n - m); };
  const Var gq_left = gq + matmul(right(a), transposed(right(gr)));
  const Var slope = qr_slope(gq_left, left(gr), q, left(r));
  b.give(kA, cat(slope, matmul(q, right(gr)), int64_t{-1}));
}

// ---- reflections: Q = H1 * H2 * ..., where H = 1 - tau * v * v'. v is a column of the matrix that
// geqrf returns, from the diagonal down, with 1 on the diagonal.

namespace {

// Gives the gradients of the reflections, from that of the first columns of Q.
void reflection_slopes(Backward& b, int matrix, int scales, const Var& gq, const Var& columns) {
  const Var qr = b.value(matrix), tau = b.value(scales);
  const int64_t m = qr->size[0], count = tau->size[0];
  if (count == 0 || m == 0) return;
  const int64_t size[] = {m, m};
  const Var one = narrow(identity_like(filled(*qr, 2, size, 0)), int64_t{1}, int64_t{0}, count);
  const Var vectors = triangle(narrow(qr, int64_t{1}, int64_t{0}, count), true, 0) + one;
  const Var slope = filled(*qr, 2, qr->size, 0), scale_slope = filled(*tau, 1, tau->size, 0);
  // g: the gradient of the product x of H(k) and those after it.
  Var g = gq, x = columns;
  for (int64_t k = 0; k < count; ++k) {
    const Var v = narrow(vectors, int64_t{1}, k, int64_t{1});
    const Var scale = narrow(tau, int64_t{0}, k, int64_t{1});
    // The inverse of H(k) is a reflection, too.
    const Var vx = matmul(transposed(v), x), vg = matmul(transposed(v), g);
    x = x - matmul(v, vx) * (scale / (scale * matmul(transposed(v), v) - 1));
    const Var v_rest = matmul(transposed(v), x);
    ops::copy(narrow(scale_slope, int64_t{0}, k, int64_t{1}).get(),
              (-matmul(vg, transposed(v_rest))).get());
    const Var of_v = -(matmul(g, transposed(v_rest)) + matmul(x, transposed(vg))) * scale;
    ops::copy(narrow(slope, int64_t{1}, k, int64_t{1}).get(), of_v.get());
    g = g - matmul(v, vg) * scale;
  }
  b.give(matrix, triangle(slope, true, 0));
  b.give(scales, scale_slope);
}

}  // namespace

void orgqr_slopes(Backward& b) {
  enum { kQ, kQr, kTau };
  if (const Var g = b.gradient()) reflection_slopes(b, kQr, kTau, g, b.value(kQ));
}

void ormqr_slopes(Backward& b) {
  enum { kResult, kQr, kTau, kC };
  const auto& a = *static_cast<const args::ormqr*>(b.arguments());
  const Var g = b.gradient(), qr = b.value(kQr), tau = b.value(kTau), c = b.value(kC);
  if (!g || c->numel() == 0) return;
  if (b.wants(kC)) b.give(kC, ormqr(qr, tau, g, a.side, opposite(a.trans)));
  if (!b.wants(kQr) && !b.wants(kTau)) return;
  const bool left = is_letter(a.side, 'L'), transpose = is_letter(a.trans, 'T');
  const Var of_product = left ? matmul(g, transposed(c)) : matmul(transposed(c), g);
  const Var gq = transpose ? transposed(of_product) : of_product;
  reflection_slopes(b, kQr, kTau, gq, ormqr(qr, tau, identity_like(gq), 'L', 'N'));
}

// ---- LU

namespace {

struct Lu {
  Var lower, upper, permutation;  // a = permutation * lower * upper
};

// lu: the first rows and columns of the factors, as square matrices. pivots: one for each row.
Lu lu_of(const Var& lu, const Var& pivots) {
  const int64_t m = pivots->size[1], square[] = {lu->size[0], m, m};
  const Var one = identity_like(lu), all = identity_like(filled(*lu, 3, square, 0));
  // Exchanges the rows of the identity matrix.
  const Var permutation = transposed(btrisolve(all, all, pivots));
  return {triangle(lu, true, 0) + one, triangle(lu, false, 1), permutation};
}

}  // namespace

Var lu_slope(const Var& g, const Var& lu, const Var& pivots) {
  const int64_t m = rows_of(lu), n = columns_of(lu), k = std::min(m, n);
  const Lu f = lu_of(narrow(narrow(lu, -2, 0, k), -1, 0, k), pivots);
  Var slope = narrow(narrow(g, -2, 0, k), -1, 0, k), rest;
  if (m < n) {
    // The other columns are L * U', with the other columns U' of U.
    rest = solve_triangular(transposed(f.lower), false, narrow(g, -1, m, n - m));
    slope = slope - triangle(matmul(rest, transposed(narrow(lu, -1, m, n - m))), true, 0);
  } else if (m > n) {
    // The other rows are L' * U, with the other rows L' of L.
    const Var g_rows = transposed(narrow(g, -2, n, m - n));
    rest = transposed(solve_triangular(f.upper, false, g_rows));
    slope = slope - triangle(matmul(transposed(narrow(lu, -2, n, m - n)), rest), false, 1);
  }
  const Var inner = triangle(matmul(transposed(f.lower), triangle(slope, true, 0)), true, 0) +
                    triangle(matmul(triangle(slope, false, 1), transposed(f.upper)), false, 1);
  const Var right = transposed(solve_triangular(f.upper, false, transposed(inner)));
  Var all = solve_triangular(transposed(f.lower), false, right);
  if (rest) all = cat(all, rest, int64_t{m < n ? -1 : -2});
  return matmul(f.permutation, all);
}

void btrifact_slopes(Backward& b) {
  enum { kLu, kPivots, kInfo, kPivot, kA };
  const Var g = b.gradient();
  if (g->numel() > 0) b.give(kA, lu_slope(g, b.value(kLu), b.value(kPivots)));
}

void btrisolve_slopes(Backward& b) {
  enum { kX, kB, kLu, kPivots };
  Var x = b.value(kX), g = b.gradient();
  if (g->numel() == 0) return;
  if (x->nDimension == 2) {
    x = as_columns(x);
    g = as_columns(g);
  }
  const Lu f = lu_of(b.value(kLu), b.value(kPivots));
  const Var half = solve_triangular(transposed(f.upper), true, g);
  const Var right = solve_triangular(transposed(f.lower), false, half);
  b.give(kB, matmul(f.permutation, right));
  if (!b.wants(kLu)) return;
  const Var slope = -matmul(right, transposed(x));
  b.give(kLu, triangle(matmul(slope, transposed(f.upper)), true, 0) +
                  triangle(matmul(transposed(f.lower), slope), false, 1));
}

// ---- singular values

namespace {

// The gradient of u * diag(s) * v'. gu, gs and gv may be empty.
Var svd_slope(const Var& gu, const Var& gs, const Var& gv, const Svd& d) {
  const Var vt = transposed(d.v);
  Var inner, slope;
  if (gu || gv) {
    const Var squares = differences(d.s * d.s);
    if (gu) {
      const Var projected = matmul(transposed(d.u), gu);
      inner = skew(projected) / squares * as_rows(d.s);
      if (rows_of(d.u) > columns_of(d.u)) {
        slope = matmul((gu - matmul(d.u, projected)) / as_rows(d.s), vt);
      }
    }
    if (gv) {
      const Var projected = matmul(vt, gv);
      add_to(&inner, skew(projected) / squares * as_columns(d.s));
      if (rows_of(d.v) > columns_of(d.v)) {
        add_to(&slope, matmul(d.u / as_rows(d.s), transposed(gv - matmul(d.v, projected))));
      }
    }
  }
  Var left = inner ? matmul(d.u, inner) : Var();
  if (gs) add_to(&left, d.u * as_rows(gs));
  if (left) add_to(&slope, matmul(left, vt));
  return slope;
}

// The gradient of the matrix. Results: u, s and v.
Var svd_slope_of(const Backward& b) {
  enum { kU, kS, kV };
  Svd d = {b.value(kU), b.value(kS), b.value(kV)};
  const int64_t k = d.s->size[d.s->nDimension - 1];
  if (k == 0) return Var();
  // With job 'A', U or V has columns without a singular value.
  auto columns = [](const Var& x, int64_t first, int64_t count) {
    return x ? narrow(x, int64_t{-1}, first, count) : x;
  };
  if (const Var g = b.gradient(kU)) check_no_gradient("U", g, k);
  if (const Var g = b.gradient(kV)) check_no_gradient("V", g, k);
  d.u = columns(d.u, 0, k);
  d.v = columns(d.v, 0, k);
  return svd_slope(columns(b.gradient(kU), 0, k), b.gradient(kS), columns(b.gradient(kV), 0, k), d);
}

}  // namespace

void gesvd_slopes(Backward& b) {
  enum { kA = 3 };
  b.give(kA, svd_slope_of(b));
}

void gesvd2_slopes(Backward& b) {
  enum { kCopy = 3, kA };
  Var slope = svd_slope_of(b);
  if (const Var g = b.gradient(kCopy)) add_to(&slope, g);
  b.give(kA, slope);
}

// ---- eigenvalues

namespace {

enum { kValues, kVectors, kEigenA };

void symmetric_rule(Backward& b, bool has_vectors, char uplo) {
  const Var a = b.value(kEigenA), gvalues = b.gradient(kValues);
  const Var gvectors = has_vectors ? b.gradient(kVectors) : Var();
  Var values = b.value(kValues), vectors = b.value(kVectors);
  if (a->numel() == 0) return;
  if (!has_vectors) {
    values = Var(TensorRef(tensor_new(a->dtype)));
    vectors = Var(TensorRef(tensor_new(a->dtype)));
    ops::eigh(values.get(), vectors.get(), a.get(), uplo);
  }
  Var left;
  if (gvectors) {
    const Var inner = skew(matmul(transposed(vectors), gvectors)) / differences(values);
    left = matmul(vectors, inner * 0.5);
  }
  if (gvalues) add_to(&left, vectors * as_rows(gvalues));
  b.give(kEigenA, in_triangle(matmul(left, transposed(vectors)), is_letter(uplo, 'L')));
}

}  // namespace

void syev_slopes(Backward& b) {
  const auto& arguments = *static_cast<const args::syev*>(b.arguments());
  symmetric_rule(b, is_letter(arguments.job, 'V'), arguments.uplo);
}

void eigh_slopes(Backward& b) {
  symmetric_rule(b, true, static_cast<const args::eigh*>(b.arguments())->uplo);
}

void geev_slopes(Backward& b) {
  const bool has_vectors = is_letter(static_cast<const args::geev*>(b.arguments())->job, 'V');
  const Var a = b.value(kEigenA), gvalues = b.gradient(kValues);
  const Var gvectors = has_vectors ? b.gradient(kVectors) : Var();
  Var pairs = b.value(kValues), vectors = b.value(kVectors);
  if (a->numel() == 0) return;
  if (!has_vectors) {
    pairs = Var(TensorRef(tensor_new(a->dtype)));
    vectors = Var(TensorRef(tensor_new(a->dtype)));
    ops::geev(pairs.get(), vectors.get(), a.get(), 'V');
  }
  if (ops::logicalany(select(pairs, int64_t{-1}, int64_t{1}).get())) {
    fail("the derivative of complex eigenvalues is not implemented");
  }
  const Var vt = transposed(vectors);
  Var inner;
  if (gvectors) {
    const Var values = select(pairs, int64_t{-1}, int64_t{0}), projected = matmul(vt, gvectors);
    // Without the changes along the vectors, the length of which is 1.
    const Var along = sum(vectors * gvectors, int64_t{-2}, true);
    inner = (projected - matmul(vt, vectors) * along) / differences(values);
  }
  if (gvalues) {
    const Var g = select(gvalues, int64_t{-1}, int64_t{0});
    add_to(&inner, identity_like(a) * as_rows(g));
  }
  b.give(kEigenA, solve(vt, matmul(inner, vt)));
}

}  // namespace th::grad
