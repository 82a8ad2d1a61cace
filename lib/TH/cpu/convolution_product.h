#ifndef TH_CPU_CONVOLUTION_PRODUCT_H
#define TH_CPU_CONVOLUTION_PRODUCT_H

#include "backend/convolution_call.h"

namespace th {

// Whether a product of matrices is faster than a loop over rows: by shapes and strides alone.
bool is_product_faster(const ConvolutionCall& call);
// The call, of which that holds: a product of the kernels and of a matrix whose columns are the
// parts of the image that they meet.
void convolve_by_product(const ConvolutionCall& call);

}  // namespace th

#endif
