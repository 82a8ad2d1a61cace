// Search in sorted rows.

#include <algorithm>

#include "THGeneral.h"
#include "base/error.h"
#include "ops/formula_operations.h"
#include "ops/operands.h"

namespace th {

namespace {

constexpr auto kIndexItem = static_cast<int64_t>(sizeof(int64_t));

// Returns true if there is one sorted row for all values, or one for each row of values.
bool has_rows_for(const Tensor& sorted, const Tensor& values) {
  int last = sorted.nDimension - 1;
  return last == 0 || (last > 0 && values.nDimension == last + 1 &&
                       std::equal(sorted.size, sorted.size + last, values.size));
}

}  // namespace

void shapes(args::searchsorted& a, Shapes& s) {
  if (!has_rows_for(*a.sorted, *a.t)) {
    s.fail(a.sorted,
           "sorted (size %s) and values (size %s) must agree in all dimensions but the last",
           shape_text(*a.sorted).c_str(), shape_text(*a.t).c_str());
  }
  s.set(a.r_, *a.t);
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

void shapes(args::searchsortedValue& a, Shapes& s) {
  if (a.sorted->nDimension != 1) {
    s.fail(a.sorted, "a vector is expected, got size %s", shape_text(*a.sorted).c_str());
  }
}
void calls(args::searchsortedValue& a) {
  int64_t before = 0;
  if (a.sorted->numel() > 0) {
    const Var sorted = ref(a.sorted);
    if (a.value.to_double() != a.value.to_double()) {  // NaN is sorted last
      const Var is_number = formulas::eqTensor(sorted, sorted);
      before = a.right ? a.sorted->numel() : ops::countNonzeroall(is_number.get()).i;
    } else {
      const Var is_before =
          a.right ? formulas::leValue(sorted, a.value) : formulas::ltValue(sorted, a.value);
      before = ops::countNonzeroall(is_before.get()).i;
    }
  }
  a.returned = Scalar(before + TH_INDEX_BASE);
}

void shapes(args::searchsortedBy& a, Shapes& s) {
  if (!same_size(*a.sorted, *a.order)) {
    s.fail(a.order, "the order (size %s) must have the size of the rows, %s",
           shape_text(*a.order).c_str(), shape_text(*a.sorted).c_str());
  }
  if (a.sorted->nDimension == 0) s.fail(a.sorted, "a tensor with dimensions is expected");
  const int64_t last = a.sorted->nDimension - 1;
  const Var sorted = formulas::gather(ref(a.sorted), last, ref(a.order));
  give(s, a.r_, formulas::searchsorted(sorted, ref(a.t), a.right));
}
void calls(args::searchsortedBy&) {}

}  // namespace th
