// Sorting and running sums on the software device against the CPU, for every element type, layout
// and dimension.

#include <cmath>
#include <limits>

#include "amount.h"
#include "base/error.h"
#include "on_soft_device.h"

namespace {

using namespace core;
namespace ops = th::ops;
using List = std::vector<double>;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

class SortDevice : public OnSoftDevice {
 protected:
  void check_sort(DType type, const Shape& size, Layout layout, const std::string& kind) {
    TensorRef t = make(type, size, layout), u = make(type, size, layout);
    for (Tensor* each : {t.get(), u.get()}) {
      fill(*each, [&](int64_t i) { return element(kind, i); });
    }
    u = sent(std::move(u));
    for (int dim = 0; dim < t->nDimension; ++dim) {
      for (bool descending : {false, true}) {
        TensorRef v = empty(type), at = empty(DType::Long);
        TensorRef w = empty(type), there = empty(DType::Long);
        ops::sort(v.get(), at.get(), t.get(), dim, descending);
        ops::sort(w.get(), there.get(), u.get(), dim, descending);
        expect_same({*v, *at}, {*w, *there}, th::name(type) + th::shape_text(*t));
        if (HasFatalFailure()) return;
      }
    }
  }

  // Elements and their indices.
  struct Sorted {
    Tensor &values, &indices;
  };
  void expect_same(const Sorted& expected, const Sorted& got, const std::string& what) {
    ASSERT_EQ(shape(expected.values), shape(got.values));
    ASSERT_EQ(shape(expected.indices), shape(got.indices));
    if (expected.values.numel() == 0) return;
    ASSERT_TRUE(is_there(got.values) && is_there(got.indices)) << what;
    ASSERT_EQ(values(expected.indices), values(got.indices)) << what;
    List a = values(expected.values), b = values(got.values);
    for (size_t i = 0; i < a.size(); ++i) {
      ASSERT_TRUE((std::isnan(a[i]) && std::isnan(b[i])) ||
                  (a[i] == b[i] && std::signbit(a[i]) == std::signbit(b[i])))
          << what;
    }
  }

  // topk, kthvalue and median along each dimension.
  void check_selection(DType type, const Shape& size, Layout layout, const std::string& kind) {
    TensorRef t = make(type, size, layout), u = make(type, size, layout);
    for (Tensor* each : {t.get(), u.get()}) {
      fill(*each, [&](int64_t i) { return element(kind, i); });
    }
    u = sent(std::move(u));
    TensorRef v = empty(type), at = empty(DType::Long), w = empty(type), there = empty(DType::Long);
    const std::string what = th::name(type) + th::shape_text(*t) + kind;
    for (int dim = 0; dim < t->nDimension; ++dim) {
      const int64_t n = t->size[dim];
      for (int64_t k : {int64_t{1}, int64_t{7}, n / 4}) {
        for (bool largest : {false, true}) {
          if (k < 1 || k > n) continue;
          ops::topk(v.get(), at.get(), t.get(), k, dim, largest, true);
          ops::topk(w.get(), there.get(), u.get(), k, dim, largest, true);
          expect_same({*v, *at}, {*w, *there}, what + " topk");
        }
      }
      for (int64_t k : {int64_t{1}, n / 3 + 1, n}) {
        ops::kthvalue(v.get(), at.get(), t.get(), k, dim, true);
        ops::kthvalue(w.get(), there.get(), u.get(), k, dim, true);
        expect_same({*v, *at}, {*w, *there}, what + " kthvalue");
      }
      ops::median(v.get(), at.get(), t.get(), dim, false);
      ops::median(w.get(), there.get(), u.get(), dim, false);
      expect_same({*v, *at}, {*w, *there}, what + " median");
      if (HasFatalFailure()) return;
    }
  }

