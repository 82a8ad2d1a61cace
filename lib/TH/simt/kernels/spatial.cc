// Convolutions and pools of batches of images, with a thread for each element of the result.

#include "simt/launch.h"
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

TH_HD int64_t volume(const int64_t* size) { return size[0] * size[1] * size[2]; }
__device__ inline int64_t offset(const int64_t* at, const int64_t* size) {
  return (at[0] * size[1] + at[1]) * size[2] + at[2];
}

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

// Computes the position in the image for a position of the result. Returns false if it is outside.
__device__ inline bool find_in_image(const SpatialConvolutionCall& c, const int64_t* result,
                                     const int64_t* tap, int64_t* image) {
  for (int d = 0; d < 3; ++d) {
    image[d] = result[d] * c.stride[d] - c.padding[d] + tap[d] * c.dilation[d];
    if (image[d] < 0 || image[d] >= c.image[d]) return false;
  }
  return true;
}
// The inverse: false if no position of the result reads this one.
__device__ inline bool find_in_result(const SpatialConvolutionCall& c, const int64_t* image,
                                      const int64_t* tap, int64_t* result) {
  for (int d = 0; d < 3; ++d) {
    const int64_t at = image[d] + c.padding[d] - tap[d] * c.dilation[d];
    result[d] = at / c.stride[d];
    if (at < 0 || at % c.stride[d] != 0 || result[d] >= c.result[d]) return false;
  }
  return true;
}

template <class T>
__global__ void convolve_result(SpatialConvolutionCall c, int64_t n) {
  using C = typename Numeric<T>::Compute;
  const T* image = reinterpret_cast<const T*>(c.image_data);
  const T* weight = reinterpret_cast<const T*>(c.weight_data);
  const int64_t taps = volume(c.kernel), plane = volume(c.image), channels = c.groups * c.outputs;
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t k = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x; k < n; k += step) {
    const Place p(k, channels, c.result);
    const int64_t first = (p.image * c.groups + p.channel / c.outputs) * c.inputs;
    C sum = 0;
    for (int64_t i = 0; i < c.inputs; ++i) {
      const T* kernel = weight + (p.channel * c.inputs + i) * taps;
      for_taps(c.kernel, [&](int64_t w, const int64_t* tap) {
        int64_t at[3];
        if (!find_in_image(c, p.at, tap, at)) return;
        sum += load(kernel[w]) * load(image[(first + i) * plane + offset(at, c.image)]);
      });
    }
    if (c.bias) sum += load(reinterpret_cast<const T*>(c.bias)[p.channel]);
    reinterpret_cast<T*>(c.result_data)[k] = convert<T>(sum);
  }
}

template <class T>
__global__ void convolve_image(SpatialConvolutionCall c, int64_t n) {
  using C = typename Numeric<T>::Compute;
  const T* result = reinterpret_cast<const T*>(c.result_data);
  const T* weight = reinterpret_cast<const T*>(c.weight_data);
  const int64_t taps = volume(c.kernel), plane = volume(c.result), channels = c.groups * c.inputs;
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t k = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x; k < n; k += step) {
    const Place p(k, channels, c.image);
    const int64_t group = p.channel / c.inputs, input = p.channel % c.inputs;
    C sum = 0;
    for (int64_t o = group * c.outputs; o < (group + 1) * c.outputs; ++o) {
      const T* kernel = weight + (o * c.inputs + input) * taps;
      const T* from = result + (p.image * c.groups * c.outputs + o) * plane;
      for_taps(c.kernel, [&](int64_t w, const int64_t* tap) {
        int64_t at[3];
        if (!find_in_result(c, p.at, tap, at)) return;
        sum += load(kernel[w]) * load(from[offset(at, c.result)]);
      });
    }
    if (c.bias) sum += load(reinterpret_cast<const T*>(c.bias)[p.channel]);
    reinterpret_cast<T*>(c.image_data)[k] = convert<T>(sum);
  }
}

// One block for each weight; the sums of its threads are added in order.
template <class T>
__global__ void convolve_weight(SpatialConvolutionCall c, int64_t n) {
  using C = typename Numeric<T>::Compute;
  __shared__ C sums[kThreads];
  const T* image = reinterpret_cast<const T*>(c.image_data);
  const T* result = reinterpret_cast<const T*>(c.result_data);
  const int64_t plane = volume(c.result), image_plane = volume(c.image);
  for (int64_t k = blockIdx.x; k < n; k += gridDim.x) {
    const Place p(k, c.inputs, c.kernel);
    const int64_t output = p.image, group = output / c.outputs;
    C sum = 0;
    for (int64_t i = threadIdx.x; i < c.batch * plane; i += kThreads) {
      const Place from(i, 1, c.result);
      int64_t at[3];
      if (!find_in_image(c, from.at, p.at, at)) continue;
      const T value = result[(from.image * c.groups * c.outputs + output) * plane + i % plane];
      const int64_t channel = (from.image * c.groups + group) * c.inputs + p.channel;
      sum += load(value) * load(image[channel * image_plane + offset(at, c.image)]);
    }
    sums[threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
      C total = 0;
      for (int i = 0; i < kThreads; ++i) total += sums[i];
      reinterpret_cast<T*>(c.weight_data)[k] = convert<T>(total);
    }
    __syncthreads();
  }
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
  dispatch_types<FloatingTypes>(call.dtype, [&](auto zero) {
    using T = decltype(zero);
    if (call.computes == SpatialResult::result) {
      const int64_t n = call.batch * call.groups * call.outputs * volume(call.result);
      TH_LAUNCH(queue, (convolve_result<T>), blocks_for(queue, n), kThreads, 0, call, n);
    } else if (call.computes == SpatialResult::image) {
      const int64_t n = call.batch * call.groups * call.inputs * volume(call.image);
      TH_LAUNCH(queue, (convolve_image<T>), blocks_for(queue, n), kThreads, 0, call, n);
    } else {
      const int64_t n = call.groups * call.outputs * call.inputs * volume(call.kernel);
      TH_LAUNCH(queue, (convolve_weight<T>), at_most(queue, n), kThreads, 0, call, n);
    }
  });
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
