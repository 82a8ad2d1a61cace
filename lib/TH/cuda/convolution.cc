// Convolutions by cuDNN, loaded on first use.

#include "simt/library_convolution.h"

#ifndef TH_CUDNN

namespace th {

bool convolve_by_library(Queue&, const SpatialConvolutionCall&, const PatchConvolution&) {
  return false;
}

}  // namespace th

#else

#include <cudnn.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <vector>

#include "cuda/dynamic_library.h"

namespace th {

namespace {

#define TH_CUDNN_FUNCTIONS(X)                       \
  X(cudnnGetErrorString)                            \
  X(cudnnCreate)                                    \
  X(cudnnDestroy)                                   \
  X(cudnnSetStream)                                 \
  X(cudnnCreateTensorDescriptor)                    \
  X(cudnnSetTensorNdDescriptorEx)                   \
  X(cudnnDestroyTensorDescriptor)                   \
  X(cudnnCreateFilterDescriptor)                    \
  X(cudnnSetFilterNdDescriptor)                     \
  X(cudnnDestroyFilterDescriptor)                   \
  X(cudnnCreateConvolutionDescriptor)               \
  X(cudnnSetConvolutionNdDescriptor)                \
  X(cudnnSetConvolutionGroupCount)                  \
  X(cudnnSetConvolutionMathType)                    \
  X(cudnnDestroyConvolutionDescriptor)              \
  X(cudnnGetConvolutionForwardAlgorithm_v7)         \
  X(cudnnGetConvolutionForwardWorkspaceSize)        \
  X(cudnnConvolutionForward)                        \
  X(cudnnGetConvolutionBackwardDataAlgorithm_v7)    \
  X(cudnnGetConvolutionBackwardDataWorkspaceSize)   \
  X(cudnnConvolutionBackwardData)                   \
  X(cudnnGetConvolutionBackwardFilterAlgorithm_v7)  \
  X(cudnnGetConvolutionBackwardFilterWorkspaceSize) \
  X(cudnnConvolutionBackwardFilter)

const char* library_file() {
  const char* named = std::getenv("TENSOR_CUDNN");
  return named ? named : TH_LIBRARY_FILE("cudnn", CUDNN_MAJOR);
}

struct Functions {
  DynamicLibrary library;
  TH_CUDNN_FUNCTIONS(TH_DYNAMIC_MEMBER)
  Functions() : library(library_file()) { TH_CUDNN_FUNCTIONS(TH_DYNAMIC_FIND) }
};

const Functions& functions() {
  static const Functions all;
  return all;
}

bool is_out_of_memory(cudnnStatus_t status) {
  return status == CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED ||
         status == CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED;
}

// Any failure of cuDNN other than a lack of memory is kDeviceUnsupported: libTH's kernels run
// instead.
void check(cudnnStatus_t status, const char* function) {
  if (status == CUDNN_STATUS_SUCCESS) return;
  const bool no_memory = is_out_of_memory(status);
  fail(no_memory ? status_without_memory() : kDeviceUnsupported, "cuDNN: %s: %s (status %d)%s",
       function, functions().cudnnGetErrorString(status), static_cast<int>(status),
       no_memory ? " (out of memory)" : "");
}

// Throws the error of earlier work, after which the device cannot be used. Otherwise clears the
// error that cuDNN's own calls of CUDA have left, so that the next kernel does not report it.
void require_device(CudaDevice& device) {
  const cudaError_t code = cudaStreamQuery(device.stream());
  cudaGetLastError();
  if (code != cudaErrorNotReady) check_cuda(code, "a convolution, or work queued before");
}

// Calls f and returns true. If memory runs out, the attempt of the operation fails, so that it is
// repeated with more memory. Returns false in the last attempt, and later until *shortages is 0.
template <class F>
bool try_with_memory(CudaDevice& device, int* shortages, const F& f) {
  try {
    f();
    return true;
  } catch (const DeviceFailure& failure) {
    if (failure.status != status_without_memory()) throw;
    require_device(device);
    if (*shortages == kMemoryAttempts - 1) return false;
    ++*shortages;
    throw;
  }
}

// Calls a function of cuDNN and checks its status.
#define TH_CALL(name, ...) check(functions().name(__VA_ARGS__), #name)

// ---- the convolution ----------------------------------------------------------------------------

// Returns true if all sizes and offsets are of type int, if no padding is negative, and if the size
// of the result is the largest one: cuDNN computes it from the other sizes.
bool is_regular(const SpatialConvolutionCall& c) {
  auto fits = [](int64_t size) { return size >= 0 && size <= INT_MAX; };
  double image = 1, result = 1, kernel = 1;
  for (int d = 0; d < 3; ++d) {
    if (!fits(c.image[d]) || !fits(c.result[d]) || !fits(c.kernel[d]) || !fits(c.stride[d]) ||
        !fits(c.padding[d]) || !fits(c.dilation[d])) {
      return false;
    }
    const int64_t reach = (c.kernel[d] - 1) * c.dilation[d];
    if ((c.image[d] + 2 * c.padding[d] - reach - 1) / c.stride[d] + 1 != c.result[d]) return false;
    image *= static_cast<double>(c.image[d]);
    result *= static_cast<double>(c.result[d]);
    kernel *= static_cast<double>(c.kernel[d]);
  }
  const auto batch = static_cast<double>(c.batch), groups = static_cast<double>(c.groups);
  const double inputs = groups * static_cast<double>(c.inputs);
  const double outputs = groups * static_cast<double>(c.outputs);
  return std::max({batch * inputs * image, batch * outputs * result,
                   outputs * static_cast<double>(c.inputs) * kernel}) <= INT_MAX;
}

// Kernels read several elements at a time.
bool is_aligned(const char* data) { return reinterpret_cast<uintptr_t>(data) % 16 == 0; }

bool is_supported(const SpatialConvolutionCall& c) {
  return is_aligned(c.image_data) && is_aligned(c.weight_data) && is_aligned(c.result_data) &&
         is_regular(c);
}

// Settings that determine the algorithm.
using Key = std::array<int64_t, 22>;
Key key_of(const SpatialConvolutionCall& c) {
  Key key = {static_cast<int64_t>(c.computes),
             static_cast<int64_t>(c.dtype),
             static_cast<int64_t>(c.tf32),
             c.batch,
             c.groups,
             c.inputs,
             c.outputs};
  auto* next = key.data() + 7;
  for (const int64_t* each : {c.image, c.kernel, c.stride, c.padding, c.dilation}) {
    next = std::copy_n(each, 3, next);
  }
  return key;
}

cudnnDataType_t type_of(DType type) {
  switch (type) {
    case DType::Half:
      return CUDNN_DATA_HALF;
    case DType::BFloat16:
      return CUDNN_DATA_BFLOAT16;
    case DType::Double:
      return CUDNN_DATA_DOUBLE;
    default:
      return CUDNN_DATA_FLOAT;
  }
}

// The operands and steps in cuDNN's terms: with two spatial dimensions or, for volumes, three.
class Descriptors {
 public:
  cudnnTensorDescriptor_t image = nullptr, result = nullptr;
  cudnnFilterDescriptor_t weight = nullptr;
  cudnnConvolutionDescriptor_t steps = nullptr;

