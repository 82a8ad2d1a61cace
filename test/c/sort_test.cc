// Sorting against std::stable_sort, for every element type, layout, dimension and order.

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <gtest/gtest.h>

#include "base/error.h"
#include "core_tensors.h"
#include "cpu/parallel.h"
#include "memory/heap.h"

namespace {

using namespace core;
namespace ops = th::ops;
using List = std::vector<double>;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

// NaN is the largest.
bool less(double a, double b) { return a < b || (std::isnan(b) && !std::isnan(a)); }

bool same_bits(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

void check(Tensor* t, int dim, bool descending) {
  TensorRef v = empty(t->dtype), at = empty(DType::Long);
  ops::sort(v.get(), at.get(), t, dim, descending);
  ASSERT_TRUE(th::same_size(*v, *t));
  ASSERT_TRUE(th::same_size(*at, *t));
  if (t->numel() == 0) return;
  auto in = lines(*t, dim), out = lines(*v, dim), index = lines(*at, dim);
  for (size_t k = 0; k < in.size(); ++k) {
    std::vector<size_t> order(in[k].size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return descending ? less(in[k][b], in[k][a]) : less(in[k][a], in[k][b]);
    });
    for (size_t i = 0; i < order.size(); ++i) {
      ASSERT_EQ(static_cast<double>(order[i] + 1), index[k][i])
          << th::name(t->dtype) << " " << th::shape_text(*t) << " along " << dim << " at " << i;
      ASSERT_TRUE(same_bits(in[k][order[i]], out[k][i])) << in[k][order[i]] << " " << out[k][i];
    }
  }
}

template <class F>
void check_all(const Shape& size, const F& element) {
  int round = 0;
  for (DType type : kAllTypes) {
    for (Layout layout : kLayouts) {
      if (left_out(round++, 5)) continue;
      TensorRef t = make(type, size, layout);
      fill(*t, element);
      for (int dim = 0; dim < t->nDimension; ++dim) {
        for (bool descending : {false, true}) {
          check(t.get(), dim, descending);
          if (testing::Test::HasFatalFailure()) return;
        }
      }
    }
  }
}

TEST(Sort, ManyTies) {
  for (const Shape& size :
       {Shape{1}, Shape{2}, Shape{40}, Shape{41}, Shape{100}, Shape{255}, Shape{256}, Shape{5000},
        Shape{7, 300}, Shape{300, 7}, Shape{4, 30, 5}}) {
    check_all(size, [](int64_t i) { return std::floor(noise(i) * 40) - 10; });
  }
}

TEST(Sort, WideRange) {
  for (const Shape& size : {Shape{17}, Shape{200}, Shape{3, 4000}}) {
    check_all(size, [](int64_t i) { return (noise(i) - 0.5) * 60000; });
  }
}

TEST(Sort, SpecialValues) {
  for (int64_t n : {12, 90, 3000}) {
    check_all({n}, [](int64_t i) {
      const double special[] = {kNaN, kInf, -kInf, 0.0, -0.0, 1e-7, -1e-7, -kNaN};
      return i % 3 ? special[static_cast<size_t>(noise(i) * 8)] : noise(i) - 0.5;
    });
  }
}

// Rows of which a sample has few values, but the rest has more, or a zero that its key does not
// restore. ManyTies has rows of few values.
TEST(Sort, FewValuesInSample) {
  check_all({4100}, [](int64_t i) { return i % 8 ? 1.0 : std::floor(noise(i) * 2000); });
  check_all({4100}, [](int64_t i) { return i == 4000 ? -0.0 : static_cast<double>(i % 5); });
}

TEST(Sort, ExtremesOfEveryType) {
  TensorRef l = make(DType::Long, {40});
  auto* x = l->data_as<int64_t>(th::Access::write);
  for (int64_t i = 0; i < 40; ++i) x[i] = i % 4 == 0 ? INT64_MIN + i : INT64_MAX - i;
  TensorRef v = empty(DType::Long), at = empty(DType::Long);
  ops::sort(v.get(), at.get(), l.get(), 0, false);
  auto* sorted = v->data_as<int64_t>(th::Access::read);
  EXPECT_EQ(INT64_MIN, sorted[0]);
  EXPECT_EQ(INT64_MAX - 1, sorted[39]);
  EXPECT_TRUE(std::is_sorted(sorted, sorted + 40));
  for (DType type : {DType::Byte, DType::Char, DType::Short, DType::Int}) {
    TensorRef t = make(type, {300});
    double low =
        type == DType::Byte ? 0 : -std::ldexp(1, 8 * static_cast<int>(th::item_size(type)) - 1);
    double high = type == DType::Byte ? 255 : -low - 1;
    fill(*t, [=](int64_t i) { return noise(i) < 0.5 ? low : high; });
    check(t.get(), 0, false);
    check(t.get(), 0, true);
  }
}

TEST(Sort, ThreadsAgreeAndMemoryIsReleased) {
  int before = th::num_threads();
  TensorRef t = make(DType::Double, {300, 200}, Layout::permuted);
  fill(*t, [](int64_t i) { return std::floor(noise(i) * 100); });
  TensorRef v = empty(DType::Double), at = empty(DType::Long);
  th::set_num_threads(1);
  ops::sort(v.get(), at.get(), t.get(), 1, false);
  List expected = values(*v), order = values(*at);
  int64_t blocks = th::heap_usage().blocks;
  for (int threads : {2, 5}) {
    th::set_num_threads(threads);
    ops::sort(v.get(), at.get(), t.get(), 1, false);
    EXPECT_EQ(expected, values(*v));
    EXPECT_EQ(order, values(*at));
  }
  th::set_num_threads(before);
  EXPECT_EQ(blocks, th::heap_usage().blocks);
}

}  // namespace
