// Attention and its gradients on a device against the CPU: types, shapes, layouts and masks.

#include <algorithm>
#include <cmath>
#include <limits>

#include "device_compare.h"
#include "ops/ops.h"

namespace {

using namespace device_compare;
namespace ops = th::ops;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

class AttentionDevice : public OnDevice {};
INSTANTIATE_ON_DEVICE(AttentionDevice);

// Numbers between -1 and 1 that depend on i and seed only.
double noise(int64_t i, uint64_t seed) {
  uint64_t x = (static_cast<uint64_t>(i) + seed * 7919 + 1) * 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9u;
  return static_cast<double>((x ^ x >> 32) >> 11) / 4503599627370496.0 - 1;
}

TensorRef random_of(DType type, const Shape& size, uint64_t seed,
                    Layout layout = Layout::contiguous) {
  return filled(type, size, layout, [&](int64_t i) { return noise(i, seed); });
}

// ... x heads x rows x depth as a view of ... x rows x heads x depth, as a layer makes it.
TensorRef split_heads(DType type, Shape size, uint64_t seed) {
  const auto n = static_cast<int>(size.size());
  std::swap(size[size.size() - 3], size[size.size() - 2]);
  TensorRef t = random_of(type, size, seed);
  ops::transpose(t.get(), t.get(), n - 3, n - 2);
  return t;
}

struct Call {
  TensorRef q, k, v, mask;
  bool causal = false;
  double scale = 0;
};

// The result, the logarithms, and the gradients of q, k and v.
std::vector<TensorRef> results_of(const Call& c, Tensor* gradient) {
  std::vector<TensorRef> r;
  for (int i = 0; i < 5; ++i) {
    r.push_back(TensorRef(th::tensor_new(i == 1 ? DType::Double : c.q->dtype)));
  }
  th::OpScope scope("the operation");
  ops::attention(r[0].get(), r[1].get(), c.q.get(), c.k.get(), c.v.get(), c.mask.get(), c.causal,
                 c.scale);
  ops::attentionSlopes(r[2].get(), r[3].get(), r[4].get(), gradient, r[0].get(), r[1].get(),
                       c.q.get(), c.k.get(), c.v.get(), c.mask.get(), c.causal, c.scale);
  return r;
}

TensorRef there(const TensorRef& t) {
  if (!t) return TensorRef();
  TensorRef copy = twin(t.get());
  move_to_device(copy);
  return copy;
}

double tolerance(DType type) {
  return type == DType::BFloat16 ? 0.02
         : type == DType::Half   ? 3e-3
         : type == DType::Float  ? 1e-5
                                 : 1e-12;
}

void expect_same_attention(const Call& c) {
  Shape size(c.q->size, c.q->size + c.q->nDimension);
  size.back() = c.v->size[c.v->nDimension - 1];
  const TensorRef gradient = random_of(c.q->dtype, size, 9), moved = there(gradient);
  const std::vector<TensorRef> wanted = results_of(c, gradient.get());
  th::reset_device_stats();
  const std::vector<TensorRef> got = results_of(
      {there(c.q), there(c.k), there(c.v), there(c.mask), c.causal, c.scale}, moved.get());
  ASSERT_TRUE(th::device_stats().fallbacks.empty());
  for (size_t k = 0; k < wanted.size(); ++k) {
    ASSERT_EQ(th::shape_text(*wanted[k]), th::shape_text(*got[k]));
    if (wanted[k]->numel() == 0) continue;
    ASSERT_EQ(got[k]->storage->current_device(), &device());
    const Values a = values(wanted[k]), b = values(got[k]);
    for (size_t i = 0; i < a.size(); ++i) {
      if (a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]))) continue;
      ASSERT_NEAR(a[i], b[i], tolerance(c.q->dtype) * std::max(1.0, std::fabs(a[i])))
          << "result " << k << ", element " << i << " of " << th::name(c.q->dtype) << " "
          << th::shape_text(*c.q) << th::shape_text(*c.k);
    }
  }
}