  static double element(const std::string& kind, int64_t i) {
    if (kind == "ties") return std::floor(noise(i) * 40) - 10;
    if (kind == "wide") return (noise(i) - 0.5) * 60000;
    const double special[] = {kNaN, kInf, -kInf, 0.0, -0.0, 1e-7, -1e-7, -kNaN};
    return i % 3 ? special[static_cast<size_t>(noise(i) * 8)] : noise(i) - 0.5;
  }
};
INSTANTIATE_TEST_SUITE_P(Settings, SortDevice, testing::ValuesIn(kSettings), setting_name);

TEST_P(SortDevice, EveryTypeAndLayout) {
  int round = 0;
  for (const Shape& size :
       {Shape{1}, Shape{2}, Shape{33}, Shape{7, 30}, Shape{3, 0}, Shape{4, 1, 5}, Shape{3, 1100}}) {
    for (DType type : kAllTypes) {
      for (Layout layout : kLayouts) {
        if (left_out(round++, 5)) continue;
        check_sort(type, size, layout, "ties");
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST_P(SortDevice, LengthsAtTheLimits) {
  for (int64_t n : {31, 32, 511, 512, 513, 1023, 1024, 1025, 20000}) {
    for (DType type : {DType::Char, DType::Float, DType::Double}) {
      check_sort(type, {n}, Layout::contiguous, "wide");
      check_sort(type, {2, n}, Layout::contiguous, "ties");
      if (HasFatalFailure()) return;
    }
  }
  check_sort(DType::Int, {3000, 9}, Layout::contiguous, "ties");
}

TEST_P(SortDevice, SpecialValues) {
  for (DType type : kRealTypes) {
    check_sort(type, {90}, Layout::contiguous, "special");
    check_sort(type, {3000}, Layout::spaced, "special");
  }
}

TEST_P(SortDevice, Selection) {
  int round = 0;
  for (DType type : kAllTypes) {
    const std::string last = th::is_integral(type) ? "wide" : "special";
    for (const std::string& kind : {std::string("ties"), last}) {
      check_selection(type, {1025}, kLayouts[round++ % std::size(kLayouts)], kind);
      check_selection(type, {3, 2500}, kLayouts[round++ % std::size(kLayouts)], kind);
      if (HasFatalFailure()) return;
    }
  }
  check_selection(DType::Int, {2100, 2}, Layout::contiguous, "wide");
  // Rows of several parts.
  check_selection(DType::Byte, {32769}, Layout::contiguous, "ties");
  check_selection(DType::Short, {70001}, Layout::spaced, "wide");
  check_selection(DType::Float, {2, 40000}, Layout::contiguous, "special");
  check_selection(DType::Double, {50000}, Layout::contiguous, "wide");
}

// All elements are equal, so all are at the limit of the selection.
TEST_P(SortDevice, SelectionOfEqualElements) {
  for (int64_t n : {2000, 40000}) {
    TensorRef t = make(DType::Float, {n}), v = empty(DType::Float), at = empty(DType::Long);
    fill(*t, [](int64_t) { return 3; });
    t = sent(std::move(t));
    ops::topk(v.get(), at.get(), t.get(), 5, 0, true, true);
    EXPECT_EQ((List{3, 3, 3, 3, 3}), values(*v));
    EXPECT_EQ((List{1, 2, 3, 4, 5}), values(*at));
    ops::kthvalue(v.get(), at.get(), t.get(), 1500, 0, true);
    EXPECT_EQ((List{1500}), values(*at));
  }
}

TEST_P(SortDevice, InPlaceAndIntoViews) {
  for (int64_t n : {6, 2000}) {
    TensorRef t = make(DType::Float, {n}), expected = make(DType::Float, {n});
    for (Tensor* each : {t.get(), expected.get()}) {
      fill(*each, [](int64_t i) { return element("ties", i); });
    }
    t = sent(std::move(t));
    TensorRef order = empty(DType::Long), at = empty(DType::Long);
    ops::sort(expected.get(), order.get(), expected.get(), 0, true);
    ops::sort(t.get(), at.get(), t.get(), 0, true);
    EXPECT_EQ(values(*expected), values(*t));
    EXPECT_EQ(values(*order), values(*at));
  }
  // Values into the transpose of the operand.
  TensorRef m = make(DType::Int, {2, 2}), at = empty(DType::Long);
  fill(*m, [](int64_t i) { return 4.0 - static_cast<double>(i); });
  m = sent(std::move(m));
  TensorRef turned(th::tensor_new_view(m.get()));
  ops::transpose(turned.get(), m.get(), 0, 1);
  ops::sort(turned.get(), at.get(), m.get(), 1, false);
  EXPECT_EQ((List{3, 4, 1, 2}), values(*turned));
  // Indices into the operand, and values and indices into views with gaps.
  TensorRef whole = sent(vector(DType::Long, {4, 9, 2})), v = empty(DType::Long);
  ops::sort(v.get(), whole.get(), whole.get(), 0, false);
  EXPECT_EQ((List{2, 4, 9}), values(*v));
  EXPECT_EQ((List{3, 1, 2}), values(*whole));
  TensorRef gaps = make_there(DType::Long, {3}, Layout::spaced);
  TensorRef more_gaps = make_there(DType::Long, {3}, Layout::spaced);
  ops::sort(more_gaps.get(), gaps.get(), whole.get(), 0, false);
  EXPECT_EQ((List{2, 3, 1}), values(*gaps));
  EXPECT_EQ((List{1, 2, 3}), values(*more_gaps));
}

double rounding(DType type) {
  return type == DType::Half       ? 0x1p-10
         : type == DType::BFloat16 ? 0x1p-7
         : type == DType::Float    ? 0x1p-22
                                   : 1e-13;
}

void expect_near(const Tensor& expected, const Tensor& got, const std::string& what) {
  ASSERT_EQ(shape(expected), shape(got));
  List a = values(expected), b = values(got);
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]))) continue;
    ASSERT_FALSE(th::is_integral(got.dtype)) << what << " at " << i;
    ASSERT_NEAR(a[i], b[i], rounding(got.dtype) * (std::fabs(a[i]) + 1)) << what << " at " << i;
  }
}

