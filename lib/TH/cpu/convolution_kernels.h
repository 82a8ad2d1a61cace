#ifndef TH_CPU_CONVOLUTION_KERNELS_H
#define TH_CPU_CONVOLUTION_KERNELS_H

// Computes one row of the result for up to kConvolutionOutputs outputs that share the image.

#include <cstdint>

#include "tensor/type_sets.h"

namespace th {

constexpr int kConvolutionOutputs = 4;
constexpr int kConvolutionPadding = 64;

// The types in which convolutions compute. Other types are converted.
struct ConvolutionTypes {
  static constexpr bool contains(DType type) {
    return type == DType::Int || type == DType::Long || BlasTypes::contains(type);
  }
};

// The kernel positions that contribute to one result, along one dimension: their number, and the
// strides in elements of image and kernel from one to the next.
struct ConvolutionTaps {
  int64_t count, t, w;
};

// r[x] = beta * r[x] + alpha * sum of w * t[x] over inputs and the taps of z, y, phases and x. The
// elements of a row of t are contiguous.
struct ConvolutionRow {
  ConvolutionTaps input, z, y, x;
  // If the image is read with a step, each row is split into phases with contiguous elements. Phase
  // p has the taps p, p + step, ... of x.count.
  ConvolutionTaps phase;
  int64_t step;
  // If row is not 0, the image row has the elements t[0] ... t[row - 1]. The taps of x count
  // backward from t[x], and taps outside of the row are skipped.
  int64_t row;
  bool is_padded;  // kConvolutionPadding bytes after the image are readable
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