Call call_of(DType type, const Shape& batch, int64_t rows, int64_t columns, int64_t depth,
             int64_t width, Layout layout = Layout::contiguous) {
  const auto sized = [&](int64_t n, int64_t m) {
    Shape size = batch;
    size.push_back(n);
    size.push_back(m);
    return size;
  };
  return {random_of(type, sized(rows, depth), 1, layout),
          random_of(type, sized(columns, depth), 2, layout),
          random_of(type, sized(columns, width), 3, layout), TensorRef()};
}

TEST_P(AttentionDevice, TypesShapesAndLayouts) {
  for (DType type : {DType::Float, DType::Double, DType::Half, DType::BFloat16}) {
    for (Layout layout : kLayouts) {
      expect_same_attention(call_of(type, {}, 3, 5, 4, 2, layout));
      expect_same_attention(call_of(type, {2, 3}, 4, 7, 3, 1, layout));
      if (HasFatalFailure()) return;
    }
    expect_same_attention(call_of(type, {3}, 1, 1, 1, 1));
    expect_same_attention(call_of(type, {2, 1, 2}, 2, 3, 2, 2));
    expect_same_attention(call_of(type, {0}, 2, 3, 2, 2));
    expect_same_attention(call_of(type, {2}, 2, 0, 2, 2));
    expect_same_attention({split_heads(type, {2, 3, 6, 4}, 1), split_heads(type, {2, 3, 6, 4}, 2),
                           split_heads(type, {2, 3, 6, 4}, 3), TensorRef(), true});
    if (HasFatalFailure()) return;
  }
}

// Each way in which the threads share a row.
TEST_P(AttentionDevice, LongRows) {
  for (int64_t columns : {64, 65, 256, 257, 1024, 1025, 4096, 4097}) {
    expect_same_attention(call_of(DType::Float, {}, 2, columns, 2, 2));
    if (HasFatalFailure()) return;
  }
  expect_same_attention(call_of(DType::Double, {2}, 3, 5000, 2, 2));
}

// Half can represent neither the weights nor the gradients of the products.
TEST_P(AttentionDevice, RangeOfHalf) {
  const auto filled_with = [](const Shape& size, uint64_t seed, double scale) {
    return filled(DType::Half, size, Layout::contiguous,
                  [&](int64_t i) { return scale * noise(i, seed); });
  };
  constexpr int64_t columns = 60000;
  Call c = {filled_with({1, 1}, 1, 0), filled_with({columns, 1}, 2, 1),
            filled(DType::Half, {columns, 1}, Layout::contiguous, [](int64_t) { return 1; }),
            TensorRef()};
  const TensorRef one = filled(DType::Half, {1, 1}, Layout::contiguous, [](int64_t) { return 1; });
  const std::vector<TensorRef> r =
      results_of({there(c.q), there(c.k), there(c.v), TensorRef()}, there(one).get());
  EXPECT_NEAR(values(r[0])[0], 1, 2e-3);  // each weight is rounded to 11 bits
  // Factors of the values and their gradient, and of the other operands.
  for (const auto& scale : {std::pair{200.0, 0.01}, {0.0005, 3000.0}}) {
    c = {filled_with({6, 2}, 1, 0.0001), filled_with({5, 2}, 2, scale.second),
         filled_with({5, 4}, 3, scale.first), TensorRef()};
    const TensorRef g = filled_with({6, 4}, 4, scale.first);
    const auto wanted = results_of(c, g.get());
    const auto got = results_of({there(c.q), there(c.k), there(c.v), TensorRef()}, there(g).get());
    const Values a = values(wanted[2]), b = values(got[2]);
    double largest = 0, error = 0;
    for (size_t i = 0; i < a.size(); ++i) {
      largest = std::max(largest, std::fabs(a[i]));
      error = std::max(error, std::fabs(a[i] - b[i]));
    }
    EXPECT_GT(largest, 1e-5);
    EXPECT_LE(error, 0.02 * largest) << "values of about " << scale.first;
  }
}

