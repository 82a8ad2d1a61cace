#ifndef TH_SIMT_LIBRARY_CONVOLUTION_H
#define TH_SIMT_LIBRARY_CONVOLUTION_H

#include "simt/patches.h"

namespace th {

// Computes a convolution by a library of the device. Returns false if there is no library, or if it
// does not support the call; the result is then undefined. c: the same convolution.
bool convolve_by_library(Queue& queue, const SpatialConvolutionCall& call,
                         const PatchConvolution& c);

}  // namespace th

#endif
