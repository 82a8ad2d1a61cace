// Approximate equality, and replacement of NaN and infinity.

#include <cfloat>
#include <cmath>

#include "base/error.h"
#include "ops/direct.h"
#include "ops/compose.h"

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

}  // namespace

namespace direct {

bool allclose(Tensor* t, Tensor* src, double rtol, double atol) {
  if (t->dtype != src->dtype) {
    fail("allclose: a %sTensor and a %sTensor do not go together: convert one of them",
         th::name(t->dtype), th::name(src->dtype));
  }
  DType type = is_integral(t->dtype) ? DType::Double : t->dtype;
  TensorRef a = in_type(t, type), b = in_type(src, type);
  TensorRef close = made(DType::Byte, [&](Tensor* r) { isclose(r, a.get(), b.get(), rtol, atol); });
  return close->numel() == 0 || minall(close.get()).to_double() != 0;
}

void nanToNum(Tensor* r, Tensor* t, Scalar nan, Scalar posinf, Scalar neginf) {
  if (r->dtype != t->dtype) {
    fail("nanToNum: the result of a %sTensor cannot be a %sTensor", th::name(t->dtype),
         th::name(r->dtype));
  }
  const double most = largest_finite(t->dtype);
  TensorRef result = clone(t);
  TensorRef none = made(DType::Byte, [&](Tensor* mask) { isnan(mask, t); });
  maskedFill(result.get(), none.get(), nan);
  const double up = posinf.to_double(), down = neginf.to_double();
  TensorRef infinite = made(DType::Byte, [&](Tensor* mask) { eqValue(mask, t, HUGE_VAL); });
  maskedFill(result.get(), infinite.get(), std::isinf(up) ? most : up);
  eqValue(infinite.get(), t, -HUGE_VAL);
  maskedFill(result.get(), infinite.get(), std::isinf(down) ? -most : down);
  deliver(r, result.get());
}

}  // namespace direct
}  // namespace th
