// Softmax and logsumexp. The maximum is subtracted before exponentiation to avoid overflow.

#include <cmath>

#include "base/error.h"
#include "ops/direct.h"
#include "ops/compose.h"

namespace th {

namespace {

// largest: the maximum of t along the dimension; rest: t - largest.
struct Exponents {
  TensorRef largest, rest;
  DType type;
};

// finite: treat an infinite maximum as 0.
Exponents exponents_of(Tensor* t, int64_t dim, bool finite) {
  TensorRef x = in_type(t, compute_type(t->dtype));
  Exponents e = {empty(x->dtype), empty(x->dtype), x->dtype};
  ops::max(e.largest.get(), nullptr, x.get(), dim, true);
  if (finite) {
    TensorRef size = made(e.type, [&](Tensor* r) { ops::abs(r, e.largest.get()); });
    TensorRef infinite =
        made(DType::Byte, [&](Tensor* r) { ops::eqValue(r, size.get(), INFINITY); });
    ops::maskedFill(e.largest.get(), infinite.get(), 0);
  }
  ops::csub(e.rest.get(), x.get(), 1, e.largest.get());
  return e;
}

// Returns the sum of exp(rest). exponentials receives exp(rest) and may be e.rest itself.
TensorRef sum_of_exponentials(const Exponents& e, int64_t dim, Tensor* exponentials) {
  ops::exp(exponentials, e.rest.get());
  return made(e.type, [&](Tensor* r) { ops::sum(r, exponentials, dim, true); });
}

// Computes r by f(to), directly if r has e's type, else by a conversion.
template <class F>
void deliver_as(Tensor* r, const Exponents& e, const F& f) {
  if (r->dtype == e.type) return f(r);
  f(e.rest.get());
  deliver(r, e.rest.get());
}

int checked_dim(const char* name, const Tensor& r, const Tensor& t, int64_t dim) {
  check_result(name, 1, r, t.dtype);
  check_floating(name, 2, t);
  return wrap_dim(t, dim, 3);
}

}  // namespace

namespace direct {

void logsumexp(Tensor* r, Tensor* t, int64_t dim, bool keepdim) {
  int d = checked_dim("logsumexp", *r, *t, dim);
  if (t->size[d] == 0) {
    sum(r, t, d, keepdim);
    return fill(r, -INFINITY);
  }
  Exponents e = exponents_of(t, d, true);
  TensorRef total = sum_of_exponentials(e, d, e.rest.get());
  log(total.get(), total.get());
  cadd(total.get(), total.get(), 1, e.largest.get());
  deliver(r, keepdim ? total.get() : without(total, d).get());
}

Scalar logsumexpall(Tensor* t) {
  check_floating("logsumexp", 1, *t);
  if (t->numel() == 0) return -INFINITY;
  TensorRef all = in_type(flattened(t).get(), DType::Double);
  TensorRef result = made(DType::Double, [&](Tensor* r) { logsumexp(r, all.get(), 0, true); });
  return sumall(result.get());
}

void softmax(Tensor* r, Tensor* t, int64_t dim) {
  int d = checked_dim("softmax", *r, *t, dim);
  if (t->numel() == 0) return resize_as(r, *t);
  Exponents e = exponents_of(t, d, false);
  TensorRef total = sum_of_exponentials(e, d, e.rest.get());
  deliver_as(r, e, [&](Tensor* to) { cdiv(to, e.rest.get(), total.get()); });
}

void logSoftmax(Tensor* r, Tensor* t, int64_t dim) {
  int d = checked_dim("logSoftmax", *r, *t, dim);
  if (t->numel() == 0) return resize_as(r, *t);
  Exponents e = exponents_of(t, d, false);
  TensorRef total = sum_of_exponentials(e, d, empty(e.type).get());
  log(total.get(), total.get());
  deliver_as(r, e, [&](Tensor* to) { csub(to, e.rest.get(), 1, total.get()); });
}

}  // namespace direct
}  // namespace th
