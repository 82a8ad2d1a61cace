
#include "base/error.h"
#include "ops/direct.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

namespace th::direct {

namespace {

// Returns t's elements as a vector: t itself, or a view or copy that is kept alive by made.
Tensor* as_vector(Tensor* t, TensorRef* made) {
  if (t->nDimension == 1) return t;
  TensorRef whole = contiguous(t);
  *made = TensorRef(tensor_new(t->dtype));
  int64_t n = t->numel();
  set_storage(made->get(), whole->storage, whole->storageOffset, 1, &n, nullptr);
  return made->get();
}

}  // namespace

Scalar dot(Tensor* a, Tensor* b) {
  if (a->dtype != b->dtype) {
    fail("dot: a %sTensor and a %sTensor do not go together: convert one of them", name(a->dtype),
         name(b->dtype));
  }
  int64_t n = a->numel();
  if (n != b->numel()) {
    fail(
        "inconsistent tensor size, expected tensor %s and src %s to have the same number of "
        "elements, but got %lld and %lld elements respectively",
        shape_text(*a).c_str(), shape_text(*b).c_str(), static_cast<long long>(n),
        static_cast<long long>(b->numel()));
  }
  check_strict(a, b);
  if (n == 0) return is_integral(a->dtype) ? Scalar(0) : Scalar(0.0);
  TensorRef made[2];
  Partial sum = reduce_all(Op::dot, {Reducer::sum}, as_vector(a, &made[0]), Transform::product,
                           as_vector(b, &made[1]));
  return to_scalar(sum.value, a->dtype);
}

}  // namespace th::direct
