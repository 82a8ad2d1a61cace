// Quantiles, covariances and correlations.

#include <algorithm>
#include <cmath>
#include <cstring>

#include "ops/formula_operations.h"

namespace th {
namespace {

// The position between two elements from which a method takes the quantile.
double rank_by(const char* method, double rank) {
  const std::string_view name = method;
  if (name == "lower") return std::floor(rank);
  if (name == "higher") return std::ceil(rank);
  if (name == "nearest") return std::nearbyint(rank);
  if (name == "midpoint") return (std::floor(rank) + std::ceil(rank)) / 2;
  return rank;
}

template <class A>
void check_method(const A& a, const Shapes& s) {
  for (const char* name : {"linear", "lower", "higher", "nearest", "midpoint"}) {
    if (!std::strcmp(name, a.method)) return;
  }
  s.fail(a.method, "'linear', 'lower', 'higher', 'nearest' or 'midpoint' is expected, got '%s'",
         a.method);
}

bool is_part(double q) { return q >= 0 && q <= 1; }

// From this size on, two elements of a row are found faster by selection than by sorting.
constexpr int64_t kLongRow = 16384;

// The first `count` elements along a dimension, in ascending order. NaN is last.
class InOrder {
 public:
  // quantiles: how many are taken.
  InOrder(Tensor* t, int64_t dim, int64_t quantiles) : InOrder(t, dim, quantiles, t->size[dim]) {}
  InOrder(Tensor* t, int64_t dim, int64_t quantiles, int64_t count)
      : elements_(shared(t)), dim_(dim), count_(count) {
    is_sorted_ = quantiles > 2 || t->size[dim] < kLongRow;
    if (!is_sorted_) return;
    TensorRef indices = empty(DType::Long);
    elements_ = made(t->dtype, [&](Tensor* r) { ops::sort(r, indices.get(), t, dim, false); });
  }

  int64_t count() const { return count_; }

  // The elements of rank k, counted from 0. The dimension keeps size 1.
  TensorRef at(int64_t k) const {
    if (is_sorted_) return narrowed(elements_, dim_, k, 1);
    TensorRef indices = empty(DType::Long);
    return made(elements_->dtype, [&](Tensor* r) {
      ops::kthvalue(r, indices.get(), elements_.get(), k + 1, dim_, true);
    });
  }