  explicit Descriptors(const SpatialConvolutionCall& c) : Descriptors() {
    const bool is_flat = c.image[0] == 1 && c.kernel[0] == 1 && c.padding[0] == 0;
    const int first = is_flat ? 1 : 0, dims = 3 - first;
    const cudnnDataType_t type = type_of(c.dtype), sum = type_of(compute_type(c.dtype));
    int sizes[3][5] = {{as_int(c.batch), as_int(c.groups * c.inputs)},
                       {as_int(c.batch), as_int(c.groups * c.outputs)},
                       {as_int(c.groups * c.outputs), as_int(c.inputs)}};
    int step[3][3];
    for (int d = 0; d < dims; ++d) {
      const int own = first + d;
      sizes[0][2 + d] = as_int(c.image[own]);
      sizes[1][2 + d] = as_int(c.result[own]);
      sizes[2][2 + d] = as_int(c.kernel[own]);
      step[0][d] = as_int(c.padding[own]);
      step[1][d] = as_int(c.stride[own]);
      step[2][d] = as_int(c.dilation[own]);
    }
    TH_CALL(cudnnCreateTensorDescriptor, &image);
    TH_CALL(cudnnSetTensorNdDescriptorEx, image, CUDNN_TENSOR_NCHW, type, dims + 2, sizes[0]);
    TH_CALL(cudnnCreateTensorDescriptor, &result);
    TH_CALL(cudnnSetTensorNdDescriptorEx, result, CUDNN_TENSOR_NCHW, type, dims + 2, sizes[1]);
    TH_CALL(cudnnCreateFilterDescriptor, &weight);
    TH_CALL(cudnnSetFilterNdDescriptor, weight, type, CUDNN_TENSOR_NCHW, dims + 2, sizes[2]);
    TH_CALL(cudnnCreateConvolutionDescriptor, &steps);
    TH_CALL(cudnnSetConvolutionNdDescriptor, steps, dims, step[0], step[1], step[2],
            CUDNN_CROSS_CORRELATION, sum);
    TH_CALL(cudnnSetConvolutionGroupCount, steps, as_int(c.groups));
  }
  ~Descriptors() {
    if (image) functions().cudnnDestroyTensorDescriptor(image);
    if (result) functions().cudnnDestroyTensorDescriptor(result);
    if (weight) functions().cudnnDestroyFilterDescriptor(weight);
    if (steps) functions().cudnnDestroyConvolutionDescriptor(steps);
  }
  Descriptors(const Descriptors&) = delete;
  Descriptors& operator=(const Descriptors&) = delete;

