// Search in sorted rows.

#include <algorithm>

#include "THGeneral.h"
#include "base/error.h"
#include "ops/operands.h"
#include "ops/ops.h"

namespace th {

namespace {

constexpr auto kIndexItem = static_cast<int64_t>(sizeof(int64_t));

// Returns true if there is one sorted row for all values, or one for each row of values.
bool has_rows_for(const Tensor& sorted, const Tensor& values) {
  int last = sorted.nDimension - 1;
  return last == 0 || (last > 0 && values.nDimension == last + 1 &&
                       std::equal(sorted.size, sorted.size + last, values.size));
}

template <class Arguments>
void set_as_operand(Arguments& a, Shapes& s) {
  a.dimension = s.dim(a.dimension, *a.t);
  s.set(a.values_, *a.t, distinct_elements(*a.values_));
  s.set(a.indices_, *a.t, distinct_elements(*a.indices_));
}

template <class Arguments>
void scan_extremes(Arguments& a, bool largest) {
  Tensor *values = a.values_, *indices = a.indices_, *t = a.t;
  const int d = static_cast<int>(a.dimension);
  if (t->numel() == 0) return;
  run(Arguments::op, device_of({values, indices, t}), [&](Operands& at) {
    auto item = static_cast<int64_t>(item_size(t->dtype));
    Placed in = at.read(t);
    ScanExtremesCall call;
    call.dtype = t->dtype;
    call.largest = largest;
    call.n = t->size[d];
    call.value_step = values->stride[d] * item;
    call.index_step = indices->stride[d] * kIndexItem;
    call.in_step = in.tensor->stride[d] * item;
    call.index_base = TH_INDEX_BASE;
    call.plan.start(t->nDimension, t->size, d);
    call.plan.add(at.overwrite(values), item, values->stride);
    call.plan.add(at.overwrite(indices), kIndexItem, indices->stride);
    call.plan.add(in.data, item, in.tensor->stride);
    call.plan.plan();
    return call;
  });
}

}  // namespace

void shapes(args::searchsorted& a, Shapes& s) {
  if (!has_rows_for(*a.sorted, *a.t)) {
    s.fail(a.sorted,
           "sorted (size %s) and values (size %s) must agree in all dimensions but the last",
           shape_text(*a.sorted).c_str(), shape_text(*a.t).c_str());
  }
  s.set(a.r_, *a.t, distinct_elements(*a.r_));
}
void calls(args::searchsorted& a) {
  Tensor *r = a.r_, *values = a.t, *sorted = a.sorted;
  if (values->numel() == 0) return;
  if (sorted->numel() == 0) return ops::fill(r, TH_INDEX_BASE);
  run(Op::searchsorted, device_of({r, sorted, values}), [&](Operands& at) {
    auto item = static_cast<int64_t>(item_size(values->dtype));
    Placed wanted = at.read(values), rows = at.read(sorted);
    const int last = sorted->nDimension - 1;
    int64_t row_stride[kMaxDims] = {};
    if (last > 0) std::copy(rows.tensor->stride, rows.tensor->stride + last, row_stride);
    SearchCall call;
    call.dtype = values->dtype;
    call.right = a.right;
    call.n = sorted->size[last];
    call.step = rows.tensor->stride[last] * item;
    call.index_base = TH_INDEX_BASE;
    call.plan.start(values->nDimension, values->size);
    call.plan.add(at.overwrite(r), kIndexItem, r->stride);
    call.plan.add(wanted.data, item, wanted.tensor->stride);
    call.plan.add(rows.data, item, row_stride);
    call.plan.plan();
    return call;
  });
}

void shapes(args::cummax& a, Shapes& s) { set_as_operand(a, s); }
void calls(args::cummax& a) { scan_extremes(a, true); }

void shapes(args::cummin& a, Shapes& s) { set_as_operand(a, s); }
void calls(args::cummin& a) { scan_extremes(a, false); }

}  // namespace th
