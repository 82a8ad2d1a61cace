#ifndef TEST_CUDA_FAKE_RUNTIME_H
#define TEST_CUDA_FAKE_RUNTIME_H

// A CUDA runtime on the CPU, with the functions that the host code of the plugin calls. Queued work
// runs as late as permitted: when the host waits for it, or when a stream that must wait for it
// runs.

#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <cstddef>

struct FakeRuntime {
  static constexpr int kDevices = 4;
  // The machine.
  bool has_pools[kDevices] = {true, false, true, true};
  size_t memory = size_t{1} << 30;         // bytes of each device
  size_t pinnable = size_t{1} << 30;       // bytes of host memory
  cudaError_t kernel_error = cudaSuccess;  // of loading kernels
  cudaError_t work_error = cudaSuccess;    // of queued work, which has broken the device
  cudaError_t last_error = cudaSuccess;    // until cudaGetLastError() returns it
  // The status of making a handle of cuBLAS, and of setting its mode.
  cublasStatus_t cublas_creation = CUBLAS_STATUS_SUCCESS, cublas_setup = CUBLAS_STATUS_SUCCESS;
  void (*before_cublas_destroy)() = nullptr;
  // Counts of calls.
  int contexts = 0;  // streams created
  bool has_context[kDevices] = {};
  int cublas_handles = 0;
  int device_allocations = 0, device_frees = 0;
  int host_allocations = 0;
  int waits = 0;            // of the host
  int pageable_copies = 0;  // asynchronous copies from or to ordinary host memory
  int fills = 0;            // cudaMemsetAsync that have run
  size_t used[kDevices] = {};
  size_t pinned = 0;
};
FakeRuntime& fake_runtime();

#endif
