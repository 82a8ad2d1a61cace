#ifndef TH_CUDA_FAILURE_H
#define TH_CUDA_FAILURE_H

#include <cuda_runtime.h>

#include "simt/queue.h"

namespace th {

// Throws a DeviceFailure.
[[noreturn]] void fail(DeviceStatus status, const char* format, ...)
    __attribute__((format(printf, 2, 3)));

// Throws where code is an error, and clears it as far as that goes. doing: "copying", ...
void check_cuda(cudaError_t code, const char* doing);

}  // namespace th

#endif
