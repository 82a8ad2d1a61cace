#ifndef TH_SIMT_REPORT_H
#define TH_SIMT_REPORT_H

// Reports invalid values that kernels find, when the caller could not check them before.

#include "backend/device_assertions.h"
#include "simt/simt.h"

namespace th {
namespace {

// Reports a failed check. Only the first failure of each thread's checks is stored until the host
// collects it. assertions: those of the queue.
__device__ inline void report(DeviceAssertion* assertions, uint32_t check, int64_t value) {
  DeviceAssertion* assertion = assertions + check % kAssertions;
  if (atomicCAS(&assertion->check, 0u, check) == 0u) assertion->value = value;
}

}  // namespace
}  // namespace th

#endif
