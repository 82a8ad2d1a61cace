#ifndef TH_BACKEND_CONVOLUTION_CALL_H
#define TH_BACKEND_CONVOLUTION_CALL_H

#include <cstdint>

#include "tensor/dtype.h"

namespace th {

// Which positions of the image i, the kernel k and the result o meet, in each dimension.
enum class ConvolutionKind : uint8_t {
  valid,    // i = o step + k
  dilated,  // i = o + k step
  full      // o = i step + k
};

// r = beta r + alpha * the sum over inputs and over the kernel's positions of t w, for each group
// and each output. Planes have three dimensions, the first of which is 1 for images. All sizes are
// at least 1. Scalars in the element type; r is not read where beta is 0. r's elements do not
// overlap, nor with t's and w's.
struct ConvolutionCall {
  // Strides in elements; 0 where an operand is the same for all groups or outputs.
  struct Operand {
    char* data;
    int64_t group, output, input, plane[3];
  };

  DType dtype;
  ConvolutionKind kind;
  bool flipped;  // the kernel is read from its end on
  int64_t groups, outputs, inputs;
  int64_t result[3], image[3], kernel[3], step[3];
  Scalar alpha, beta;
  Operand r, t, w;
};

}  // namespace th

#endif
