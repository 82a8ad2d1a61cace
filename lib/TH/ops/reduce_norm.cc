// Variances and norms.

#include <cmath>
#include <limits>

#include "base/error.h"
#include "ops/direct.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

namespace th::direct {

namespace {

Reduction variance_of(bool biased) {
  return {Reducer::sum, true, 0, biased ? Finish::biased_variance : Finish::variance};
}
Reduction deviation_of(bool biased) {
  return {Reducer::sum, true, 0, biased ? Finish::biased_deviation : Finish::deviation};
}
Reduction norm_of(double p) {
  if (p == 0) return {Reducer::nonzero};
  if (p == 1) return {Reducer::abs_sum};
  if (p == 2) return {Reducer::squares, false, 0, Finish::square_root};
  if (std::isinf(p)) return {p > 0 ? Reducer::abs_max : Reducer::abs_min};
  return {Reducer::powers, false, p, Finish::root};
}

Scalar moment_of_all(Op op, const char* name, const Reduction& reduction, Tensor* t) {
  check_floating(name, 1, *t);
  if (t->nDimension == 0) fail_argument(1, "%s: empty Tensor", name);
  return finished(reduction.finish, reduce_all(op, reduction, t), t->numel(), reduction.parameter);
}

}  // namespace

Scalar varall(Tensor* t, bool biased) {
  return moment_of_all(Op::varall, "var", variance_of(biased), t);
}
Scalar stdall(Tensor* t, bool biased) {
  return moment_of_all(Op::stdall, "std", deviation_of(biased), t);
}

void var(Tensor* r, Tensor* t, int64_t dim, bool biased, bool keepdim) {
  check_floating("var", 2, *t);
  reduce_along({Op::var, "var", 2, 3}, variance_of(biased), r, nullptr, t, dim, keepdim);
}

void std(Tensor* r, Tensor* t, int64_t dim, bool biased, bool keepdim) {
  check_floating("std", 2, *t);
  reduce_along({Op::std, "std", 2, 3}, deviation_of(biased), r, nullptr, t, dim, keepdim);
}

Scalar normall(Tensor* t, Scalar p) {
  check_floating("norm", 1, *t);
  Reduction reduction = norm_of(p.to_double());
  return finished(reduction.finish, reduce_all(Op::normall, reduction, t), t->numel(),
                  reduction.parameter);
}

void norm(Tensor* r, Tensor* t, Scalar p, int64_t dim, bool keepdim) {
  check_floating("norm", 2, *t);
  reduce_along({Op::norm, "norm", 2, 4}, norm_of(p.to_double()), r, nullptr, t, dim, keepdim);
}

Scalar dist(Tensor* a, Tensor* b, Scalar p) {
  check_floating("dist", 1, *a);
  if (a->dtype != b->dtype) {
    fail_argument(2, "dist: a %sTensor and a %sTensor do not go together: convert one of them",
                  name(a->dtype), name(b->dtype));
  }
  Paired pair = paired_views("dist", a, b);
  a = pair.a.get();
  b = pair.b.get();
  Reduction reduction = norm_of(p.to_double());
  Partial partial = reduce_all(Op::dist, reduction, a, Transform::difference, b);
  return finished(reduction.finish, partial, a->numel(), reduction.parameter);
}

}  // namespace th::direct