  void set_math(cudnnMathType_t math) const { TH_CALL(cudnnSetConvolutionMathType, steps, math); }

 private:
  Descriptors() = default;  // so that the destructor runs if the other constructor throws
  static int as_int(int64_t size) { return static_cast<int>(size); }
};

// ---- the algorithm ------------------------------------------------------------------------------

constexpr size_t kMostWorkspace = size_t{1} << 30;
constexpr int kMostAlgorithms = 16;

struct Algorithm {
  int number;  // of the enumeration of the direction
  cudnnMathType_t math;
  size_t workspace;
};

// Algorithms that multiply elements of the operands, in the same order in each run. The others are
// transforms, which spread NaN and infinity to neighbors, and add rounding errors.
bool is_permitted(cudnnConvolutionFwdAlgo_t algorithm) {
  return algorithm == CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM ||
         algorithm == CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM ||
         algorithm == CUDNN_CONVOLUTION_FWD_ALGO_GEMM;
}
bool is_permitted(cudnnConvolutionBwdDataAlgo_t algorithm) {
  return algorithm == CUDNN_CONVOLUTION_BWD_DATA_ALGO_1;
}
bool is_permitted(cudnnConvolutionBwdFilterAlgo_t algorithm) {
  return algorithm == CUDNN_CONVOLUTION_BWD_FILTER_ALGO_1;
}

bool needs_floats(const SpatialConvolutionCall& c) { return c.dtype == DType::Float && !c.tf32; }

// The math mode that permits all algorithms. CUDNN_DEFAULT_MATH permits TF32.
cudnnMathType_t math_of(const SpatialConvolutionCall& c) {
  if (needs_floats(c)) return CUDNN_FMA_MATH;
  return item_size(c.dtype) == 2 ? CUDNN_TENSOR_OP_MATH : CUDNN_DEFAULT_MATH;
}

// A shape's descriptors and permitted algorithms, the fastest first by cuDNN's heuristics. There
// are none if cuDNN does not support the shape, or fails.
class Plan {
 public:
  Plan(CudaDevice& device, cudnnHandle_t handle, const SpatialConvolutionCall& c) {
    try {
      find(handle, c);
    } catch (const DeviceFailure& failure) {
      if (failure.status != kDeviceUnsupported) throw;
      require_device(device);
      algorithms_.clear();
    }
  }
  const std::vector<Algorithm>& algorithms() const { return algorithms_; }
  const Descriptors& descriptors() const { return *descriptors_; }

  int shortages = 0;  // of memory for the fastest algorithm, in a row

