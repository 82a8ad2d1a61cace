// Formulas of derivatives of scans and softmax.

#include "grad/functions.h"
#include "grad/tape.h"
#include "ops/operands.h"
#include "ops/tracer.h"

namespace th::grad::functions {

Var reverse_cumsum(const Var& g, int64_t dim) {
  const Sizes dims{1, &dim};
  return flip(cumsum(flip(g, dims), dim), dims);
}

Var cumprod_slope(const Var& g, const Var& t, const Var& r, int64_t dim) {
  const int64_t d = wrap_dim(*t, dim), n = t->size[d];
  // Element i of t is a factor of elements i, i + 1, ... of r, so its gradient is the sum of
  // g[j] * (the product of t up to j without i). Without zeros that is a cumulative sum.
  trace_access("computes the derivative of 'cumprod', which depends on elements");
  if (ops::logicalall(t.get())) return reverse_cumsum(g * r, d) / t;
  if (!is_recording()) {
    // For elements before the first zero, the sum is the same one. For the first zero, it is that
    // of the products in which 1 replaces it. Later elements have the slope 0.
    const Var zero = converted(eqValue(t, Scalar(0)), DType::Long), count = cumsum(zero, d);
    const Var is_zero = eqValue(t, Scalar(0));
    const Var first = cmul(is_zero, eqValue(count, Scalar(1)));
    const Var others = cumprod(where(first, filled_like(t, 1), t), d);
    const Var sums = where(is_zero, reverse_cumsum(g * others, d), reverse_cumsum(g * r, d) / t);
    return only(sums, eqTensor(count, zero));
  }
  Var result = filled_like(t, 0);
  for (int64_t i = 0; i < n; ++i) {
    Var factors = narrow(t, d, i, n - i);
    Var others(clone(factors.get()));
    ops::fill(narrow(others, d, int64_t{0}, int64_t{1}).get(), Scalar(1));
    Var products = cumprod(others, d);
    if (i > 0) {
      const Var before = narrow(r, d, i - 1, int64_t{1});
      products = products * before;
    }
    const Var sums = sum(products * narrow(g, d, i, n - i), d, true);
    ops::copy(narrow(result, d, i, int64_t{1}).get(), sums.get());
  }
  return result;
}

Var softmax_slope(const Var& g, const Var& r, int64_t dim) {
  const Var product = g * r;
  return product - r * sum(product, dim, true);
}

Var log_softmax_slope(const Var& g, const Var& r, int64_t dim) {
  return g - exp(r) * sum(g, dim, true);
}

}  // namespace th::grad::functions
