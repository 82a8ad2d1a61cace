#include "ops/reduce.h"

#include <cmath>

#include "THGeneral.h"
#include "base/error.h"
#include "ops/compose.h"
#include "ops/operands.h"

namespace th {

Reduction norm_of(double p) {
  if (p == 0) return {Reducer::nonzero};
  if (p == 1) return {Reducer::abs_sum};
  if (p == 2) return {Reducer::squares, Finish::square_root};
  if (std::isinf(p)) return {p > 0 ? Reducer::abs_max : Reducer::abs_min};
  return {Reducer::powers, Finish::root, p};
}

Scalar finish_all(const Reduction& reduction, const Partial& partial, int64_t n, DType type) {
  if (!is_integral(type)) return finished(reduction.finish, partial, n, reduction.parameter);
  if (reduction.finish == Finish::none) return partial.value.i;
  Partial p = partial;
  p.value.d = static_cast<double>(partial.value.i);
  return finished(reduction.finish, p, n, reduction.parameter);
}

void reduce_dim(Op op, const Reduction& reduction, Tensor* r, Tensor* indices, Tensor* t, int d) {
  if (r->numel() == 0) return;
  if (t->size[d] == 0) {
    TensorRef none(tensor_new(t->dtype));
    const Partial nothing = reduce_all(op, reduction, none.get());
    return fill_for_none(r, *t, finish_all(reduction, nothing, 0, t->dtype));
  }
  run(op, device_of({t, r, indices}), [&](Operands& at) {
    Placed in = at.read(t);
    auto item = item_size(t->dtype);
    int64_t stride[kMaxDims];
    int64_t outputs = 1;
    for (int k = t->nDimension - 1; k >= 0; --k) {
      if (k == d) continue;
      stride[k] = outputs;
      outputs *= t->size[k];
    }
    ReduceDimCall call;
    call.reducer = reduction.reducer;
    call.finish = reduction.finish;
    call.moment = needs_moment(reduction.finish);
    call.dtype = t->dtype;
    call.result = r->dtype;
    call.parameter = reduction.parameter;
    call.n = t->size[d];
    call.step = in.tensor->stride[d] * static_cast<int64_t>(item);
    call.indices = nullptr;
    call.index_base = TH_INDEX_BASE;
    call.plan.start(t->nDimension, t->size, d);
    // The input decides the order of the loop, because more elements are read than written.
    call.plan.add(in.data, item, in.tensor->stride);
    call.plan.add(at.overwrite(r), item_size(r->dtype), stride);
    if (indices) call.indices = reinterpret_cast<int64_t*>(at.overwrite(indices));
    call.plan.plan();
    call.plan.shared_output = false;
    return call;
  });
}

namespace {

// Adds the elements of a, and those of b unless it is null; b has the same shape.
void plan_inputs(Operands& at, LoopPlan* plan, Tensor* a, Tensor* b) {
  const int64_t n = a->numel();
  if (n == 0) return plan->start_contiguous(0);
  if (is_contiguous(*a) && (!b || is_contiguous(*b))) {
    plan->start_contiguous(n);
    plan->add_contiguous(at.read(a).data, item_size(a->dtype));
    if (b) plan->add_contiguous(at.read(b).data, item_size(b->dtype));
    return;
  }
  plan->start(a->nDimension, a->size);
  for (Tensor* t : {a, b}) {
    if (!t) continue;
    Placed in = at.read(t);
    plan->add(in.data, item_size(t->dtype), in.tensor->stride);
  }
  plan->plan();
  plan->shared_output = false;
}

}  // namespace

Partial reduce_all(Op op, const Reduction& reduction, Tensor* a, Transform transform, Tensor* b) {
  Partial result = {};
  // Reductions of empty tensors run on the CPU.
  Device* device = a->numel() > 0 ? device_of({a, b}) : nullptr;
  run_steps(op, device, [&](Operands& at) {
    ReduceAllCall call;
    call.reducer = reduction.reducer;
    call.transform = transform;
    call.moment = needs_moment(reduction.finish);
    call.dtype = a->dtype;
    call.parameter = reduction.parameter;
    call.out = &result;
    plan_inputs(at, &call.plan, a, b);
    if (!at.device()) return at.run(call);
    call.out = reinterpret_cast<Partial*>(at.scratch(sizeof(Partial)));
    if (!at.run(call)) return false;
    at.read_back(&result, reinterpret_cast<char*>(call.out), sizeof(Partial));
    return true;
  });
  return result;
}

}  // namespace th
