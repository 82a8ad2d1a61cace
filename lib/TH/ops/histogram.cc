// Histograms: scatterAdd adds 1 to the bin of each element.

#include <cmath>

#include "THGeneral.h"
#include "base/error.h"
#include "ops/direct.h"
#include "ops/compose.h"
#include "tensor/convert.h"

namespace th {

namespace {

// Bins of equal width from first to last. If these are equal, the range of x is used.
struct Bins {
  int64_t count;
  double first, last;
};

Bins bins_of(const char* name, const TensorRef& x, int64_t count, Scalar min, Scalar max) {
  if (count < 1) {
    fail_argument(3, "%s: at least one bin is needed, got %lld", name,
                  static_cast<long long>(count));
  }
  Bins bins = {count, min.to_double(), max.to_double()};
  if (bins.first == bins.last && x->numel() > 0) {
    bins.first = ops::minall(x.get()).to_double();
    bins.last = ops::maxall(x.get()).to_double();
  }
  if (bins.first == bins.last) {
    bins.first -= 1;
    bins.last += 1;
  }
  if (!(bins.first < bins.last) || !std::isfinite(bins.last - bins.first)) {
    fail_argument(4, "%s: from %g to %g is no range", name, bins.first, bins.last);
  }
  return bins;
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

// counts has one more bin than r.
void deliver_counts(Tensor* r, const TensorRef& counts, int64_t bins) {
  deliver(r, narrowed(counts, counts->nDimension - 1, 0, bins).get());
}

void check_counts(const char* name, const Tensor& r, const Tensor& t) {
  check_result(name, 1, r, t.dtype);
  check_floating(name, 2, t);
}

}  // namespace

namespace direct {

void histc(Tensor* r, Tensor* t, int64_t nbins, Scalar min, Scalar max) {
  check_counts("histc", *r, *t);
  TensorRef flat = flattened(t), x = to_be_binned(flat.get(), nbins);
  Bins bins = bins_of("histc", x, nbins, min, max);
  int64_t size = nbins + 1;
  TensorRef counts = filled(*x, DType::Long, 1, &size, 0);
  if (x->numel() > 0) {
    TensorRef ones = filled_like(x, DType::Long, 1);
    scatterAdd(counts.get(), 0, bin_numbers(x, bins).get(), ones.get());
  }
  deliver_counts(r, counts, nbins);
}

void bhistc(Tensor* r, Tensor* t, int64_t nbins, Scalar min, Scalar max) {
  check_counts("bhistc", *r, *t);
  if (t->nDimension != 1 && t->nDimension != 2) {
    fail_argument(2, "bhistc: a vector or a matrix is expected, got size %s",
                  shape_text(*t).c_str());
  }
  TensorRef x = to_be_binned(t, nbins);
  if (x->nDimension == 1) x = unsqueezed(x, 0);
  Bins bins = bins_of("bhistc", x, nbins, min, max);
  if (nbins == INT64_MAX) fail("bhistc: %lld bins are too many", static_cast<long long>(nbins));
  int64_t size[] = {x->size[0], nbins + 1};
  TensorRef counts = filled(*x, DType::Long, 2, size, 0);
  if (x->numel() > 0) {
    TensorRef ones = filled_like(x, DType::Long, 1);
    scatterAdd(counts.get(), 1, bin_numbers(x, bins).get(), ones.get());
  }
  deliver_counts(r, counts, nbins);
}

void bincount(Tensor* r, Tensor* t, int64_t least) {
  check_result("bincount", 1, *r, DType::Long);
  TensorRef ones;
  if (t->numel() > 0) ones = filled(*t, DType::Long, t->nDimension, t->size, 1);
  TensorRef none = empty(DType::Long);
  TensorRef values = in_type(t, DType::Long);
  bincountWeights(r, values.get(), ones ? ones.get() : none.get(), least);
}

void bincountWeights(Tensor* r, Tensor* t, Tensor* weights, int64_t least) {
  check_result("bincount", 1, *r, weights->dtype);
  check_index_type("bincount", *t, 2);
  int64_t n = t->numel();
  if (n != weights->numel()) {
    fail_argument(3, "bincount: values of size %s and weights of size %s", shape_text(*t).c_str(),
                  shape_text(*weights).c_str());
  }
  if (least < 0) {
    fail_argument(4, "bincount: the least number of counts is negative, %lld",
                  static_cast<long long>(least));
  }
  if (n > 0) {
    int64_t lowest = minall(t).i;
    if (lowest < TH_INDEX_BASE) {
      fail_argument(2, "bincount: values count from %d, got %lld", TH_INDEX_BASE,
                    static_cast<long long>(lowest));
    }
    least = std::max(least, maxall(t).i - TH_INDEX_BASE + 1);
  }
  TensorRef counts = filled(*t, weights->dtype, 1, &least, 0);
  if (n > 0) scatterAdd(counts.get(), 0, flattened(t).get(), flattened(weights).get());
  deliver(r, counts.get());
}

}  // namespace direct
}  // namespace th
