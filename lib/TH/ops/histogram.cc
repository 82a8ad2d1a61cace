// Histograms. The CPU has a kernel for them. On devices scatterAdd adds 1 to the bin of each
// element.

#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/formula_operations.h"
#include "ops/operands.h"
#include "tensor/checked.h"

namespace th {

namespace {

// Counts the elements of x, which is not empty, by the kernel of the CPU. call: its rows and bins,
// without the arrays. edges: of the type of x, or null. counts: a contiguous LongTensor with one
// element for each bin of each row.
void count_on_cpu(Op op, HistogramCall call, Tensor* counts, Tensor* x, Tensor* edges) {
  const TensorRef elements = contiguous(x), limits = contiguous_or_null(edges);
  run(op, nullptr, [&](Operands& at) {
    call.dtype = x->dtype;
    call.n = x->numel() / call.rows;
    call.bins = counts->numel() / call.rows;
    call.x = at.read(elements.get()).data;
    call.edges = read_or_null(at, limits);
    call.counts = reinterpret_cast<int64_t*>(at.overwrite(counts));
    return call;
  });
}

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

// Not inlined: GCC 12 makes a vector of two such roundings, and removes it.
__attribute__((noinline)) double rounded_to_float(double x) { return static_cast<float>(x); }

// Rounds the ends of the bins to the type of x. Returns x, or its numbers as doubles if floats
// cannot represent an end or the width of the range.
TensorRef in_type_of_bins(TensorRef x, Bins* bins) {
  constexpr double kLargest = std::numeric_limits<float>::max();
  if (x->dtype != DType::Float) return x;
  if (std::max(std::fabs(bins->first), std::fabs(bins->last)) <= kLargest) {
    bins->first = rounded_to_float(bins->first);
    bins->last = rounded_to_float(bins->last);
    if (bins->first == bins->last) fail(kInvalidRange, bins->first, bins->last);
    if (bins->last - bins->first <= kLargest) return x;
  }
  return in_type(x.get(), DType::Double);
}

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
    s.fail(a.nbins, "at least one bin is expected, got %lld", as_long(a.nbins));
  }
  // One more bin is allocated.
  if (a.nbins == INT64_MAX) {
    s.fail(a.nbins, "%lld bins are too many", as_long(a.nbins));
  }
  const Bins bins = {a.nbins, a.minvalue.to_double(), a.maxvalue.to_double()};
  if (bins.first != bins.last && !is_valid_range(bins)) {
    s.fail(a.minvalue, kInvalidRange, bins.first, bins.last);
  }
}

// Both return a LongTensor with the counts of the elements of each row of x, a matrix or a vector.
// size: that of the result.
TensorRef scattered_counts(const TensorRef& x, const Bins& bins, const int64_t* size) {
  const int dim = x->nDimension - 1;
  int64_t with_outside[] = {size[0], size[dim]};
  ++with_outside[dim];
  TensorRef counts = filled(*x, DType::Long, x->nDimension, with_outside, 0);
  TensorRef ones = filled_like(x, DType::Long, 1);
  ops::scatterAdd(counts.get(), dim, bin_numbers(x, bins).get(), ones.get());
  return narrowed(counts, dim, 0, bins.count);
}

TensorRef counts_of_kernel(const TensorRef& x, const Bins& bins, const int64_t* size) {
  TensorRef counts(tensor_new_sized(DType::Long, x->nDimension, size));
  HistogramCall call;
  call.low = bins.first;
  call.high = bins.last;
  if (x->nDimension == 2) call.rows = x->size[0];
  count_on_cpu(x->nDimension == 2 ? Op::bhistc : Op::histc, call, counts.get(), x.get(), nullptr);
  return counts;
}

// Counts the elements of each row of x, a matrix or a vector. The last dimension of the result
// belongs to the bins. The range may depend on the elements, so shapes() calls this: an error
// leaves the memory of a.hist where it is.
template <class A>
TensorRef counts_of(A& a, TensorRef x) {
  Bins bins = {a.nbins, a.minvalue.to_double(), a.maxvalue.to_double()};
  complete(&bins, x);
  if (!is_valid_range(bins)) fail(kInvalidRange, bins.first, bins.last);
  const int dim = x->nDimension - 1;
  int64_t size[] = {x->size[0], 0};
  size[dim] = bins.count;
  if (x->numel() == 0) return filled(*x, a.hist->dtype, x->nDimension, size, 0);
  x = in_type_of_bins(std::move(x), &bins);
  const auto count = device_of({x.get()}) ? scattered_counts : counts_of_kernel;
  return in_type(count(x, bins, size).get(), a.hist->dtype);
}

}  // namespace

void shapes(args::histc& a, Shapes& s) {
  check_bins(a, s);
  s.set_value(a.hist, counts_of(a, to_be_binned(flattened(a.tensor).get(), a.nbins)));
}

