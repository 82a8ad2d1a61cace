// Fused expressions, with reductions of their results.

#include "simt/kernels/fused_kernel.h"

namespace th {
namespace {

void evaluate(Queue& queue, const FusedCall& call, const FusedPlan& plan) {
  for_small_parts(plan, [&](const FusedPlan& part) {
    dispatch(compute_type(call.dtype), [&](auto zero) {
      // The 16-bit types compute in float.
      using C = typename Numeric<decltype(zero)>::Compute;
      run_program<C>(queue, call, part);
    });
  });
}

}  // namespace

void run_fused(Queue& queue, const FusedCall& call) {
  if (call.plan.numel == 0) return;
  if (call.n == 0) return evaluate(queue, call, call.plan);
  // Reductions: of the elements, in the order of the shape.
  const auto item = static_cast<int64_t>(item_size(call.dtype));
  const int64_t rows = call.plan.numel / call.n;
  Scratch elements(queue, static_cast<size_t>(call.plan.numel * item));
  FusedPlan plan;
  plan.copy(call.plan);
  plan.data[0] = elements.as<char>();
  int64_t before = item;
  for (int d = 0; d < plan.ndim; ++d) {
    plan.stride[0][d] = before;
    before *= plan.size[d];
  }
  evaluate(queue, call, plan);
  ReduceDimCall reduce = {};
  reduce.reducer = call.reducer;
  reduce.finish = call.finish;
  reduce.dtype = reduce.result = call.dtype;
  reduce.n = call.n;
  reduce.step = item;
  reduce.plan.start_contiguous(rows);
  reduce.plan.add_contiguous(elements.as<char>(), static_cast<size_t>(item * call.n));
  reduce.plan.add_contiguous(call.plan.data[0], static_cast<size_t>(item));
  run_reduce_dim(queue, reduce);
}

}  // namespace th
