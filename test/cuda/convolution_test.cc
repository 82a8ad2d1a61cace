// The CUDA plugin's calls of cuDNN, on a fake library that computes sums: descriptors, algorithms,
// workspaces and errors.

#include <cudnn.h>
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <vector>

#include "cuda/device.h"
#include "cuda/probe.h"
#include "fake_convolutions.h"
#include "fake_runtime.h"
#include "simt/library_convolution.h"
#include "tensor/convert.h"
#include "tensor/type_sets.h"

namespace th {

// Kernels, which need a compiler for GPUs.
cudaError_t probe_kernel() { return cudaSuccess; }
void run_device_op(Queue&, int, const void*) {}
void fill_with_bias(Queue&, const PatchConvolution& c) {
  const auto item = item_size(c.dtype);
  const int64_t plane = volume(c.positions), channels = c.groups * c.outputs;
  for (int64_t i = 0; i < c.images * channels * plane; ++i) {
    std::copy_n(c.bias + static_cast<size_t>(i / plane % channels) * item, item,
                c.r.data + static_cast<size_t>(i) * item);
  }
}

namespace {

// Elements of a type, as numbers.
class Elements {
 public:
  Elements(DType type, int64_t n) : type_(type), bytes_(static_cast<size_t>(n) * item_size(type)) {
    const void* first = bytes_.data();
    EXPECT_EQ(reinterpret_cast<uintptr_t>(first) % 16, 0u);
  }
  char* data() { return bytes_.data(); }
  int64_t count() const { return static_cast<int64_t>(bytes_.size() / item_size(type_)); }
  double get(int64_t i) const {
    double value = 0;
    dispatch_types<FloatingTypes>(type_, [&](auto zero) {
      using T = decltype(zero);
      value = static_cast<double>(load(reinterpret_cast<const T*>(bytes_.data())[i]));
    });
    return value;
  }
  void set(int64_t i, double value) {
    dispatch_types<FloatingTypes>(type_, [&](auto zero) {
      using T = decltype(zero);
      reinterpret_cast<T*>(bytes_.data())[i] = convert<T>(value);
    });
  }

 private:
  DType type_;
  std::vector<char> bytes_;
};

// The sizes of a call: channels of each group, then the three spatial dimensions.
using Sizes = std::array<int64_t, 3>;
SpatialConvolutionCall shape_of(int64_t batch, int64_t groups, int64_t inputs, int64_t outputs,
                                const Sizes& image, const Sizes& result, const Sizes& kernel,
                                const Sizes& stride, const Sizes& padding, const Sizes& dilation) {
  SpatialConvolutionCall call = {};
  call.batch = batch;
  call.groups = groups;
  call.inputs = inputs;
  call.outputs = outputs;
  std::copy_n(image.data(), 3, call.image);
  std::copy_n(result.data(), 3, call.result);
  std::copy_n(kernel.data(), 3, call.kernel);
  std::copy_n(stride.data(), 3, call.stride);
  std::copy_n(padding.data(), 3, call.padding);
  std::copy_n(dilation.data(), 3, call.dilation);
  return call;
}

// Signals, images and volumes with strides, paddings, dilations and groups.
const SpatialConvolutionCall kShapes[] = {
    shape_of(2, 1, 3, 2, {1, 1, 9}, {1, 1, 4}, {1, 1, 3}, {1, 1, 2}, {0, 0, 0}, {1, 1, 1}),
    shape_of(2, 2, 2, 3, {1, 6, 7}, {1, 3, 7}, {1, 3, 2}, {1, 2, 1}, {0, 1, 1}, {1, 1, 2}),
    shape_of(3, 4, 1, 1, {1, 5, 5}, {1, 5, 5}, {1, 3, 3}, {1, 1, 1}, {0, 1, 1}, {1, 1, 1}),
    shape_of(1, 1, 2, 2, {4, 5, 6}, {3, 3, 4}, {2, 3, 3}, {1, 2, 1}, {0, 1, 0}, {1, 1, 1}),
    shape_of(1, 1, 1, 2, {1, 4, 4}, {3, 4, 4}, {1, 1, 1}, {1, 1, 1}, {1, 0, 0}, {1, 1, 1}),
};
constexpr SpatialResult kResults[] = {SpatialResult::result, SpatialResult::image,
                                      SpatialResult::weight};
constexpr DType kTypes[] = {DType::Half, DType::BFloat16, DType::Float, DType::Double};

// A call with operands of small whole numbers.
struct Call {
  SpatialConvolutionCall call;
  Elements image, weight, result, bias;

