// Reductions on the software device against the CPU's, for every element type, layout and
// dimension, whenever work runs and in whatever order threads do.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "base/error.h"
#include "on_soft_device.h"
#include "ops/operands.h"

namespace {

using namespace core;
namespace ops = th::ops;
using List = std::vector<double>;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

class ReduceDevice : public OnSoftDevice {
 protected:
  // The first setting sees everything, the others what may go wrong in another way.
  bool thorough() const {
    return GetParam().mode == th::SoftMode::lazy && GetParam().order == th::ThreadOrder::descending;
  }

  // The same elements in the same layout, on the device alone.
  TensorRef moved(const Tensor& t, Layout layout) {
    TensorRef copy = make(t.dtype, shape(t), layout);
    fill(*copy, [&](int64_t i) { return get(t, i); });
    th::storage_to(copy->storage, device_);
    th::Operands(device_).write(copy.get());
    return copy;
  }
};
INSTANTIATE_TEST_SUITE_P(Settings, ReduceDevice, testing::ValuesIn(kSettings), setting_name);

double rounding(DType type) {
  return type == DType::Half       ? 1e-3
         : type == DType::BFloat16 ? 1e-2
         : type == DType::Float    ? 1e-6
                                   : 1e-12;
}
void expect_near(double expected, double got, DType type, const std::string& what) {
  if (std::isnan(expected)) {
    EXPECT_TRUE(std::isnan(got)) << what << " gave " << got;
  } else if (th::is_integral(type) || std::isinf(expected)) {
    EXPECT_EQ(expected, got) << what;
  } else {
    EXPECT_NEAR(expected, got, rounding(type) * std::max(1.0, std::fabs(expected))) << what;
  }
}
void expect_same(const Tensor& expected, const Tensor& got, const std::string& what) {
  ASSERT_EQ(shape(expected), shape(got)) << what;
  for (int64_t i = 0; i < expected.numel(); ++i) {
    expect_near(get(expected, i), get(got, i), expected.dtype, what);
    if (testing::Test::HasFailure()) return;
  }
}

// indices is for some only.
using Along = std::function<void(Tensor* r, Tensor* indices, Tensor* t, int dim, bool keepdim)>;
struct NamedAlong {
  std::string name;
  Along run;
  bool floating;
  bool indices = false;
};

std::vector<NamedAlong> reductions_along() {
  std::vector<NamedAlong> all = {
      {"sum", [](Tensor* r, Tensor*, Tensor* t, int d, bool k) { ops::sum(r, t, d, k); }, false},
      {"prod", [](Tensor* r, Tensor*, Tensor* t, int d, bool k) { ops::prod(r, t, d, k); }, false},
      {"min", [](Tensor* r, Tensor* i, Tensor* t, int d, bool k) { ops::min(r, i, t, d, k); },
       false, true},
      {"max", [](Tensor* r, Tensor* i, Tensor* t, int d, bool k) { ops::max(r, i, t, d, k); },
       false, true},
      {"mean", [](Tensor* r, Tensor*, Tensor* t, int d, bool k) { ops::mean(r, t, d, k); }, true}};
  for (bool biased : {false, true}) {
    all.push_back(
        {biased ? "biased var" : "var",
         [=](Tensor* r, Tensor*, Tensor* t, int d, bool k) { ops::var(r, t, d, biased, k); },
         true});
    all.push_back(
        {biased ? "biased std" : "std",
         [=](Tensor* r, Tensor*, Tensor* t, int d, bool k) { ops::std(r, t, d, biased, k); },
         true});
  }
  for (double p : {0.0, 1.0, 2.0, 2.5, kInf, -kInf}) {
    all.push_back({"norm " + std::to_string(p),
                   [=](Tensor* r, Tensor*, Tensor* t, int d, bool k) { ops::norm(r, t, p, d, k); },
                   true});
  }
  return all;
}

// Elements whose results are exact or well-conditioned in every type.
double element_for(const std::string& name, DType type, int64_t i) {
  if (name == "prod") return i % 1009 == 3 ? 3 : 1;
  if (name == "min" || name == "max") return std::floor(noise(i) * 90);
  return th::is_integral(type) ? std::floor(noise(i) * 7) : noise(i) * 2 - 1;
}

TEST_P(ReduceDevice, AlongADimension) {
  std::vector<Shape> shapes = {{7}, {5000}, {3, 5}, {70, 130}, {2100, 3}, {4, 3, 5}};
  if (thorough()) {
    for (Shape more : {Shape{1}, Shape{17000}, Shape{130, 70}, Shape{2, 9000}, Shape{6, 1, 40, 3},
                       Shape{2, 600, 2}, Shape{1, 1, 1}}) {
      shapes.push_back(more);
    }
  }
  bool keepdim = false;
  int round = 0;
  for (const NamedAlong& op : reductions_along()) {
    for (DType type : kAllTypes) {
      if (op.floating && th::is_integral(type)) continue;
      if (!thorough() && type != DType::Byte && type != DType::Float && type != DType::Double) {
        continue;
      }
      for (const Shape& size : shapes) {
        for (Layout layout : kLayouts) {
          if (left_out(++round, 11)) continue;
          TensorRef t = make(type, size, layout);
          fill(*t, [&](int64_t i) { return element_for(op.name, type, i); });
          TensorRef u = moved(*t, layout);
          for (int dim = 0; dim < t->nDimension; ++dim) {
            keepdim = !keepdim;
            TensorRef r = empty(type), i = empty(DType::Long);
            TensorRef s = empty(type), j = empty(DType::Long);
            std::string what = op.name + " of " + th::name(type) + " " + th::shape_text(*t) +
                               " layout " + std::to_string(static_cast<int>(layout)) + " along " +
                               std::to_string(dim);
            op.run(r.get(), i.get(), t.get(), dim, keepdim);
            {
              th::OpScope scope(op.name.c_str());
              op.run(s.get(), j.get(), u.get(), dim, keepdim);
            }
            EXPECT_TRUE(th::is_on_device(s->storage)) << what;
            expect_same(*r, *s, what);
            if (op.indices) expect_same(*i, *j, what + ", indices");
            if (HasFailure()) return;
          }
        }
      }
    }
  }
}

using All = std::function<th::Scalar(Tensor*)>;
struct NamedAll {
  std::string name;
  All run;
  bool floating;
};
std::vector<NamedAll> reductions_of_all() {
  std::vector<NamedAll> all = {{"sum", &ops::sumall, false},
                               {"prod", &ops::prodall, false},
                               {"min", &ops::minall, false},
                               {"max", &ops::maxall, false},
                               {"mean", &ops::meanall, true}};
  for (bool biased : {false, true}) {
    all.push_back({"var", [=](Tensor* t) { return ops::varall(t, biased); }, true});
    all.push_back({"std", [=](Tensor* t) { return ops::stdall(t, biased); }, true});
  }
  for (double p : {0.0, 1.0, 2.0, 2.5, kInf, -kInf}) {
    all.push_back({"norm", [=](Tensor* t) { return ops::normall(t, p); }, true});
  }
  return all;
}

TEST_P(ReduceDevice, All) {
  std::vector<Shape> shapes = {{1}, {1000}, {70, 130}, {4, 3, 5}};
  if (thorough()) {
    for (Shape more : {Shape{7}, Shape{17}, Shape{40000}, Shape{2, 17000}, Shape{6, 1, 40, 3}}) {
      shapes.push_back(more);
    }
  }
  int round = 0;
  for (const NamedAll& op : reductions_of_all()) {
    for (DType type : kAllTypes) {
      if (op.floating && th::is_integral(type)) continue;
      for (const Shape& size : shapes) {
        for (Layout layout : kLayouts) {
          if (left_out(++round, 11)) continue;
          TensorRef t = make(type, size, layout);
          fill(*t, [&](int64_t i) { return element_for(op.name, type, i); });
          TensorRef u = moved(*t, layout);
          th::OpScope scope(op.name.c_str());
          th::Scalar expected = op.run(t.get()), got = op.run(u.get());
          EXPECT_EQ(expected.integral, got.integral);
          expect_near(expected.to_double(), got.to_double(),
                      th::is_integral(type) ? type : DType::Double,
                      op.name + " of " + th::name(type) + " " + th::shape_text(*t));
          EXPECT_TRUE(th::is_on_device(u->storage));
          if (HasFailure()) return;
        }
      }
    }
  }
}

TEST_P(ReduceDevice, DotDistAndEqual) {
  for (DType type : kAllTypes) {
    for (const Shape& size : {Shape{1}, Shape{9}, Shape{4097}, Shape{70, 30}, Shape{3, 4, 5}}) {
      for (Layout layout : kLayouts) {
        TensorRef a = make(type, size, layout), b = make(type, size);
        fill(*a, [](int64_t i) { return std::floor(noise(i) * 7); });
        fill(*b, [](int64_t i) { return std::floor(noise(i + 5) * 7); });
        TensorRef x = moved(*a, layout), y = moved(*b, Layout::contiguous);
        TensorRef z = moved(*a, Layout::contiguous);
        th::OpScope scope("pairs");
        EXPECT_EQ(ops::dot(a.get(), b.get()).to_double(), ops::dot(x.get(), y.get()).to_double());
        // One of them on the CPU.
        EXPECT_EQ(ops::dot(a.get(), b.get()).to_double(), ops::dot(x.get(), b.get()).to_double());
        EXPECT_TRUE(ops::equal(x.get(), z.get()));
        EXPECT_EQ(ops::equal(a.get(), b.get()), ops::equal(x.get(), y.get()));
        if (th::is_integral(type)) continue;
        for (double p : {0.0, 1.0, 2.0, 2.5, kInf, -kInf}) {
          expect_near(ops::dist(a.get(), b.get(), p).d, ops::dist(x.get(), y.get(), p).d,
                      DType::Double, "dist");
        }
        EXPECT_EQ(0, ops::dist(x.get(), z.get(), 1).d);
        if (HasFailure()) return;
      }
    }
  }
  TensorRef nan = vector(DType::Float, {1, kNaN});
  TensorRef other = moved(*nan, Layout::contiguous);
  EXPECT_FALSE(ops::equal(other.get(), other.get()));
}

// The first NaN is both the least and the largest; of equals the first counts.
TEST_P(ReduceDevice, ExtremesOfNaNsZerosAndInfinities) {
  for (DType type : kRealTypes) {
    for (const Shape& size : {Shape{300, 5}, Shape{5, 300}, Shape{9000, 2}, Shape{2, 9000}}) {
      int dim = size[0] > size[1] ? 0 : 1;
      for (int kind = 0; kind < 4; ++kind) {
        TensorRef t = make(type, size);
        fill(*t, [&](int64_t i) {
          switch (kind) {
            case 0:
              return i % 101 == 100 ? kNaN : std::floor(noise(i) * 50);
            case 1:
              return noise(i) < 0.5 ? 0.0 : -0.0;
            case 2:
              return noise(i) < 0.5 ? kInf : -kInf;
            default:
              return -kInf;
          }
        });
        TensorRef u = moved(*t, Layout::contiguous);
        for (bool largest : {false, true}) {
          auto extreme = largest ? &ops::max : &ops::min;
          TensorRef r = empty(type), i = empty(DType::Long);
          TensorRef s = empty(type), j = empty(DType::Long);
          extreme(r.get(), i.get(), t.get(), dim, true);
          extreme(s.get(), j.get(), u.get(), dim, true);
          expect_same(*r, *s, "extreme");
          expect_same(*i, *j, "its index");
          for (int64_t k = 0; k < r->numel(); ++k) {
            EXPECT_TRUE(kind == 0 || std::signbit(get(*r, k)) == std::signbit(get(*s, k)));
          }
          expect_near((largest ? ops::maxall : ops::minall)(t.get()).d,
                      (largest ? ops::maxall : ops::minall)(u.get()).d, type, "of all");
        }
      }
    }
  }
}

TEST_P(ReduceDevice, IntegersWrap) {
  TensorRef t = make(DType::Long, {3});
  auto* x = t->data_as<int64_t>(th::Access::write);
  x[0] = INT64_MAX, x[1] = 1, x[2] = 5;
  th::storage_to(t->storage, device_);
  EXPECT_EQ(INT64_MIN + 5, ops::sumall(t.get()).i);
  TensorRef r = empty(DType::Long);
  ops::sum(r.get(), t.get(), 0, true);
  EXPECT_EQ(INT64_MIN + 5, *r->data_as<int64_t>(th::Access::read));
  EXPECT_EQ(static_cast<int64_t>(1 + 1 + 25), ops::dot(t.get(), t.get()).i);
  TensorRef bytes = make(DType::Byte, {1000});
  fill(*bytes, [](int64_t) { return 255; });
  TensorRef sum = empty(DType::Byte), moved_bytes = moved(*bytes, Layout::contiguous);
  EXPECT_EQ(255000, ops::sumall(moved_bytes.get()).i);
  ops::sum(sum.get(), moved_bytes.get(), 0, true);
  EXPECT_EQ(255000 % 256, get(*sum, 0));
}

// Bit for bit, whatever runs when and in which order.
TEST_P(ReduceDevice, LargeAndReproducible) {
  static std::map<std::string, List> first_results;
  auto is_seen = [this](const std::string& name) {
    return name == "sum" || name == "var" || (thorough() && (name == "max" || name == "prod"));
  };
  auto reproduces = [](const std::string& name, const List& results) {
    auto first = first_results.emplace(name, results).first;
    EXPECT_EQ(0, std::memcmp(first->second.data(), results.data(), results.size() * sizeof(double)))
        << name;
  };
  int round = 0;
  for (const Shape& size : {Shape{1000, 1000}, Shape{1000000}, Shape{300001, 3}}) {
    if (left_out(round++, 3)) continue;
    TensorRef t = make(DType::Float, size);
    auto* x = t->data_as<float>(th::Access::write);
    for (int64_t i = 0; i < t->numel(); ++i) x[i] = static_cast<float>(noise(i) * 2 - 1);
    TensorRef u = make(DType::Float, size);
    std::memcpy(u->data(th::Access::write), x, static_cast<size_t>(t->numel()) * sizeof(float));
    th::storage_to(u->storage, device_);
    std::string shape = " of " + th::shape_text(*t);
    for (const NamedAll& op : reductions_of_all()) {
      if (!is_seen(op.name)) continue;
      double got = op.run(u.get()).d;
      expect_near(op.run(t.get()).d, got, DType::Double, op.name + shape);
      if (op.name == "sum") reproduces("all, sum" + shape, {got});
    }
    for (const NamedAlong& op : reductions_along()) {
      if (!is_seen(op.name)) continue;
      for (int dim = 0; dim < t->nDimension; ++dim) {
        TensorRef r = empty(DType::Float), i = empty(DType::Long);
        TensorRef s = empty(DType::Float), j = empty(DType::Long);
        op.run(r.get(), i.get(), t.get(), dim, true);
        op.run(s.get(), j.get(), u.get(), dim, true);
        std::string what = op.name + shape + " along " + std::to_string(dim);
        expect_same(*r, *s, what);
        if (op.indices) expect_same(*i, *j, what);
        reproduces(what, values(*s));
      }
    }
  }
}

TEST_P(ReduceDevice, OneNumberComesBack) {
  TensorRef t = make(DType::Float, {1000});
  fill(*t, [](int64_t) { return 1; });
  TensorRef u = moved(*t, Layout::contiguous);
  th::reset_device_stats();
  EXPECT_EQ(1000, ops::sumall(u.get()).d);
  EXPECT_LE(th::device_stats().to_host.copies, 1);
  EXPECT_LE(th::device_stats().to_host.bytes, 16);
  TensorRef r = empty(DType::Float);
  th::reset_device_stats();
  ops::sum(r.get(), u.get(), 0, true);
  EXPECT_EQ(0, th::device_stats().to_host.copies);
}

TEST_P(ReduceDevice, DivisorsWithZeros) {
  for (DType type : {DType::Byte, DType::Int, DType::Long}) {
    for (Layout layout : {Layout::contiguous, Layout::permuted, Layout::spaced}) {
      TensorRef a = make(type, {40, 50}), b = make(type, {40, 50}, layout), r = empty(type);
      fill(*a, [](int64_t i) { return static_cast<double>(i % 100); });
      fill(*b, [](int64_t i) { return i % 7 + 1.0; });
      TensorRef x = moved(*a, Layout::contiguous), y = moved(*b, layout);
      ops::cdiv(r.get(), x.get(), y.get());
      device_->synchronize();
      EXPECT_EQ(49, get(*r, 99));  // 99 / 2
      put(*b, 1999, 0);
      EXPECT_THROW(ops::cdiv(r.get(), a.get(), b.get()), th::Error);
      // The zero is on the device alone: the error comes when someone waits.
      y = moved(*b, layout);
      ASSERT_TRUE(th::is_on_device(y->storage));
      try {
        TensorRef s = empty(type);
        ops::cdiv(s.get(), x.get(), y.get());
        device_->synchronize();
        ADD_FAILURE() << "divided by 0";
      } catch (const th::Error& error) {
        EXPECT_NE(nullptr, std::strstr(error.what(), "integers cannot be divided by 0"))
            << error.what();
      }
      // The error is reported once.
      device_->synchronize();
    }
  }
}

}  // namespace
