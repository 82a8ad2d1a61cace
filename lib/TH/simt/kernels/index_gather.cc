// Elements read where indices say.

#include "THGeneral.h"
#include "simt/report.h"
#include "simt/places.h"

namespace th {
namespace {

template <class T, class I>
__global__ void gather_elements(GatherCall call, Places<3, I> places, I n, DeviceFinding* finding) {
  for (I i = blockIdx.x * I(blockDim.x) + threadIdx.x; i < n; i += I(gridDim.x) * blockDim.x) {
    char* at[3];
    places.get(i, at);
    int64_t index = *reinterpret_cast<const int64_t*>(at[1]);
    uint64_t chosen = static_cast<uint64_t>(index) - TH_INDEX_BASE;
    if (chosen >= static_cast<uint64_t>(call.size)) {
      if (call.check) report(finding, call.check, index);
      continue;
    }
    *reinterpret_cast<T*>(at[0]) =
        *reinterpret_cast<const T*>(at[2] + static_cast<int64_t>(chosen) * call.step);
  }
}

}  // namespace

void run_gather(Queue& queue, const GatherCall& given) {
  GatherCall call = given;
  if (call.plan.numel == 0) return;
  size_t bytes = widen(&call.plan, item_size(call.dtype), &call.step, 1);
  dispatch_wide(bytes, [&](auto item) {
    using T = decltype(item);
    dispatch_count(call.plan.numel, [&](auto count) {
      using I = decltype(count);
      TH_LAUNCH(queue, (gather_elements<T, I>), blocks_for(queue, call.plan.numel), kThreads, 0,
                call, Places<3, I>(call.plan), static_cast<I>(call.plan.numel), queue.finding());
    });
  });
}

}  // namespace th
