// Comparisons of whole tensors, limits, and replacement of NaN and infinity.

#include <algorithm>
#include <cfloat>
#include <cmath>

#include "base/error.h"
#include "ops/elementwise.h"
#include "ops/formula_operations.h"
#include "ops/tracer.h"

namespace th {

namespace {

double largest_finite(DType type) {
  switch (type) {
    case DType::Half:
      return 65504;
    case DType::BFloat16:
      return std::ldexp(255, 120);
    case DType::Float:
      return FLT_MAX;
    default:
      return DBL_MAX;
  }
}

// The type in which elements are compared.
DType close_type(const Tensor& t) { return is_integral(t.dtype) ? DType::Double : t.dtype; }

// A tensor that broadcasts to the shape of t.
Var one_element(Tensor* t, double value) {
  const int64_t one = 1;
  if (t->numel() == 0) return filled(ref(t), close_type(*t), t->nDimension, t->size, value);
  return filled(ref(t), close_type(*t), 1, &one, value);
}

Var close_elements(const Var& t, const Var& src, double rtol, double atol, bool equal_nan) {
  const Var close = formulas::isclose(t, src, rtol, atol);
  if (!equal_nan) return close;
  const Var both_nan = formulas::logicalAnd(formulas::isnan(t), formulas::isnan(src));
  return formulas::logicalOr(close, both_nan);
}

bool all_close(const Var& t, const Var& src, double rtol, double atol, bool equal_nan) {
  const Var close = close_elements(t, src, rtol, atol, equal_nan);
  return close->numel() == 0 || ops::minall(close.get()).to_double() != 0;
}

}  // namespace

void shapes(args::allclose& a, Shapes&) {
  // Checked here, because the inner calls may get converted operands.
  Tensor* const inputs[] = {a.t, a.src};
  int ndim;
  int64_t size[kMaxDims];
  elementwise_shape(inputs, 2, nullptr, &ndim, size);
}
void calls(args::allclose& a) {
  const DType type = close_type(*a.t);
  a.returned = all_close(as(ref(a.t), type), as(ref(a.src), type), a.rtol, a.atol, a.equalNan);
}

void shapes(args::allcloseValue&, Shapes&) {}
void calls(args::allcloseValue& a) {
  a.returned = all_close(as(ref(a.t), close_type(*a.t)), one_element(a.t, a.value), a.rtol, a.atol,
                         a.equalNan);
}

void shapes(args::iscloseNan& a, Shapes& s) {
  give(s, a.r_, close_elements(ref(a.t), ref(a.src), a.rtol, a.atol, a.equalNan));
}
void calls(args::iscloseNan&) {}

void shapes(args::iscloseValue& a, Shapes& s) {
  give(s, a.r_,
       close_elements(as(ref(a.t), close_type(*a.t)), one_element(a.t, a.value), a.rtol, a.atol,
                      a.equalNan));
}
void calls(args::iscloseValue&) {}

void shapes(args::roundTo& a, Shapes& s) {
  if (a.decimals > 400 || a.decimals < -400) {
    s.fail(a.decimals, "the number of decimals is from -400 to 400, got %lld", as_long(a.decimals));
  }
  s.set(a.r_, *a.t, Layout::in_place);
}
void calls(args::roundTo& a) {
  const bool is_fraction = a.decimals > 0;
  if (a.decimals == 0 || (is_fraction && is_integral(a.t->dtype))) return ops::round(a.r_, a.t);
  const double power = std::pow(10.0, static_cast<double>(is_fraction ? a.decimals : -a.decimals));
  if (is_fraction) return ops::roundToFraction(a.r_, a.t, power);
  ops::roundToMultiple(a.r_, a.t, power);
}

void shapes(args::frexp& a, Shapes& s) {
  s.set(a.mantissa, *a.t, Layout::contiguous);
  s.set(a.exponent, *a.t, Layout::contiguous);
}
void calls(args::frexp& a) {
  if (a.t->numel() == 0) return;
  const Var exponent = formulas::exponentOf(ref(a.t));
  ops::ldexp(a.mantissa, a.t, (-exponent).get());
  ops::copy(a.exponent, exponent.get());
}

void shapes(args::nanToNum& a, Shapes& s) { s.set(a.r_, *a.t, Layout::in_place); }
void calls(args::nanToNum& a) {
  if (is_integral(a.t->dtype)) return ops::copy(a.r_, a.t);
  // Without NaN and infinities the sum is finite, unless it overflows.
  if (a.t->numel() > 0 && !device_of({a.t}) && !tracing() &&
      std::isfinite(ops::sumall(a.t).to_double())) {
    return ops::copy(a.r_, a.t);
  }
  const double most = largest_finite(a.t->dtype);
  const double up = a.posinf.to_double(), down = a.neginf.to_double();
  // NaN stands for the default value.
  auto equal_to = [&](double value) {
    return made(DType::Byte, [&](Tensor* mask) { ops::eqValue(mask, a.t, value); });
  };
  TensorRef nan = made(DType::Byte, [&](Tensor* mask) { ops::isnan(mask, a.t); });
  TensorRef above = equal_to(HUGE_VAL), below = equal_to(-HUGE_VAL);
  ops::copy(a.r_, a.t);
  ops::maskedFill(a.r_, nan.get(), a.nan);
  ops::maskedFill(a.r_, above.get(), std::isnan(up) ? most : up);
  ops::maskedFill(a.r_, below.get(), std::isnan(down) ? -most : down);
}

void shapes(args::clampTensors& a, Shapes& s) {
  Tensor* const inputs[] = {a.t, a.lower, a.upper};
  const bool in_place = std::find(inputs, inputs + 3, a.r_) != inputs + 3;
  int ndim;
  int64_t size[kMaxDims];
  elementwise_shape(inputs, 3, in_place ? a.r_ : nullptr, &ndim, size);
  s.set(a.r_, ndim, size, Layout::contiguous);
}
void calls(args::clampTensors& a) {
  if (a.r_->numel() == 0) return;
  TensorRef raised = made(a.t->dtype, [&](Tensor* r) { ops::cmax(r, a.t, a.lower); });
  ops::cmin(a.r_, raised.get(), a.upper);
}

void shapes(args::equal&, Shapes&) {}
void calls(args::equal& a) {
  a.returned = same_size(*a.ta, *a.tb) &&
               (a.ta->numel() == 0 ||
                reduce_all(Op::equal, {Reducer::sum}, a.ta, Transform::unequal, a.tb).value.i == 0);
}

void shapes(args::isSameSizeAs&, Shapes&) {}
void calls(args::isSameSizeAs& a) { a.returned = same_size(*a.self, *a.src); }

void shapes(args::isSetTo&, Shapes&) {}
void calls(args::isSetTo& a) { a.returned = a.self->storage && same_view(*a.self, *a.src); }

}  // namespace th
