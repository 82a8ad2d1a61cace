#include "grad/functions.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "grad/tape.h"
#include "ops/operands.h"
#include "ops/tracer.h"
#include "tensor/checked.h"

namespace th::grad {

TensorRef new_tensor(DType type, int ndim, const int64_t* size, const Tensor& like) {
  TensorRef r(tensor_new_sized(type, ndim, size));
  ensure_storage(r.get());
  if (like.storage) r->storage->set_current_device(like.storage->current_device());
  trace_allocation(*r);
  return r;
}

Var filled(const Tensor& like, int ndim, const int64_t* size, double value) {
  Var r(new_tensor(like.dtype, ndim, size, like));
  ops::fill(r.get(), value);
  return r;
}

Var filled_like(const Var& like, double value) {
  return filled(*like, like->nDimension, like->size, value);
}

Var reshaped(const Var& t, int ndim, const int64_t* size) {
  if (has_shape(*t, ndim, size)) return t;
  int64_t stride[kMaxDims];
  Var source = t;
  if (!view_strides(*t, ndim, size, stride)) {
    source = Var(clone(t.get()));
    view_strides(*source, ndim, size, stride);
  }
  return Var(strided_view(*source, source->storageOffset, ndim, size, stride));
}

double count(const Tensor& r, const Tensor& t) {
  return static_cast<double>(t.numel()) / static_cast<double>(r.numel());
}

namespace functions {

namespace {

Var zero_like(const Var& t) {
  const int64_t one = 1;
  return filled(*t, 1, &one, 0);
}

}  // namespace

Var one_like(const Var& t) {
  const int64_t one = 1;
  return filled(*t, 1, &one, 1);
}

Var without_zeros(const Var& t) { return where(eqValue(t, Scalar(0)), one_like(t), t); }

Var only(const Var& g, const Var& mask) { return where(mask, g, zero_like(g)); }
Var except(const Var& g, const Var& mask) { return where(mask, zero_like(g), g); }

Var power_slope(const Var& t, const Scalar& p) {
  const double power = p.to_double();
  if (power == 0) return filled_like(t, 0);
  return pow(t, Scalar(power - 1)) * power;
}
Var power_slope(const Var& t, const Var& p) {
  const Var zero = eqValue(p, Scalar(0));
  return except(p * cpow(t, except(p - 1, zero)), zero);
}

Var exponent_slope(const Var& r, const Scalar& t) {
  const double base = t.to_double();
  if (base == 0) return filled_like(r, 0);
  return r * std::log(base);
}
Var exponent_slope(const Var& r, const Var& t, const Var&) {
  return except(r * log(without_zeros(t)), eqValue(t, Scalar(0)));
}

// If one of them is NaN, both get the whole gradient.
Var share_of_larger(const Var& g, const Var& a, const Var& b) {
  return except(where(eqTensor(a, b), g * 0.5, g), ltTensor(a, b));
}

Var share_of_fmax(const Var& g, const Var& a, const Var& b) {
  return except(share_of_larger(g, a, b), isnan(a)) + only(g, isnan(a) * isnan(b));
}
Var other_share_of_fmax(const Var& g, const Var& a, const Var& b) {
  return except(share_of_larger(g, b, a), isnan(b));
}

Var sinc_slope(const Var& t, const Var& r) {
  // Near 0 the difference cancels. Term k of the power series is (-1)^(k + 1) * (2 k + 2) /
  // (2 k + 3)! * (pi * t)^(2 k + 1) * pi.
  constexpr double series[] = {
      14 / 1307674368000.0, -12 / 6227020800.0, 10 / 39916800.0, -8 / 362880.0,
      6 / 5040.0,           -4 / 120.0,         2 / 6.0};
  const Var is_near = ltValue(abs(t), Scalar(0.16));
  const Var x = where(is_near, t, filled_like(t, 0)) * M_PI, square = x * x;
  Var near = filled_like(t, 0);
  for (const double factor : series) near = near * square - factor;
  // In parts of turns, which are exact, also for large numbers.
  const Var half_turns = t - round(t * 0.5) * 2;
  const Var far = (cos(half_turns * M_PI) - r) / without_zeros(t);
  return where(is_near, near * x * M_PI, far);
}

Var i1_slope(const Var& t, const Var& r) {
  // Near 0, the derivatives of the difference cancel. Term k of the power series is
  // (2 k + 1) / (2 k! (k + 1)!) * (t / 2)^(2 k).
  constexpr int kTerms = 11;
  double series[kTerms], term = 0.5;
  for (int k = 0; k < kTerms; ++k) {
    if (k > 0) term /= 4.0 * k * (k + 1);
    series[k] = (2 * k + 1) * term;
  }
  const Var is_near = ltValue(abs(t), Scalar(1));
  const Var x = where(is_near, t, filled_like(t, 0)), square = x * x;
  Var near = filled_like(t, series[kTerms - 1]);
  for (int k = kTerms - 2; k >= 0; --k) near = near * square + series[k];
  const Var other = where(is_near, filled_like(t, 1), t);
  // Where i1 overflows, i0 does, and the slope.
  const Var far = i0(other) - except(r / other, isinf(r));
  return where(is_near, near, far);
}

Var copysign_slope(const Var& g, const Var& t, const Var& r) {
  return except(g * (r / without_zeros(t)), eqValue(t, Scalar(0)));
}

Var zeros_like(const Var& g) { return filled_like(g, 0); }

Var frexp_slope(const Var& g, const Var& exponent) {
  Var power{TensorRef(tensor_new_sized(g->dtype, exponent->nDimension, exponent->size))};
  ops::copy(power.get(), exponent.get());
  return ldexp(g, -power);
}

Var xlogy_slope(const Var& g, const Var& t, const Var& x) {
  const Var none = cmul(eqValue(t, Scalar(0)), leValue(x, Scalar(0)));
  return except(g * log(where(none, filled_like(t, 1), x)), none);
}

// ---- indices and masks

namespace {
Var zeros(const Var& like, Shape t) { return filled(*like, t.t->nDimension, t.t->size, 0); }
Var copied(const Var& t) { return Var(clone(t.get())); }
}  // namespace

Var put_at(const Var& g, Shape t, const Var& index, int64_t dim) {
  Var r = zeros(g, t);
  ops::scatterAdd(r.get(), dim, index.get(), g.get());
  return r;
}

Var add_at(const Var& g, Shape t, int64_t dim, const Var& index) {
  Var r = zeros(g, t);
  ops::indexAdd(r.get(), dim, index.get(), g.get());
  return r;
}

Var put_where(const Var& g, Shape t, const Var& mask) {
  // t and the mask broadcast.
  int ndim;
  int64_t size[kMaxDims];
  const Tensor& m = *mask;
  if (same_size(*t.t, m) ||
      !broadcast_sizes(t.t->nDimension, t.t->size, m.nDimension, m.size, &ndim, size)) {
    ndim = t.t->nDimension;
    std::copy(t.t->size, t.t->size + ndim, size);
  }
  Var r = filled(*g, ndim, size, 0);
  ops::maskedCopy(r.get(), mask.get(), g.get());
  return r;
}

Var zero_at(const Var& g, int64_t dim, const Var& index) {
  Var r = copied(g);
  ops::indexFill(r.get(), dim, index.get(), Scalar(0));
  return r;
}

Var scatter_zero(const Var& g, int64_t dim, const Var& index) {
  Var r = copied(g);
  ops::scatterFill(r.get(), dim, index.get(), Scalar(0));
  return r;
}

namespace {
// The first elements of t, in the shape of `like`.
Var corner(const Var& t, const Var& like) {
  Var r = Var::share(t.get());
  for (int d = 0; d < like->nDimension; ++d) r = narrow(r, int64_t{d}, int64_t{0}, like->size[d]);
  return r;
}
}  // namespace

Var within(const Var& g, Shape t) {
  if (same_size(*g, *t.t)) return g;
  Var r = zeros(g, t);
  ops::copy(corner(r, g).get(), g.get());
  return r;
}

Var scatter_prod_slope(const Var& g, Shape t, int64_t dim, const Var& index, const Var& src) {
  const Var factors = filled(*g, t.t->nDimension, t.t->size, 1);
  ops::scatterProd(factors.get(), dim, index.get(), src.get());
  return g * factors;
}
Var scatter_prod_slope(const Var& g, const Var& t, int64_t dim, const Var& index, const Var& src) {
  const Var own = corner(src, index);
  auto slope = [&](const Var& factors, const Var& at) {
    const Var products = copied(t);
    ops::scatterProd(products.get(), dim, index.get(), factors.get());
    return gather(g * products, dim, at);
  };
  trace_access("computes the derivative of a product, which depends on elements");
  if (ops::logicalall(own.get())) return within(slope(own, index) / own, shape(src));
  if (!is_recording()) {
    // Elements have a slope if no other factor of their product is 0.
    const Var zero = converted(eqValue(own, Scalar(0)), DType::Long);
    const Var count{th::filled(*t, DType::Long, t->nDimension, t->size, 0)};
    ops::scatterAdd(count.get(), dim, index.get(), zero.get());
    const Var factors = where(eqValue(own, Scalar(0)), filled_like(own, 1), own);
    const Var only_zero = eqTensor(gather(count, dim, index), zero);
    return within(only(slope(factors, index) / factors, only_zero), shape(src));
  }
  // The product of the others, for one element of each slice at a time.
  const int64_t d = wrap_dim(*t, dim);
  Var r = zeros(g, shape(index));
  for (int64_t i = 0; i < index->size[d]; ++i) {
    const Var others = copied(own);
    ops::fill(narrow(others, d, i, int64_t{1}).get(), Scalar(1));
    const Var one = slope(others, narrow(index, d, i, int64_t{1}));
    ops::copy(narrow(r, d, i, int64_t{1}).get(), one.get());
  }
  return within(r, shape(src));
}

namespace {
// 1 where the elements of t are those of r, which are extreme, and 0 elsewhere. NaN equals NaN.
Var equal_elements(const Var& t, const Var& r) {
  return where(neTensor(r, r), neTensorT(t, t), eqTensorT(t, r));
}

Var scatter_extreme_slope(const Var& g, const Var& t, int64_t dim, const Var& index, const Var& src,
                          bool by_src, void (*reduce)(Tensor*, int64_t, Tensor*, Tensor*)) {
  const Var own = corner(src, index), r = copied(t);
  reduce(r.get(), dim, index.get(), own.get());
  const Var from_t = equal_elements(t, r), from_src = equal_elements(own, gather(r, dim, index));
  const Var counts = copied(from_t);
  ops::scatterAdd(counts.get(), dim, index.get(), from_src.get());
  const Var share = g / counts;
  return by_src ? within(gather(share, dim, index) * from_src, shape(src)) : share * from_t;
}
}  // namespace

Var scatter_max_slope(const Var& g, const Var& t, int64_t dim, const Var& index, const Var& src,
                      bool by_src) {
  return scatter_extreme_slope(g, t, dim, index, src, by_src, &ops::scatterMax);
}
Var scatter_min_slope(const Var& g, const Var& t, int64_t dim, const Var& index, const Var& src,
                      bool by_src) {
  return scatter_extreme_slope(g, t, dim, index, src, by_src, &ops::scatterMin);
}

Var at_front(const Var& g, Shape t) {
  const int64_t n = t.t->numel();
  Var r = filled(*g, 1, &n, 0);
  if (g->numel()) ops::copy(narrow(r, int64_t{0}, int64_t{0}, g->numel()).get(), g.get());
  return reshaped(r, t.t->nDimension, t.t->size);
}

Var take(const Var& g, const Var& t) {
  const int64_t n = t->numel();
  return reshaped(indexSelect(g, int64_t{0}, reshaped(t, 1, &n)), t->nDimension, t->size);
}

Var unique_slope(const Var& g, const Var& counts, const Var& inverse) {
  const Var divisors = filled(*g, 1, counts->size, 0);
  ops::copy(divisors.get(), counts.get());
  return take(g / divisors, inverse);
}

Var unique_slope(const Var& g, const Var& t) {
  Var values{TensorRef(tensor_new(t->dtype))};
  Var inverse{TensorRef(tensor_new(DType::Long))}, counts{TensorRef(tensor_new(DType::Long))};
  ops::unique(values.get(), inverse.get(), counts.get(), t.get());
  return unique_slope(g, counts, inverse);
}

Var unique_slope(const Var& g, const Var& counts, const Var& inverse, int64_t dim) {
  const int d = wrap_dim(*g, dim);
  int64_t size[kMaxDims];
  std::fill(size, size + g->nDimension, 1);
  size[d] = g->size[d];
  const Var divisors = filled(*g, g->nDimension, size, 0);
  ops::copy(divisors.get(), counts.get());
  return indexSelect(g / divisors, int64_t{d}, inverse);
}

// ---- matrices

Var on_diagonal(const Var& g, Shape t) {
  Var r = zeros(g, t);
  const int64_t n = std::min(t.t->size[0], t.t->size[1]), step = t.t->size[1] + 1;
  const TensorRef line = strided_view(*r, r->storageOffset, 1, &n, &step);
  ops::copy(line.get(), expand(g, Sizes{1, &n}).get());
  return r;
}

Var transposed(const Var& t) { return transpose(t, int64_t{-1}, int64_t{-2}); }

// Row i of the gradient is the sum of w[i][j] * (a[i] - b[j]) for the weights w = g / r. The
// differences of some rows at a time are computed, as those of all may need much memory.
Var distance_slope(const Var& g, const Var& r, const Var& a, const Var& b) {
  constexpr int64_t kMostDifferences = 1 << 16;
  const int rows_dim = a->nDimension - 2, weights_dim = r->nDimension - 2;
  const int64_t rows = a->size[rows_dim], length = a->size[rows_dim + 1];
  const Var weights = only(g / without_zeros(r), neValue(r, 0));
  const Var others = unsqueeze1d(b, int64_t{b->nDimension - 2});
  const int64_t all = checked_mul(r->numel(), length, "the number of differences");
  const int64_t parts = std::max<int64_t>(1, std::min(all / kMostDifferences, rows));
  std::vector<Var> results;
  std::vector<Tensor*> list;
  for (int64_t k = 0; k < parts; ++k) {
    const int64_t first = k * rows / parts, count = (k + 1) * rows / parts - first;
    const Var own = narrow(a, int64_t{rows_dim}, first, count);
    const Var differences = unsqueeze1d(own, int64_t{rows_dim + 1}) - others;
    const Var factors =
        unsqueeze1d(narrow(weights, int64_t{weights_dim}, first, count), int64_t{weights_dim + 1});
    results.push_back(squeeze1d(matmul(factors, differences), int64_t{weights_dim + 1}));
    list.push_back(results.back().get());
  }
  if (parts == 1) return results[0];
  Var whole{TensorRef(tensor_new(r->dtype))};
  ops::catArray(whole.get(), TensorList(list.data(), static_cast<int>(parts)), weights_dim);
  return whole;
}

Var repeated(const Var& g, Shape batch) {
  const int64_t size[] = {batch.t->size[0], g->size[0], g->size[1]};
  return expand(g, Sizes{3, size});
}

// ---- reductions

Var reduced(const Var& x, Shape t, const Sizes& dims) {
  if (!x) return x;
  int64_t size[kMaxDims];
  std::copy(t.t->size, t.t->size + t.t->nDimension, size);
  for (int k = 0; k < dims.ndim; ++k) size[wrap_dim(*t.t, dims.size[k])] = 1;
  return reshaped(x, t.t->nDimension, size);
}
Var reduced(const Var& x, Shape t, int64_t dim) { return reduced(x, t, Sizes{1, &dim}); }

namespace {

// The dimensions of t that a reduction to r reduced, and perhaps others of size 1.
Sizes reduced_dims(const Tensor& t, const Tensor& r, int64_t* dims) {
  int count = 0;
  for (int d = 0; d < t.nDimension; ++d) {
    if (r.numel() == 1 || r.size[d] == 1) dims[count++] = d;
  }
  return {count, dims};
}

}  // namespace

Var prod_slope(const Var& g, const Var& t, const Var& r) {
  // The reduced dimensions last, as one dimension.
  int64_t dims[kMaxDims], order[kMaxDims], back[kMaxDims], size[kMaxDims];
  const Sizes over = reduced_dims(*t, *r, dims);
  int kept = 0, moved = 0;
  int64_t n = 1;
  for (int d = 0; d < t->nDimension; ++d) {
    if (moved < over.ndim && over.size[moved] == d) {
      ++moved;
      n *= t->size[d];
    } else {
      size[kept] = t->size[d];
      order[kept++] = d;
    }
  }
  std::copy(dims, dims + over.ndim, order + kept);
  for (int d = 0; d < t->nDimension; ++d) back[order[d]] = d;
  const Var permuted = permute(t, Sizes{t->nDimension, order});
  size[kept] = n;
  // Partial products overflow and underflow where the product of all elements does not.
  const Var rows = converted(reshaped(permuted, kept + 1, size), DType::Double);
  // The products of the elements before and after each one.
  const int64_t last = kept;
  Var before = filled(*rows, kept + 1, size, 1), after = filled(*rows, kept + 1, size, 1);
  if (n > 1) {
    const Var backwards = flip(rows, Sizes{1, &last});
    auto shift = [&](const Var& to, const Var& from) {
      const Var products = cumprod(narrow(from, last, int64_t{0}, n - 1), last);
      ops::copy(narrow(to, last, int64_t{1}, n - 1).get(), products.get());
    };
    shift(before, rows);
    shift(after, backwards);
    after = flip(after, Sizes{1, &last});
  }
  const Var others = reshaped(before * after, permuted->nDimension, permuted->size);
  return g * converted(permute(others, Sizes{t->nDimension, back}), t->dtype);
}

namespace {

Var mean_over(const Var& t, const Tensor& r) {
  int64_t dims[kMaxDims];
  return meanDims(t, reduced_dims(*t, r, dims), true);
}

}  // namespace

Var var_slope(const Var& g, const Var& t, const Var& r, bool biased) {
  const double n = count(*r, *t);
  return g * (t - mean_over(t, *r)) * (2 / (biased ? n : n - 1));
}

Var std_slope(const Var& g, const Var& t, const Var& r, bool biased) {
  const double n = count(*r, *t);
  const Var slope = g * (t - mean_over(t, *r)) / without_zeros(r) * (1 / (biased ? n : n - 1));
  return except(slope, eqValue(r, Scalar(0)));
}

Var norm_slope(const Var& g, const Var& t, const Var& r, const Scalar& p) {
  const double power = p.to_double();
  if (power == 0) return filled_like(t, 0);
  if (power == 1) return g * sign(t);
  if (std::isinf(power)) return extreme_slope(g, abs(t), r) * sign(t);
  const Var zero = eqValue(r, Scalar(0));
  if (power == 2) return except(g * t / without_zeros(r), zero);
  // Powers of 0 and of 1 / r may be infinite.
  const Var share = where(eqValue(t, Scalar(0)), one_like(t), abs(t) / without_zeros(r));
  return except(g * sign(t) * pow(share, Scalar(power - 1)), zero);
}

Var nansum_slope(const Var& g, const Var& t, const Var&) {
  return only(expand(g, Sizes{t->nDimension, t->size}), eqTensor(t, t));
}

Var nanmean_slope(const Var& g, const Var& t, const Var& r) {
  int64_t dims[kMaxDims];
  const Var is_number = eqTensorT(t, t);
  const Var count = sumDims(is_number, reduced_dims(*t, *r, dims), true);
  return only(expand(g / count, Sizes{t->nDimension, t->size}), eqTensor(t, t));
}

Var extreme_slope(const Var& g, const Var& t, const Var& r) {
  int64_t dims[kMaxDims];
  const Var extreme = expand(r, Sizes{t->nDimension, t->size});
  const Var is_extreme = equal_elements(t, extreme);
  return g * is_extreme / sumDims(is_extreme, reduced_dims(*t, *r, dims), true);
}

}  // namespace functions
}  // namespace th::grad
