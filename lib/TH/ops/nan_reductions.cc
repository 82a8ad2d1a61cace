// Reductions that leave NaN out, and counts of elements that are not 0.

#include <algorithm>
#include <cmath>

#include "ops/formula_operations.h"
#include "ops/reduction_methods.h"

namespace th {

namespace {

using namespace formulas;

Var is_number(const Var& t) { return eqTensor(t, t); }
Var replaced(const Var& t, double nan) { return where(is_number(t), t, filled(t, nan)); }
// The same for sums and products of type `type`, to which integers are converted.
Var replaced(Tensor* t, DType type, double nan) {
  return is_integral(t->dtype) ? as(ref(t), type) : replaced(ref(t), nan);
}
// The number of elements along dimension d that are not NaN, in the type of t.
Var counts_of(const Var& t, int d) { return sum(as(is_number(t), t->dtype), int64_t{d}, true); }

// The least or the largest number; NaN without a number. t has elements along d.
Var extreme_of(const Var& t, int d, bool largest) {
  const int64_t dim = d;
  const Sizes dims = {1, &dim};
  if (is_integral(t->dtype)) return largest ? maxDims(t, dims, true) : minDims(t, dims, true);
  const Var numbers = replaced(t, largest ? -INFINITY : INFINITY);
  const Var r = largest ? maxDims(numbers, dims, true) : minDims(numbers, dims, true);
  return where(eqValue(counts_of(t, d), Scalar(0)), filled(r, NAN), r);
}

// The variance, or its root.
Var variance_of(const Var& t, int d, bool biased, bool root) {
  // The mean of floats must not be rounded to float.
  const Var x = as(t, t->dtype == DType::Half ? DType::Float : DType::Double);
  const Var count = counts_of(x, d);
  const Var divisor = biased ? count : count - 1;
  // Without a divisor the variance is NaN.
  const Var valid = where(gtValue(divisor, Scalar(0)), divisor, filled(divisor, NAN));
  const Var factor = static_cast<double>(x->size[d]) / valid;
  // The mean in place of NaN adds nothing to the sum of squares.
  const Var mean = expand(nanmean(x, int64_t{d}, true), Sizes{x->nDimension, x->size});
  const Var numbers = where(is_number(x), x, mean);
  const Var r = root ? formulas::std(numbers, int64_t{d}, true, true) * sqrt(factor)
                     : var(numbers, int64_t{d}, true, true) * factor;
  return as(r, t->dtype);
}

template <class F>
Scalar of_all(Tensor* t, const F& along) {
  return ops::item(along(flat(ref(t))).get());
}
// Copies in row-major order: r may lack the dimension.
void copy_elements(Tensor* r, const Var& values) { ops::copy(r, with_shape(values, *r).get()); }

}  // namespace

Scalar CountNonzero::all(Tensor* t) const {
  if (t->numel() == 0) return 0;
  return ops::sumall(neValue(ref(t), Scalar(0)).get());
}
void CountNonzero::along(Tensor* r, Tensor* t, int d) const {
  copy_elements(r, sum(as(neValue(ref(t), Scalar(0)), DType::Long), int64_t{d}, true));
}

Scalar NanProd::all(Tensor* t) const { return ops::prodall(replaced(ref(t), 1).get()); }
void NanProd::along(Tensor* r, Tensor* t, int d) const {
  copy_elements(r, prod(replaced(t, r->dtype, 1), int64_t{d}, true));
}

Scalar NanExtreme::all(Tensor* t) const {
  if (is_tried_first(*t)) {
    const Scalar extreme = largest_ ? ops::maxall(t) : ops::minall(t);
    if (!std::isnan(extreme.to_double())) return extreme;
  }
  return of_all(t, [&](const Var& x) { return extreme_of(x, 0, largest_); });
}
void NanExtreme::along(Tensor* r, Tensor* t, int d) const {
  if (is_tried_first(*t) && t->size[d] > 0) {
    const int64_t dim = d;
    const Sizes dims = {1, &dim};
    const Var extremes = largest_ ? maxDims(ref(t), dims, true) : minDims(ref(t), dims, true);
    if (!has_nan(extremes.get())) return copy_elements(r, extremes);
  }
  copy_elements(r, extreme_of(ref(t), d, largest_));
}

Scalar NanVariance::all(Tensor* t) const {
  if (t->numel() == 0) return NAN;
  return of_all(in_type(t, DType::Double).get(),
                [&](const Var& x) { return variance_of(x, 0, biased_, root_); });
}
void NanVariance::along(Tensor* r, Tensor* t, int d) const {
  if (t->size[d] == 0) return fill_for_none(r, *t, NAN);
  if (is_tried_first(*t)) {
    const Finish finish = root_     ? biased_ ? Finish::biased_deviation : Finish::deviation
                          : biased_ ? Finish::biased_variance
                                    : Finish::variance;
    reduce_dim(op_, {Reducer::sum, finish}, r, nullptr, t, d);
    if (!has_nan(r)) return;
  }
  copy_elements(r, variance_of(ref(t), d, biased_, root_));
}

void shapes(args::nancumsum& a, Shapes& s) {
  const int d = own_dim(a, s);
  give(s, a.r_, cumsum(replaced(a.t, a.r_->dtype, 0), int64_t{d}));
}
void calls(args::nancumsum&) {}

void shapes(args::nancumprod& a, Shapes& s) {
  const int d = own_dim(a, s);
  give(s, a.r_, cumprod(replaced(a.t, a.r_->dtype, 1), int64_t{d}));
}
void calls(args::nancumprod&) {}

}  // namespace th