 private:
  TensorRef elements_;
  int64_t dim_, count_;
  bool is_sorted_;
};

template <class A>
void check_part(A& a, const Shapes& s) {
  if (!is_part(a.q)) s.fail(a.q, "a number from 0 to 1 is expected, got %g", a.q);
}

template <class A>
void check_parts(A& a, const Shapes& s) {
  if (a.q->nDimension != 1) {
    s.fail(a.q, "a vector of numbers from 0 to 1 is expected, got size %s",
           shape_text(*a.q).c_str());
  }
  if (a.q->numel() == 0) return;
  for (double q : {ops::minall(a.q).to_double(), ops::maxall(a.q).to_double()}) {
    if (!is_part(q)) s.fail(a.q, "numbers from 0 to 1 are expected, got %g", q);
  }
}

// Interpolates between the two nearest elements, as NumPy's methods do. type: the type of the
// computation. The dimension keeps size 1.
TensorRef quantile_of(const InOrder& elements, double q, DType type,
                      const char* method = "linear") {
  const auto at = [&](int64_t k) { return in_type(elements.at(k).get(), type); };
  const int64_t last = elements.count() - 1;
  const double rank = rank_by(method, q * static_cast<double>(last));
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

// Writes to r the quantiles over dimension dim of t, one after the other along r's first dimension.
// Sizes of dimensions that are 1 do not matter.
void write_quantiles(Tensor* r, Tensor* t, int64_t dim, Tensor* parts,
                     const char* method = "linear") {
  if (r->numel() == 0) return;
  const DType type = compute_type(t->dtype);
  TensorRef all = shared(r), q = shared(parts);
  const InOrder elements(t, dim, r->size[0]);
  for (int64_t k = 0; k < r->size[0]; ++k) {
    const double part = ops::item(narrowed(q, 0, k, 1).get()).to_double();
    ops::copy(narrowed(all, 0, k, 1).get(), quantile_of(elements, part, type, method).get());
  }
}

// Returns t's rows minus their means; a vector is one row. The second time removes the rounding
// error of the means.
TensorRef centered_rows(Tensor* t) {
  TensorRef x = in_type(t, compute_type(t->dtype));
  TensorRef rows = x->nDimension == 1 ? unsqueezed(x, 0) : shared(x.get());
  for (int times = 0; times < 2; ++times) {
    TensorRef mean = made(rows->dtype, [&](Tensor* r) { ops::mean(r, rows.get(), 1, true); });
    rows = made(rows->dtype,
                [&](Tensor* r) { ops::csub(r, rows.get(), 1, expanded(mean, *rows).get()); });
  }
  return rows;
}

TensorRef covariances(Tensor* t, bool biased) {
  TensorRef rows = centered_rows(t);
  TensorRef columns = view_of(rows, [&](Tensor* v) { views::transpose(v, rows.get(), 0, 1); });
  const auto count = static_cast<double>(rows->size[1] - !biased);
  return made(rows->dtype, [&](Tensor* r) {
    ops::mm(r, rows.get(), columns.get());
    ops::div(r, r, count > 0 ? count : 0);
  });
}

template <class A>
void shapes_of_covariances(A& a, Shapes& s) {
  const Tensor& t = *a.t;
  if (t.nDimension != 1 && t.nDimension != 2) {
    s.fail(a.t, "a vector or a matrix is expected, whose rows are variables, got size %s",
           shape_text(t).c_str());
  }
  const int64_t rows = t.nDimension == 1 ? 1 : t.size[0], size[] = {rows, rows};
  s.set(a.r_, 2, size);
}

template <class A>
void shapes_of_quantile(A& a, Shapes& s) {
  check_part(a, s);
  const int d = dim_with_elements(a, s);
  const Tensor& t = *a.t;
  int64_t size[kMaxDims];
  int ndim = 0;
  for (int k = 0; k < t.nDimension; ++k) {
    if (k != d || a.keepdim || t.nDimension == 1) size[ndim++] = k == d ? 1 : t.size[k];
  }
  s.set(a.r_, ndim, size);
}

}  // namespace

void shapes(args::quantile& a, Shapes& s) { shapes_of_quantile(a, s); }

void calls(args::quantile& a) {
  const InOrder elements(a.t, a.dimension, 1);
  ops::copy(a.r_, quantile_of(elements, a.q, compute_type(a.t->dtype)).get());
}

void shapes(args::quantileMethod& a, Shapes& s) {
  check_method(a, s);
  shapes_of_quantile(a, s);
}

void calls(args::quantileMethod& a) {
  const InOrder elements(a.t, a.dimension, 1);
  ops::copy(a.r_, quantile_of(elements, a.q, compute_type(a.t->dtype), a.method).get());
}

void shapes(args::quantileall& a, Shapes& s) {
  check_part(a, s);
  check_elements(a, s);
}

void shapes(args::quantileallMethod& a, Shapes& s) {
  check_method(a, s);
  check_part(a, s);
  check_elements(a, s);
}

void calls(args::quantileallMethod& a) {
  const InOrder elements(flattened(a.t).get(), 0, 1);
  a.returned = ops::item(quantile_of(elements, a.q, DType::Double, a.method).get());
}

void calls(args::quantileall& a) {
  const InOrder elements(flattened(a.t).get(), 0, 1);
  a.returned = ops::item(quantile_of(elements, a.q, DType::Double).get());
}

namespace {

template <class A>
void shapes_of_quantiles(A& a, Shapes& s) {
  check_parts(a, s);
  const int d = dim_with_elements(a, s);
  const Tensor& t = *a.t;
  if (t.nDimension == kMaxDims) {
    s.fail(a.t, "a tensor of %d dimensions is expected at most, got %d", kMaxDims - 1, kMaxDims);
  }
  int64_t size[kMaxDims] = {a.q->size[0]};
  int ndim = 1;
  for (int k = 0; k < t.nDimension; ++k) {
    if (k != d || a.keepdim) size[ndim++] = k == d ? 1 : t.size[k];
  }
  s.set(a.r_, ndim, size);
}

}  // namespace

void shapes(args::quantiles& a, Shapes& s) { shapes_of_quantiles(a, s); }
void shapes(args::quantilesMethod& a, Shapes& s) {
  check_method(a, s);
  shapes_of_quantiles(a, s);
}

void calls(args::quantilesMethod& a) { write_quantiles(a.r_, a.t, a.dimension, a.q, a.method); }
void calls(args::quantiles& a) { write_quantiles(a.r_, a.t, a.dimension, a.q); }

void shapes(args::quantilesall& a, Shapes& s) {
  check_parts(a, s);
  check_elements(a, s);
  s.set(a.r_, 1, a.q->size);
}

void calls(args::quantilesall& a) { write_quantiles(a.r_, flattened(a.t).get(), 0, a.q); }

// ---- quantiles without NaN, variances with a correction, weighted covariances

namespace {

using namespace formulas;

// The quantile of the elements that are not NaN. The dimension keeps size 1.
Var nan_quantile_of(const Var& t, int64_t dim, double q, DType type) {
  const Var count = countNonzero(eqTensor(t, t), dim, true);
  const int64_t common = common_element(count);
  if (common >= 0) {
    const InOrder elements(t.get(), dim, 1, std::max<int64_t>(common, 1));
    return Var(quantile_of(elements, q, type));
  }
  if (t->size[dim] >= kLongRow && !device_of({t.get()})) {
    const Var rows = rows_along(t, dim), counts = flat(count);
    Var r = filled(t, type, count->nDimension, count->size, 0);
    for (int64_t k = 0; k < rows->size[0]; ++k) {
      const int64_t numbers = ops::item(part(counts, 0, k, 1).get()).i;
      const InOrder elements(part(rows, 0, k, 1).get(), 1, 1, std::max<int64_t>(numbers, 1));
      ops::copy(part(flat(r), 0, k, 1).get(), quantile_of(elements, q, type).get());
    }
    return r;
  }
  const Var x = as(t, type), sorted = sorted_along(x, dim), last = as(count, DType::Double) - 1;
  const Var rank = cmaxValue(last * q, Scalar(0)), below = floor(rank), beyond = rank - below;
  auto at = [&](const Var& position) {
    return gather(sorted, dim, as(position + static_cast<double>(TH_INDEX_BASE), DType::Long));
  };
  const Var low = at(below), high = at(ceil(rank)), weight = as(beyond, x->dtype);
  const Var between = low * (1 - weight) + high * weight;
  return where(eqTensor(low, high), low, where(eqTensor(below, rank), low, between));
}

// The variances that divide by n - correction, or their roots. of(x, biased): those that divide by
// n - 1, or by n. Integers are computed in the type of the result. Types of 16 bits are rounded
// once.
template <class A, class Of>
Var corrected(const A& a, int64_t n, bool are_roots, const Of& of) {
  const DType type = a.r_->dtype;
  const Var t = as(ref(a.t), type);
  if (a.correction == 0 || a.correction == 1) return of(t, a.correction == 0);
  const auto count = static_cast<double>(n);
  const double factor = count / std::max(count - a.correction, 0.0);
  const Var r = of(as(t, compute_type(type)), true);
  return as(r * (are_roots ? std::sqrt(factor) : factor), type);
}
template <class A>
void give_corrected(A& a, Shapes& s, bool are_roots) {
  const int64_t d = own_dim(a, s);
  give(s, a.r_, corrected(a, a.t->size[d], are_roots, [&](const Var& x, bool biased) {
         return are_roots ? formulas::std(x, d, biased, a.keepdim) : var(x, d, biased, a.keepdim);
       }));
}
template <class A>
void give_corrected_dims(A& a, Shapes& s, bool are_roots) {
  int64_t n = 1;
  for (int k = 0; k < a.dims.ndim; ++k) {
    n *= a.t->size[wrap_dim(*a.t, a.dims.size[k], s.number_of(&a.dims))];
  }
  give(s, a.r_, corrected(a, n, are_roots, [&](const Var& x, bool biased) {
         return are_roots ? stdDims(x, a.dims, biased, a.keepdim)
                          : varDims(x, a.dims, biased, a.keepdim);
       }));
}

// The covariances of rows of observations with weights; `divisor` is that of the products.
Var weighted_covariances(Tensor* t, const Var& weights, const Var& divisor) {
  const Var x = as(ref(t), compute_type(t->dtype));
  const int64_t row[] = {1, t->size[t->nDimension - 1]};
  const Var rows = t->nDimension == 1 ? with_shape(x, 2, row) : x, w = with_shape(weights, 2, row);
  const Var sum_of_weights = sum(w, int64_t{1}, true);
  const auto centered = [&](const Var& v) {
    return v - sum(v * w, int64_t{1}, true) / sum_of_weights;
  };
  const Var rest = centered(centered(rows));  // the second time removes the mean's rounding error
  return matmul(rest * w, transposed(rest)) / divisor;
}

template <class A>
void check_weights(A& a, Shapes& s) {
  const Tensor &t = *a.t, &weights = *a.weights;
  if (t.nDimension != 1 && t.nDimension != 2) {
    s.fail(a.t, "a vector or a matrix is expected, whose rows are variables, got size %s",
           shape_text(t).c_str());
  }
  if (weights.nDimension != 1 || weights.size[0] != t.size[t.nDimension - 1]) {
    s.fail(a.weights, "a vector of %lld weights is expected, got size %s",
           as_long(t.size[t.nDimension - 1]), shape_text(weights).c_str());
  }
  if (weights.numel() > 0 && ops::minall(a.weights).to_double() < 0) {
    s.fail(a.weights, "a weight is negative");
  }
}

}  // namespace

void shapes(args::nanquantile& a, Shapes& s) {
  check_part(a, s);
  const int d = dim_with_elements(a, s);
  const Var r = nan_quantile_of(ref(a.t), d, a.q, compute_type(a.t->dtype));
  give(s, a.r_, as(a.keepdim || a.t->nDimension == 1 ? r : squeeze1d(r, int64_t{d}), a.t->dtype));
}
void calls(args::nanquantile&) {}

void shapes(args::nanquantileall& a, Shapes& s) {
  check_part(a, s);
  check_elements(a, s);
}
void calls(args::nanquantileall& a) {
  a.returned = ops::item(nan_quantile_of(flat(ref(a.t)), 0, a.q, DType::Double).get());
}

#define TH_CORRECTED(name, give_results)                                    \
  void shapes(args::var##name& a, Shapes& s) { give_results(a, s, false); } \
  void calls(args::var##name&) {}                                           \
  void shapes(args::std##name& a, Shapes& s) { give_results(a, s, true); }  \
  void calls(args::std##name&) {}
TH_CORRECTED(Correction, give_corrected)
TH_CORRECTED(CorrectionDims, give_corrected_dims)
TH_CORRECTED(CorrectionDouble, give_corrected)
TH_CORRECTED(CorrectionDimsDouble, give_corrected_dims)
#undef TH_CORRECTED

void shapes(args::covCounts& a, Shapes& s) {
  check_weights(a, s);
  const Var weights = as(ref(a.weights), compute_type(a.t->dtype));
  const Var divisor = sum(weights, int64_t{0}, true) - a.correction;
  give(s, a.r_, as(weighted_covariances(a.t, weights, divisor), a.t->dtype));
}
void calls(args::covCounts&) {}

void shapes(args::covWeights& a, Shapes& s) {
  check_weights(a, s);
  const Var weights = as(ref(a.weights), compute_type(a.t->dtype));
  const Var total = sum(weights, int64_t{0}, true);
  const Var divisor = total - sum(weights * weights, int64_t{0}, true) / total * a.correction;
  give(s, a.r_, as(weighted_covariances(a.t, weights, divisor), a.t->dtype));
}
void calls(args::covWeights&) {}

void shapes(args::cov& a, Shapes& s) { shapes_of_covariances(a, s); }

void calls(args::cov& a) { ops::copy(a.r_, covariances(a.t, a.biased).get()); }

void shapes(args::corrcoef& a, Shapes& s) { shapes_of_covariances(a, s); }

void calls(args::corrcoef& a) {
  // In double, because squares of floats may not fit into floats.
  TensorRef c = covariances(in_type(a.t, DType::Double).get(), false);
  TensorRef deviations = made(c->dtype, [&](Tensor* v) {
    ops::diag(v, c.get(), 0);
    ops::sqrt(v, v);
  });
  // Divide twice: the product of two deviations could underflow or overflow.
  TensorRef column = unsqueezed(deviations, 1), row = unsqueezed(deviations, 0);
  ops::cdiv(c.get(), c.get(), expanded(column, *c).get());
  ops::cdiv(c.get(), c.get(), expanded(row, *c).get());
  ops::clamp(c.get(), c.get(), -1, 1);
  ops::copy(a.r_, c.get());
}

}  // namespace th
