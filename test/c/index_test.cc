// Indices and masks against loops over single elements, for all element types and layouts.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "base/error.h"
#include "cpu/parallel.h"
#include "elements.h"
#include "ops/ops.h"

namespace {

using namespace elements;

// How a tensor's elements lie in memory.
enum class Layout { contiguous, transposed, spread };
constexpr Layout kLayouts[] = {Layout::contiguous, Layout::transposed, Layout::spread};

TensorRef make_laid_out(DType type, const Shape& size, Layout layout) {
  if (layout == Layout::contiguous) return make(type, size);
  if (layout == Layout::transposed) {
    Shape turned(size.rbegin(), size.rend());
    TensorRef t = make(type, turned);
    Shape order;
    for (size_t d = size.size(); d-- > 0;) order.push_back(static_cast<int64_t>(d));
    th::ops::permute(t.get(), t.get(), {static_cast<int>(order.size()), order.data()});
    return t;
  }
  Shape doubled;
  for (int64_t n : size) doubled.push_back(2 * n + 1);
  TensorRef t = make(type, doubled);
  std::fill_n(t->data(th::Access::write), t->numel() * th::item_size(type), 1);
  Shape stride(t->stride, t->stride + size.size());
  int64_t offset = 0;
  for (int64_t& s : stride) {
    offset += s;
    s *= 2;
  }
  th::set_storage(t.get(), t->storage, offset, static_cast<int>(size.size()), size.data(),
                  stride.data());
  return t;
}

// 1, 2, ... 99, 1, ...
TensorRef counting(DType type, const Shape& size, Layout layout = Layout::contiguous) {
  TensorRef t = make_laid_out(type, size, layout);
  fill(t, [](int64_t i) { return i % 99 + 1; });
  return t;
}

// Indices from 1 to size, many of them repeated.
TensorRef some_indices(const Shape& shape, int64_t size, Layout layout = Layout::contiguous) {
  TensorRef t = make_laid_out(DType::Long, shape, layout);
  fill(t, [size](int64_t i) { return (i * 7 + i * i * 3) % size + 1; });
  return t;
}

// The element's coordinate along dim, and its number in a shape that differs along dim alone.
struct Coordinate {
  int64_t along;
  int64_t moved(int64_t to, int64_t other_size) const {
    return (outer * other_size + to) * inner_size + inner;
  }
  int64_t outer, inner, inner_size;
  Coordinate(const Tensor& t, int64_t element, int dim) : inner_size(1) {
    for (int d = dim + 1; d < t.nDimension; ++d) inner_size *= t.size[d];
    inner = element % inner_size;
    along = element / inner_size % t.size[dim];
    outer = element / inner_size / t.size[dim];
  }
};

// All types, layouts of both operands, dimensions, one and several threads.
void for_all(const std::function<void(DType, Layout, Layout, int dim)>& test) {
  int threads = th::num_threads();
  for (int count : {1, 3}) {
    th::set_num_threads(count);
    for (DType type : kTypes) {
      for (Layout a : kLayouts) {
        for (Layout b : kLayouts) {
          for (int dim = 0; dim < 3; ++dim) {
            if (left_out(static_cast<int>(type) + static_cast<int>(a) + dim + count)) continue;
            SCOPED_TRACE(std::string(th::name(type)) + " dimension " + std::to_string(dim) +
                         " layouts " + std::to_string(static_cast<int>(a)) +
                         std::to_string(static_cast<int>(b)) + " threads " + std::to_string(count));
            test(type, a, b, dim);
          }
        }
      }
    }
  }
  th::set_num_threads(threads);
}

const Shape kShape = {13, 17, 31};

TEST(Index, Select) {
  for_all([](DType type, Layout a, Layout b, int dim) {
    TensorRef t = counting(type, kShape, a);
    TensorRef index = some_indices({23}, kShape[dim], b);
    Shape size = kShape;
    size[dim] = 23;
    TensorRef r = make_laid_out(type, size, b);
    th::ops::indexSelect(r.get(), t.get(), dim, index.get());
    const Values from = values(t), indices = values(index);
    Values wanted;
    for (int64_t i = 0; i < r->numel(); ++i) {
      Coordinate c(*r, i, dim);
      int64_t chosen = static_cast<int64_t>(indices[c.along]) - 1;
      wanted.push_back(from[c.moved(chosen, kShape[dim])]);
    }
    ASSERT_EQ(values(r), wanted);
  });
}

TEST(Index, CopyAddFill) {
  for_all([](DType type, Layout a, Layout b, int dim) {
    TensorRef index = some_indices({11}, kShape[dim], b);
    Shape size = kShape;
    size[dim] = 11;
    TensorRef src = counting(type, size, b);
    TensorRef copied = counting(type, kShape, a), added = counting(type, kShape, a),
              filled = counting(type, kShape, a);
    const Values from = values(src), indices = values(index);
    Values wanted_copy = values(copied), wanted_sum = wanted_copy, wanted_fill = wanted_copy;
    for (int64_t k = 0; k < 11; ++k) {
      for (int64_t i = 0; i < src->numel(); ++i) {
        Coordinate c(*src, i, dim);
        if (c.along != k) continue;
        int64_t to = c.moved(static_cast<int64_t>(indices[k]) - 1, kShape[dim]);
        wanted_copy[to] = from[i];
        wanted_sum[to] = held(type, wanted_sum[to] + from[i]);
        wanted_fill[to] = 5;
      }
    }
    th::ops::indexCopy(copied.get(), dim, index.get(), src.get());
    th::ops::indexAdd(added.get(), dim, index.get(), src.get());
    th::ops::indexFill(filled.get(), dim, index.get(), 5);
    ASSERT_EQ(values(copied), wanted_copy);
    ASSERT_EQ(values(added), wanted_sum);
    ASSERT_EQ(values(filled), wanted_fill);
  });
}

TEST(Index, GatherAndScatter) {
  for_all([](DType type, Layout a, Layout b, int dim) {
    Shape size = {9, 14, 30};
    size[dim] = kShape[dim] + 4;
    TensorRef index = some_indices(size, kShape[dim], b);
    TensorRef t = counting(type, kShape, a), r = make_laid_out(type, size, b);
    th::ops::gather(r.get(), t.get(), dim, index.get());
    Shape src_size = size;
    src_size[2] += 1;
    TensorRef src = counting(type, src_size, a);
    TensorRef scattered = counting(type, kShape, b), added = counting(type, kShape, b),
              filled = counting(type, kShape, b);
    const Values from_t = values(t), from_src = values(src), indices = values(index);
    Values wanted_scatter = values(scattered), wanted_sum = wanted_scatter,
           wanted_fill = wanted_scatter;
    Values wanted;
    for (int64_t x = 0, i = 0; x < size[0]; ++x) {
      for (int64_t y = 0; y < size[1]; ++y) {
        for (int64_t z = 0; z < size[2]; ++z, ++i) {
          int64_t at[] = {x, y, z};
          at[dim] = static_cast<int64_t>(indices[i]) - 1;
          int64_t there = (at[0] * kShape[1] + at[1]) * kShape[2] + at[2];
          wanted.push_back(from_t[there]);
          double from = from_src[(x * src_size[1] + y) * src_size[2] + z];
          wanted_scatter[there] = from;
          wanted_sum[there] = held(type, wanted_sum[there] + from);
          wanted_fill[there] = 7;
        }
      }
    }
    ASSERT_EQ(values(r), wanted);
    th::ops::scatter(scattered.get(), dim, index.get(), src.get());
    th::ops::scatterAdd(added.get(), dim, index.get(), src.get());
    th::ops::scatterFill(filled.get(), dim, index.get(), 7);
    ASSERT_EQ(values(scattered), wanted_scatter);
    ASSERT_EQ(values(added), wanted_sum);
    ASSERT_EQ(values(filled), wanted_fill);
  });
}

TEST(Index, Vectors) {
  TensorRef t = tensor_of(DType::Float, {4}, {10, 20, 30, 40});
  TensorRef index = tensor_of(DType::Long, {3}, {4, 1, 4}), r(th::tensor_new(DType::Float));
  th::ops::indexSelect(r.get(), t.get(), 0, index.get());
  EXPECT_EQ(th::shape_text(*r), "[3]");
  EXPECT_EQ(values(r), (Values{40, 10, 40}));
  TensorRef src = tensor_of(DType::Float, {3}, {1, 2, 3});
  th::ops::indexCopy(t.get(), 0, index.get(), src.get());
  EXPECT_EQ(values(t), (Values{2, 20, 30, 3}));
  th::ops::indexAdd(t.get(), -1, index.get(), src.get());
  EXPECT_EQ(values(t), (Values{4, 20, 30, 7}));
  TensorRef none = make(DType::Long, {0});
  th::ops::indexSelect(r.get(), t.get(), 0, none.get());
  EXPECT_EQ(th::shape_text(*r), "[0]");
  th::ops::indexFill(t.get(), 0, none.get(), 9);
  EXPECT_EQ(values(t), (Values{4, 20, 30, 7}));
}

TEST(Index, SlicesOfAnotherShapeWithAsManyElements) {
  TensorRef t = make(DType::Int, {2, 2, 3});
  th::ops::fill(t.get(), 0);
  TensorRef src = counting(DType::Int, {6, 1}), index = tensor_of(DType::Long, {1}, {2});
  th::ops::indexCopy(t.get(), 1, index.get(), src.get());
  EXPECT_EQ(values(t), (Values{0, 0, 0, 1, 2, 3, 0, 0, 0, 4, 5, 6}));
}

TEST(Index, OperandsThatShareMemoryWithTheResult) {
  TensorRef t = counting(DType::Long, {3, 3}), index = tensor_of(DType::Long, {2}, {3, 1});
  th::ops::indexSelect(t.get(), t.get(), 0, index.get());
  EXPECT_EQ(values(t), (Values{7, 8, 9, 1, 2, 3}));
  TensorRef own = tensor_of(DType::Long, {3}, {3, 1, 2});
  th::ops::indexSelect(own.get(), own.get(), 0, own.get());
  EXPECT_EQ(values(own), (Values{2, 3, 1}));
  th::ops::gather(own.get(), own.get(), 0, own.get());
  EXPECT_EQ(values(own), (Values{3, 1, 2}));
  th::ops::scatter(own.get(), 0, own.get(), own.get());
  EXPECT_EQ(values(own), (Values{1, 2, 3}));
  TensorRef view(th::tensor_new(DType::Long)), square = counting(DType::Long, {2, 2});
  th::ops::t(view.get(), square.get());
  TensorRef both = tensor_of(DType::Long, {2}, {1, 2});
  th::ops::indexAdd(square.get(), 0, both.get(), view.get());
  EXPECT_EQ(values(square), (Values{2, 5, 5, 8}));
}

TEST(Index, SharedElementsAreWrittenInOrder) {
  TensorRef t = make(DType::Int, {1});
  put(*t, 0, 0);
  int64_t size = 5;
  TensorRef wide(th::tensor_new(DType::Int));
  th::ops::expand(wide.get(), t.get(), {1, &size});
  TensorRef index = tensor_of(DType::Long, {3}, {5, 1, 3});
  TensorRef src = tensor_of(DType::Int, {3}, {7, 8, 9});
  th::ops::indexAdd(wide.get(), 0, index.get(), src.get());
  EXPECT_EQ(get(*t, 0), 24);
  th::ops::scatter(wide.get(), 0, index.get(), src.get());
  EXPECT_EQ(get(*t, 0), 9);
}

TEST(Index, LargeIndexAddIsTheSameForAllThreadCounts) {
  TensorRef index = some_indices({50000}, 10), src = make(DType::Float, {50000, 3});
  for (int64_t i = 0; i < src->numel(); ++i) put(*src, i, 1. / static_cast<double>(i + 1));
  int threads = th::num_threads();
  Values first;
  for (int count : {1, 2, 4}) {
    th::set_num_threads(count);
    TensorRef t = make(DType::Float, {10, 3});
    th::ops::zero(t.get());
    th::ops::indexAdd(t.get(), 0, index.get(), src.get());
    if (count == 1) first = values(t);
    EXPECT_EQ(values(t), first);
  }
  th::set_num_threads(threads);
}

// The error's text; what had to be left alone must be as before.
std::string error_of(const TensorRef& untouched, const std::function<void()>& call) {
  Values before = values(untouched);
  try {
    call();
  } catch (const th::Error& error) {
    EXPECT_EQ(values(untouched), before);
    return error.what();
  }
  return "no error";
}

TEST(Index, BadIndicesAreNamedBeforeAnythingIsWritten) {
  TensorRef t = counting(DType::Float, {2, 2}), src = counting(DType::Float, {2, 2});
  TensorRef r = counting(DType::Float, {2, 2});
  for (int64_t wrong : {int64_t{3}, int64_t{0}, int64_t{-3}, INT64_MIN, INT64_MAX}) {
    TensorRef index = make(DType::Long, {2}), square = make(DType::Long, {1, 2});
    for (const TensorRef* i : {&index, &square}) {
      auto* data = (*i)->data_as<int64_t>(th::Access::write);
      data[0] = 1;
      data[1] = wrong;
    }
    std::string wanted = "index " + std::to_string(wrong) + " is out of range of dimension 2";
    auto check = [&](const TensorRef& untouched, const std::function<void()>& call) {
      EXPECT_NE(error_of(untouched, call).find(wanted), std::string::npos)
          << error_of(untouched, call);
    };
    check(r, [&] { th::ops::indexSelect(r.get(), t.get(), 1, index.get()); });
    check(t, [&] { th::ops::indexCopy(t.get(), 1, index.get(), src.get()); });
    check(t, [&] { th::ops::indexAdd(t.get(), 1, index.get(), src.get()); });
    check(t, [&] { th::ops::indexFill(t.get(), 1, index.get(), 0); });
    check(r, [&] { th::ops::gather(r.get(), t.get(), 1, square.get()); });
    check(t, [&] { th::ops::scatter(t.get(), 1, square.get(), src.get()); });
    check(t, [&] { th::ops::scatterAdd(t.get(), 1, square.get(), src.get()); });
    check(t, [&] { th::ops::scatterFill(t.get(), 1, square.get(), 0); });
  }
}

TEST(Index, OtherBadArguments) {
  TensorRef t = counting(DType::Float, {2, 2}), d = counting(DType::Double, {2, 2});
  TensorRef index = tensor_of(DType::Long, {2}, {1, 2});
  TensorRef square = tensor_of(DType::Long, {1, 2}, {1, 2}), tall = make(DType::Long, {1, 3});
  th::ops::fill(tall.get(), 1);
  TensorRef r = counting(DType::Float, {1}), three = counting(DType::Float, {3, 2});
  auto refused = [&](const TensorRef& untouched, const std::function<void()>& call) {
    EXPECT_NE(error_of(untouched, call), "no error");
  };
  refused(r, [&] { th::ops::indexSelect(r.get(), t.get(), 2, index.get()); });
  refused(r, [&] { th::ops::indexSelect(r.get(), t.get(), 0, square.get()); });
  refused(r, [&] { th::ops::indexSelect(r.get(), t.get(), 0, t.get()); });
  refused(r, [&] { th::ops::indexSelect(r.get(), d.get(), 0, index.get()); });
  refused(t, [&] { th::ops::indexCopy(t.get(), 0, index.get(), three.get()); });
  refused(t, [&] { th::ops::indexAdd(t.get(), 0, index.get(), d.get()); });
  refused(r, [&] { th::ops::gather(r.get(), t.get(), 0, index.get()); });
  refused(r, [&] { th::ops::gather(r.get(), t.get(), 0, tall.get()); });
  refused(t, [&] { th::ops::scatter(t.get(), 0, tall.get(), three.get()); });
  refused(t, [&] { th::ops::scatter(t.get(), 0, square.get(), index.get()); });
  refused(t, [&] { th::ops::scatterAdd(t.get(), 1, tall.get(), t.get()); });
}

}  // namespace