using ExtremeOp = void (*)(Tensor*, Tensor*, Tensor*, int64_t);

// Running maxima and minima have the same values and indices as on the CPU.
TEST_P(SortDevice, RunningExtremes) {
  int round = 0;
  for (ExtremeOp op : {ops::cummax, ops::cummin}) {
    const auto check = [&](DType type, const Shape& size, Layout layout, const char* kind) {
      TensorRef t = make(type, size, layout), u = make(type, size, layout);
      for (Tensor* each : {t.get(), u.get()}) {
        fill(*each, [&](int64_t i) { return element(kind, i); });
      }
      u = sent(std::move(u));
      for (int dim = 0; dim < t->nDimension; ++dim) {
        TensorRef v = empty(type), at = empty(DType::Long);
        TensorRef w = empty(type), there = empty(DType::Long);
        op(v.get(), at.get(), t.get(), dim);
        op(w.get(), there.get(), u.get(), dim);
        expect_same({*v, *at}, {*w, *there}, th::name(type) + th::shape_text(*t) + kind);
        if (HasFatalFailure()) return;
      }
    };
    for (const Shape& size : {Shape{1}, Shape{32}, Shape{33}, Shape{7, 40}, Shape{3, 0},
                              Shape{4, 35, 5}, Shape{300, 3}}) {
      for (DType type : kAllTypes) {
        for (Layout layout : kLayouts) {
          if (left_out(round++, 5)) continue;
          check(type, size, layout, "ties");
          if (!th::is_integral(type)) check(type, size, layout, "special");
          if (HasFatalFailure()) return;
        }
      }
    }
    for (DType type : {DType::Byte, DType::Long, DType::Half, DType::Double}) {
      for (int64_t n : {1025, 8192, 20000}) {
        if (left_out(round++, 3)) continue;
        check(type, {n}, Layout::contiguous, "ties");
        check(type, {2, n}, Layout::permuted, th::is_integral(type) ? "wide" : "special");
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST_P(SortDevice, RunningExtremesInPlace) {
  TensorRef a = make(DType::Float, {9000}), b = make(DType::Float, {9000});
  TensorRef at = empty(DType::Long), there = empty(DType::Long);
  for (Tensor* each : {a.get(), b.get()}) fill(*each, [](int64_t i) { return element("ties", i); });
  b = sent(std::move(b));
  ops::cummin(a.get(), at.get(), a.get(), 0);
  ops::cummin(b.get(), there.get(), b.get(), 0);
  expect_same({*a, *at}, {*b, *there}, "in place");
}

using ScanOp = void (*)(Tensor*, Tensor*, int64_t);

class RunningDevice : public OnSoftDevice {
 protected:
  void check(ScanOp op, DType type, const Shape& size, Layout layout) {
    TensorRef t = make(type, size, layout), u = make(type, size, layout);
    for (Tensor* each : {t.get(), u.get()}) {
      fill(*each, [&](int64_t i) {
        if (op == ops::cumprod) return th::is_integral(type) ? i % 5 - 2. : noise(i) * 0.1 + 0.95;
        return th::is_integral(type) ? std::floor(noise(i) * 100) : noise(i) - 0.5;
      });
    }
    u = sent(std::move(u));
    for (int dim = 0; dim < t->nDimension; ++dim) {
      TensorRef a = empty(type), b = empty(type);
      op(a.get(), t.get(), dim);
      op(b.get(), u.get(), dim);
      if (t->numel() > 0) {
        ASSERT_TRUE(is_there(*b));
      }
      expect_near(*a, *b, th::name(type) + th::shape_text(*t) + std::to_string(dim));
      if (HasFatalFailure()) return;
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Settings, RunningDevice, testing::ValuesIn(kSettings), setting_name);

TEST_P(RunningDevice, EveryTypeAndLayout) {
  int round = 0;
  for (ScanOp op : {ops::cumsum, ops::cumprod}) {
    for (const Shape& size : {Shape{1}, Shape{32}, Shape{33}, Shape{500}, Shape{7, 40}, Shape{3, 0},
                              Shape{4, 35, 5}, Shape{300, 3}}) {
      for (DType type : kAllTypes) {
        for (Layout layout : kLayouts) {
          if (left_out(round++, 5)) continue;
          check(op, type, size, layout);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

TEST_P(RunningDevice, LongRows) {
  int round = 0;
  for (DType type : {DType::Byte, DType::Long, DType::Float, DType::Double}) {
    for (int64_t n : {1023, 1025, 8191, 8192, 8193, 70000}) {
      if (left_out(round++, 5)) continue;
      check(ops::cumsum, type, {n}, Layout::contiguous);
      check(ops::cumsum, type, {2, n}, Layout::permuted);
      check(ops::cumprod, type, {n}, Layout::spaced);
      if (HasFatalFailure()) return;
    }
  }
  // Their parts are more than the threads of a block.
  check(ops::cumsum, DType::Float, {300 * 8192 + 5}, Layout::contiguous);
  // Integers in one pass.
  for (DType type : {DType::Byte, DType::Char, DType::Short, DType::Int, DType::Long}) {
    check(ops::cumsum, type, {2, 262144}, Layout::permuted);
    check(ops::cumprod, type, {262145}, Layout::contiguous);
  }
}

TEST_P(RunningDevice, InPlaceAndIntoViews) {
  for (int64_t n : {5, 9000}) {
    TensorRef a = make(DType::Float, {n, 2}), b = make(DType::Float, {n, 2});
    for (Tensor* each : {a.get(), b.get()}) fill(*each, [](int64_t i) { return i % 7; });
    b = sent(std::move(b));
    TensorRef turned_a(th::tensor_new_view(a.get())), turned_b(th::tensor_new_view(b.get()));
    for (int64_t dim : {0, 1}) {
      ops::cumsum(a.get(), a.get(), dim);
      ops::cumsum(b.get(), b.get(), dim);
      expect_near(*a, *b, "in place");
    }
    ops::transpose(turned_a.get(), a.get(), 0, 1);
    ops::transpose(turned_b.get(), b.get(), 0, 1);
    TensorRef part_a(th::tensor_new_view(a.get())), part_b(th::tensor_new_view(b.get()));
    ops::narrow(part_a.get(), a.get(), 0, 1, 2);
    ops::narrow(part_b.get(), b.get(), 0, 1, 2);
    ops::narrow(turned_a.get(), turned_a.get(), 1, 0, 2);
    ops::narrow(turned_b.get(), turned_b.get(), 1, 0, 2);
    ops::cumsum(part_a.get(), turned_a.get(), 1);
    ops::cumsum(part_b.get(), turned_b.get(), 1);
    expect_near(*a, *b, "into a view that overlaps");
  }
}

TEST_P(RunningDevice, SpecialValues) {
  TensorRef t = make(DType::Float, {3000}), u = make(DType::Float, {3000});
  for (Tensor* each : {t.get(), u.get()}) {
    fill(*each, [](int64_t i) { return i == 1500 ? kInf : i == 2000 ? -kInf : 1; });
  }
  u = sent(std::move(u));
  TensorRef a = empty(DType::Float), b = empty(DType::Float);
  ops::cumsum(a.get(), t.get(), 0);
  ops::cumsum(b.get(), u.get(), 0);
  expect_near(*a, *b, "with infinities");
}

}  // namespace
