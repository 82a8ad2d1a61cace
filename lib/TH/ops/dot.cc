// The sum of the products of corresponding elements.

#include "base/error.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

namespace th {

namespace {

// Returns t's elements as a vector: t itself, or a view or copy that is kept alive by made.
Tensor* as_vector(Tensor* t, TensorRef* made) {
  if (t->nDimension == 1) return t;
  TensorRef whole = contiguous(t);
  int64_t n = t->numel();
  *made = strided_view(*whole, whole->storageOffset, 1, &n, nullptr);
  return made->get();
}

}  // namespace

void shapes(args::dot& a, Shapes&) {
  int64_t n = a.t->numel();
  if (n != a.src->numel()) {
    fail(
        "inconsistent tensor size, expected tensor %s and src %s to have the same number of "
        "elements, but got %lld and %lld elements respectively",
        shape_text(*a.t).c_str(), shape_text(*a.src).c_str(), as_long(n), as_long(a.src->numel()));
  }
  check_strict(a.t, a.src);
}

void calls(args::dot& a) {
  DType type = a.t->dtype;
  if (a.t->numel() == 0) {
    a.returned = is_integral(type) ? Scalar(0) : Scalar(0.0);
    return;
  }
  TensorRef made[2];
  Partial sum = reduce_all(Op::dot, {Reducer::sum}, as_vector(a.t, &made[0]), Transform::product,
                           as_vector(a.src, &made[1]));
  a.returned = to_scalar(sum.value, type);
}

}  // namespace th
