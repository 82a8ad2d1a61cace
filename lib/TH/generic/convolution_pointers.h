#ifndef TH_GENERIC_CONVOLUTION_POINTERS_H
#define TH_GENERIC_CONVOLUTION_POINTERS_H

#include "backend/convolution_call.h"

namespace th {

// r += alpha * convolution of t by w; all row-major. The sizes of images, kernels and steps are
// those of three dimensions.
struct PointerConvolution {
  DType dtype;
  ConvolutionKind kind;
  bool flipped;
  Scalar alpha;
  void *r, *t, *w;
  int64_t image[3], kernel[3], step[3];
};
// function: the C function, for messages.
void convolve_pointers(const PointerConvolution& c, const char* function = __builtin_FUNCTION());

}  // namespace th

#endif
