#ifndef TH_CPU_CONVOLUTION_BATCH_H
#define TH_CPU_CONVOLUTION_BATCH_H

#include "backend/convolution_call.h"

namespace th {

// Returns true if the convolutions of batches of images are faster than a loop over rows. Depends
// only on shapes and strides.
bool is_batch_faster(const ConvolutionCall& call);
// Runs such a call as a convolution of a batch.
void convolve_as_batch(const ConvolutionCall& call);

}  // namespace th

#endif