 private:
  void find(cudnnHandle_t handle, const SpatialConvolutionCall& c) {
    descriptors_ = std::make_unique<Descriptors>(c);
    const Descriptors& d = *descriptors_;
    d.set_math(math_of(c));
    const Functions& call = functions();
    switch (c.computes) {
      case SpatialResult::result: {
        cudnnConvolutionFwdAlgoPerf_t found[kMostAlgorithms];
        int n = 0;
        TH_CALL(cudnnGetConvolutionForwardAlgorithm_v7, handle, d.image, d.weight, d.steps,
                d.result, kMostAlgorithms, &n, found);
        return keep_permitted(c, found, n, [&](auto algorithm, size_t* bytes) {
          return call.cudnnGetConvolutionForwardWorkspaceSize(handle, d.image, d.weight, d.steps,
                                                              d.result, algorithm, bytes);
        });
      }
      case SpatialResult::image: {
        cudnnConvolutionBwdDataAlgoPerf_t found[kMostAlgorithms];
        int n = 0;
        TH_CALL(cudnnGetConvolutionBackwardDataAlgorithm_v7, handle, d.weight, d.result, d.steps,
                d.image, kMostAlgorithms, &n, found);
        return keep_permitted(c, found, n, [&](auto algorithm, size_t* bytes) {
          return call.cudnnGetConvolutionBackwardDataWorkspaceSize(
              handle, d.weight, d.result, d.steps, d.image, algorithm, bytes);
        });
      }
      case SpatialResult::weight: {
        cudnnConvolutionBwdFilterAlgoPerf_t found[kMostAlgorithms];
        int n = 0;
        TH_CALL(cudnnGetConvolutionBackwardFilterAlgorithm_v7, handle, d.image, d.result, d.steps,
                d.weight, kMostAlgorithms, &n, found);
        return keep_permitted(c, found, n, [&](auto algorithm, size_t* bytes) {
          return call.cudnnGetConvolutionBackwardFilterWorkspaceSize(
              handle, d.image, d.result, d.steps, d.weight, algorithm, bytes);
        });
      }
    }
  }

  // workspace_of(algorithm, &bytes): returns the size of an algorithm's workspace.
  template <class Found, class F>
  void keep_permitted(const SpatialConvolutionCall& c, const Found* found, int n,
                      const F& workspace_of) {
    for (int k = 0; k < n; ++k) {
      if (found[k].status != CUDNN_STATUS_SUCCESS || !is_permitted(found[k].algo)) continue;
      if (found[k].determinism != CUDNN_DETERMINISTIC) continue;
      Algorithm a = {static_cast<int>(found[k].algo), found[k].mathType, 0};
      if (needs_floats(c)) a.math = CUDNN_FMA_MATH;
      descriptors_->set_math(a.math);
      const cudnnStatus_t status = workspace_of(found[k].algo, &a.workspace);
      if (is_out_of_memory(status)) check(status, "the size of the workspace");
      if (status == CUDNN_STATUS_SUCCESS && a.workspace <= kMostWorkspace) algorithms_.push_back(a);
    }
  }

  std::unique_ptr<Descriptors> descriptors_;
  std::vector<Algorithm> algorithms_;
};

// The handle and the plans of a device. Finding an algorithm takes longer than small convolutions.
class Convolutions {
 public:
  explicit Convolutions(CudaDevice& device) : device_(device) {}

  cudnnHandle_t handle() const { return handle_; }

  // Returns null if the library does not work on this device, or if memory has run out.
  Plan* find(const SpatialConvolutionCall& c) {
    const Key key = key_of(c);
    auto known = plans_.find(key);
    if (known == plans_.end()) {
      const bool is_found = try_with_memory(device_, &shortages_, [&] {
        open();
        if (!handle_) return;
        if (plans_.size() == kMost) plans_.clear();
        known = plans_.try_emplace(key, device_, handle_, c).first;
      });
      if (!is_found || !handle_) return nullptr;
      shortages_ = 0;
    }
    return &known->second;
  }

 private:
  static constexpr size_t kMost = 1024;

  // Makes the handle. It stays null if cuDNN fails, because a part of it is missing, for example.
  void open() {
    if (handle_ || is_broken_) return;
    cudnnHandle_t handle = nullptr;
    try {
      const cudnnStatus_t status = functions().cudnnCreate(&handle);
      // A failed creation may leave a value that is not a handle.
      if (status != CUDNN_STATUS_SUCCESS) handle = nullptr;
      // This is also the status if the device has no memory for the handle.
      if (status == CUDNN_STATUS_NOT_INITIALIZED) {
        fail(status_without_memory(), "cuDNN cannot be initialized (out of memory)");
      }
      check(status, "cudnnCreate");
      TH_CALL(cudnnSetStream, handle, device_.stream());
      handle_ = handle;
    } catch (const DeviceFailure& failure) {
      if (handle) functions().cudnnDestroy(handle);
      if (failure.status != kDeviceUnsupported) throw;
      require_device(device_);
      is_broken_ = true;
    }
  }

