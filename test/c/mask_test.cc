// Masks and nonzero against loops over single elements, for all element types and layouts.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "amount.h"
#include "base/error.h"
#include "cpu/parallel.h"
#include "elements.h"
#include "ops/ops.h"

namespace {

using namespace elements;

// A matrix whose elements lie column by column where turned.
TensorRef matrix(DType type, int64_t rows, int64_t columns, bool turned,
                 const std::function<double(int64_t)>& element) {
  TensorRef t = turned ? make(type, {columns, rows}) : make(type, {rows, columns});
  if (turned) th::ops::t(t.get(), t.get());
  for (int64_t i = 0; i < t->numel(); ++i) put(*t, i, element(i));
  return t;
}

double counting(int64_t i) { return static_cast<double>(i % 99 + 1); }
double third(int64_t i) { return (i * i + i / 7) % 3 == 0; }

void for_all(int64_t rows, int64_t columns, const std::function<void(DType, bool, bool)>& test) {
  int threads = th::num_threads();
  int round = 0;
  for (int count : {1, 3}) {
    th::set_num_threads(count);
    for (DType type : kTypes) {
      for (int layouts = 0; layouts < 4; ++layouts) {
        if (left_out(round++)) continue;
        SCOPED_TRACE(std::string(th::name(type)) + " " + std::to_string(rows) + " x " +
                     std::to_string(columns) + " layouts " + std::to_string(layouts) + " threads " +
                     std::to_string(count));
        test(type, layouts & 1, layouts & 2);
      }
    }
  }
  th::set_num_threads(threads);
}

TEST(Mask, FillCopySelect) {
  // The first is more than a block of elements.
  for (Shape size : {Shape{171, 401}, Shape{1, 1}, Shape{7, 3}}) {
    int64_t rows = size[0], columns = size[1];
    for_all(rows, columns, [=](DType type, bool turned, bool mask_turned) {
      TensorRef mask = matrix(DType::Byte, rows, columns, mask_turned, third);
      TensorRef filled = matrix(type, rows, columns, turned, counting);
      TensorRef copied = matrix(type, rows, columns, turned, counting);
      TensorRef source = matrix(type, columns, rows, mask_turned,
                                [](int64_t i) { return static_cast<double>(i % 90 + 5); });
      Values selected, wanted_fill = values(filled), wanted_copy = wanted_fill;
      for (int64_t i = 0, next = 0; i < rows * columns; ++i) {
        if (third(i) == 0) continue;
        selected.push_back(wanted_fill[i]);
        wanted_fill[i] = 3;
        wanted_copy[i] = get(*source, next++);
      }
      TensorRef r(th::tensor_new(type));
      th::ops::maskedSelect(r.get(), filled.get(), mask.get());
      ASSERT_EQ(values(r), selected);
      ASSERT_EQ(r->nDimension, 1);
      th::ops::maskedFill(filled.get(), mask.get(), 3);
      ASSERT_EQ(values(filled), wanted_fill);
      th::ops::maskedCopy(copied.get(), mask.get(), source.get());
      ASSERT_EQ(values(copied), wanted_copy);
    });
  }
}

TEST(Mask, Nonzero) {
  for (Shape size : {Shape{171, 401}, Shape{1, 1}, Shape{7, 3}}) {
    int64_t rows = size[0], columns = size[1];
    for_all(rows, columns, [=](DType type, bool turned, bool) {
      TensorRef t = matrix(type, rows, columns, turned, third);
      TensorRef r(th::tensor_new(DType::Long));
      th::ops::nonzero(r.get(), t.get());
      Values wanted;
      for (int64_t i = 0; i < rows * columns; ++i) {
        if (third(i) == 0) continue;
        wanted.push_back(static_cast<double>(i / columns + 1));
        wanted.push_back(static_cast<double>(i % columns + 1));
      }
      ASSERT_EQ(values(r), wanted);
      ASSERT_EQ(r->size[1], 2);
    });
  }
}

TEST(Mask, NonzeroOfOtherShapes) {
  TensorRef r(th::tensor_new(DType::Long));
  TensorRef vector = tensor_of(DType::Double, {5}, {0, -0., 2, std::nan(""), 1e-310});
  th::ops::nonzero(r.get(), vector.get());
  EXPECT_EQ(values(r), (Values{3, 4, 5}));
  EXPECT_EQ(th::shape_text(*r), "[3 x 1]");
  TensorRef halves = tensor_of(DType::Half, {3}, {0, -0., 6e-8});
  th::ops::nonzero(r.get(), halves.get());
  EXPECT_EQ(values(r), (Values{3}));
  TensorRef cube = tensor_of(DType::Byte, {2, 2, 2}, {0, 0, 0, 1, 0, 1, 1, 0});
  th::ops::nonzero(r.get(), cube.get());
  EXPECT_EQ(values(r), (Values{1, 2, 2, 2, 1, 2, 2, 2, 1}));
  TensorRef zeros = tensor_of(DType::Byte, {2, 2, 2}, Values(8, 0.));
  th::ops::nonzero(r.get(), zeros.get());
  EXPECT_EQ(th::shape_text(*r), "[0 x 3]");
  TensorRef empty = make(DType::Int, {3, 0}), none(th::tensor_new(DType::Int));
  th::ops::nonzero(r.get(), empty.get());
  EXPECT_EQ(th::shape_text(*r), "[0 x 2]");
  th::ops::nonzero(r.get(), none.get());
  EXPECT_EQ(r->numel(), 0);
  TensorRef own = tensor_of(DType::Long, {4}, {0, 5, 0, 5});
  th::ops::nonzero(own.get(), own.get());
  EXPECT_EQ(values(own), (Values{2, 4}));
}

TEST(Mask, OtherShapesOfMasks) {
  TensorRef t = tensor_of(DType::Int, {2, 3}, {1, 2, 3, 4, 5, 6});
  TensorRef r(th::tensor_new(DType::Int));
  TensorRef row = tensor_of(DType::Byte, {3}, {1, 0, 1});
  th::ops::maskedSelect(r.get(), t.get(), row.get());
  EXPECT_EQ(values(r), (Values{1, 3, 4, 6}));
  TensorRef column = tensor_of(DType::Byte, {2, 1}, {0, 1});
  th::ops::maskedFill(t.get(), column.get(), 9);
  EXPECT_EQ(values(t), (Values{1, 2, 3, 9, 9, 9}));
  TensorRef six = tensor_of(DType::Byte, {6}, {0, 1, 0, 0, 0, 1});
  TensorRef src = tensor_of(DType::Int, {3}, {7, 8, 0});
  th::ops::maskedCopy(t.get(), six.get(), src.get());
  EXPECT_EQ(values(t), (Values{1, 7, 3, 9, 9, 8}));
  TensorRef none(th::tensor_new(DType::Int)), no_mask(th::tensor_new(DType::Byte));
  th::ops::maskedSelect(r.get(), none.get(), no_mask.get());
  EXPECT_EQ(r->numel(), 0);
  th::ops::maskedFill(none.get(), no_mask.get(), 1);
  TensorRef zeros = tensor_of(DType::Byte, {3}, {0, 0, 0});
  th::ops::maskedSelect(r.get(), t.get(), zeros.get());
  EXPECT_EQ(th::shape_text(*r), "[0]");
}

TEST(Mask, OperandsThatShareMemoryWithTheResult) {
  TensorRef t = tensor_of(DType::Byte, {4}, {1, 0, 1, 1});
  th::ops::maskedFill(t.get(), t.get(), 0);
  EXPECT_EQ(values(t), (Values{0, 0, 0, 0}));
  TensorRef own = tensor_of(DType::Byte, {4}, {0, 1, 1, 0});
  th::ops::maskedSelect(own.get(), own.get(), own.get());
  EXPECT_EQ(values(own), (Values{1, 1}));
  TensorRef shifted = tensor_of(DType::Int, {4}, {1, 2, 3, 4});
  TensorRef mask = tensor_of(DType::Byte, {4}, {0, 1, 1, 1});
  th::ops::maskedCopy(shifted.get(), mask.get(), shifted.get());
  EXPECT_EQ(values(shifted), (Values{1, 1, 2, 3}));
}

TEST(Mask, BadArgumentsWriteNothing) {
  TensorRef t = tensor_of(DType::Float, {2, 2}, {1, 2, 3, 4});
  TensorRef r = tensor_of(DType::Float, {1}, {8});
  auto message = [&](const std::function<void()>& call) -> std::string {
    try {
      call();
    } catch (const th::Error& error) {
      EXPECT_EQ(values(t), (Values{1, 2, 3, 4}));
      EXPECT_EQ(values(r), (Values{8}));
      return error.what();
    }
    return "no error";
  };
  TensorRef three = tensor_of(DType::Byte, {3}, {1, 1, 1});
  EXPECT_EQ(message([&] { th::ops::maskedFill(t.get(), three.get(), 0); }),
            "maskedFill: sizes [2 x 2] and [3] do not broadcast to the result's, and their numbers "
            "of elements differ");
  EXPECT_EQ(message([&] { th::ops::maskedSelect(r.get(), t.get(), three.get()); }),
            "maskedSelect: sizes [2 x 2] and [3] do not broadcast, and their numbers of elements "
            "differ");
  TensorRef two = tensor_of(DType::Byte, {2, 2}, {1, 0, 0, 2});
  for (const auto& call : std::vector<std::function<void()>>{
           [&] { th::ops::maskedFill(t.get(), two.get(), 0); },
           [&] { th::ops::maskedCopy(t.get(), two.get(), t.get()); },
           [&] { th::ops::maskedSelect(r.get(), t.get(), two.get()); }}) {
    EXPECT_EQ(message(call), "Mask tensor can take 0 and 1 values only");
  }
  TensorRef ones = tensor_of(DType::Byte, {2, 2}, {1, 1, 1, 0});
  TensorRef few = tensor_of(DType::Float, {2}, {0, 0}), ints = tensor_of(DType::Int, {4}, {});
  EXPECT_NE(message([&] { th::ops::maskedCopy(t.get(), ones.get(), few.get()); }), "no error");
  EXPECT_NE(message([&] { th::ops::maskedCopy(t.get(), ones.get(), ints.get()); }), "no error");
  EXPECT_NE(message([&] { th::ops::maskedFill(t.get(), t.get(), 0); }), "no error");
  EXPECT_NE(message([&] { th::ops::nonzero(r.get(), t.get()); }), "no error");
}

}  // namespace
