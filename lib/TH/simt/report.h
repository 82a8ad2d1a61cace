#ifndef TH_SIMT_REPORT_H
#define TH_SIMT_REPORT_H

// How kernels report values that the caller could not check before the operation was queued.

#include "backend/findings.h"
#include "simt/simt.h"

namespace th {
namespace {

// The first of a thread's checks to find something since the last time someone looked is heard.
// findings: the queue's.
__device__ inline void report(DeviceFinding* findings, uint32_t check, int64_t value) {
  DeviceFinding* finding = findings + check % kFindings;
  if (atomicCAS(&finding->check, 0u, check) == 0u) finding->value = value;
}

}  // namespace
}  // namespace th

#endif
