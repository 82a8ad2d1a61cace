#ifndef TH_BACKEND_SPATIAL_CALL_H
#define TH_BACKEND_SPATIAL_CALL_H

// Convolutions and pools of batches of images, and weighted sums along a dimension.

#include <cstdint>

#include "tensor/dtype.h"
#include "tensor/host_device.h"

namespace th {

// The three operands of a convolution; each is the result of one direction:
//   result[n][g, o][y] = bias[g, o] + sum over i, k of weight[g, o][i][k] * image[n][g, i][x]
//   image[n][g, i][x] = bias[g, i] + sum over o, k of weight[g, o][i][k] * result[n][g, o][y]
//   weight[g, o][i][k] = sum over n, y of result[n][g, o][y] * image[n][g, i][x]
// where x = y * stride - padding + k * dilation, and positions x outside of the image are skipped.
enum class SpatialResult : uint8_t { result, image, weight };

// All tensors are contiguous and all sizes at least 1. There are three spatial dimensions; those
// that are missing come first and have size 1. Padding may be negative.
struct SpatialConvolutionCall {
  SpatialResult computes;
  DType dtype;
  bool tf32;                               // as in ProductCall
  int64_t batch, groups, inputs, outputs;  // channels of each group
  int64_t image[3], result[3], kernel[3], stride[3], padding[3], dilation[3];
  char *image_data, *weight_data, *result_data;
  const char* bias;  // null: none; not for the weight
};

// The windows of a pool along one dimension.
struct PoolWindows {
  int64_t size, count;  // number of elements; number of windows
  // Window w has the elements w * stride - padding + k * dilation for k < kernel. If kernel is 0,
  // the windows divide the elements into `count` parts.
  int64_t kernel, stride, padding, dilation;

  // Computes the first element of a window, and the number of elements.
  TH_HD void window(int64_t w, int64_t* first, int64_t* elements) const {
    if (kernel == 0) {
      *first = w * size / count;
      *elements = ((w + 1) * size + count - 1) / count - *first;
      return;
    }
    int64_t begin = w * stride - padding, last = begin + (kernel - 1) * dilation;
    if (begin < 0) begin += (-begin + dilation - 1) / dilation * dilation;
    if (last >= size) last -= (last - size + dilation) / dilation * dilation;
    *first = begin;
    const int64_t reach = last - begin;
    *elements = reach < 0 ? 0 : (dilation == 1 ? reach : reach / dilation) + 1;
  }
  TH_HD int64_t step() const { return kernel == 0 ? 1 : dilation; }
};

// For each plane and each window: the largest element, or the first NaN, and its index in the
// plane, plus index_base. All tensors are contiguous. Each window has an element.
struct MaxPoolCall {
  DType dtype;
  int64_t planes;
  PoolWindows windows[3];
  int64_t index_base;
  const char* in;
  char* values;
  int64_t* indices;
};

// out[i][j][k] = sum over w of weights[j][w] * in[i][first[j] - index_base + w][k], for i < outer,
// j < count and k < inner. All tensors are contiguous. Weights of 0 skip their elements.
struct ResampleCall {
  DType dtype;
  int64_t outer, size, count, inner, width;  // width: number of weights for each j
  int64_t index_base;
  const int64_t* first;
  const double* weights;
  const char* in;
  char* out;
};

}  // namespace th

// The rows of TH_KERNEL_OPS.
#define TH_SPATIAL_OPS(X)                        \
  X(spatial_convolution, SpatialConvolutionCall) \
  X(max_pool, MaxPoolCall)                       \
  X(resample, ResampleCall)

#endif
