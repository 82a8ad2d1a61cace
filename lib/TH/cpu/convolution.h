#ifndef TH_CPU_CONVOLUTION_H
#define TH_CPU_CONVOLUTION_H

#include "backend/convolution_call.h"

namespace th {

// Runs the call on the CPU. The result depends only on the operands, not on the number of threads.
void convolve(const ConvolutionCall& call);

}  // namespace th

#endif
