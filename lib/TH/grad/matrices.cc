#include "grad/matrices.h"

#include <algorithm>

namespace th::grad {

Var product(const Var& a, const Var& b, const Var& c) {
  auto size = [](int64_t n) { return static_cast<double>(n); };
  const double m = size(rows_of(a)), k = size(columns_of(a)), l = size(rows_of(c)),
               n = size(columns_of(c));
  return m * l * (k + n) <= k * n * (l + m) ? matmul(matmul(a, b), c) : matmul(a, matmul(b, c));
}

Var identity_like(const Var& x) {
  const int64_t n = columns_of(x), size[] = {n, n}, step = n + 1;
  Var r = filled(*x, 2, size, 0);
  ops::fill(strided_view(*r, r->storageOffset, 1, &n, &step).get(), Scalar(1));
  return expand(r, Sizes{x->nDimension, x->size});
}

Var triangle(const Var& x, bool lower, double diagonal) {
  const int64_t size[] = {rows_of(x), columns_of(x)};
  const Var ones = filled(*x, 2, size, 1);
  auto part = [&](bool strict) {
    return lower ? tril(ones, int64_t{strict ? -1 : 0}) : triu(ones, int64_t{strict ? 1 : 0});
  };
  if (diagonal == 1) return x * part(false);
  if (diagonal == 0) return x * part(true);
  return x * (part(false) * diagonal + part(true) * (1 - diagonal));
}

Var in_triangle(const Var& g, bool lower) { return triangle(g + transposed(g), lower, 0.5); }

Var for_each_matrix(const Var& v, const Var& t) {
  int64_t size[kMaxDims];
  std::copy(t->size, t->size + t->nDimension - 2, size);
  size[t->nDimension - 2] = size[t->nDimension - 1] = 1;
  return reshaped(v, t->nDimension, size);
}

Var as_batch(const Var& x) {
  const int64_t m = rows_of(x), n = columns_of(x);
  int64_t count = 1;
  for (int d = 0; d < x->nDimension - 2; ++d) count *= x->size[d];
  const int64_t size[] = {count, m, n};
  return reshaped(x, 3, size);
}

namespace {

Svd svd_of_one(const Var& a) {
  auto empty = [&] { return Var(TensorRef(tensor_new(a->dtype))); };
  Svd r = {empty(), empty(), empty()};
  ops::gesvd(r.u.get(), r.s.get(), r.v.get(), a.get(), 'S');
  return r;
}

}  // namespace

Svd svd_of(const Var& a) {
  if (a->nDimension == 2) return svd_of_one(a);
  const Var matrices = as_batch(a);
  const int64_t count = matrices->size[0], m = rows_of(a), n = columns_of(a), k = std::min(m, n);
  const int64_t u[] = {count, m, k}, s[] = {count, k}, v[] = {count, n, k};
  Svd all = {filled(*a, 3, u, 0), filled(*a, 2, s, 0), filled(*a, 3, v, 0)};
  for (int64_t i = 0; i < count; ++i) {
    const Svd one = svd_of_one(select(matrices, int64_t{0}, i));
    ops::copy(select(all.u, int64_t{0}, i).get(), one.u.get());
    ops::copy(select(all.s, int64_t{0}, i).get(), one.s.get());
    ops::copy(select(all.v, int64_t{0}, i).get(), one.v.get());
  }
  auto in_batch = [&](const Var& x, int matrix_dims) {
    int64_t size[kMaxDims];
    int64_t* end = std::copy(a->size, a->size + a->nDimension - 2, size);
    std::copy(x->size + 1, x->size + 1 + matrix_dims, end);
    return reshaped(x, a->nDimension - 2 + matrix_dims, size);
  };
  return {in_batch(all.u, 2), in_batch(all.s, 1), in_batch(all.v, 2)};
}

Var solve_triangular(const Var& a, bool lower, const Var& b) {
  if (a->nDimension > 2 || a->numel() == 0) return solve(a, b);
  Var x{TensorRef(tensor_new(a->dtype))}, copy{TensorRef(tensor_new(a->dtype))};
  ops::trtrs(x.get(), copy.get(), b.get(), a.get(), lower ? 'L' : 'U', 'N', 'N');
  return x;
}

}  // namespace th::grad
