#ifndef TH_SIMT_SIMT_H
#define TH_SIMT_SIMT_H

// The language of the kernels: CUDA C++, compiled by nvcc or, on the CPU, by the host compiler with
// one fiber for each CUDA thread. Kernels are templates, or functions in unnamed namespaces, marked
// __global__ and launched by TH_LAUNCH:
//
//   TH_LAUNCH(queue, (kernel<T, Op>), blocks, threads, bytes of dynamic shared memory,
//             arguments...);
//
// In a kernel, TH_DYNAMIC_SHARED(Type, name) declares dynamic shared memory, and TH_UNROLL before a
// loop unrolls it, so that an array that it indexes can be in registers.

#ifdef __CUDACC__

#include <cuda_runtime.h>

// Unlike kernel<<<...>>>, the function returns the error of this launch. cudaGetLastError() may
// return one of other CUDA code in the process.
#define TH_LAUNCH(queue, kernel, blocks, threads, shared, ...)                      \
  do {                                                                              \
    const cudaLaunchConfig_t th_config_ = {dim3(blocks),     dim3(threads), shared, \
                                           (queue).stream(), nullptr,       0};     \
    (queue).check(cudaLaunchKernelEx(&th_config_, TH_UNPACK kernel, __VA_ARGS__));  \
  } while (0)
#define TH_UNPACK(...) __VA_ARGS__

#define TH_DYNAMIC_SHARED(Type, name)                \
  extern __shared__ __align__(16) char th_shared_[]; \
  Type* name = reinterpret_cast<Type*>(th_shared_)

#define TH_UNROLL _Pragma("unroll")

#else

#define TH_UNROLL

#include "simt/shim/simt_shim.h"

#endif

#include "simt/queue.h"

#endif