void calls(args::histc&) {}

void shapes(args::bhistc& a, Shapes& s) {
  const Tensor& t = *a.tensor;
  if (t.nDimension != 1 && t.nDimension != 2) {
    s.fail(a.tensor, "a vector or a matrix is expected, got size %s", shape_text(t).c_str());
  }
  check_bins(a, s);
  TensorRef x = to_be_binned(a.tensor, a.nbins);
  s.set_value(a.hist, counts_of(a, x->nDimension == 1 ? unsqueezed(x, 0) : std::move(x)));
}

void calls(args::bhistc&) {}

namespace {

// Checks the values and requests a result with one element for each.
template <class A>
void shapes_of_counts(A& a, Shapes& s) {
  if (a.minlength < 0) {
    s.fail(a.minlength, "minlength is negative: %lld", as_long(a.minlength));
  }
  int64_t count = a.minlength;
  if (a.t->numel() > 0) {
    const int64_t lowest = ops::minall(a.t).i;
    if (lowest < TH_INDEX_BASE) {
      s.fail(a.t, "a value is less than %d: %lld", TH_INDEX_BASE, as_long(lowest));
    }
    count = std::max(count, ops::maxall(a.t).i - TH_INDEX_BASE + 1);
  }
  s.set(a.r_, 1, &count, Layout::contiguous);
}

// The type in which weights are added: sums of floating-point numbers are doubles.
DType sum_type(DType type) { return is_integral(type) ? compute_type(type) : DType::Double; }

// Adds the weights to the elements of r at the positions of t.
void add_weights(Tensor* r, Tensor* t, Tensor* weights) {
  place_result(device_of({t}), r);
  ops::fill(r, 0);
  if (t->numel() == 0) return;
  const DType type = sum_type(r->dtype);
  TensorRef sums = in_type(r, type), added = in_type(flattened(weights).get(), type);
  ops::scatterAdd(sums.get(), 0, flattened(t).get(), added.get());
  if (type != r->dtype) ops::copy(r, sums.get());
}

}  // namespace

void shapes(args::bincount& a, Shapes& s) { shapes_of_counts(a, s); }

