#include "ops/sort.h"

#include <algorithm>

#include "THGeneral.h"
#include "ops/call.h"
#include "ops/formula_operations.h"
#include "ops/operands.h"

namespace th {

namespace {

// The strides of r for the dimensions of t. r may lack dimension dim, which has size 1 then.
struct RowStrides {
  int64_t stride[kMaxDims];
  RowStrides(const Tensor& r, const Tensor& t, int64_t dim) {
    const int missing = t.nDimension - r.nDimension;
    for (int d = 0; d < t.nDimension; ++d) {
      stride[d] = missing && d == dim ? 0 : r.stride[missing && d > dim ? d - 1 : d];
    }
  }
};

}  // namespace

void sort_range(Op op, Tensor* values, Tensor* indices, Tensor* t, const SortRange& range) {
  if (values->numel() == 0) return;
  run(op, device_of({values, indices, t}), [&](Operands& at) {
    constexpr auto index_item = static_cast<int64_t>(sizeof(int64_t));
    const auto item = static_cast<int64_t>(item_size(t->dtype));
    const int64_t dim = range.dim;
    RowStrides to(*values, *t, dim), of_indices(*indices, *t, dim);
    Placed in = at.read(t);
    SortCall call;
    call.dtype = t->dtype;
    call.descending = range.descending;
    call.n = t->size[dim];
    call.first = range.first;
    call.count = range.count;
    call.value_step = to.stride[dim] * item;
    call.index_step = of_indices.stride[dim] * index_item;
    call.in_step = in.tensor->stride[dim] * item;
    call.index_base = TH_INDEX_BASE;
    call.plan.start(t->nDimension, t->size, static_cast<int>(dim));
    call.plan.add(at.overwrite(values), item, to.stride);
    call.plan.add(at.overwrite(indices), index_item, of_indices.stride);
    call.plan.add(in.data, item, in.tensor->stride);
    call.plan.plan();
    return call;
  });
}

void shapes(args::sort& a, Shapes& s) {
  a.dimension = s.dim(a.dimension, *a.t);
  s.set(a.rt_, *a.t, Layout::in_place);
  s.set(a.ri_, *a.t);
}
void calls(args::sort& a) {
  SortRange all = {a.dimension, a.descendingOrder, 0, a.t->size[a.dimension]};
  sort_range(Op::sort, a.rt_, a.ri_, a.t, all);
}

void shapes(args::lexsort& a, Shapes& s) {
  if (a.inputs.count < 1) s.fail(a.inputs, "at least one vector of keys is expected");
  const Tensor& first = *a.inputs.tensors[0];
  for (int k = 0; k < a.inputs.count; ++k) {
    const Tensor& t = *a.inputs.tensors[k];
    if (t.nDimension == 1 && t.size[0] == first.size[0]) continue;
    s.fail(a.inputs, "vectors of one size are expected, got sizes %s and %s",
           shape_text(first).c_str(), shape_text(t).c_str());
  }
  s.set(a.r_, 1, first.size);
}
void calls(args::lexsort& a) {
  if (a.r_->numel() == 0) return;
  // Sorting is stable, so that the last key decides first.
  Var order;
  for (int k = 0; k < a.inputs.count; ++k) {
    const Var key = ref(a.inputs.tensors[k]);
    const Var own = formulas::argsort(order ? formulas::indexSelect(key, int64_t{0}, order) : key,
                                      int64_t{0}, false);
    order = order ? formulas::indexSelect(order, int64_t{0}, own) : own;
  }
  ops::copy(a.r_, order.get());
}

}  // namespace th
