#ifndef TH_CPU_CONVOLUTION_H
#define TH_CPU_CONVOLUTION_H

#include "backend/convolution_call.h"

namespace th {

// The call on the host's memory. Results depend on the shapes alone.
void convolve(const ConvolutionCall& call);

}  // namespace th

#endif