void calls(args::bincount& a) {
  if (a.t->numel() > 0 && !device_of({a.r_, a.t})) {
    HistogramCall call;
    call.first = TH_INDEX_BASE;
    return count_on_cpu(Op::bincount, call, a.r_, a.t, nullptr);
  }
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

// ---- histograms with edges ----------------------------------------------------------------------

namespace {

using namespace formulas;

void check_edges(const Shapes& s, const Tensor& edges, const void* field, Tensor* t) {
  const int number = s.number_of(field);
  if (edges.nDimension != 1 || edges.size[0] < 2) {
    fail_argument(number, "a vector of at least two edges is expected, got size %s",
                  shape_text(edges).c_str());
  }
  const Var steps = diff(ref(t), int64_t{1}, int64_t{0});
  if (!(ops::minall(steps.get()).to_double() >= 0)) {
    fail_argument(number, "the edges are not in ascending order");
  }
}

// The bin of each element of a vector, from 0 on: the last one includes its upper edge. Elements
// outside, and NaN, get the number of bins.
Var bins_by_edges(const Var& x, const Var& edges) {
  const int64_t bins = edges->size[0] - 1;
  const Var upper = part(edges, 0, bins, 1);
  const Var passed = searchsorted(edges, x, true) - static_cast<double>(TH_INDEX_BASE);
  const Var bin = where(eqTensor(x, upper), filled(passed, bins - 1), passed - 1);
  const Var outside = logicalOr(ltValue(bin, Scalar(0)), ltTensor(upper, x));
  return where(logicalOr(outside, isnan(x)), filled(bin, bins), bin);
}

// Adds the weights, or 1 each, to the bins. The last bin is that of elements outside.
Var sums_of_bins(const Var& bin, int64_t bins, const Var& weights) {
  const int64_t all = bins + 1;
  const DType type = sum_type(weights->dtype);
  Var sums = filled(weights, type, 1, &all, 0);
  if (bin->numel() > 0) {
    ops::scatterAdd(sums.get(), 0, add(bin, Scalar(TH_INDEX_BASE)).get(), as(weights, type).get());
  }
  return as(part(sums, 0, 0, bins), weights->dtype);
}

// Divides the counts by their sum and by the sizes of the bins.
Var density_of(const Var& counts, const Var& sizes) {
  return counts / (sizes * sum(flat(counts), int64_t{0}, true));
}

Var counts_of_bins(const Var& bin, int64_t bins, DType type) {
  return as(sums_of_bins(bin, bins, filled(bin, 1)), type);
}

// Counts the elements of t, in its type.
Var counts_by_edges(Tensor* t, Tensor* edges) {
  const int64_t bins = edges->size[0] - 1;
  if (t->numel() == 0 || device_of({t, edges})) {
    return counts_of_bins(bins_by_edges(flat(ref(t)), ref(edges)), bins, t->dtype);
  }
  const Var counts(TensorRef(tensor_new_sized(DType::Long, 1, &bins)));
  count_on_cpu(Op::histogram, {}, counts.get(), t, edges);
  return as(counts, t->dtype);
}

// Divides along each dimension by the widths of its bins.
Var volumes_of(const TensorList& edges) {
  Var volumes;
  for (int k = 0; k < edges.count; ++k) {
    const Var widths = diff(ref(edges.tensors[k]), int64_t{1}, int64_t{0});
    volumes = volumes ? outer(volumes, widths) : widths;
    volumes = flat(volumes);
  }
  return volumes;
}

}  // namespace

void shapes(args::histogram& a, Shapes& s) {
  if (a.bins < 1 || a.bins > (int64_t{1} << 40)) {
    s.fail(a.bins, "the number of bins is %lld", as_long(a.bins));
  }
  double low = a.low.to_double(), high = a.high.to_double();
  if (low == high && a.t->numel() > 0) {
    low = ops::minall(a.t).to_double();
    high = ops::maxall(a.t).to_double();
  }
  if (low == high) {
    low -= 0.5;
    high += 0.5;
  }
  if (!(low < high) || !std::isfinite(high - low)) s.fail(a.low, kInvalidRange, low, high);
  const int64_t count = a.bins + 1;
  TensorRef edges(tensor_new_sized(a.t->dtype, 1, &count)), counts = empty(a.t->dtype);
  place_result(device_of({a.t}), edges.get());
  ops::linspace(edges.get(), low, high, a.bins + 1);
  ops::fill(narrowed(edges, 0, a.bins, 1).get(), high);
  ops::histogramEdges(counts.get(), a.t, edges.get(), a.density);
  s.set_value(a.hist, std::move(counts));
  s.set_value(a.edges, std::move(edges));
}
void calls(args::histogram&) {}

void shapes(args::histogramEdges& a, Shapes& s) {
  check_edges(s, *a.edges, &a.edges, a.edges);
  const Var counts = counts_by_edges(a.t, a.edges);
  give(s, a.hist,
       a.density ? density_of(counts, diff(ref(a.edges), int64_t{1}, int64_t{0})) : counts);
}
void calls(args::histogramEdges&) {}

void shapes(args::histogramWeights& a, Shapes& s) {
  check_edges(s, *a.edges, &a.edges, a.edges);
  if (a.weights->numel() != a.t->numel()) {
    s.fail(a.weights, "the numbers of values and weights differ: sizes %s and %s",
           shape_text(*a.t).c_str(), shape_text(*a.weights).c_str());
  }
  const Var edges = ref(a.edges);
  const Var bin = bins_by_edges(flat(ref(a.t)), edges);
  const Var sums = sums_of_bins(bin, edges->size[0] - 1, flat(ref(a.weights)));
  give(s, a.hist,
       a.density ? density_of(sums, diff(edges, int64_t{1}, int64_t{0})) : Var(clone(sums.get())));
}
void calls(args::histogramWeights&) {}

void shapes(args::histogramdd& a, Shapes& s) {
  const Tensor& t = *a.t;
  const int dims = a.edges.count;
  if (t.nDimension != 2 || t.size[1] != dims || dims < 1 || dims > kMaxDims) {
    s.fail(a.t, "a matrix with a column for each of %d vectors of edges is expected, got size %s",
           dims, shape_text(t).c_str());
  }
  int64_t size[kMaxDims], bins = 1;
  Var bin;
  for (int k = 0; k < dims; ++k) {
    Tensor* edges = a.edges.tensors[k];
    check_edges(s, *edges, &a.edges, edges);
    size[k] = edges->size[0] - 1;
    const int64_t before = bins;
    bins = checked_mul(bins, size[k], "the number of bins");
    const Var own = bins_by_edges(flat(select(ref(a.t), int64_t{1}, int64_t{k})), ref(edges));
    if (!bin) {
      bin = own;
      continue;
    }
    // Samples outside of one dimension are outside.
    const Var outside = logicalOr(eqValue(bin, Scalar(before)), eqValue(own, Scalar(size[k])));
    bin = where(outside, filled(bin, bins), bin * static_cast<double>(size[k]) + own);
  }
  const Var counts = counts_of_bins(bin, bins, t.dtype);
  const Var r = a.density ? density_of(counts, volumes_of(a.edges)) : counts;
  give(s, a.hist, with_shape(r, dims, size));
}
void calls(args::histogramdd&) {}

}  // namespace th