  Call(const SpatialConvolutionCall& shape, SpatialResult computes, DType type, bool has_bias)
      : call(shape),
        image(type, shape.batch * shape.groups * shape.inputs * volume(shape.image)),
        weight(type, shape.groups * shape.outputs * shape.inputs * volume(shape.kernel)),
        result(type, shape.batch * shape.groups * shape.outputs * volume(shape.result)),
        bias(type, shape.groups * std::max(shape.inputs, shape.outputs)) {
    call.computes = computes;
    call.dtype = type;
    int64_t number = 0;
    for (Elements* each : {&image, &weight, &result, &bias}) {
      for (int64_t i = 0; i < each->count(); ++i) each->set(i, static_cast<double>(++number % 5));
    }
    Elements& r = written();
    for (int64_t i = 0; i < r.count(); ++i) r.set(i, std::numeric_limits<double>::quiet_NaN());
    call.image_data = image.data();
    call.weight_data = weight.data();
    call.result_data = result.data();
    call.bias = has_bias ? bias.data() : nullptr;
  }
  Elements& written() {
    return call.computes == SpatialResult::image    ? image
           : call.computes == SpatialResult::weight ? weight
                                                    : result;
  }

  bool run(int index = 0) {
    PatchConvolution c = {};
    const bool is_image = call.computes == SpatialResult::image;
    c.dtype = call.dtype;
    c.images = call.batch;
    c.groups = call.groups;
    c.outputs = is_image ? call.inputs : call.outputs;
    std::copy_n(is_image ? call.image : call.result, 3, c.positions);
    c.r.data = written().data();
    c.bias = call.bias;
    CudaDevice& device = *CudaDevice::open(index);
    device.begin_operation();
    return convolve_by_library(device, call, c);
  }

  // The sums of spatial_call.h.
  std::vector<double> expected() {
    Elements& r = written();
    std::vector<double> sums(static_cast<size_t>(r.count()));
    const int64_t pixels = volume(call.image), positions = volume(call.result);
    const int64_t taps = volume(call.kernel);
    auto part = [](int64_t i, const int64_t* size, int d) {
      return d == 0 ? i / (size[1] * size[2]) : d == 1 ? i / size[2] % size[1] : i % size[2];
    };
    auto add = [&](int64_t n, int64_t g, int64_t o, int64_t i, int64_t y, int64_t k) {
      int64_t x = 0;
      for (int d = 0; d < 3; ++d) {
        const int64_t at = part(y, call.result, d) * call.stride[d] - call.padding[d] +
                           part(k, call.kernel, d) * call.dilation[d];
        if (at < 0 || at >= call.image[d]) return;
        x = x * call.image[d] + at;
      }
      const int64_t in = ((n * call.groups + g) * call.inputs + i) * pixels + x;
      const int64_t out = ((n * call.groups + g) * call.outputs + o) * positions + y;
      const int64_t tap = ((g * call.outputs + o) * call.inputs + i) * taps + k;
      switch (call.computes) {
        case SpatialResult::result:
          sums[static_cast<size_t>(out)] += image.get(in) * weight.get(tap);
          break;
        case SpatialResult::image:
          sums[static_cast<size_t>(in)] += result.get(out) * weight.get(tap);
          break;
        case SpatialResult::weight:
          sums[static_cast<size_t>(tap)] += result.get(out) * image.get(in);
      }
    };
    for (int64_t n = 0; n < call.batch; ++n) {
      for (int64_t g = 0; g < call.groups; ++g) {
        for (int64_t o = 0; o < call.outputs; ++o) {
          for (int64_t i = 0; i < call.inputs; ++i) {
            for (int64_t y = 0; y < positions; ++y) {
              for (int64_t k = 0; k < taps; ++k) add(n, g, o, i, y, k);
            }
          }
        }
      }
    }
    if (!call.bias) return sums;
    const bool is_image = call.computes == SpatialResult::image;
    const int64_t plane = is_image ? pixels : positions;
    const int64_t channels = call.groups * (is_image ? call.inputs : call.outputs);
    for (size_t i = 0; i < sums.size(); ++i) {
      sums[i] += bias.get(static_cast<int64_t>(i) / plane % channels);
    }
    return sums;
  }
};

class CudaConvolution : public testing::Test {
 protected:
  static FakeConvolutions& find() {
    void* library = dlopen(TH_FAKE_CONVOLUTIONS, RTLD_NOW | RTLD_LOCAL);
    return *reinterpret_cast<GetFakeConvolutions>(dlsym(library, "fake_convolutions"))();
  }
  void SetUp() override {
    const int descriptors = library.descriptors;
    library = {};
    library.descriptors = descriptors;
  }
  FakeConvolutions& library = find();

