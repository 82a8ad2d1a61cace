// Convolutions and pools of batches of images, and sums of neighbors.

#include "simt/launch.h"
#include "simt/library_convolution.h"
#include "tensor/convert.h"
#include "tensor/type_sets.h"

namespace th {
namespace {

// The position of an element in a contiguous tensor of images: image, channel and three spatial
// indices.
struct Place {
  int64_t image, channel, at[3];

  __device__ Place(int64_t i, int64_t channels, const int64_t* size) {
    for (int d = 2; d >= 0; --d) {
      at[d] = i % size[d];
      i /= size[d];
    }
    channel = i % channels;
    image = i / channels;
  }
};

// Calls f(k, position) for each position of a kernel, in row-major order.
template <class F>
__device__ void for_taps(const int64_t* kernel, const F& f) {
  int64_t k = 0, tap[3];
  for (tap[0] = 0; tap[0] < kernel[0]; ++tap[0]) {
    for (tap[1] = 0; tap[1] < kernel[1]; ++tap[1]) {
      for (tap[2] = 0; tap[2] < kernel[2]; ++tap[2]) f(k++, tap);
    }
  }
}

int64_t volume(const int64_t* size) { return size[0] * size[1] * size[2]; }

// A contiguous tensor of images with groups of channels.
PatchConvolution::Operand channels_of(char* data, int64_t groups, int64_t channels,
                                      const int64_t* size) {
  const int64_t plane = volume(size);
  return {data,  groups * channels * plane,      channels * plane, plane,
          plane, {size[1] * size[2], size[2], 1}};
}

PatchConvolution patch_convolution(const SpatialConvolutionCall& call) {
  PatchConvolution c;
  c.dtype = call.dtype;
  c.tf32 = call.tf32;
  c.images = call.batch;
  c.groups = call.groups;
  // The roles of image and result are exchanged in a transposed convolution.
  const bool transposed = call.computes == SpatialResult::image;
  c.outputs = transposed ? call.inputs : call.outputs;
  c.inputs = transposed ? call.outputs : call.inputs;
  for (int d = 0; d < 3; ++d) {
    c.positions[d] = transposed ? call.image[d] : call.result[d];
    c.source[d] = transposed ? call.result[d] : call.image[d];
    c.taps[d] = call.kernel[d];
    c.position_step[d] = transposed ? 1 : call.stride[d];
    c.tap_step[d] = transposed ? -call.dilation[d] : call.dilation[d];
    c.first[d] = transposed ? call.padding[d] : -call.padding[d];
    c.divisor[d] = transposed ? call.stride[d] : 1;
  }
  c.alpha = Scalar(1.0);
  c.beta = Scalar(0.0);
  const int64_t taps = volume(c.taps), depth = call.inputs * taps;
  c.r = channels_of(transposed ? call.image_data : call.result_data, c.groups, c.outputs,
                    c.positions);
  c.t = channels_of(transposed ? call.result_data : call.image_data, c.groups, c.inputs, c.source);
  c.w = {call.weight_data,          0,
         call.outputs * depth,      transposed ? taps : depth,
         transposed ? depth : taps, {call.kernel[1] * call.kernel[2], call.kernel[2], 1}};
  c.bias = call.bias;
  return c;
}

// Returns true for sums of single channels (depthwise) of float or double. They are limited by
// memory, which direct sums read once; libraries of products have no fast algorithm for them.
bool sums_channels(const SpatialConvolutionCall& call) {
  const bool has_steps = volume(call.stride) != 1;
  return call.inputs == 1 && call.outputs == 1 && item_size(call.dtype) > 2 &&
         !(call.computes == SpatialResult::image && has_steps);
}

template <class T>
__global__ void find_maxima(MaxPoolCall c, int64_t n) {
  const PoolWindows *z = c.windows, *y = z + 1, *x = z + 2;
  const int64_t size[] = {z->count, y->count, x->count};
  const int64_t plane = z->size * y->size * x->size;
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t k = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x; k < n; k += step) {
    const Place p(k, 1, size);
    const T* in = reinterpret_cast<const T*>(c.in) + p.image * plane;
    int64_t first[3], count[3];
    for (int d = 0; d < 3; ++d) c.windows[d].window(p.at[d], &first[d], &count[d]);
    int64_t best = (first[0] * y->size + first[1]) * x->size + first[2];
    auto most = load(in[best]);
    for_taps(count, [&](int64_t, const int64_t* tap) {
      int64_t at[3];
      for (int d = 0; d < 3; ++d) at[d] = first[d] + tap[d] * c.windows[d].step();
      const int64_t element = (at[0] * y->size + at[1]) * x->size + at[2];
      const auto value = load(in[element]);
      // True also for the first NaN.
      if (!(value <= most) && most == most) {
        most = value;
        best = element;
      }
    });
    reinterpret_cast<T*>(c.values)[k] = in[best];
    c.indices[k] = best + c.index_base;
  }
}

template <class T>
__global__ void sum_neighbors(ResampleCall c, int64_t n) {
  using C = typename Numeric<T>::Compute;
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t k = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x; k < n; k += step) {
    const int64_t inner = k % c.inner, j = k / c.inner % c.count, outer = k / c.inner / c.count;
    const T* in = reinterpret_cast<const T*>(c.in) + outer * c.size * c.inner + inner;
    const int64_t first = c.first[j] - c.index_base;
    C sum = 0;
    for (int64_t w = 0; w < c.width; ++w) {
      const double weight = c.weights[j * c.width + w];
      if (weight != 0) sum += static_cast<C>(weight) * load(in[(first + w) * c.inner]);
    }
    reinterpret_cast<T*>(c.out)[k] = convert<T>(sum);
  }
}

}  // namespace

void run_spatial_convolution(Queue& queue, const SpatialConvolutionCall& call) {
  const PatchConvolution c = patch_convolution(call);
  if (!sums_channels(call) && convolve_by_library(queue, call, c)) return;
  if (call.computes == SpatialResult::weight) return correlate_patches(queue, c);
  convolve_patches(queue, c);
}

void run_max_pool(Queue& queue, const MaxPoolCall& call) {
  int64_t n = call.planes;
  for (const PoolWindows& w : call.windows) n *= w.count;
  dispatch_types<FloatingTypes>(call.dtype, [&](auto zero) {
    using T = decltype(zero);
    TH_LAUNCH(queue, (find_maxima<T>), blocks_for(queue, n), kThreads, 0, call, n);
  });
}

void run_resample(Queue& queue, const ResampleCall& call) {
  const int64_t n = call.outer * call.count * call.inner;
  dispatch_types<FloatingTypes>(call.dtype, [&](auto zero) {
    using T = decltype(zero);
    TH_LAUNCH(queue, (sum_neighbors<T>), blocks_for(queue, n), kThreads, 0, call, n);
  });
}

}  // namespace th
