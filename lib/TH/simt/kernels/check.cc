// Checks of input values on the device.

#include "simt/offset_calculator.h"
#include "simt/report.h"
#include "tensor/convert.h"

namespace th {

namespace {

template <class T, class Is>
__global__ void report_bad(const char* data, OffsetCalculator<1> offsets, uint32_t n, int64_t limit,
                           int64_t also, int64_t before, DeviceAssertion* assertion,
                           uint32_t check) {
  uint32_t step = gridDim.x * blockDim.x;
  for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
    uint32_t offset;
    offsets.get(i, &offset);
    T x = *reinterpret_cast<const T*>(data + offset);
    if (!Is::is_bad(x, limit, also)) continue;
    if constexpr (std::is_floating_point_v<T>) {
      report(assertion, check, before + i + 1);
    } else {
      report(assertion, check, static_cast<int64_t>(x));
    }
  }
}

}  // namespace

void run_check(Queue& queue, const CheckCall& call) {
  if (call.plan.numel == 0) return;
  dispatch(call.condition, [&](auto condition) {
    using Is = decltype(condition);
    dispatch(call.dtype, [&](auto zero) {
      using T = decltype(zero);
      if constexpr (Is::template kHas<T>) {
        int64_t before = 0;
        for_small_parts(call.plan, [&](const LoopPlan& part) {
          auto n = static_cast<uint32_t>(part.numel);
          TH_LAUNCH(queue, (report_bad<T, Is>), blocks_for(queue, n), kThreads, 0, part.data[0],
                    OffsetCalculator<1>(part), n, call.limit, call.also, before, queue.assertion(),
                    call.check);
          before += part.numel;
        });
      }
    });
  });
}

}  // namespace th
