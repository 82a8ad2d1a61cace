#ifndef TH_SIMT_REPORT_H
#define TH_SIMT_REPORT_H

// Reports invalid values that kernels find, when the caller could not check them before.

#include "backend/device_assertions.h"
#include "simt/simt.h"

namespace th {
namespace {

// Reports a failed check. Only one failure of each thread's checks is stored until the host
// collects it: of one of the invalid values, in no particular order. assertions: those of the
// queue. They are in the host's memory, which a GPU accesses slowly, so one thread of a warp looks
// for all, and changes nothing if a failure is stored.
__device__ inline void report(DeviceAssertion* assertions, uint32_t check, int64_t value) {
#ifdef __CUDA_ARCH__
  const unsigned reporting = __activemask();
  const unsigned lane = (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % 32;
  if (lane != static_cast<unsigned>(__ffs(static_cast<int>(reporting)) - 1)) return;
#endif
  DeviceAssertion* assertion = assertions + check % kAssertions;
  if (*static_cast<volatile const uint32_t*>(&assertion->check) != 0) return;
  if (atomicCAS(&assertion->check, 0u, check) == 0u) assertion->value = value;
}

}  // namespace
}  // namespace th

#endif
