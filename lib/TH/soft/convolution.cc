// The software device has no library of convolutions.

#include "simt/library_convolution.h"

namespace th {

bool convolve_by_library(Queue&, const SpatialConvolutionCall&, const PatchConvolution&) {
  return false;
}

}  // namespace th
