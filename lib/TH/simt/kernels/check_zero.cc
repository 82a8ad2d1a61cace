// Whether divisors of integers are 0.

#include "simt/kernels/offsets.h"
#include "simt/report.h"
#include "tensor/convert.h"

namespace th {

namespace {

template <class T>
__global__ void report_zeros(const char* data, Offsets<1> offsets, uint32_t n,
                             DeviceFinding* finding, uint32_t check) {
  uint32_t step = gridDim.x * blockDim.x;
  for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
    uint32_t offset[1];
    offsets.get(i, offset);
    if (*reinterpret_cast<const T*>(data + offset[0]) == 0) report(finding, check, 0);
  }
}

}  // namespace

void run_check_zero(Queue& queue, const CheckZeroCall& call) {
  if (call.plan.numel == 0) return;
  dispatch(call.dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_integral_v<T>) {
      for_small_parts(call.plan, [&](const LoopPlan& part) {
        auto n = static_cast<uint32_t>(part.numel);
        TH_LAUNCH(queue, (report_zeros<T>), blocks_for(queue, n), kThreads, 0, part.data[0],
                  Offsets<1>(part), n, queue.finding(), call.check);
      });
    }
  });
}

}  // namespace th
