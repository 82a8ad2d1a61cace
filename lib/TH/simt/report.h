#ifndef TH_SIMT_REPORT_H
#define TH_SIMT_REPORT_H

// How kernels report values that the caller could not check before the operation was queued.

#include "simt/simt.h"

namespace th {
namespace {

// The first to find something since the last time someone looked is heard.
__device__ inline void report(DeviceFinding* finding, uint32_t check, int64_t value) {
  if (atomicCAS(&finding->check, 0u, check) == 0u) finding->value = value;
}

}  // namespace
}  // namespace th

#endif
