#ifndef TH_CPU_CONVOLUTION_PRODUCT_H
#define TH_CPU_CONVOLUTION_PRODUCT_H

#include "backend/convolution_call.h"

namespace th {

// Returns true if a matrix product is faster than a loop over rows. Depends only on shapes and
// strides.
bool is_product_faster(const ConvolutionCall& call);
// Runs such a call as a product (im2col): the kernels times a matrix whose columns are the image
// patches.
void convolve_by_product(const ConvolutionCall& call);

}  // namespace th

#endif