  // A call whose shape no other call has, so that no plan is known.
  static Call new_call(SpatialResult computes = SpatialResult::result, DType type = DType::Float) {
    static int64_t width = 3;
    SpatialConvolutionCall shape = kShapes[2];
    shape.image[2] = shape.result[2] = ++width;
    return Call(shape, computes, type, computes != SpatialResult::weight);
  }
};

TEST_F(CudaConvolution, Sums) {
  for (const SpatialConvolutionCall& shape : kShapes) {
    for (SpatialResult computes : kResults) {
      for (DType type : kTypes) {
        for (bool has_bias : {false, true}) {
          if (has_bias && computes == SpatialResult::weight) continue;
          Call call(shape, computes, type, has_bias);
          ASSERT_TRUE(call.run());
          EXPECT_EQ(library.dims, shape.result[0] > 1 ? 3 : 2);
          const std::vector<double> expected = call.expected();
          Elements rounded(type, call.written().count());
          for (int64_t i = 0; i < rounded.count(); ++i) {
            rounded.set(i, expected[static_cast<size_t>(i)]);
            ASSERT_EQ(call.written().get(i), rounded.get(i))
                << name(type) << ", " << static_cast<int>(computes) << ", element " << i;
          }
        }
      }
    }
  }
}

TEST_F(CudaConvolution, FloatsAreRoundedToTF32OnlyIfThatIsAllowed) {
  for (SpatialResult computes : kResults) {
    // The shape is the same, so that plans differ by this setting only.
    Call call = new_call(computes);
    for (bool tf32 : {true, false, true}) {
      call.call.tf32 = tf32;
      ASSERT_TRUE(call.run());
      EXPECT_EQ(library.math, tf32 ? CUDNN_TENSOR_OP_MATH : CUDNN_FMA_MATH);
      EXPECT_TRUE(library.is_fastest);
    }
    ASSERT_TRUE(new_call(computes, DType::Half).run());
    EXPECT_EQ(library.math, CUDNN_TENSOR_OP_MATH);
  }
}

TEST_F(CudaConvolution, AlgorithmsAreFoundOnce) {
  Call call = new_call();
  for (int k = 0; k < 3; ++k) ASSERT_TRUE(call.run());
  EXPECT_EQ(library.searches, 1);
  EXPECT_EQ(library.convolutions, 3);
}

TEST_F(CudaConvolution, FewPlansAreKept) {
  constexpr int kMost = 1024, kDescriptors = 4;
  for (int64_t k = 0; k < 2 * kMost; ++k) {
    SpatialConvolutionCall shape = kShapes[2];
    shape.batch = 0;  // no elements to compute
    shape.image[2] = shape.result[2] = 1000 + k;
    Call call(shape, SpatialResult::result, DType::Float, false);
    ASSERT_TRUE(call.run());
    ASSERT_LE(library.descriptors, kMost * kDescriptors);
  }
}

TEST_F(CudaConvolution, Workspaces) {
  library.workspace[0] = 1000;
  Call small = new_call();
  ASSERT_TRUE(small.run());
  EXPECT_TRUE(library.is_fastest);
  // More than is allowed.
  library.workspace[0] = (size_t{1} << 30) + 1;
  ASSERT_TRUE(new_call().run());
  EXPECT_FALSE(library.is_fastest);
  library.workspace[1] = library.workspace[0];
  EXPECT_FALSE(new_call().run());
  // More than is free.
  CudaDevice& device = *CudaDevice::open(0);
  device.empty_cache();
  FakeRuntime& runtime = fake_runtime();
  runtime.memory = runtime.used[0] + (64 << 20);
  library.workspace[0] = size_t{65} << 20;
  library.workspace[1] = 1000;
  Call first = new_call();
  for (int k = 1; k < kMemoryAttempts; ++k) EXPECT_THROW(first.run(), DeviceFailure);
  ASSERT_TRUE(first.run());
  EXPECT_FALSE(library.is_fastest);
  library.workspace[1] = library.workspace[0];
  const int convolutions = library.convolutions;
  Call second = new_call();
  for (int k = 1; k < kMemoryAttempts; ++k) EXPECT_THROW(second.run(), DeviceFailure);
  EXPECT_FALSE(second.run());
  EXPECT_EQ(library.convolutions, convolutions);
  runtime.memory = size_t{1} << 30;
}

TEST_F(CudaConvolution, UnsupportedCalls) {
  for (cudnnStatus_t status :
       {CUDNN_STATUS_NOT_SUPPORTED_SHAPE, CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH}) {
    library.search_status = status;
    Call call = new_call();
    EXPECT_FALSE(call.run());
    library.search_status = 0;
    EXPECT_FALSE(call.run()) << "this is known";
  }
  library.refusals = 1;
  Call call = new_call();
  ASSERT_TRUE(call.run());
  EXPECT_FALSE(library.is_fastest);
  EXPECT_EQ(call.written().get(1), call.expected()[1]);
  library.refusals = 2;
  EXPECT_FALSE(call.run());

  library.convolutions = 0;
  call.call.padding[2] = -1;
  EXPECT_FALSE(call.run());
  call.call.padding[2] = 2;
  EXPECT_FALSE(call.run()) << "the result could be larger";
  call.call.padding[2] = 1;
  call.call.dilation[0] = int64_t{1} << 33;
  EXPECT_FALSE(call.run());
  call.call.dilation[0] = 1;
  call.call.weight_data += sizeof(float);
  EXPECT_FALSE(call.run()) << "the weight is not aligned";
  call.call.weight_data -= sizeof(float);
  call.call.batch = int64_t{1} << 29;
  EXPECT_FALSE(call.run()) << "more elements than an int counts";
  EXPECT_EQ(library.convolutions, 0);
}

// Statuses of cuDNN that do not concern memory.
constexpr cudnnStatus_t kFailures[] = {CUDNN_STATUS_EXECUTION_FAILED, CUDNN_STATUS_INTERNAL_ERROR,
                                       CUDNN_STATUS_NOT_INITIALIZED};
constexpr cudnnStatus_t kOutOfMemory = CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED;

TEST_F(CudaConvolution, FailuresAreLeftToKernels) {
  FakeRuntime& runtime = fake_runtime();
  for (cudnnStatus_t status : kFailures) {
    Call call = new_call(), next = new_call();
    library.status = status;
    runtime.last_error = cudaErrorInvalidValue;
    EXPECT_FALSE(call.run());
    EXPECT_EQ(cudaGetLastError(), cudaSuccess) << "kernels would report it";
    library.status = 0;
    EXPECT_TRUE(call.run());
    library.search_status = status;
    runtime.last_error = cudaErrorInvalidValue;
    EXPECT_FALSE(next.run());
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    library.search_status = 0;
    EXPECT_FALSE(next.run()) << "this is known";
  }
}

TEST_F(CudaConvolution, LackOfMemoryIsLeftToKernelsInTheLastAttempt) {
  for (int* status : {&library.status, &library.search_status}) {
    for (int k = 0; k < 2; ++k) {
      Call call = new_call();
      *status = kOutOfMemory;
      fake_runtime().last_error = cudaErrorMemoryAllocation;
      for (int attempt = 1; attempt < kMemoryAttempts; ++attempt) {
        try {
          call.run();
          ADD_FAILURE() << "no error";
        } catch (const DeviceFailure& found) {
          EXPECT_EQ(found.status, kDeviceOutOfMemory);
          EXPECT_NE(std::string(found.text).find("a fake status"), std::string::npos) << found.text;
        }
      }
      EXPECT_EQ(cudaGetLastError(), cudaSuccess);
      EXPECT_FALSE(call.run());
      *status = 0;
      EXPECT_TRUE(call.run());
    }
  }
}

TEST_F(CudaConvolution, BrokenDevices) {
  FakeRuntime& runtime = fake_runtime();
  for (int* status : {&library.status, &library.search_status}) {
    Call call = new_call();
    *status = CUDNN_STATUS_EXECUTION_FAILED;
    runtime.work_error = cudaErrorIllegalAddress;
    try {
      call.run();
      ADD_FAILURE() << "no error";
    } catch (const DeviceFailure& found) {
      EXPECT_EQ(found.status, kDeviceFailed);
      EXPECT_NE(std::string(found.text).find("can no longer use the device"), std::string::npos)
          << found.text;
    }
    *status = 0;
    runtime.work_error = cudaSuccess;
    EXPECT_TRUE(call.run()) << "an error is not remembered";
  }
}

TEST_F(CudaConvolution, HandlesThatCannotBeMade) {
  Call call = new_call();
  for (cudnnStatus_t status : {kOutOfMemory, CUDNN_STATUS_NOT_INITIALIZED}) {
    const int device = status == kOutOfMemory ? 1 : 3;
    library.handle_status = status;
    for (int k = 1; k < kMemoryAttempts; ++k) EXPECT_THROW(call.run(device), DeviceFailure);
    EXPECT_FALSE(call.run(device));
    library.handle_status = 0;
    EXPECT_TRUE(call.run(device)) << "a lack of memory is not remembered";
  }
  library.handle_status = CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH;
  EXPECT_FALSE(call.run(2));
  library.handle_status = 0;
  EXPECT_FALSE(call.run(2)) << "this is known";
  EXPECT_TRUE(call.run(1));
}

// Needs a process of its own, in which TENSOR_CUDNN names no library.
TEST(CudaConvolutions, WithoutTheLibrary) {
  EXPECT_FALSE(Call(kShapes[0], SpatialResult::result, DType::Float, false).run());
}

}  // namespace
}  // namespace th
