#include "cuda/failure.h"

namespace th {

namespace {

// Errors after which the driver rejects all further work of the process on the device.
bool is_final(cudaError_t code) {
  switch (code) {
    case cudaErrorECCUncorrectable:
    case cudaErrorNvlinkUncorrectable:
    case cudaErrorContained:
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
    case cudaErrorTensorMemoryLeak:
    case cudaErrorMpsClientTerminated:
    case cudaErrorExternalDevice:
    case cudaErrorUnknown:
      return true;
    default:
      return false;
  }
}

}  // namespace

void check_cuda(cudaError_t code, const char* doing) {
  if (code == cudaSuccess) return;
  cudaGetLastError();
  fail(code == cudaErrorMemoryAllocation ? status_without_memory() : kDeviceFailed,
       "CUDA: %s: %s (%s)%s", doing, cudaGetErrorString(code), cudaGetErrorName(code),
       is_final(code) ? "; this process can no longer use the device" : "");
}

bool has_ended(cudaError_t code) {
  if (code == cudaErrorNotReady) {
    cudaGetLastError();
    return false;
  }
  check_cuda(code, "waiting for the device");
  return true;
}

void check_cublas(cublasStatus_t status) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  fail(status == CUBLAS_STATUS_ALLOC_FAILED ? status_without_memory() : kDeviceFailed,
       "cuBLAS: %s (%s)", cublasGetStatusString(status), cublasGetStatusName(status));
}

bool& work_queued() {
  static thread_local bool queued = false;
  return queued;
}

void Queue::check(cudaError_t code) const {
  check_cuda(code, "launching a kernel, or work queued before");
  work_queued() = true;
}

}  // namespace th
