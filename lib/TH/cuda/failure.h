#ifndef TH_CUDA_FAILURE_H
#define TH_CUDA_FAILURE_H

#include <cublas_v2.h>
#include <cuda_runtime.h>

#include "simt/queue.h"

namespace th {

// Throws if code is an error, and clears the error if possible. doing: the action, such as
// "copying".
void check_cuda(cudaError_t code, const char* doing);

// Returns true if code, of a query, is cudaSuccess, and false for cudaErrorNotReady.
bool has_ended(cudaError_t code);

void check_cublas(cublasStatus_t status);

// True once the calling thread's current operation has queued work, so that it cannot be repeated
// if memory runs out.
bool& work_queued();
// The status of an operation that runs out of memory now.
inline DeviceStatus status_without_memory() {
  return work_queued() ? kDeviceInterrupted : kDeviceOutOfMemory;
}

}  // namespace th

#endif
