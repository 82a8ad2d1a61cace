// Order and statistics in C, with Torch7's arguments: what Lua does not show.

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>

#include "TH.h"

namespace {

// Returns the message of the call's error, or an empty text.
template <class F>
std::string message_of(const F& call) {
  char message[256] = "";
  auto body = [](void* data) { (*static_cast<const F*>(data))(); };
  THTry(body, const_cast<F*>(&call), message, sizeof(message));
  return message;
}

THDoubleTensor* doubles(std::initializer_list<double> list) {
  auto* t = THDoubleTensor_newWithSize1d(static_cast<int64_t>(list.size()));
  int64_t i = 0;
  for (double x : list) THDoubleTensor_set1d(t, i++, x);
  return t;
}

TEST(Statistics, BitsOfFloatingPointAreErrors) {
  THFloatTensor* t = THFloatTensor_newWithSize1d(2);
  THFloatTensor* r = THFloatTensor_new();
  const std::string integers = "integer type tensors";
  EXPECT_NE(message_of([&] { THFloatTensor_bitand(r, t, 1); }).find(integers), std::string::npos);
  EXPECT_NE(message_of([&] { THFloatTensor_cbitxor(r, t, t); }).find(integers), std::string::npos);
  THDoubleTensor* d = doubles({1});
  EXPECT_NE(message_of([&] { THDoubleTensor_bitor(d, d, 1); }).find("bitor"), std::string::npos);
  EXPECT_EQ(THDoubleTensor_get1d(d, 0), 1);
  THDoubleTensor_free(d);
  THFloatTensor_free(r);
  THFloatTensor_free(t);
}

TEST(Statistics, CrossProductsTakeTheFirstDimensionOfThree) {
  THDoubleTensor* a = THDoubleTensor_newWithSize2d(3, 3);
  THDoubleTensor* b = THDoubleTensor_newWithSize2d(3, 3);
  THDoubleTensor *first = THDoubleTensor_new(), *r = THDoubleTensor_new();
  for (int64_t k = 0; k < 9; ++k) {
    THDoubleTensor_set2d(a, k / 3, k % 3, static_cast<double>(k));
    THDoubleTensor_set2d(b, k / 3, k % 3, static_cast<double>(k * k));
  }
  THDoubleTensor_cross(first, a, b, 0);
  THDoubleTensor_cross(r, a, b, -1);
  EXPECT_TRUE(THDoubleTensor_equal(first, r));
  THDoubleTensor_cross(r, a, b, 1);
  EXPECT_FALSE(THDoubleTensor_equal(first, r));
  EXPECT_EQ(THDoubleTensor_get2d(r, 0, 0), 1 * 4 - 2 * 1);
  for (auto* t : {a, b, first, r}) THDoubleTensor_free(t);
}

TEST(Statistics, MiddleElements) {
  THDoubleTensor* t = doubles({4, 1, 3, 2});
  EXPECT_EQ(THDoubleTensor_medianall(t), 2);
  THDoubleTensor* values = THDoubleTensor_new();
  THLongTensor* indices = THLongTensor_new();
  THDoubleTensor_median(values, indices, t, 0, 1);
  EXPECT_EQ(THDoubleTensor_get1d(values, 0), 2);
  EXPECT_EQ(THLongTensor_get1d(indices, 0), 3 + TH_INDEX_BASE);
  THDoubleTensor_kthvalue(values, indices, t, 4, 0, 1);
  EXPECT_EQ(THDoubleTensor_get1d(values, 0), 4);
  THDoubleTensor_topk(values, indices, t, 2, 0, 1, 1);
  EXPECT_EQ(THDoubleTensor_get1d(values, 1), 3);
  EXPECT_NE(message_of([&] { THDoubleTensor_topk(values, indices, t, 5, 0, 1, 1); }), "");
  EXPECT_EQ(THDoubleTensor_argmaxall(t), 0 + TH_INDEX_BASE);
  THLongTensor_free(indices);
  THDoubleTensor_free(values);
  THDoubleTensor_free(t);
}

TEST(Statistics, DimensionsAreAStorage) {
  THIntTensor* t = THIntTensor_newWithSize3d(2, 3, 4);
  THIntTensor_fill(t, 2);
  THLongStorage* dims = THLongStorage_newWithSize(2);
  THLongStorage_set(dims, 0, 0);
  THLongStorage_set(dims, 1, 2);
  THIntTensor* sums = THIntTensor_new();
  THIntTensor_sumDims(sums, t, dims, 0);
  EXPECT_EQ(THIntTensor_nDimension(sums), 1);
  EXPECT_EQ(THIntTensor_get1d(sums, 2), 16);
  THDoubleTensor* means = THDoubleTensor_new();
  THIntTensor_meanDimsDouble(means, t, dims, 1);
  EXPECT_EQ(THDoubleTensor_get3d(means, 0, 2, 0), 2);
  EXPECT_NE(message_of([&] { THIntTensor_sumDims(sums, t, nullptr, 0); }), "");
  EXPECT_EQ(THIntTensor_meanallDouble(t), 2);
  THDoubleTensor_free(means);
  THIntTensor_free(sums);
  THLongStorage_free(dims);
  THIntTensor_free(t);
}

}  // namespace