// Products read 16-bit operands, of which copies in float would need 4 MiB.
TEST_P(AttentionDevice, MemoryOf16Bits) {
  if (std::string(test_device::name()).find("soft") != 0) GTEST_SKIP() << "memory has no limit";
  for (DType type : {DType::Half, DType::BFloat16}) {
    const Call c = call_of(type, {}, 1, 8192, 64, 64);
    const TensorRef q = there(c.q), k = there(c.k), v = there(c.v), r(th::tensor_new(type));
    th::DeviceUsage usage = {};
    device().usage(&usage);
    th::set_soft_memory(usage.in_use + (size_t{1} << 19));
    EXPECT_NO_THROW(ops::attention(r.get(), nullptr, q.get(), k.get(), v.get(), nullptr, false, 0));
    th::set_soft_memory(0);
  }
}

TEST_P(AttentionDevice, Masks) {
  for (DType type : {DType::Float, DType::Double, DType::Half, DType::BFloat16}) {
    for (bool causal : {false, true}) {
      Call c = call_of(type, {2, 3}, 5, 6, 2, 2);
      c.causal = causal;
      c.scale = 0.7;
      for (const Shape& size :
           {Shape{5, 6}, Shape{2, 1, 1, 6}, Shape{3, 5, 1}, Shape{2, 3, 5, 6}}) {
        c.mask = random_of(type, size, 4);
        expect_same_attention(c);
        // Some rows see nothing.
        c.mask = filled(DType::Byte, size, Layout::contiguous,
                        [](int64_t i) { return i % 12 > 5 || i % 5 == 0; });
        expect_same_attention(c);
        if (HasFatalFailure()) return;
      }
      c = call_of(type, {2, 1, 2}, 3, 4, 2, 2);
      c.mask = filled(DType::Byte, {2, 1, 1, 3, 4}, Layout::spread,
                      [](int64_t i) { return i % 3 != 0; });
      c.causal = causal;
      expect_same_attention(c);
    }
  }
}

TEST_P(AttentionDevice, CausalRows) {
  for (const Shape& size :
       {Shape{4, 4}, Shape{2, 5}, Shape{5, 2}, Shape{600, 600}, Shape{300, 40}}) {
    Call c = call_of(DType::Float, {2}, size[0], size[1], 2, 3);
    c.causal = true;
    expect_same_attention(c);
    if (HasFatalFailure()) return;
  }
  for (DType type : {DType::Half, DType::BFloat16}) {
    Call c = call_of(type, {2}, 300, 300, 2, 3);
    c.causal = true;
    expect_same_attention(c);
  }
}

TEST_P(AttentionDevice, NaNAndInfinity) {
  for (double special : {kNaN, HUGE_VAL, -HUGE_VAL}) {
    Call c = call_of(DType::Float, {2}, 3, 4, 2, 2);
    put(*c.q, 2, special);
    expect_same_attention(c);
    c.mask = filled(DType::Float, {3, 4}, Layout::contiguous,
                    [&](int64_t i) { return i < 4 || i % 3 == 0 ? special : 0; });
    expect_same_attention(c);
    if (HasFatalFailure()) return;
  }
}

// The weights of all matrices do not fit into the memory of a part.
TEST(AttentionDeviceParts, ManyWeights) {
  std::string problem;
  if (!test_device::find(&problem)) GTEST_SKIP() << problem;
  expect_same_attention(call_of(DType::Float, {5}, 2048, 1700, 1, 1));
}

TEST_P(AttentionDevice, IntoViews) {
  const Call c = call_of(DType::Float, {2, 2}, 3, 4, 2, 3);
  for (Layout layout : kLayouts) {
    const TensorRef r = random_of(DType::Float, {2, 2, 3, 3}, 5, layout);
    const TensorRef logarithms = random_of(DType::Double, {2, 2, 3}, 6);
    const TensorRef r_there = there(r), logarithms_there = there(logarithms);
    const Call moved = {there(c.q), there(c.k), there(c.v), TensorRef()};
    ops::attention(r.get(), logarithms.get(), c.q.get(), c.k.get(), c.v.get(), nullptr, false, 0);
    ops::attention(r_there.get(), logarithms_there.get(), moved.q.get(), moved.k.get(),
                   moved.v.get(), nullptr, false, 0);
    const Values a = values(r), b = values(r_there);
    for (size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], 1e-5);
  }
}

}  // namespace
