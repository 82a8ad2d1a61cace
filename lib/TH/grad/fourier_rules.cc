// Derivatives of Fourier transforms. They are linear, and the gradient is the adjoint: the
// transform with the opposite sign of the exponent and the same factor.

#include "grad/functions.h"
#include "ops/complex.h"

namespace th::grad::functions {

namespace {

int64_t own_dim(const Shape& t, int64_t dim, bool complex) {
  return dim < 0 ? dim + t.t->nDimension - (complex ? 1 : 0) : dim;
}

// x with the size of t along a dimension: cropped, or padded with zeros.
Var fitted(const Var& x, Shape t, int64_t dim) {
  const int64_t size = t.t->size[dim], own = x->size[dim];
  if (own == size) return x;
  if (own > size) return narrow(x, dim, int64_t{0}, size);
  int64_t rest[kMaxDims];
  for (int d = 0; d < x->nDimension; ++d) rest[d] = d == dim ? size - own : x->size[d];
  return cat(x, filled(*x, x->nDimension, rest, 0), dim);
}

// Multiplies the elements of x along a dimension, half of a spectrum of n elements, by `factor`,
// but not those that have no conjugate.
Var scale_pairs(const Var& x, int64_t n, int64_t dim, double factor) {
  int64_t size[kMaxDims];
  for (int d = 0; d < x->nDimension; ++d) size[d] = d == dim ? x->size[dim] : 1;
  const Var factors = filled(*x, x->nDimension, size, factor);
  const auto set_one = [&](int64_t k) { ops::fill(narrow(factors, dim, k, int64_t{1}).get(), 1); };
  set_one(0);
  if (n % 2 == 0) set_one(n / 2);
  return x * expand(factors, Sizes{x->nDimension, x->size});
}

}  // namespace

Var fft_slope(const Var& g, Shape t, int64_t, int64_t dim, char norm) {
  const int64_t d = own_dim(t, dim, true);
  return fitted(ifft(g, int64_t{0}, d, opposite_norm(norm)), t, d);
}

Var ifft_slope(const Var& g, Shape t, int64_t, int64_t dim, char norm) {
  const int64_t d = own_dim(t, dim, true);
  return fitted(fft(g, int64_t{0}, d, opposite_norm(norm)), t, d);
}

// irfft counts the elements that have a conjugate twice.
Var rfft_slope(const Var& g, Shape t, int64_t n, int64_t dim, char norm) {
  const int64_t d = own_dim(t, dim, false);
  if (n == 0) n = t.t->size[d];
  return fitted(irfft(scale_pairs(g, n, d, 0.5), n, d, opposite_norm(norm)), t, d);
}

Var irfft_slope(const Var& g, Shape t, int64_t, int64_t dim, char norm) {
  const int64_t d = own_dim(t, dim, true), n = g->size[d];
  return fitted(scale_pairs(rfft(g, n, d, opposite_norm(norm)), n, d, 2), t, d);
}

}  // namespace th::grad::functions
