// Reductions against plain loops, for every element type, layout and dimension.

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "base/error.h"
#include "core_tensors.h"
#include "cpu/parallel.h"
#include "reduce_expect.h"

namespace {

using namespace core;
namespace ops = th::ops;
using List = std::vector<double>;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

// Shapes that meet every driver: short and long runs, narrow and wide columns, several blocks.
const Shape kShapes[] = {{1},       {7},       {100},      {17000},   {3, 5},        {70, 130},
                         {130, 70}, {4500, 3}, {2, 17000}, {4, 3, 5}, {6, 1, 40, 3}, {2, 600, 2}};

using Expected = std::function<double(const List&)>;
using Along = std::function<void(Tensor* r, Tensor* t, int dim, bool keepdim)>;

void check_along(const char* name, const Along& along, const Expected& expected,
                 const std::vector<DType>& types, const std::function<double(int64_t)>& element) {
  int round = 0;
  for (DType type : types) {
    for (const Shape& size : kShapes) {
      for (Layout layout : kLayouts) {
        if (left_out(round++, 11)) continue;
        TensorRef t = make(type, size, layout);
        fill(*t, element);
        for (int dim = 0; dim < t->nDimension; ++dim) {
          TensorRef r = empty(type);
          along(r.get(), t.get(), dim, true);
          Shape kept = size;
          kept[dim] = 1;
          ASSERT_EQ(kept, shape(*r)) << label(name, *t, dim);
          const auto all = lines(*t, dim);
          const List got = values(*r);
          const std::string what = label(name, *t, dim);
          ASSERT_EQ(all.size(), got.size());
          for (size_t k = 0; k < all.size(); ++k) {
            expect_near(held(type, expected(all[k])), got[k], type, what);
            if (testing::Test::HasFailure()) return;
          }
        }
      }
    }
  }
}

const std::vector<DType> kAll(std::begin(kAllTypes), std::end(kAllTypes));
const std::vector<DType> kReal(std::begin(kRealTypes), std::end(kRealTypes));

double small_integer(int64_t i) { return std::floor(noise(i) * 7); }
double small_real(int64_t i) { return noise(i) * 2 - 1; }
double sum_of(const List& x) {
  long double s = 0;
  for (double v : x) s += v;
  return static_cast<double>(s);
}
double product_of(const List& x) {
  double s = 1;
  for (double v : x) s *= v;
  return s;
}
// As integers wrap; the elements are small.
int64_t integer_product_of(const List& x) {
  uint64_t s = 1;
  for (double v : x) s *= static_cast<uint64_t>(v);
  return static_cast<int64_t>(s);
}
double norm_of(const List& x, double p) {
  long double s = 0;
  for (double v : x) {
    if (p == kInf) {
      s = std::max<long double>(s, std::fabs(v));
    } else {
      s += p == 0 ? v != 0 : std::pow(static_cast<long double>(std::fabs(v)), p);
    }
  }
  return static_cast<double>(p == 0 || p == kInf ? s : std::pow(s, 1 / p));
}
double variance_of(const List& x, bool biased) {
  long double mean = sum_of(x) / static_cast<long double>(x.size()), s = 0;
  for (double v : x) s += (v - mean) * (v - mean);
  auto n = static_cast<double>(x.size());
  return x.size() == 1 && !biased ? kNaN : static_cast<double>(s) / (biased ? n : n - 1);
}

TEST(ReduceAlong, Sum) {
  check_along(
      "sum", [](Tensor* r, Tensor* t, int d, bool k) { ops::sum(r, t, d, k); }, sum_of, kAll,
      small_integer);
}
TEST(ReduceAlong, Prod) {
  auto along = [](Tensor* r, Tensor* t, int d, bool k) { ops::prod(r, t, d, k); };
  check_along("prod", along, product_of, kReal, near_one);
  for (DType type : kAll) {
    if (!th::is_integral(type)) continue;
    auto in_type = [=](const List& x) { return held(type, integer_product_of(x)); };
    check_along("prod", along, in_type, {type}, near_one);
  }
}
TEST(ReduceAlong, Mean) {
  check_along(
      "mean", [](Tensor* r, Tensor* t, int d, bool k) { ops::mean(r, t, d, k); },
      [](const List& x) { return sum_of(x) / static_cast<double>(x.size()); }, kReal, small_real);
}
TEST(ReduceAlong, Variance) {
  for (bool biased : {false, true}) {
    check_along(
        "var", [=](Tensor* r, Tensor* t, int d, bool k) { ops::var(r, t, d, biased, k); },
        [=](const List& x) { return variance_of(x, biased); }, kReal, small_real);
    check_along(
        "std", [=](Tensor* r, Tensor* t, int d, bool k) { ops::std(r, t, d, biased, k); },
        [=](const List& x) { return std::sqrt(variance_of(x, biased)); }, kReal, small_real);
  }
}
TEST(ReduceAlong, Norm) {
  for (double p : {0.0, 1.0, 2.0, 3.0, kInf}) {
    check_along(
        "norm", [=](Tensor* r, Tensor* t, int d, bool k) { ops::norm(r, t, th::Scalar(p), d, k); },
        [=](const List& x) { return norm_of(x, p); },
        p == 3.0 ? std::vector<DType>{DType::Float} : kReal, small_real);
  }
}

void check_extremes(bool largest) {
  int round = 0;
  for (DType type : kAllTypes) {
    for (const Shape& size : kShapes) {
      for (Layout layout : kLayouts) {
        if (left_out(round++, 11)) continue;
        TensorRef t = make(type, size, layout);
        fill(*t, [](int64_t i) { return std::floor(noise(i) * 90); });
        for (int dim = 0; dim < t->nDimension; ++dim) {
          TensorRef v = empty(type), at = empty(DType::Long);
          (largest ? ops::max : ops::min)(v.get(), at.get(), t.get(), dim, false);
          auto all = lines(*t, dim);
          ASSERT_EQ(static_cast<int64_t>(all.size()), v->numel());
          for (size_t k = 0; k < all.size(); ++k) {
            auto found = largest ? std::max_element(all[k].begin(), all[k].end())
                                 : std::min_element(all[k].begin(), all[k].end());
            auto i = static_cast<int64_t>(k);
            ASSERT_EQ(*found, get(*v, i)) << label("extreme", *t, dim);
            ASSERT_EQ(found - all[k].begin() + 1, get(*at, i)) << label("extreme", *t, dim);
          }
        }
      }
    }
  }
}
TEST(ReduceAlong, MinWithFirstIndex) { check_extremes(false); }
TEST(ReduceAlong, MaxWithFirstIndex) { check_extremes(true); }

TEST(ReduceAlong, NaNIsTheExtreme) {
  for (DType type : kRealTypes) {
    for (const Shape& size : {Shape{300, 5}, Shape{5, 300}, Shape{20000, 2}, Shape{2, 40000}}) {
      TensorRef t = make(type, size);
      fill(*t, [](int64_t i) { return std::floor(noise(i) * 50); });
      int dim = size[0] > size[1] ? 0 : 1;
      int64_t inner = dim == 0 ? size[1] : 1;
      int64_t last = size[dim] - 2;
      for (int64_t i : {last / 2, last}) put(*t, i * inner, kNaN);
      for (auto extreme : {&ops::min, &ops::max}) {
        TensorRef v = empty(type), at = empty(DType::Long);
        extreme(v.get(), at.get(), t.get(), dim, true);
        EXPECT_TRUE(std::isnan(get(*v, 0)));
        EXPECT_EQ(last / 2 + 1, get(*at, 0));
        EXPECT_FALSE(std::isnan(get(*v, 1)));
      }
      EXPECT_TRUE(std::isnan(ops::maxall(t.get()).d));
      EXPECT_TRUE(std::isnan(ops::minall(t.get()).d));
      EXPECT_TRUE(std::isnan(ops::sumall(t.get()).d));
    }
  }
}

TEST(ReduceAlong, InfinitiesAndLimits) {
  TensorRef t = vector(DType::Float, {-kInf, -kInf});
  EXPECT_EQ(-kInf, ops::maxall(t.get()).d);
  EXPECT_EQ(-kInf, ops::sumall(t.get()).d);
  TensorRef low = vector(DType::Int, {-2147483648.0, -2147483648.0});
  EXPECT_EQ(INT64_C(-2147483648), ops::maxall(low.get()).i);
  TensorRef zeros = vector(DType::Double, {0.0, -0.0, 0.0});
  TensorRef v = empty(DType::Double), at = empty(DType::Long);
  ops::min(v.get(), at.get(), zeros.get(), 0, true);
  EXPECT_EQ(1, get(*at, 0));
  EXPECT_FALSE(std::signbit(get(*v, 0)));
}

TEST(ReduceAll, AgainstLoops) {
  int round = 0;
  for (DType type : kAllTypes) {
    for (const Shape& size : kShapes) {
      for (Layout layout : kLayouts) {
        if (left_out(round++, 11)) continue;
        TensorRef t = make(type, size, layout);
        fill(*t, small_integer);
        List x = values(*t);
        std::string what = label("all", *t, -1);
        th::Scalar sum = ops::sumall(t.get());
        EXPECT_EQ(th::is_integral(type), sum.integral);
        EXPECT_EQ(sum_of(x), sum.to_double()) << what;
        EXPECT_EQ(*std::max_element(x.begin(), x.end()), ops::maxall(t.get()).to_double()) << what;
        EXPECT_EQ(*std::min_element(x.begin(), x.end()), ops::minall(t.get()).to_double()) << what;
        if (!th::is_integral(type)) {
          auto n = static_cast<double>(x.size());
          EXPECT_NEAR(sum_of(x) / n, ops::meanall(t.get()).d, 1e-12) << what;
          EXPECT_NEAR(norm_of(x, 2), ops::normall(t.get(), 2).d, 1e-9 * n) << what;
          EXPECT_NEAR(norm_of(x, 1), ops::normall(t.get(), 1).d, 1e-9) << what;
          EXPECT_EQ(norm_of(x, 0), ops::normall(t.get(), 0).d) << what;
          EXPECT_EQ(norm_of(x, kInf), ops::normall(t.get(), kInf).d) << what;
          double cubic = norm_of(x, 3);
          EXPECT_NEAR(cubic, ops::normall(t.get(), 3).d, 1e-9 * (1 + cubic)) << what;
          expect_near(variance_of(x, true), ops::varall(t.get(), true).d, DType::Double, what);
          expect_near(std::sqrt(variance_of(x, false)), ops::stdall(t.get(), false).d,
                      DType::Double, what);
        }
        fill(*t, near_one);
        x = values(*t);
        th::Scalar product = ops::prodall(t.get());
        if (product.integral) {
          EXPECT_EQ(integer_product_of(x), product.i) << what;
        } else {
          expect_near(product_of(x), product.d, DType::Double, what);
        }
      }
    }
  }
}

TEST(ReduceAll, IntegersWrap) {
  TensorRef t = make(DType::Long, {3});
  int64_t* x = t->data_as<int64_t>(th::Access::write);
  x[0] = INT64_MAX, x[1] = 1, x[2] = 5;
  EXPECT_EQ(INT64_MIN + 5, ops::sumall(t.get()).i);
  x[1] = 2, x[2] = 1;
  EXPECT_EQ(-2, ops::prodall(t.get()).i);
}

TEST(ReduceAll, VarianceOfOffsetData) {
  TensorRef t = make(DType::Double, {100000});
  fill(*t, [](int64_t i) { return i == 0 ? 1e9 : 1e9 + (i % 2 ? 1 : -1); });
  EXPECT_NEAR(1.0, ops::varall(t.get(), true).d, 1e-4);
  TensorRef m = make(DType::Double, {50000, 2});
  fill(*m, [](int64_t i) { return 1e9 + (i / 2 % 2 ? 1 : -1); });
  TensorRef r = empty(DType::Double);
  ops::var(r.get(), m.get(), 0, true, true);
  EXPECT_NEAR(1.0, get(*r, 0), 1e-6);
  EXPECT_NEAR(1.0, get(*r, 1), 1e-6);
}

// Every result, bit for bit, on one thread and on several.
List everything(const Shape& size, Layout layout) {
  List all;
  TensorRef t = make(DType::Float, size, layout), r = empty(DType::Float), i = empty(DType::Long);
  fill(*t, small_real);
  auto append = [&](Tensor* x) {
    for (double v : values(*x)) all.push_back(v);
  };
  all = {ops::sumall(t.get()).d, ops::normall(t.get(), 2).d, ops::varall(t.get(), false).d,
         ops::prodall(t.get()).d, ops::dist(t.get(), t.get(), 1).d};
  for (int dim = 0; dim < t->nDimension; ++dim) {
    ops::sum(r.get(), t.get(), dim, true);
    append(r.get());
    ops::var(r.get(), t.get(), dim, false, true);
    append(r.get());
    ops::max(r.get(), i.get(), t.get(), dim, true);
    append(r.get());
    append(i.get());
    ops::cumsum(r.get(), t.get(), dim);
    append(r.get());
  }
  return all;
}

TEST(ReduceThreads, ResultsDoNotDependOnThem) {
  int before = th::num_threads(), round = 0;
  for (const Shape& size : {Shape{200000}, Shape{400, 501}, Shape{70000, 3}, Shape{3, 70000}}) {
    for (Layout layout : kLayouts) {
      if (left_out(round++, 3)) continue;
      th::set_num_threads(1);
      List one = everything(size, layout);
      for (int threads : {2, 3, 7}) {
        th::set_num_threads(threads);
        EXPECT_EQ(one, everything(size, layout)) << threads << " threads";
      }
    }
  }
  th::set_num_threads(before);
}

}  // namespace
