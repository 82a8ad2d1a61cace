// Convolutions and pools of batches of images, and sums of neighbors.

#include "simt/launch.h"
#include "simt/library_convolution.h"
#include "simt/offset_calculator.h"
#include "tensor/convert.h"
#include "tensor/type_sets.h"

namespace th {
namespace {

// The position of an element in contiguous planes: the plane and three spatial indices. I: uint32_t
// if it can count the elements, because divisions of 64 bits are slow.
template <class I>
struct Place {
  int64_t plane, at[3];

  __device__ Place(I i, const int64_t* size) {
    for (int d = 2; d >= 0; --d) {
      const I n = static_cast<I>(size[d]), next = i / n;
      at[d] = static_cast<int64_t>(i - next * n);
      i = next;
    }
    plane = static_cast<int64_t>(i);
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

// Returns true if cuDNN's deterministic algorithms are faster than ours, as those of bench/gpu.lua
// on an H100.
bool is_faster_in_library(const SpatialConvolutionCall& call) {
  if (call.groups > 1) return true;
  if (volume(call.kernel) == 1) return false;
  const bool is_16_bit = item_size(call.dtype) == 2;
  switch (call.computes) {
    case SpatialResult::result:
      return true;
    case SpatialResult::image:
      return is_16_bit && 4 * call.inputs > call.outputs;
    case SpatialResult::weight:
      return is_16_bit && volume(call.result) >= 1024;
  }
  return false;
}

template <class T, class I>
__global__ void find_maxima(MaxPoolCall c, I n) {
  const PoolWindows *z = c.windows, *y = z + 1, *x = z + 2;
  const int64_t size[] = {z->count, y->count, x->count};
  const int64_t plane = z->size * y->size * x->size;
  for (I k = blockIdx.x * I(blockDim.x) + threadIdx.x; k < n; k += I(gridDim.x) * blockDim.x) {
    const Place<I> p(k, size);
    const T* in = reinterpret_cast<const T*>(c.in) + p.plane * plane;
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

template <class T, class I>
__global__ void sum_neighbors(ResampleCall c, I n) {
  using C = typename Numeric<T>::Compute;
  const int64_t size[] = {1, c.count, c.inner};
  for (I k = blockIdx.x * I(blockDim.x) + threadIdx.x; k < n; k += I(gridDim.x) * blockDim.x) {
    const Place<I> p(k, size);
    const int64_t j = p.at[1];
    const T* in = reinterpret_cast<const T*>(c.in) + p.plane * c.size * c.inner + p.at[2];
    const int64_t first = c.first[j] - c.index_base;
    double sum = 0;
    for (int64_t w = 0; w < c.width; ++w) {
      const double weight = c.weights[j * c.width + w];
      if (weight != 0) sum += weight * static_cast<double>(load(in[(first + w) * c.inner]));
    }
    reinterpret_cast<T*>(c.out)[k] = convert<T>(static_cast<C>(sum));
  }
}

}  // namespace

void run_spatial_convolution(Queue& queue, const SpatialConvolutionCall& call) {
  const PatchConvolution c = patch_convolution(call);
  if (is_faster_in_library(call) && convolve_by_library(queue, call, c)) return;
  if (call.computes == SpatialResult::weight) return correlate_patches(queue, c);
  convolve_patches(queue, c);
}

void run_max_pool(Queue& queue, const MaxPoolCall& call) {
  int64_t n = call.planes;
  for (const PoolWindows& w : call.windows) n *= w.count;
  dispatch_types<FloatingTypes>(call.dtype, [&](auto zero) {
    using T = decltype(zero);
    dispatch_index(n, [&](auto count) {
      using I = decltype(count);
      TH_LAUNCH(queue, (find_maxima<T, I>), blocks_for(queue, n), kThreads, 0, call,
                static_cast<I>(n));
    });
  });
}

void run_resample(Queue& queue, const ResampleCall& call) {
  const int64_t n = call.outer * call.count * call.inner;
  dispatch_types<FloatingTypes>(call.dtype, [&](auto zero) {
    using T = decltype(zero);
    dispatch_index(n, [&](auto count) {
      using I = decltype(count);
      TH_LAUNCH(queue, (sum_neighbors<T, I>), blocks_for(queue, n), kThreads, 0, call,
                static_cast<I>(n));
    });
  });
}

}  // namespace th
