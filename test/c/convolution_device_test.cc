// Convolutions on a device against the CPU's. The elements are small integers, so that sums are
// exact and all results are equal, whatever the order of the sums.

#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "base/error.h"
#include "base/op_scope.h"
#include "memory/heap.h"
#include "on_soft_device.h"

namespace {

using namespace core;
namespace ops = th::ops;
using th::Scalar;
using List = std::vector<double>;

struct Place {
  Shape shape;
  Layout layout;
};

// The result, then the operands.
using Operands = std::vector<TensorRef>;
using Operation = std::function<void(const Operands&)>;
using Comparison = std::function<void(DType, const std::vector<Place>&, bool, const Operation&,
                                      const std::string&)>;

class ConvolutionDevice : public OnSoftDevice {
 protected:
  static double element(size_t operand, int64_t i) {
    return static_cast<double>((i * 7 + i / 5) % 4) - (operand == 1 ? 1 : 0);
  }

  // Runs the operation on the CPU and on the device. The first operand is the result; it is empty,
  // or has elements, which are NaN if they are not read.
  void compare(DType type, const std::vector<Place>& places, bool reads_result,
               const Operation& operation, const std::string& what) {
    Operands here, there;
    for (size_t k = 0; k < places.size(); ++k) {
      for (Operands* all : {&here, &there}) {
        TensorRef t =
            places[k].shape.empty() ? empty(type) : make(type, places[k].shape, places[k].layout);
        const bool is_nan = k == 0 && !reads_result && !th::is_integral(type);
        fill(*t, [&](int64_t i) {
          return is_nan ? std::numeric_limits<double>::quiet_NaN() : element(k, i);
        });
        all->push_back(all == &here ? std::move(t) : sent(std::move(t)));
      }
    }
    operation(here);
    {
      th::OpScope scope("the operation");
      operation(there);
    }
    ASSERT_EQ(shape(*here[0]), shape(*there[0])) << what;
    ASSERT_TRUE(is_there(*there[0])) << what;
    const List expected = values(*here[0]), got = values(*there[0]);
    for (size_t i = 0; i < expected.size(); ++i) {
      // Libraries round sums of 16-bit products once, the CPU rounds those of some parts.
      const double tolerance = test_device::tolerance(type) * std::abs(expected[i]);
      ASSERT_NEAR(expected[i], got[i], tolerance) << what << ", " << th::name(type) << ", " << i;
    }
  }
  Comparison comparison() {
    return [this](auto&&... arguments) { compare(arguments...); };
  }
};
INSTANTIATE_TEST_SUITE_P(Settings, ConvolutionDevice, testing::ValuesIn(kSettings), setting_name);

// ---- Torch7's functions

struct Mode {
  int64_t step[3];
  char vf, xc;
};
struct Planes {
  const char* name;
  Shape image, kernel, leading;  // leading: the dimensions of the result before the planes
  std::function<void(Tensor*, double, double, Tensor*, Tensor*, const Mode&)> call;
  bool dilates;
};

template <class F>
auto images(const F& f) {
  return [f](Tensor* r, double beta, double alpha, Tensor* t, Tensor* k, const Mode& m) {
    f(r, Scalar(beta), Scalar(alpha), t, k, m.step[1], m.step[2], m.vf, m.xc);
  };
}
template <class F>
auto volumes(const F& f) {
  return [f](Tensor* r, double beta, double alpha, Tensor* t, Tensor* k, const Mode& m) {
    f(r, Scalar(beta), Scalar(alpha), t, k, m.step[0], m.step[1], m.step[2], m.vf, m.xc);
  };
}
void revger(Tensor* r, double beta, double alpha, Tensor* t, Tensor* k, const Mode& m) {
  ops::conv2DRevger(r, Scalar(beta), Scalar(alpha), t, k, m.step[1], m.step[2]);
}
void revgerm(Tensor* r, double beta, double alpha, Tensor* t, Tensor* k, const Mode& m) {
  ops::conv2DRevgerm(r, Scalar(beta), Scalar(alpha), t, k, m.step[1], m.step[2]);
}
void revger_3d(Tensor* r, double beta, double alpha, Tensor* t, Tensor* k, const Mode& m) {
  ops::conv3DRevger(r, Scalar(beta), Scalar(alpha), t, k, m.step[0], m.step[1], m.step[2]);
}

// Sums of single elements.
const Planes kSmall[] = {
    {"conv2Dmul", {7, 9}, {2, 3}, {}, images(ops::conv2Dmul), false},
    {"conv2Dcmul", {5, 6, 5}, {5, 3, 2}, {5}, images(ops::conv2Dcmul), false},
    {"conv2Dmv", {3, 5, 9}, {5, 3, 2, 3}, {5}, images(ops::conv2Dmv), false},
    {"conv2Dmm", {2, 3, 5, 4}, {6, 3, 2, 2}, {2, 6}, images(ops::conv2Dmm), false},
    {"conv2Dger", {3, 5, 6}, {4, 2, 3}, {4, 3}, images(ops::conv2Dger), false},
    {"conv2DRevger", {3, 7, 9}, {2, 2, 3}, {2, 3}, revger, true},
    {"conv3Dmul", {4, 5, 8}, {2, 3, 2}, {}, volumes(ops::conv3Dmul), false},
    {"conv3Dcmul", {2, 3, 4, 5}, {2, 2, 1, 3}, {2}, volumes(ops::conv3Dcmul), false},
    {"conv3Dger", {2, 3, 4, 5}, {3, 2, 2, 2}, {3, 2}, volumes(ops::conv3Dger), false},
};
// Products of matrices: of one part or of several, of whole images or of parts of one.
const Planes kLarge[] = {
    {"conv2Dmv", {4, 31, 33}, {8, 4, 3, 3}, {8}, images(ops::conv2Dmv), false},
    {"conv2Dmm", {5, 4, 13, 14}, {9, 4, 3, 3}, {5, 9}, images(ops::conv2Dmm), false},
    {"conv2Dmm", {60, 4, 5, 5}, {10, 4, 3, 2}, {60, 10}, images(ops::conv2Dmm), false},
    {"conv2Dmm", {2, 16, 9, 10}, {2, 16, 3, 4}, {2, 2}, images(ops::conv2Dmm), false},
    {"conv2Dger", {7, 16, 17}, {6, 4, 5}, {6, 7}, images(ops::conv2Dger), false},
    {"conv2DRevger", {3, 19, 20}, {5, 6, 7}, {5, 3}, revger, true},
    {"conv2DRevgerm", {4, 3, 17, 18}, {4, 6, 7, 6}, {6, 3}, revgerm, true},
    {"conv3Dmv", {3, 9, 10, 11}, {8, 3, 2, 3, 2}, {8}, volumes(ops::conv3Dmv), false},
    {"conv3DRevger", {3, 8, 10, 11}, {5, 3, 4, 4}, {5, 3}, revger_3d, true},
};
// On the CPU these are convolutions of batches.
const Planes kLargeBatches[] = {
    {"conv2Dmv", {4, 41, 43}, {9, 4, 3, 3}, {9}, images(ops::conv2Dmv), false},
    {"conv2Dmm", {7, 4, 23, 24}, {9, 4, 3, 3}, {7, 9}, images(ops::conv2Dmm), false},
    {"conv2Dger", {11, 26, 27}, {9, 4, 5}, {9, 11}, images(ops::conv2Dger), false},
    {"conv2DRevger", {9, 29, 30}, {8, 6, 7}, {8, 9}, revger, true},
    {"conv2DRevgerm", {3, 9, 27, 28}, {3, 8, 6, 7}, {8, 9}, revgerm, true},
    {"conv3Dmv", {3, 13, 14, 15}, {9, 3, 2, 3, 2}, {9}, volumes(ops::conv3Dmv), false},
};

int64_t result_size(const Planes& p, const Mode& m, int d) {
  const size_t from_end = static_cast<size_t>(3 - d);
  const int64_t t = p.image[p.image.size() - from_end], k = p.kernel[p.kernel.size() - from_end];
  if (p.dilates) return t - (k - 1) * m.step[d];
  return m.vf == 'F' ? (t - 1) * m.step[d] + k : (t - k) / m.step[d] + 1;
}

constexpr int64_t kLargeStep = int64_t{1} << 33;
const Mode kModes[] = {{{1, 1, 1}, 'V', 'X'}, {{1, 1, 1}, 'V', 'C'}, {{1, 1, 1}, 'F', 'X'},
                       {{1, 1, 1}, 'F', 'C'}, {{1, 2, 2}, 'V', 'C'}, {{2, 1, 3}, 'V', 'X'},
                       {{1, 2, 2}, 'F', 'X'}, {{2, 3, 1}, 'F', 'C'}};
// beta and alpha.
const double kFactors[][2] = {{0, 1}, {1, 2}, {3, 1}, {0, 2}};

// Compares every every-th combination.
template <size_t n>
void compare_planes(const Planes (&cases)[n], int every, const Comparison& compare) {
  int number = 0;
  for (const Planes& p : cases) {
    for (const Mode& m : kModes) {
      if (p.dilates && (m.vf == 'F' || m.xc == 'C')) continue;
      Shape size = p.leading;
      for (int d = p.name[4] == '3' ? 0 : 1; d < 3; ++d) size.push_back(result_size(p, m, d));
      for (DType type : kAllTypes) {
        for (Layout layout : kLayouts) {
          for (const double* factor : kFactors) {
            if (left_out(number++, every)) continue;
            const Layout of_result = layout == Layout::expanded ? Layout::contiguous : layout;
            const Layout of_kernel = kLayouts[number / every % 4];
            compare(
                type, {{size, of_result}, {p.image, layout}, {p.kernel, of_kernel}}, factor[0] != 0,
                [&](const Operands& o) {
                  p.call(o[0].get(), factor[0], factor[1], o[1].get(), o[2].get(), m);
                },
                std::string(p.name) + m.vf + m.xc + std::to_string(m.step[2]) + ", layout " +
                    std::to_string(static_cast<int>(layout)) + ", beta " +
                    std::to_string(factor[0]));
            if (testing::Test::HasFatalFailure()) return;
          }
        }
      }
    }
  }
}

TEST_P(ConvolutionDevice, OfFewPlanes) { compare_planes(kSmall, 13, comparison()); }
TEST_P(ConvolutionDevice, OfManyPlanes) { compare_planes(kLarge, 59, comparison()); }
TEST_P(ConvolutionDevice, OfBatchesOfPlanes) { compare_planes(kLargeBatches, 97, comparison()); }

TEST_P(ConvolutionDevice, ResultsOfOtherShapes) {
  for (DType type : {DType::Byte, DType::Half, DType::Float}) {
    compare(
        type,
        {{{}, Layout::contiguous},
         {{4, 20, 21}, Layout::contiguous},
         {{6, 4, 3, 5}, Layout::permuted}},
        false, [](const Operands& o) { ops::xcorr2(o[0].get(), o[1].get(), o[2].get(), 'V'); },
        "xcorr2");
    compare(
        type,
        {{{}, Layout::contiguous}, {{3, 2, 4}, Layout::spaced}, {{3, 2, 3}, Layout::contiguous}},
        false, [](const Operands& o) { ops::conv2(o[0].get(), o[1].get(), o[2].get(), 'F'); },
        "conv2");
  }
}

// Steps that need 64-bit indices, along dimensions with one position or one kernel element.
TEST_P(ConvolutionDevice, LargeSteps) {
  for (DType type : kAllTypes) {
    for (Layout layout : {Layout::contiguous, Layout::permuted}) {
      const Mode valid = {{1, kLargeStep, 1}, 'V', 'X'}, full = {{1, kLargeStep, 2}, 'F', 'C'};
      compare(
          type, {{{8, 1, 196}, layout}, {{4, 3, 200}, layout}, {{8, 4, 3, 5}, layout}}, true,
          [&](const Operands& o) {
            images(ops::conv2Dmv)(o[0].get(), 2, 1, o[1].get(), o[2].get(), valid);
          },
          "valid");
      compare(
          type, {{{8, 3, 23}, layout}, {{4, 1, 10}, layout}, {{8, 4, 3, 5}, layout}}, false,
          [&](const Operands& o) {
            images(ops::conv2Dmv)(o[0].get(), 0, 1, o[1].get(), o[2].get(), full);
          },
          "full");
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(ConvolutionDevice, Maps) {
  for (DType type : kAllTypes) {
    for (char vf : {'V', 'F'}) {
      for (double beta : {0.0, 1.0, 2.0}) {
        const int64_t rows = vf == 'F' ? 6 : 4, columns = vf == 'F' ? 8 : 4;
        compare(
            type,
            {{{4, rows, columns}, vf == 'F' ? Layout::permuted : Layout::contiguous},
             {{4, 5, 6}, Layout::spaced},
             {{4, 2, 3}, Layout::contiguous}},
            beta != 0,
            [&](const Operands& o) {
              TensorRef map = vector(type, {4, 1, 1, 1, 2, 3, 4, 1});
              int64_t size[] = {4, 2};
              ops::view(map.get(), map.get(), {2, size});
              ops::conv2Dmap(o[0].get(), Scalar(beta), 3, o[1].get(), o[2].get(), map.get(), 1, 1,
                             vf, 'C');
            },
            "conv2Dmap");
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST_P(ConvolutionDevice, MapsWithoutRows) {
  TensorRef t = make_there(DType::Float, {2, 4, 4}), k = make_there(DType::Float, {2, 2, 2});
  TensorRef r = make_there(DType::Float, {2, 3, 3});
  const int64_t size[] = {0, 2};
  TensorRef map(th::tensor_new_sized(DType::Float, 2, size));
  for (const TensorRef* each : {&t, &k, &r}) fill(**each, [](int64_t) { return 1.0; });
  ops::conv2Dmap(r.get(), 3, 1, t.get(), k.get(), map.get(), 1, 1, 'V', 'X');
  EXPECT_EQ(List(18, 3.0), values(*r));
}

TEST_P(ConvolutionDevice, NumbersOfMapsOutOfRange) {
  for (double number : {0.0, 3.0}) {
    TensorRef t = make_there(DType::Float, {2, 4, 4}), k = make_there(DType::Float, {2, 2, 2});
    TensorRef r = make_there(DType::Float, {2, 3, 3}), map = vector(DType::Float, {1, number});
    for (const TensorRef* each : {&t, &k}) fill(**each, [](int64_t) { return 1.0; });
    int64_t size[] = {1, 2};
    ops::view(map.get(), map.get(), {2, size});
    std::string message;
    try {
      th::OpScope scope("conv2Dmap");
      ops::conv2Dmap(r.get(), 0, 1, t.get(), k.get(), map.get(), 1, 1, 'V', 'X');
      device_->synchronize();
    } catch (const th::Error& error) {
      message = error.what();
    }
    const std::string text = std::to_string(static_cast<int>(number));
    EXPECT_NE(message.find("plane " + text + " of the map is out of range of 2 planes"),
              std::string::npos)
        << message;
  }
}

TEST_P(ConvolutionDevice, InfinityMeetsOnlyWhatItMeets) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (DType type : kRealTypes) {
    TensorRef t = vector(type, {1, 2, 3}), k = vector(type, {1, infinity}), r = empty(type);
    int64_t row[] = {1, 3}, pair[] = {1, 2};
    ops::view(t.get(), t.get(), {2, row});
    ops::view(k.get(), k.get(), {2, pair});
    ops::conv2(r.get(), sent(std::move(t)).get(), sent(std::move(k)).get(), 'F');
    EXPECT_EQ((List{1, infinity, infinity, infinity}), values(*r));
  }
}

// ---- batches of images

struct Steps {
  int64_t stride[3], padding[3], dilation[3];
};
struct Batch {
  Shape image, weight, result;
  int64_t groups;
  Steps steps;
};

// Signals, images and volumes; padding and strides of each kind; groups, of which some are of one
// channel; products of one part or of several; images with few positions; and few inputs, or few
// outputs, for which the products of taps are added.
const Batch kBatches[] = {
    {{2, 3, 40}, {5, 3, 3}, {2, 5, 20}, 1, {{2}, {1}, {1}}},
    {{3, 8, 300}, {12, 8, 5}, {3, 12, 100}, 1, {{3}, {2}, {1}}},
    {{2, 3, 6, 7}, {4, 3, 3, 2}, {2, 4, 3, 5}, 1, {{2, 1}, {1, 0}, {1, 2}}},
    {{2, 6, 9, 8}, {6, 1, 3, 3}, {2, 6, 9, 8}, 6, {{1, 1}, {1, 1}, {1, 1}}},
    {{2, 2, 11, 9}, {2, 1, 5, 5}, {2, 2, 6, 5}, 2, {{2, 2}, {2, 2}, {1, 1}}},
    {{2, 3, 9, 10}, {6, 1, 3, 3}, {2, 6, 5, 4}, 3, {{2, 3}, {1, 1}, {1, 1}}},
    {{2, 2, 7, 8}, {2, 1, 5, 5}, {2, 2, 5, 6}, 2, {{1, 1}, {1, 1}, {1, 1}}},
    {{2, 8, 17, 15}, {12, 4, 3, 3}, {2, 12, 17, 15}, 2, {{1, 1}, {1, 1}, {1, 1}}},
    {{3, 5, 21, 20}, {8, 5, 3, 3}, {3, 8, 11, 10}, 1, {{2, 2}, {1, 1}, {1, 1}}},
    {{2, 4, 30, 29}, {9, 4, 3, 3}, {2, 9, 26, 9}, 1, {{1, 3}, {0, 1}, {2, 3}}},
    {{40, 12, 3, 4}, {16, 12, 2, 2}, {40, 16, 2, 3}, 1, {{1, 1}, {0, 0}, {1, 1}}},
    {{5, 16, 9, 11}, {20, 16, 1, 1}, {5, 20, 9, 11}, 1, {{1, 1}, {0, 0}, {1, 1}}},
    {{1, 64, 4, 4}, {64, 64, 4, 4}, {1, 64, 1, 1}, 1, {{1, 1}, {0, 0}, {1, 1}}},
    {{50, 16, 2, 2}, {24, 16, 1, 1}, {50, 24, 2, 2}, 1, {{1, 1}, {0, 0}, {1, 1}}},
    {{4, 16, 9, 11}, {20, 16, 1, 1}, {4, 20, 5, 6}, 1, {{2, 2}, {0, 0}, {1, 1}}},
    {{2, 8, 9, 30}, {8, 8, 1, 3}, {2, 8, 9, 28}, 1, {{1, 1}, {0, 0}, {kLargeStep, 1}}},
    {{2, 6, 4, 5}, {6, 1, 1, 3}, {2, 6, 4, 3}, 6, {{1, 1}, {0, 0}, {kLargeStep, 1}}},
    {{2, 2, 19, 18}, {16, 2, 5, 5}, {2, 16, 10, 9}, 1, {{2, 2}, {2, 2}, {1, 1}}},
    {{2, 3, 40, 37}, {12, 3, 4, 3}, {2, 12, 12, 9}, 1, {{3, 4}, {1, 1}, {2, 2}}},
    {{2, 16, 12, 10}, {2, 16, 3, 3}, {2, 2, 12, 10}, 1, {{1, 1}, {1, 1}, {1, 1}}},
    {{1, 4, 9, 8, 7}, {32, 2, 3, 3, 2}, {1, 32, 4, 8, 6}, 2, {{2, 1, 1}, {0, 1, 0}, {1, 1, 1}}},
    {{2, 3, 7, 9, 8}, {6, 3, 3, 3, 2}, {2, 6, 4, 9, 7}, 1, {{2, 1, 1}, {1, 1, 0}, {1, 1, 1}}},
};
constexpr int kBatchDims = 3;

void convolve(int dims, Tensor* r, Tensor* t, Tensor* w, Tensor* bias, const Batch& b) {
  const th::Sizes stride = {dims, b.steps.stride}, padding = {dims, b.steps.padding},
                  dilation = {dims, b.steps.dilation};
  if (dims == 1) return ops::conv1d(r, t, w, bias, stride, padding, dilation, b.groups);
  if (dims == 2) return ops::conv2d(r, t, w, bias, stride, padding, dilation, b.groups);
  ops::conv3d(r, t, w, bias, stride, padding, dilation, b.groups);
}
void convolve_transposed(int dims, Tensor* r, Tensor* t, Tensor* w, Tensor* bias, const Batch& b) {
  int64_t more[kBatchDims];
  for (int d = 0; d < dims; ++d) {
    const size_t k = static_cast<size_t>(d + 2);
    const Steps& s = b.steps;
    more[d] = b.image[k] - ((b.result[k] - 1) * s.stride[d] - 2 * s.padding[d] +
                            s.dilation[d] * (b.weight[k] - 1) + 1);
  }
  const th::Sizes stride = {dims, b.steps.stride}, padding = {dims, b.steps.padding},
                  dilation = {dims, b.steps.dilation}, rest = {dims, more};
  if (dims == 1) {
    return ops::convTranspose1d(r, t, w, bias, stride, padding, rest, b.groups, dilation);
  }
  if (dims == 2) {
    return ops::convTranspose2d(r, t, w, bias, stride, padding, rest, b.groups, dilation);
  }
  ops::convTranspose3d(r, t, w, bias, stride, padding, rest, b.groups, dilation);
}

TEST_P(ConvolutionDevice, OfBatches) {
  const Layout plain = Layout::contiguous;
  for (const Batch& b : kBatches) {
    const int dims = static_cast<int>(b.image.size()) - 2;
    const int64_t outputs = b.weight[0], inputs = b.image[1];
    for (DType type : kRealTypes) {
      const std::string what = "image " + std::to_string(b.image[2]);
      compare(
          type, {{{}, plain}, {b.image, plain}, {b.weight, plain}, {{outputs}, Layout::spaced}},
          false,
          [&](const Operands& o) {
            convolve(dims, o[0].get(), o[1].get(), o[2].get(), o[3].get(), b);
          },
          what + ", result");
      compare(
          type,
          {{b.image, plain}, {b.result, Layout::permuted}, {b.weight, plain}, {{inputs}, plain}},
          false,
          [&](const Operands& o) {
            Tensor* bias = type == DType::Half ? nullptr : o[3].get();
            convolve_transposed(dims, o[0].get(), o[1].get(), o[2].get(), bias, b);
          },
          what + ", image");
      compare(
          type, {{b.weight, plain}, {b.image, plain}, {b.result, plain}}, false,
          [&](const Operands& o) {
            ops::convWeight(o[0].get(), o[1].get(), o[2].get(), {dims, b.weight.data() + 2},
                            {dims, b.steps.stride}, {dims, b.steps.padding},
                            {dims, b.steps.dilation}, b.groups);
          },
          what + ", weight");
      if (HasFatalFailure()) return;
    }
  }
}

// The products of the image need 720 KiB, the patches 64.
// If memory for the image's products is short, garbage is collected first. Patches are used if that
// does not help.
TEST_P(ConvolutionDevice, OfFewOutputsWithLittleMemory) {
  if (std::string(device_->name()).find("soft") != 0) GTEST_SKIP() << "memory has no limit";
  const Batch b = {{1, 32, 100, 100}, {2, 32, 3, 3}, {1, 2, 100, 100}, 1, {{1, 1}, {1, 1}, {1, 1}}};
  struct Garbage {
    th::Device* device;
    void* block = nullptr;
    int collections = 0;
  } garbage = {device_};
  th::set_collector(
      [](void* data) {
        auto* of = static_cast<Garbage*>(data);
        of->device->release(std::exchange(of->block, nullptr));
        ++of->collections;
      },
      &garbage);
  th::DeviceUsage usage = {};
  auto run = [&](const Operands& o) {
    if (!is_there(*o[1])) return convolve(2, o[0].get(), o[1].get(), o[2].get(), nullptr, b);
    for (size_t bytes : {size_t{0}, size_t{8} << 20}) {
      garbage.collections = 0;
      if (bytes > 0) garbage.block = device_->allocate(bytes, false);
      device_->synchronize();
      device_->empty_cache();
      device_->usage(&usage);
      th::set_soft_memory(usage.in_use + (300 << 10));
      EXPECT_NO_THROW(convolve(2, o[0].get(), o[1].get(), o[2].get(), nullptr, b));
      th::set_soft_memory(0);
      EXPECT_EQ(garbage.collections, 1) << bytes;
    }
  };
  compare(DType::Float,
          {{{}, Layout::contiguous}, {b.image, Layout::contiguous}, {b.weight, Layout::contiguous}},
          false, run, "few outputs");
  th::set_collector(nullptr, nullptr);
}

}  // namespace
