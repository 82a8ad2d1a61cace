// Converts reduction calls to plans for the reduction kernel.

#include "simt/kernels/reduction.h"

namespace th {

namespace {

void reduce_plan(Queue& queue, DType dtype, Reducer reducer, bool index, const ReducePlan& plan) {
  dispatch(dtype, [&](auto zero) { reduce_elements<decltype(zero)>(queue, reducer, index, plan); });
}

// Computes the sums first, then the squared deviations from the means. The plan's results are the
// latter.
void reduce_moments(Queue& queue, DType dtype, ReducePlan plan, Wide* sums) {
  ReducePlan first = plan;
  first.wide = true;
  first.out = reinterpret_cast<char*>(sums);
  reduce_plan(queue, dtype, Reducer::sum, false, first);
  plan.sums = sums;
  reduce_plan(queue, dtype, Reducer::deviation, false, plan);
}

}  // namespace

void run_reduce_all(Queue& queue, const ReduceAllCall& call) {
  if (call.plan.numel == 0) return;
  ReducePlan plan = {};
  plan.data[0] = call.plan.data[0];
  plan.data[1] = call.transform == Transform::none ? call.plan.data[0] : call.plan.data[1];
  plan.inner = ReduceOffsets(call.plan);
  plan.n = call.plan.numel;
  plan.outputs = 1;
  plan.wide = true;
  plan.parameter = call.parameter;
  plan.out = reinterpret_cast<char*>(&call.out->value);
  if (call.transform != Transform::none) {
    dispatch(call.dtype, [&](auto zero) {
      reduce_pairs<decltype(zero)>(queue, call.reducer, call.transform, plan);
    });
  } else if (call.moment) {
    plan.out = reinterpret_cast<char*>(&call.out->aux);
    reduce_moments(queue, call.dtype, plan, &call.out->value);
  } else {
    reduce_plan(queue, call.dtype, call.reducer, false, plan);
  }
}

void run_reduce_dim(Queue& queue, const ReduceDimCall& call) {
  if (call.plan.numel == 0 || call.n == 0) return;
  ReducePlan plan = {};
  plan.data[0] = plan.data[1] = call.plan.data[0];
  plan.outer = ReduceOffsets(call.plan);
  plan.inner.ndim = 1;
  plan.inner.stride[0][0] = plan.inner.stride[1][0] = call.step;
  plan.n = call.n;
  plan.outputs = call.plan.numel;
  plan.finish = call.finish;
  plan.parameter = call.parameter;
  plan.out = call.plan.data[1];
  plan.indices = call.indices;
  plan.index_base = call.index_base;
  if (call.moment) {
    Scratch sums(queue, static_cast<size_t>(plan.outputs) * sizeof(Wide));
    reduce_moments(queue, call.dtype, plan, sums.as<Wide>());
  } else {
    reduce_plan(queue, call.dtype, call.reducer, call.indices != nullptr, plan);
  }
}

}  // namespace th
