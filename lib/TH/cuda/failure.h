#ifndef TH_CUDA_FAILURE_H
#define TH_CUDA_FAILURE_H

#include <cuda_runtime.h>

#include "simt/queue.h"

namespace th {

// Throws where code is an error, and clears it as far as that goes. doing: "copying", ...
void check_cuda(cudaError_t code, const char* doing);

}  // namespace th

#endif