  CudaDevice& device_;
  cudnnHandle_t handle_ = nullptr;
  bool is_broken_ = false;
  int shortages_ = 0;  // of memory for the handle or for a plan, in a row
  std::map<Key, Plan> plans_;
};

StateOfDevice<Convolutions>& convolutions() {
  static auto* all = new StateOfDevice<Convolutions>;
  return *all;
}

// ---- the call -----------------------------------------------------------------------------------

// The type of the factors is that of the sums.
template <class S>
cudnnStatus_t execute(cudnnHandle_t handle, const SpatialConvolutionCall& c, const Descriptors& d,
                      const Algorithm& a, void* workspace) {
  const Functions& call = functions();
  const S alpha = 1, beta = c.bias ? 1 : 0;
  switch (c.computes) {
    case SpatialResult::result:
      return call.cudnnConvolutionForward(handle, &alpha, d.image, c.image_data, d.weight,
                                          c.weight_data, d.steps,
                                          static_cast<cudnnConvolutionFwdAlgo_t>(a.number),
                                          workspace, a.workspace, &beta, d.result, c.result_data);
    case SpatialResult::image:
      return call.cudnnConvolutionBackwardData(
          handle, &alpha, d.weight, c.weight_data, d.result, c.result_data, d.steps,
          static_cast<cudnnConvolutionBwdDataAlgo_t>(a.number), workspace, a.workspace, &beta,
          d.image, c.image_data);
    case SpatialResult::weight:
      return call.cudnnConvolutionBackwardFilter(
          handle, &alpha, d.image, c.image_data, d.result, c.result_data, d.steps,
          static_cast<cudnnConvolutionBwdFilterAlgo_t>(a.number), workspace, a.workspace, &beta,
          d.weight, c.weight_data);
  }
  return CUDNN_STATUS_NOT_SUPPORTED;
}

// Runs an algorithm. Throws kDeviceUnsupported if cuDNN fails.
void run(CudaDevice& device, cudnnHandle_t handle, const SpatialConvolutionCall& call,
         const PatchConvolution& c, const Descriptors& d, const Algorithm& a) {
  const Scratch workspace(device, a.workspace);
  d.set_math(a.math);
  // The bias is the value to which sums are added, so that they are rounded once.
  if (call.bias) fill_with_bias(device, c);
  work_queued() = true;
  const cudnnStatus_t status = call.dtype == DType::Double
                                   ? execute<double>(handle, call, d, a, workspace.as<void>())
                                   : execute<float>(handle, call, d, a, workspace.as<void>());
  if (status == CUDNN_STATUS_SUCCESS) return;
  // Only the result was written, and will be overwritten.
  device.allow_repetition();
  check(status, "the convolution");
}

// Runs the first algorithm that does not fail and that has enough memory. Returns false without
// such a one.
bool run(CudaDevice& device, cudnnHandle_t handle, const SpatialConvolutionCall& call,
         const PatchConvolution& c, Plan& plan) {
  for (const Algorithm& a : plan.algorithms()) {
    bool is_done = false;
    try {
      is_done = try_with_memory(device, &plan.shortages,
                                [&] { run(device, handle, call, c, plan.descriptors(), a); });
    } catch (const DeviceFailure& failure) {
      if (failure.status != kDeviceUnsupported) throw;
      require_device(device);
    }
    if (!is_done) continue;
    if (&a == &plan.algorithms().front()) plan.shortages = 0;
    return true;
  }
  return false;
}

}  // namespace

bool convolve_by_library(Queue& queue, const SpatialConvolutionCall& call,
                         const PatchConvolution& c) {
  if (!is_supported(call) || !functions().library.is_complete()) return false;
  CudaDevice& device = cuda_device(queue);
  bool done = false;
  convolutions().use(device, [&](Convolutions& known) {
    Plan* plan = known.find(call);
    done = plan && run(device, known.handle(), call, c, *plan);
  });
  return done;
}

}  // namespace th

#endif
