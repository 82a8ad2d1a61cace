#ifndef TH_SIMT_REPORT_H
#define TH_SIMT_REPORT_H

// How kernels report values that the caller could not check before the operation was queued.

#include "backend/device_assertions.h"
#include "simt/simt.h"

namespace th {
namespace {

// The first of a thread's checks to find something since the last time someone looked is heard.
// assertions: the queue's.
__device__ inline void report(DeviceAssertion* assertions, uint32_t check, int64_t value) {
  DeviceAssertion* assertion = assertions + check % kAssertions;
  if (atomicCAS(&assertion->check, 0u, check) == 0u) assertion->value = value;
}

}  // namespace
}  // namespace th

#endif
