// A cuDNN that computes convolutions at once, in the host's memory, as sums of double.

#include "fake_convolutions.h"

#include <cudnn.h>

#include <cstring>
#include <vector>

#include "tensor/convert.h"

struct cudnnTensorStruct {
  cudnnDataType_t type;
  std::vector<int> size;
};
struct cudnnFilterStruct : cudnnTensorStruct {};
struct cudnnConvolutionStruct {
  std::vector<int> padding, stride, dilation;
  cudnnDataType_t sums;
  int groups = 0;
  cudnnMathType_t math = CUDNN_DEFAULT_MATH;
};
struct cudnnContext {
  cudaStream_t stream;
};

namespace {

FakeConvolutions state;

// The operands of a convolution, and how the elements of one are computed from the other two.
struct Operands {
  cudnnTensorDescriptor_t image, result;
  cudnnFilterDescriptor_t weight;
  cudnnConvolutionDescriptor_t steps;
  void *x, *y, *w;
};

bool is_consistent(const Operands& o) {
  const auto& steps = *o.steps;
  const size_t dims = steps.padding.size();
  const auto &image = o.image->size, &result = o.result->size, &weight = o.weight->size;
  if (image.size() != dims + 2 || result.size() != dims + 2 || weight.size() != dims + 2 ||
      image[0] != result[0] || image[1] != weight[1] * steps.groups || result[1] != weight[0] ||
      o.image->type != o.result->type || o.image->type != o.weight->type) {
    return false;
  }
  const bool is_short = o.image->type == CUDNN_DATA_HALF || o.image->type == CUDNN_DATA_BFLOAT16;
  if (steps.sums != (is_short ? CUDNN_DATA_FLOAT : o.image->type)) return false;
  for (size_t d = 0; d < dims; ++d) {
    const int room =
        image[d + 2] + 2 * steps.padding[d] - (weight[d + 2] - 1) * steps.dilation[d] - 1;
    if (result[d + 2] != room / steps.stride[d] + 1) return false;
  }
  return true;
}

// Calls f(image element, result element, weight element) for all products of a convolution.
template <class F>
void for_products(const Operands& o, const F& f) {
  const auto &image = o.image->size, &result = o.result->size, &weight = o.weight->size;
  const size_t dims = image.size() - 2;
  int64_t positions = 1, taps = 1, pixels = 1;
  for (size_t d = 0; d < dims; ++d) {
    positions *= result[d + 2];
    taps *= weight[d + 2];
    pixels *= image[d + 2];
  }
  const int outputs = weight[0] / o.steps->groups;
  for (int n = 0; n < image[0]; ++n) {
    for (int output = 0; output < weight[0]; ++output) {
      for (int input = 0; input < weight[1]; ++input) {
        const int channel = output / outputs * weight[1] + input;
        for (int64_t y = 0; y < positions; ++y) {
          for (int64_t k = 0; k < taps; ++k) {
            int64_t rest_y = y, rest_k = k, x = 0, step = 1;
            bool inside = true;
            for (size_t d = dims; d-- > 0;) {
              const int64_t at = rest_y % result[d + 2] * o.steps->stride[d] - o.steps->padding[d] +
                                 rest_k % weight[d + 2] * o.steps->dilation[d];
              rest_y /= result[d + 2];
              rest_k /= weight[d + 2];
              inside = inside && at >= 0 && at < image[d + 2];
              x += at * step;
              step *= image[d + 2];
            }
            if (!inside) continue;
            f((int64_t{n} * image[1] + channel) * pixels + x,
              (int64_t{n} * result[1] + output) * positions + y,
              (int64_t{output} * weight[1] + input) * taps + k);
          }
        }
      }
    }
  }
}

enum class Part { image, result, weight };

template <class T>
void convolve(const Operands& o, Part part, double alpha, double beta) {
  T *x = static_cast<T*>(o.x), *y = static_cast<T*>(o.y), *w = static_cast<T*>(o.w);
  const auto& size = part == Part::image    ? o.image->size
                     : part == Part::result ? o.result->size
                                            : o.weight->size;
  size_t n = 1;
  for (int each : size) n *= static_cast<size_t>(each);
  std::vector<double> sums(n);
  auto value = [](const T* data, int64_t i) { return static_cast<double>(th::load(data[i])); };
  for_products(o, [&](int64_t i, int64_t r, int64_t k) {
    if (part == Part::image) sums[static_cast<size_t>(i)] += value(y, r) * value(w, k);
    if (part == Part::result) sums[static_cast<size_t>(r)] += value(x, i) * value(w, k);
    if (part == Part::weight) sums[static_cast<size_t>(k)] += value(x, i) * value(y, r);
  });
  T* to = part == Part::image ? x : part == Part::result ? y : w;
  for (size_t i = 0; i < n; ++i) {
    double sum = alpha * sums[i];
    if (beta != 0) sum += beta * static_cast<double>(th::load(to[i]));
    to[i] = th::convert<T>(sum);
  }
}

cudnnStatus_t run(cudnnHandle_t handle, const Operands& o, Part part, const void* alpha,
                  const void* beta, bool is_fastest, void* work, size_t bytes) {
  if (!handle->stream || !is_consistent(o)) return CUDNN_STATUS_BAD_PARAM;
  ++state.convolutions;
  state.math = o.steps->math;
  state.dims = static_cast<int>(o.steps->padding.size());
  state.is_fastest = is_fastest;
  if (state.refusals > 0) {
    --state.refusals;
    return CUDNN_STATUS_NOT_SUPPORTED;
  }
  if (state.status) return static_cast<cudnnStatus_t>(state.status);
  if (bytes < state.workspace[is_fastest ? 0 : 1]) return CUDNN_STATUS_BAD_PARAM;
  if (bytes) std::memset(work, 0x5A, bytes);
  auto factor = [&](const void* of) {
    return o.steps->sums == CUDNN_DATA_DOUBLE ? *static_cast<const double*>(of)
                                              : *static_cast<const float*>(of);
  };
  switch (o.image->type) {
    case CUDNN_DATA_FLOAT:
      convolve<float>(o, part, factor(alpha), factor(beta));
      break;
    case CUDNN_DATA_DOUBLE:
      convolve<double>(o, part, factor(alpha), factor(beta));
      break;
    case CUDNN_DATA_HALF:
      convolve<th::Half>(o, part, factor(alpha), factor(beta));
      break;
    case CUDNN_DATA_BFLOAT16:
      convolve<th::BFloat16>(o, part, factor(alpha), factor(beta));
      break;
    default:
      return CUDNN_STATUS_NOT_SUPPORTED;
  }
  return CUDNN_STATUS_SUCCESS;
}

// Algorithms, the fastest first. Some are not deterministic, are transforms, or failed.
template <class Found, class Algorithm>
cudnnStatus_t search(const Operands& o, int most, int* count, Found* found, Algorithm transform,
                     Algorithm random, Algorithm fastest, Algorithm second) {
  ++state.searches;
  if (state.search_status) return static_cast<cudnnStatus_t>(state.search_status);
  if (!is_consistent(o)) return CUDNN_STATUS_BAD_PARAM;
  const Found all[] = {
      {transform, CUDNN_STATUS_SUCCESS, 1, 0, CUDNN_DETERMINISTIC, CUDNN_TENSOR_OP_MATH, {}},
      {random, CUDNN_STATUS_SUCCESS, 2, 0, CUDNN_NON_DETERMINISTIC, CUDNN_TENSOR_OP_MATH, {}},
      {second, CUDNN_STATUS_NOT_SUPPORTED, 3, 0, CUDNN_DETERMINISTIC, CUDNN_DEFAULT_MATH, {}},
      {fastest, CUDNN_STATUS_SUCCESS, 4, 0, CUDNN_DETERMINISTIC, CUDNN_TENSOR_OP_MATH, {}},
      {second, CUDNN_STATUS_SUCCESS, 5, 0, CUDNN_DETERMINISTIC, CUDNN_DEFAULT_MATH, {}}};
  *count = 0;
  for (const Found& each : all) {
    if (*count < most) found[(*count)++] = each;
  }
  return CUDNN_STATUS_SUCCESS;
}

template <class T>
cudnnStatus_t create(T** descriptor) {
  *descriptor = new T;
  ++state.descriptors;
  return CUDNN_STATUS_SUCCESS;
}
template <class T>
cudnnStatus_t destroy(T* descriptor) {
  delete descriptor;
  --state.descriptors;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t set(cudnnTensorStruct* to, cudnnTensorFormat_t format, cudnnDataType_t type, int n,
                  const int* size) {
  if (format != CUDNN_TENSOR_NCHW || n < 4 || n > 5) return CUDNN_STATUS_BAD_PARAM;
  to->type = type;
  to->size.assign(size, size + n);
  return CUDNN_STATUS_SUCCESS;
}

constexpr auto kFastestForward = CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM;
template <class T>
T* changed(const T* data) {
  return const_cast<T*>(data);
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

FakeConvolutions* fake_convolutions() { return &state; }

const char* cudnnGetErrorString(cudnnStatus_t) { return "a fake status"; }
// A failure sets the handle, too.
cudnnStatus_t cudnnCreate(cudnnHandle_t* handle) {
  static cudnnContext invalid;
  *handle = &invalid;
  if (state.handle_status) return static_cast<cudnnStatus_t>(state.handle_status);
  *handle = new cudnnContext{};
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnDestroy(cudnnHandle_t handle) {
  delete handle;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetStream(cudnnHandle_t handle, cudaStream_t stream) {
  handle->stream = stream;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnCreateTensorDescriptor(cudnnTensorDescriptor_t* d) { return create(d); }
cudnnStatus_t cudnnDestroyTensorDescriptor(cudnnTensorDescriptor_t d) { return destroy(d); }
cudnnStatus_t cudnnSetTensorNdDescriptorEx(cudnnTensorDescriptor_t d, cudnnTensorFormat_t format,
                                           cudnnDataType_t type, int n, const int size[]) {
  return set(d, format, type, n, size);
}
cudnnStatus_t cudnnCreateFilterDescriptor(cudnnFilterDescriptor_t* d) { return create(d); }
cudnnStatus_t cudnnDestroyFilterDescriptor(cudnnFilterDescriptor_t d) { return destroy(d); }
cudnnStatus_t cudnnSetFilterNdDescriptor(cudnnFilterDescriptor_t d, cudnnDataType_t type,
                                         cudnnTensorFormat_t format, int n, const int size[]) {
  return set(d, format, type, n, size);
}
cudnnStatus_t cudnnCreateConvolutionDescriptor(cudnnConvolutionDescriptor_t* d) {
  return create(d);
}
cudnnStatus_t cudnnDestroyConvolutionDescriptor(cudnnConvolutionDescriptor_t d) {
  return destroy(d);
}
cudnnStatus_t cudnnSetConvolutionNdDescriptor(cudnnConvolutionDescriptor_t d, int n,
                                              const int padding[], const int stride[],
                                              const int dilation[], cudnnConvolutionMode_t mode,
                                              cudnnDataType_t sums) {
  if (mode != CUDNN_CROSS_CORRELATION) return CUDNN_STATUS_BAD_PARAM;
  d->padding.assign(padding, padding + n);
  d->stride.assign(stride, stride + n);
  d->dilation.assign(dilation, dilation + n);
  d->sums = sums;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetConvolutionGroupCount(cudnnConvolutionDescriptor_t d, int groups) {
  d->groups = groups;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetConvolutionMathType(cudnnConvolutionDescriptor_t d, cudnnMathType_t math) {
  d->math = math;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetConvolutionForwardAlgorithm_v7(cudnnHandle_t, cudnnTensorDescriptor_t image,
                                                     cudnnFilterDescriptor_t weight,
                                                     cudnnConvolutionDescriptor_t steps,
                                                     cudnnTensorDescriptor_t result, int most,
                                                     int* count,
                                                     cudnnConvolutionFwdAlgoPerf_t* found) {
  return search({image, result, weight, steps, nullptr, nullptr, nullptr}, most, count, found,
                CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD, CUDNN_CONVOLUTION_FWD_ALGO_GEMM,
                kFastestForward, CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM);
}
cudnnStatus_t cudnnGetConvolutionBackwardDataAlgorithm_v7(
    cudnnHandle_t, cudnnFilterDescriptor_t weight, cudnnTensorDescriptor_t result,
    cudnnConvolutionDescriptor_t steps, cudnnTensorDescriptor_t image, int most, int* count,
    cudnnConvolutionBwdDataAlgoPerf_t* found) {
  return search({image, result, weight, steps, nullptr, nullptr, nullptr}, most, count, found,
                CUDNN_CONVOLUTION_BWD_DATA_ALGO_FFT, CUDNN_CONVOLUTION_BWD_DATA_ALGO_0,
                CUDNN_CONVOLUTION_BWD_DATA_ALGO_1, CUDNN_CONVOLUTION_BWD_DATA_ALGO_WINOGRAD);
}
cudnnStatus_t cudnnGetConvolutionBackwardFilterAlgorithm_v7(
    cudnnHandle_t, cudnnTensorDescriptor_t image, cudnnTensorDescriptor_t result,
    cudnnConvolutionDescriptor_t steps, cudnnFilterDescriptor_t weight, int most, int* count,
    cudnnConvolutionBwdFilterAlgoPerf_t* found) {
  return search({image, result, weight, steps, nullptr, nullptr, nullptr}, most, count, found,
                CUDNN_CONVOLUTION_BWD_FILTER_ALGO_FFT, CUDNN_CONVOLUTION_BWD_FILTER_ALGO_3,
                CUDNN_CONVOLUTION_BWD_FILTER_ALGO_1,
                CUDNN_CONVOLUTION_BWD_FILTER_ALGO_WINOGRAD_NONFUSED);
}

cudnnStatus_t cudnnGetConvolutionForwardWorkspaceSize(
    cudnnHandle_t, cudnnTensorDescriptor_t, cudnnFilterDescriptor_t, cudnnConvolutionDescriptor_t,
    cudnnTensorDescriptor_t, cudnnConvolutionFwdAlgo_t algorithm, size_t* bytes) {
  *bytes = state.workspace[algorithm == kFastestForward ? 0 : 1];
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetConvolutionBackwardDataWorkspaceSize(
    cudnnHandle_t, cudnnFilterDescriptor_t, cudnnTensorDescriptor_t, cudnnConvolutionDescriptor_t,
    cudnnTensorDescriptor_t, cudnnConvolutionBwdDataAlgo_t, size_t* bytes) {
  *bytes = state.workspace[0];
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetConvolutionBackwardFilterWorkspaceSize(
    cudnnHandle_t, cudnnTensorDescriptor_t, cudnnTensorDescriptor_t, cudnnConvolutionDescriptor_t,
    cudnnFilterDescriptor_t, cudnnConvolutionBwdFilterAlgo_t, size_t* bytes) {
  *bytes = state.workspace[0];
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnConvolutionForward(cudnnHandle_t handle, const void* alpha,
                                      cudnnTensorDescriptor_t image, const void* x,
                                      cudnnFilterDescriptor_t weight, const void* w,
                                      cudnnConvolutionDescriptor_t steps,
                                      cudnnConvolutionFwdAlgo_t algorithm, void* work, size_t bytes,
                                      const void* beta, cudnnTensorDescriptor_t result, void* y) {
  return run(handle, {image, result, weight, steps, changed(x), y, changed(w)}, Part::result, alpha,
             beta, algorithm == kFastestForward, work, bytes);
}
cudnnStatus_t cudnnConvolutionBackwardData(cudnnHandle_t handle, const void* alpha,
                                           cudnnFilterDescriptor_t weight, const void* w,
                                           cudnnTensorDescriptor_t result, const void* y,
                                           cudnnConvolutionDescriptor_t steps,
                                           cudnnConvolutionBwdDataAlgo_t algorithm, void* work,
                                           size_t bytes, const void* beta,
                                           cudnnTensorDescriptor_t image, void* x) {
  return run(handle, {image, result, weight, steps, x, changed(y), changed(w)}, Part::image, alpha,
             beta, algorithm == CUDNN_CONVOLUTION_BWD_DATA_ALGO_1, work, bytes);
}
cudnnStatus_t cudnnConvolutionBackwardFilter(cudnnHandle_t handle, const void* alpha,
                                             cudnnTensorDescriptor_t image, const void* x,
                                             cudnnTensorDescriptor_t result, const void* y,
                                             cudnnConvolutionDescriptor_t steps,
                                             cudnnConvolutionBwdFilterAlgo_t algorithm, void* work,
                                             size_t bytes, const void* beta,
                                             cudnnFilterDescriptor_t weight, void* w) {
  return run(handle, {image, result, weight, steps, changed(x), changed(y), w}, Part::weight, alpha,
             beta, algorithm == CUDNN_CONVOLUTION_BWD_FILTER_ALGO_1, work, bytes);
}
}
#pragma GCC visibility pop
