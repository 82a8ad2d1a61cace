// Variances and norms.

#include <cmath>
#include <limits>

#include "memory/error.h"
#include "ops/reduce.h"

namespace th::ops {

namespace {

Reduction variance_of(bool biased) {
  return {Reducer::sum, Reduction::Extra::moment, 0,
          biased ? Finish::biased_variance : Finish::variance};
}
Reduction deviation_of(bool biased) {
  return {Reducer::sum, Reduction::Extra::moment, 0,
          biased ? Finish::biased_deviation : Finish::deviation};
}
Reduction norm_of(double p) {
  if (p == 0) return {Reducer::nonzero};
  if (p == 1) return {Reducer::abs_sum};
  if (p == 2) return {Reducer::squares, Reduction::Extra::none, 0, Finish::square_root};
  if (std::isinf(p)) return {p > 0 ? Reducer::abs_max : Reducer::abs_min};
  return {Reducer::powers, Reduction::Extra::none, p, Finish::root};
}

Scalar moment_of_all(const char* name, const Reduction& op, Tensor* t) {
  check_floating(name, 1, *t);
  if (t->nDimension == 0) fail_argument(1, "%s: empty Tensor", name);
  return finished(op.finish, reduce_all(op, *t), t->numel(), op.parameter);
}

}  // namespace

Scalar varall(Tensor* t, bool biased) { return moment_of_all("var", variance_of(biased), t); }
Scalar stdall(Tensor* t, bool biased) { return moment_of_all("std", deviation_of(biased), t); }

void var(Tensor* r, Tensor* t, int64_t dim, bool biased, bool keepdim) {
  check_floating("var", 2, *t);
  reduce_along({"var", 2, 3}, variance_of(biased), r, nullptr, t, dim, keepdim);
}

void std(Tensor* r, Tensor* t, int64_t dim, bool biased, bool keepdim) {
  check_floating("std", 2, *t);
  reduce_along({"std", 2, 3}, deviation_of(biased), r, nullptr, t, dim, keepdim);
}

Scalar normall(Tensor* t, Scalar p) {
  check_floating("norm", 1, *t);
  Reduction op = norm_of(p.to_double());
  return finished(op.finish, reduce_all(op, *t), t->numel(), op.parameter);
}

void norm(Tensor* r, Tensor* t, Scalar p, int64_t dim, bool keepdim) {
  check_floating("norm", 2, *t);
  reduce_along({"norm", 2, 4}, norm_of(p.to_double()), r, nullptr, t, dim, keepdim);
}

Scalar dist(Tensor* a, Tensor* b, Scalar p) {
  check_floating("dist", 1, *a);
  if (a->dtype != b->dtype) {
    fail_argument(2, "dist: a %sTensor and a %sTensor do not go together: convert one of them",
                  name(a->dtype), name(b->dtype));
  }
  TensorRef first, second;
  if (!same_size(*a, *b)) {
    if (a->numel() != b->numel()) {
      fail_argument(2, "dist: sizes %s and %s have different numbers of elements",
                    shape_text(*a).c_str(), shape_text(*b).c_str());
    }
    first = contiguous(a);
    second = contiguous(b);
    a = first.get();
    // Paired in order: read in a's shape.
    TensorRef view(tensor_new(b->dtype));
    if (a->numel() > 0) {
      set_storage(view.get(), second->storage, second->storageOffset, a->nDimension, a->size,
                  nullptr);
    }
    second = std::move(view);
    b = second.get();
  }
  Reduction op = norm_of(p.to_double());
  return finished(op.finish, reduce_all(op, *a, b), a->numel(), op.parameter);
}

}  // namespace th::ops
