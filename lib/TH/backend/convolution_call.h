#ifndef TH_BACKEND_CONVOLUTION_CALL_H
#define TH_BACKEND_CONVOLUTION_CALL_H

#include <cstdint>

#include "tensor/dtype.h"

namespace th {

// The relation of the positions i in the image, k in the kernel and o in the result, per dimension.
enum class ConvolutionKind : uint8_t {
  valid,    // i = o step + k
  dilated,  // i = o + k step
  full      // o = i step + k
};

// For each group and output: r = beta * r + alpha * sum of t * w over inputs and kernel positions.
// Images and kernels have three dimensions; the first has size 1 for 2-D. All sizes are at least 1.
// Scalars have the element type. If beta is 0, r is not read. The elements of r overlap neither
// each other nor t and w. A map (rows of two plane numbers, from and to, which count from 1;
// contiguous, of type dtype) replaces the groups: r = beta * r, and each row i adds the convolution
// of image `from` and kernel i to result `to`. If a number of the map is out of range, the CPU
// raises an error, and a device reports it as `check`. A device may multiply kernel elements that
// meet no image element by 0, which is NaN for infinite ones.
struct ConvolutionCall {
  // Strides in elements. A stride is 0 if the operand is shared by all groups or outputs.
  struct Operand {
    char* data;
    int64_t group, output, input, plane[3];
  };

  DType dtype;
  bool tf32;  // as in ProductCall
  ConvolutionKind kind;
  bool flipped;  // reverse the kernel in each dimension
  int64_t groups, outputs, inputs;
  int64_t result[3], image[3], kernel[3], step[3];
  Scalar alpha, beta;
  Operand r, t, w;
  const char* map;
  int64_t map_rows;  // -1: no map
  uint32_t check;
};

}  // namespace th

// The rows of TH_KERNEL_OPS.
#define TH_CONVOLUTION_OPS(X) X(convolution, ConvolutionCall)

#endif
