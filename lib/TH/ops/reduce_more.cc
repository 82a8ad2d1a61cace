// Reductions composed of others: double results for integers, logical, NaN-ignoring, argmax and
// argmin.

#include "base/error.h"
#include "ops/direct.h"
#include "ops/compose.h"

namespace th {

namespace {

TensorRef as_doubles(const char* name, Tensor* t, int argument) {
  if (!is_integral(t->dtype)) {
    fail_argument(argument, "%s: a tensor of integers is expected, got a %sTensor", name,
                  th::name(t->dtype));
  }
  return in_type(t, DType::Double);
}

// Returns 1 for each element that is not 0.
TensorRef truth_of(Tensor* t) {
  return made(DType::Byte, [&](Tensor* r) { ops::neValue(r, t, 0); });
}

// values: t with NaN replaced by 0; valid: 1 for each element that is not NaN. In the compute type
// of t.
struct Numbers {
  TensorRef values, valid;
};

Numbers numbers_of(Tensor* t) {
  DType type = compute_type(t->dtype);
  if (is_integral(type)) return {shared(t), TensorRef()};
  TensorRef nan = made(DType::Byte, [&](Tensor* r) { ops::isnan(r, t); });
  TensorRef numbers = t->dtype == type ? clone(t) : in_type(t, type);
  ops::maskedFill(numbers.get(), nan.get(), 0);
  TensorRef valid = made(DType::Byte, [&](Tensor* r) { ops::eqValue(r, nan.get(), 0); });
  return {std::move(numbers), in_type(valid.get(), type)};
}

// Reduces a dimension by logical and (all) or or. An empty dimension gives `all`.
void reduce_truth(const char* name, Tensor* r, Tensor* t, int64_t dim, bool keepdim, bool all) {
  check_result(name, 1, *r, DType::Byte);
  int d = wrap_dim(*t, dim, 3);
  TensorRef truth = truth_of(t), result = empty(DType::Byte);
  if (t->size[d] == 0) {
    ops::sum(result.get(), truth.get(), d, keepdim);
    ops::fill(result.get(), all);
  } else if (all) {
    ops::min(result.get(), empty(DType::Long).get(), truth.get(), d, keepdim);
  } else {
    ops::max(result.get(), empty(DType::Long).get(), truth.get(), d, keepdim);
  }
  deliver(r, result.get());
}

using Extreme = void(Tensor*, Tensor*, Tensor*, int64_t, bool);

Scalar place_of_all(const char* name, Extreme* extreme, Tensor* t) {
  if (t->numel() == 0) {
    fail_argument(1, "%s: a tensor of size %s has no element", name, shape_text(*t).c_str());
  }
  TensorRef place = empty(DType::Long);
  extreme(empty(t->dtype).get(), place.get(), flattened(t).get(), 0, true);
  return ops::sumall(place.get());
}

void place_along(const char* name, Extreme* extreme, Tensor* r, Tensor* t, int64_t dim,
                 bool keepdim) {
  check_result(name, 1, *r, DType::Long);
  int d = wrap_dim(*t, dim, 3);
  if (t->size[d] == 0) {
    fail_argument(2, "%s: dimension %d of %s has no element", name, d + 1, shape_text(*t).c_str());
  }
  TensorRef places = empty(DType::Long);
  extreme(empty(t->dtype).get(), places.get(), t, d, keepdim);
  deliver(r, places.get());
}

}  // namespace

namespace direct {

Scalar meanallDouble(Tensor* t) { return meanall(as_doubles("mean", t, 1).get()); }
Scalar varallDouble(Tensor* t, bool biased) {
  return varall(as_doubles("var", t, 1).get(), biased);
}
Scalar stdallDouble(Tensor* t, bool biased) {
  return stdall(as_doubles("std", t, 1).get(), biased);
}
void meanDouble(Tensor* r, Tensor* t, int64_t dim, bool keepdim) {
  mean(r, as_doubles("mean", t, 2).get(), dim, keepdim);
}
void varDouble(Tensor* r, Tensor* t, int64_t dim, bool biased, bool keepdim) {
  var(r, as_doubles("var", t, 2).get(), dim, biased, keepdim);
}
void stdDouble(Tensor* r, Tensor* t, int64_t dim, bool biased, bool keepdim) {
  std(r, as_doubles("std", t, 2).get(), dim, biased, keepdim);
}
void meanDimsDouble(Tensor* r, Tensor* t, Sizes dims, bool keepdim) {
  meanDims(r, as_doubles("mean", t, 2).get(), dims, keepdim);
}
void varDimsDouble(Tensor* r, Tensor* t, Sizes dims, bool biased, bool keepdim) {
  varDims(r, as_doubles("var", t, 2).get(), dims, biased, keepdim);
}
void stdDimsDouble(Tensor* r, Tensor* t, Sizes dims, bool biased, bool keepdim) {
  stdDims(r, as_doubles("std", t, 2).get(), dims, biased, keepdim);
}

bool logicalall(Tensor* t) { return t->numel() == 0 || minall(truth_of(t).get()).i != 0; }
bool logicalany(Tensor* t) { return t->numel() > 0 && maxall(truth_of(t).get()).i != 0; }
void logicalAll(Tensor* r, Tensor* t, int64_t dim, bool keepdim) {
  reduce_truth("all", r, t, dim, keepdim, true);
}
void logicalAny(Tensor* r, Tensor* t, int64_t dim, bool keepdim) {
  reduce_truth("any", r, t, dim, keepdim, false);
}

Scalar nansumall(Tensor* t) { return sumall(numbers_of(t).values.get()); }

void nansum(Tensor* r, Tensor* t, int64_t dim, bool keepdim) {
  check_result("nansum", 1, *r, t->dtype);
  int d = wrap_dim(*t, dim, 3);
  Numbers numbers = numbers_of(t);
  TensorRef sums =
      made(numbers.values->dtype, [&](Tensor* s) { sum(s, numbers.values.get(), d, keepdim); });
  deliver(r, sums.get());
}

Scalar nanmeanall(Tensor* t) {
  check_floating("nanmean", 1, *t);
  Numbers numbers = numbers_of(t);
  return sumall(numbers.values.get()).d / sumall(numbers.valid.get()).d;
}

void nanmean(Tensor* r, Tensor* t, int64_t dim, bool keepdim) {
  check_result("nanmean", 1, *r, t->dtype);
  check_floating("nanmean", 2, *t);
  int d = wrap_dim(*t, dim, 3);
  Numbers numbers = numbers_of(t);
  DType type = numbers.values->dtype;
  TensorRef sums = made(type, [&](Tensor* s) { sum(s, numbers.values.get(), d, keepdim); });
  TensorRef counts = made(type, [&](Tensor* s) { sum(s, numbers.valid.get(), d, keepdim); });
  cdiv(sums.get(), sums.get(), counts.get());
  deliver(r, sums.get());
}

Scalar argmaxall(Tensor* t) { return place_of_all("argmax", &max, t); }
Scalar argminall(Tensor* t) { return place_of_all("argmin", &min, t); }
void argmax(Tensor* r, Tensor* t, int64_t dim, bool keepdim) {
  place_along("argmax", &max, r, t, dim, keepdim);
}
void argmin(Tensor* r, Tensor* t, int64_t dim, bool keepdim) {
  place_along("argmin", &min, r, t, dim, keepdim);
}

}  // namespace direct
}  // namespace th
