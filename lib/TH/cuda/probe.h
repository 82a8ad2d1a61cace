#ifndef TH_CUDA_PROBE_H
#define TH_CUDA_PROBE_H

#include <cuda_runtime.h>

namespace th {

// Loads a kernel on the current device. Returns cudaSuccess if the plugin has kernels for it, or
// PTX that the driver can compile.
cudaError_t probe_kernel();

}  // namespace th

#endif
