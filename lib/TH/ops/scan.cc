// Cumulative sums, products, maxima and minima.

#include <algorithm>

#include "THGeneral.h"
#include "base/error.h"
#include "ops/compose.h"
#include "ops/operands.h"

namespace th {

namespace {

// The result may be t itself.
template <class A>
void shapes_of_scan(A& a, Shapes& s) {
  a.dimension = s.dim(a.dimension, *a.t);
  s.set(a.r_, *a.t, Layout::in_place);
}

template <class A>
void scan(A& a, bool product) {
  if (a.t->numel() == 0) return;
  // The result of a Wide parameter may have another type.
  TensorRef t = in_type(a.t, a.r_->dtype);
  run(a.op, device_of({a.r_, t.get()}), [&](Operands& at) {
    auto item = static_cast<int64_t>(item_size(t->dtype));
    const auto d = static_cast<int>(a.dimension);
    Placed in = at.read(t.get());
    ScanCall call;
    call.dtype = t->dtype;
    call.product = product;
    call.n = t->size[d];
    call.out_step = a.r_->stride[d] * item;
    call.in_step = in.tensor->stride[d] * item;
    call.plan.start(t->nDimension, t->size, d);
    call.plan.add(at.overwrite(a.r_), item, a.r_->stride);
    call.plan.add(in.data, item, in.tensor->stride);
    call.plan.plan();
    return call;
  });
}

template <class A>
void shapes_with_initial(A& a, Shapes& s) {
  a.dimension = s.dim(a.dimension, *a.t);
  int64_t size[kMaxDims];
  std::copy_n(a.t->size, a.t->nDimension, size);
  size[a.dimension] += a.initial ? 1 : 0;
  s.set(a.r_, a.t->nDimension, size);
}

// Writes the initial value, if there is one, and returns the rest of the result.
template <class A>
TensorRef after_initial(const A& a, Scalar value) {
  place_result(device_of({a.t}), a.r_);
  TensorRef r = shared(a.r_);
  if (!a.initial) return r;
  ops::fill(narrowed(r, a.dimension, 0, 1).get(), value);
  return narrowed(r, a.dimension, 1, a.r_->size[a.dimension] - 1);
}

template <class A>
void shapes_of_extremes(A& a, Shapes& s) {
  a.dimension = s.dim(a.dimension, *a.t);
  s.set(a.values_, *a.t, Layout::contiguous);
  s.set(a.indices_, *a.t, Layout::contiguous);
}

template <class A>
void scan_extremes(A& a, bool largest) {
  if (a.t->numel() == 0) return;
  run(a.op, device_of({a.values_, a.indices_, a.t}), [&](Operands& at) {
    auto item = static_cast<int64_t>(item_size(a.t->dtype));
    constexpr auto index_item = static_cast<int64_t>(sizeof(int64_t));
    const auto d = static_cast<int>(a.dimension);
    Placed in = at.read(a.t);
    ScanExtremesCall call;
    call.dtype = a.t->dtype;
    call.largest = largest;
    call.n = a.t->size[d];
    call.value_step = a.values_->stride[d] * item;
    call.index_step = a.indices_->stride[d] * index_item;
    call.in_step = in.tensor->stride[d] * item;
    call.index_base = TH_INDEX_BASE;
    call.plan.start(a.t->nDimension, a.t->size, d);
    call.plan.add(at.overwrite(a.values_), item, a.values_->stride);
    call.plan.add(at.overwrite(a.indices_), index_item, a.indices_->stride);
    call.plan.add(in.data, item, in.tensor->stride);
    call.plan.plan();
    return call;
  });
}

}  // namespace

void shapes(args::cumsum& a, Shapes& s) { shapes_of_scan(a, s); }
void calls(args::cumsum& a) { scan(a, false); }
void shapes(args::cumprod& a, Shapes& s) { shapes_of_scan(a, s); }
void calls(args::cumprod& a) { scan(a, true); }

void shapes(args::cumsumInitial& a, Shapes& s) { shapes_with_initial(a, s); }
void calls(args::cumsumInitial& a) { ops::cumsum(after_initial(a, 0).get(), a.t, a.dimension); }
void shapes(args::cumprodInitial& a, Shapes& s) { shapes_with_initial(a, s); }
void calls(args::cumprodInitial& a) { ops::cumprod(after_initial(a, 1).get(), a.t, a.dimension); }

void shapes(args::cummax& a, Shapes& s) { shapes_of_extremes(a, s); }
void calls(args::cummax& a) { scan_extremes(a, true); }
void shapes(args::cummin& a, Shapes& s) { shapes_of_extremes(a, s); }
void calls(args::cummin& a) { scan_extremes(a, false); }

}  // namespace th
