#ifndef TH_CPU_CONVOLUTION_KERNELS_H
#define TH_CPU_CONVOLUTION_KERNELS_H

// One row of results, of up to kConvolutionOutputs outputs that share the image.

#include <cstdint>

#include "tensor/type_sets.h"

namespace th {

constexpr int kConvolutionOutputs = 4;
constexpr int kConvolutionRoom = 64;

// What is computed in; others are converted.
struct ConvolutionTypes {
  static constexpr bool contains(DType type) {
    return type == DType::Int || type == DType::Long || BlasTypes::contains(type);
  }
};

// Along one dimension the kernel's positions that meet a result: their number, and the strides, in
// elements, from one to the next.
struct ConvolutionTaps {
  int64_t count, t, w;
};

// r[x] = beta r[x] + alpha * the sum over inputs, z, y, phases and x's taps of w t[x]; t's
// neighbours in a row lie side by side.
struct ConvolutionRow {
  ConvolutionTaps input, z, y, x;
  // A row that is read in steps is split into phases, each of which has neighbours side by side:
  // phase p has the taps p, p + step, ... of x.count.
  ConvolutionTaps phase;
  int64_t step;
  // Where not 0, t[0] is the first and t[row - 1] the last element there is: x's taps count back
  // from t[x], and those beyond either end are left out.
  int64_t row;
  bool room;  // kConvolutionRoom bytes behind the image may be read
  int64_t n;
  int outputs;
  Scalar alpha, beta;
  const char *t, *w;
  int64_t w_output;
  char* r;
  int64_t r_output, r_step;
};

using ConvolutionKernel = void (*)(const ConvolutionRow&);

struct ConvolutionKernels {
  TypeTable<ConvolutionKernel> rows;
};

const ConvolutionKernels& convolution_kernels();

}  // namespace th

#endif
