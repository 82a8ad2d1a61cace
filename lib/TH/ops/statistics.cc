// Quantiles, covariances and correlations.

#include <cmath>
#include <vector>

#include "base/error.h"
#include "ops/direct.h"
#include "ops/compose.h"

namespace th {
namespace {

void check_part(double q, int argument) {
  if (q >= 0 && q <= 1) return;
  fail_argument(argument, "quantile: a number from 0 to 1 is expected, got %g", q);
}

// Sorts in ascending order, NaN last.
TensorRef in_order(Tensor* t, int64_t dim) {
  if (t->size[dim] == 0) {
    fail_argument(2, "quantile: no elements along dimension %lld of %s", shown(dim),
                  shape_text(*t).c_str());
  }
  TensorRef indices = empty(DType::Long);
  return made(t->dtype, [&](Tensor* r) { ops::sort(r, indices.get(), t, dim, false); });
}

// Interpolates between the two nearest elements, like NumPy's method "linear". type: the type of
// the computation. The dimension keeps size 1.
TensorRef quantile_of(const TensorRef& sorted, int64_t dim, double q, DType type) {
  const auto at = [&](int64_t k) { return in_type(narrowed(sorted, dim, k, 1).get(), type); };
  const int64_t last = sorted->size[dim] - 1;
  const double rank = q * static_cast<double>(last);
  const auto below = static_cast<int64_t>(rank);
  const double beyond = rank - static_cast<double>(below);
  TensorRef low = at(below), largest = at(last), mask = empty(DType::Byte);
  TensorRef r = clone(low.get());
  if (beyond > 0) {
    TensorRef high = at(below + 1);
    // A weighted sum, because low + beyond * (high - low) would be NaN or infinite for an infinite
    // low.
    ops::mul(r.get(), low.get(), 1 - beyond);
    ops::cadd(r.get(), r.get(), beyond, high.get());
    ops::eqTensor(mask.get(), low.get(), high.get());
    ops::where(r.get(), mask.get(), low.get(), r.get());
  }
  ops::isnan(mask.get(), largest.get());
  ops::where(r.get(), mask.get(), largest.get(), r.get());
  return r;
}

// Returns t's rows minus their means; a vector is one row.
TensorRef centered_rows(const char* name, Tensor* t) {
  check_floating(name, 2, *t);
  if (t->nDimension != 1 && t->nDimension != 2) {
    fail_argument(2, "%s: a vector or a matrix is expected, whose rows are variables, got %s", name,
                  shape_text(*t).c_str());
  }
  TensorRef x = in_type(t, compute_type(t->dtype));
  TensorRef rows = x->nDimension == 1 ? unsqueezed(x, 0) : shared(x.get());
  TensorRef mean = made(rows->dtype, [&](Tensor* r) { ops::mean(r, rows.get(), 1, true); });
  return made(rows->dtype,
              [&](Tensor* r) { ops::csub(r, rows.get(), 1, expanded(mean, *rows).get()); });
}

TensorRef covariances(const char* name, Tensor* t, bool biased) {
  TensorRef rows = centered_rows(name, t);
  TensorRef columns = view_of(rows, [&](Tensor* v) { views::transpose(v, rows.get(), 0, 1); });
  const auto count = static_cast<double>(rows->size[1] - !biased);
  return made(rows->dtype, [&](Tensor* r) {
    ops::mm(r, rows.get(), columns.get());
    ops::div(r, r, count > 0 ? count : 0);
  });
}

}  // namespace

namespace direct {

void quantile(Tensor* r, Tensor* t, double q, int64_t dim, bool keepdim) {
  check_result("quantile", 1, *r, t->dtype);
  check_floating("quantile", 2, *t);
  check_part(q, 3);
  const int d = wrap_dim(*t, dim, 4);
  TensorRef made = quantile_of(in_order(t, d), d, q, compute_type(t->dtype));
  deliver(r, keepdim ? made.get() : without(made, d).get());
}

Scalar quantileall(Tensor* t, double q) {
  check_floating("quantile", 1, *t);
  check_part(q, 2);
  TensorRef all = flattened(t);
  return item(quantile_of(in_order(all.get(), 0), 0, q, DType::Double).get());
}

void quantiles(Tensor* r, Tensor* t, Tensor* q, int64_t dim, bool keepdim) {
  check_result("quantile", 1, *r, t->dtype);
  check_floating("quantile", 2, *t);
  if (q->nDimension != 1) {
    fail_argument(3, "quantile: a vector of numbers from 0 to 1 is expected, got %s",
                  shape_text(*q).c_str());
  }
  const int d = wrap_dim(*t, dim, 4);
  const int64_t count = q->size[0];
  TensorRef parts = clone(in_type(q, DType::Double).get());
  std::vector<double> part(static_cast<size_t>(count));
  for (int64_t k = 0; k < count; ++k) {
    storage_read(parts->storage, parts->storageOffset + k, &part[k]);
    check_part(part[k], 3);
  }
  TensorRef sorted = in_order(t, d);
  int64_t size[kMaxDims + 1] = {count};
  for (int k = 0; k < t->nDimension; ++k) size[k + 1] = k == d ? 1 : t->size[k];
  if (t->nDimension == kMaxDims) {
    fail_argument(2, "quantile: a tensor of %d dimensions has no room for one more", kMaxDims);
  }
  const DType type = compute_type(t->dtype);
  TensorRef all(tensor_new_sized(type, t->nDimension + 1, size));
  for (int64_t k = 0; k < count; ++k) {
    copy(selected(all, 0, k).get(), quantile_of(sorted, d, part[k], type).get());
  }
  deliver(r, keepdim ? all.get() : without(all, d + 1).get());
}

void quantilesall(Tensor* r, Tensor* t, Tensor* q) {
  quantiles(r, flattened(t).get(), q, 0, false);
}

void cov(Tensor* r, Tensor* t, bool biased) {
  check_result("cov", 1, *r, t->dtype);
  deliver(r, covariances("cov", t, biased).get());
}

void corrcoef(Tensor* r, Tensor* t) {
  check_result("corrcoef", 1, *r, t->dtype);
  TensorRef c = covariances("corrcoef", t, false);
  TensorRef deviations = made(c->dtype, [&](Tensor* v) {
    diag(v, c.get(), 0);
    sqrt(v, v);
  });
  // Divide twice: the product of two deviations could underflow or overflow.
  TensorRef column = unsqueezed(deviations, 1), row = unsqueezed(deviations, 0);
  cdiv(c.get(), c.get(), expanded(column, *c).get());
  cdiv(c.get(), c.get(), expanded(row, *c).get());
  clamp(c.get(), c.get(), -1, 1);
  deliver(r, c.get());
}

}  // namespace direct
}  // namespace th
