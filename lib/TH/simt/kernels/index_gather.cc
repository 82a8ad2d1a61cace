// Reads of elements selected by indices.

#include "simt/kernels/index_elements.h"

namespace th {
namespace {

template <class T, class I>
__global__ void gather_elements(StridedOperands<3, I> operands, I n, IndexedDim dim, int64_t step) {
  for (I i = blockIdx.x * I(blockDim.x) + threadIdx.x; i < n; i += I(gridDim.x) * blockDim.x) {
    char* at[3];
    operands.get(i, at);
    int64_t index = dim.index_at(at[1]);
    if (index == dim.size) continue;
    *reinterpret_cast<T*>(at[0]) = *reinterpret_cast<const T*>(at[2] + index * step);
  }
}

}  // namespace

void run_gather(Queue& queue, const GatherCall& call) {
  LoopPlan plan = call.plan;
  if (plan.numel == 0) return;
  IndexedDim dim = {call.size, call.check, queue.assertion()};
  size_t bytes = widen(&plan, item_size(call.dtype), &call.step, 1);
  dispatch_size<16>(bytes, [&](auto item) {
    using T = decltype(item);
    dispatch_index(plan, plan.numel, [&](auto count) {
      using I = decltype(count);
      TH_LAUNCH(queue, (gather_elements<T, I>), blocks_for(queue, plan.numel), kThreads, 0,
                (StridedOperands<3, I>(plan)), static_cast<I>(plan.numel), dim, call.step);
    });
  });
}

}  // namespace th
