// Histograms: scatterAdd adds 1 to the bin of each element.

#include <algorithm>
#include <cmath>

#include "THGeneral.h"
#include "base/error.h"
#include "ops/compose.h"

namespace th {

namespace {

// Bins of equal width from first to last.
struct Bins {
  int64_t count;
  double first, last;
};

// Sets a range to that of x if its ends are equal, and widens it by 1 at each end if they still
// are.
void complete(Bins* bins, const TensorRef& x) {
  if (bins->first == bins->last && x->numel() > 0) {
    bins->first = ops::minall(x.get()).to_double();
    bins->last = ops::maxall(x.get()).to_double();
  }
  if (bins->first == bins->last) {
    bins->first -= 1;
    bins->last += 1;
  }
}

bool is_valid_range(const Bins& bins) {
  return bins.first < bins.last && std::isfinite(bins.last - bins.first);
}

constexpr const char* kInvalidRange =
    "the range from %g to %g is invalid: its ends must be finite and ascending";

// Returns the bin of each element. Elements outside of the range get an extra bin after the last.
TensorRef bin_numbers(const TensorRef& x, const Bins& bins) {
  auto count = static_cast<double>(bins.count);
  // Rounded after each step, like Torch7.
  TensorRef at = made(x->dtype, [&](Tensor* r) { ops::sub(r, x.get(), bins.first); });
  Scalar width = x->dtype == DType::Float
                     ? Scalar(static_cast<float>(bins.last) - static_cast<float>(bins.first))
                     : Scalar(bins.last - bins.first);
  ops::div(at.get(), at.get(), width);
  ops::mul(at.get(), at.get(), count);
  ops::floor(at.get(), at.get());
  ops::cminValue(at.get(), at.get(), count - 1);
  auto outside = [&](auto compare, double limit) {
    TensorRef inside = made(DType::Byte, [&](Tensor* r) { compare(r, x.get(), limit); });
    TensorRef mask = made(DType::Byte, [&](Tensor* r) { ops::eqValue(r, inside.get(), 0); });
    ops::maskedFill(at.get(), mask.get(), count);
  };
  outside(ops::geValue, bins.first);
  outside(ops::leValue, bins.last);
  ops::add(at.get(), at.get(), TH_INDEX_BASE);
  return in_type(at.get(), DType::Long);
}

// Float is exact for bin numbers below 2^22; for more bins use Double.
TensorRef to_be_binned(Tensor* t, int64_t bins) {
  return in_type(t, bins < int64_t{1} << 22 ? compute_type(t->dtype) : DType::Double);
}

template <class A>
void check_bins(A& a, const Shapes& s) {
  if (a.nbins < 1) {
    s.fail(a.nbins, "at least one bin is expected, got %lld", static_cast<long long>(a.nbins));
  }
  // One more bin is allocated.
  if (a.nbins == INT64_MAX) {
    s.fail(a.nbins, "%lld bins are too many", static_cast<long long>(a.nbins));
  }
  const Bins bins = {a.nbins, a.minvalue.to_double(), a.maxvalue.to_double()};
  if (bins.first != bins.last && !is_valid_range(bins)) {
    s.fail(a.minvalue, kInvalidRange, bins.first, bins.last);
  }
}

// Counts the elements of each row of x, a matrix or a vector. The last dimension of a.hist belongs
// to the bins.
template <class A>
void count_bins(A& a, const TensorRef& x) {
  Bins bins = {a.nbins, a.minvalue.to_double(), a.maxvalue.to_double()};
  complete(&bins, x);
  if (!is_valid_range(bins)) fail(kInvalidRange, bins.first, bins.last);
  const int dim = x->nDimension - 1;
  int64_t size[] = {x->size[0], 0};
  size[dim] = bins.count + 1;
  TensorRef counts = filled(*x, DType::Long, x->nDimension, size, 0);
  if (x->numel() > 0) {
    TensorRef ones = filled_like(x, DType::Long, 1);
    ops::scatterAdd(counts.get(), dim, bin_numbers(x, bins).get(), ones.get());
  }
  ops::copy(a.hist, narrowed(counts, dim, 0, bins.count).get());
}

}  // namespace

void shapes(args::histc& a, Shapes& s) {
  check_bins(a, s);
  s.set(a.hist, 1, &a.nbins);
}

void calls(args::histc& a) { count_bins(a, to_be_binned(flattened(a.tensor).get(), a.nbins)); }

void shapes(args::bhistc& a, Shapes& s) {
  const Tensor& t = *a.tensor;
  if (t.nDimension != 1 && t.nDimension != 2) {
    s.fail(a.tensor, "a vector or a matrix is expected, got size %s", shape_text(t).c_str());
  }
  check_bins(a, s);
  int64_t size[] = {t.nDimension == 1 ? 1 : t.size[0], a.nbins};
  s.set(a.hist, 2, size);
}

void calls(args::bhistc& a) {
  TensorRef x = to_be_binned(a.tensor, a.nbins);
  count_bins(a, x->nDimension == 1 ? unsqueezed(x, 0) : std::move(x));
}

namespace {

// Checks the values and requests a result with one element for each.
template <class A>
void shapes_of_counts(A& a, Shapes& s) {
  if (a.minlength < 0) {
    s.fail(a.minlength, "minlength is negative: %lld", static_cast<long long>(a.minlength));
  }
  int64_t count = a.minlength;
  if (a.t->numel() > 0) {
    const int64_t lowest = ops::minall(a.t).i;
    if (lowest < TH_INDEX_BASE) {
      s.fail(a.t, "a value is less than %d: %lld", TH_INDEX_BASE, static_cast<long long>(lowest));
    }
    count = std::max(count, ops::maxall(a.t).i - TH_INDEX_BASE + 1);
  }
  s.set(a.r_, 1, &count, Layout::contiguous);
}

// Adds the weights to the elements of r at the positions of t.
void add_weights(Tensor* r, Tensor* t, Tensor* weights) {
  place_result(device_of({t}), r);
  ops::fill(r, 0);
  if (t->numel() > 0) ops::scatterAdd(r, 0, flattened(t).get(), flattened(weights).get());
}

}  // namespace

void shapes(args::bincount& a, Shapes& s) { shapes_of_counts(a, s); }

void calls(args::bincount& a) {
  TensorRef values = in_type(a.t, DType::Long), ones = empty(DType::Long);
  if (values->numel() > 0) ones = filled_like(values, DType::Long, 1);
  add_weights(a.r_, values.get(), ones.get());
}

void shapes(args::bincountWeights& a, Shapes& s) {
  if (a.t->numel() != a.weights->numel()) {
    s.fail(a.weights, "the numbers of values and weights differ: sizes %s and %s",
           shape_text(*a.t).c_str(), shape_text(*a.weights).c_str());
  }
  shapes_of_counts(a, s);
}

void calls(args::bincountWeights& a) { add_weights(a.r_, a.t, a.weights); }

}  // namespace th
