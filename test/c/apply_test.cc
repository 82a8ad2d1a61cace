// The loops of THTensorApply.h and THTensorDimApply.h over tensors of every layout, and elements by
// THTensorMacros.h, against the elements by their indices.

#include <gtest/gtest.h>

#include "soft_devices.h"

namespace th {
namespace {

// A 2 x 3 x 4 tensor whose element (i, j, k) is 100 i + 10 j + k, in one of several layouts.
constexpr int kLayouts = 6;
THFloatTensor* numbered(int layout) {
  constexpr int64_t sizes[] = {2, 3, 4};
  const int orders[][3] = {{0, 1, 2}, {2, 1, 0}, {1, 0, 2}, {0, 2, 1}, {0, 1, 2}, {0, 1, 2}};
  const int* order = orders[layout];
  int64_t gap = layout == 4 ? 2 : 1, offset = layout == 5 ? 7 : 0, strides[3];
  int64_t step = gap;
  for (int d = 2; d >= 0; --d) {
    strides[order[d]] = step;
    step *= sizes[order[d]] + (layout == 5 && d == 2);
  }
  THFloatStorage* s = THFloatStorage_newWithSize(offset + step);
  THFloatTensor* t = THFloatTensor_newWithStorage3d(s, offset, sizes[0], strides[0], sizes[1],
                                                    strides[1], sizes[2], strides[2]);
  THFloatStorage_free(s);
  for (int i = 0; i < 24; ++i) {
    int a = i / 12, b = i / 4 % 3, c = i % 4;
    THFloatTensor_set3d(t, a, b, c, static_cast<float>(100 * a + 10 * b + c));
  }
  return t;
}

float number(int i) { return static_cast<float>(100 * (i / 12) + 10 * (i / 4 % 3) + i % 4); }

TEST(Apply, VisitsElementsInTheOrderOfTheirIndices) {
  for (int layout = 0; layout < kLayouts; ++layout) {
    THFloatTensor* t = numbered(layout);
    std::vector<float> seen;
    TH_TENSOR_APPLY(float, t, seen.push_back(*t_data); *t_data += 1;);
    ASSERT_EQ(seen.size(), 24u);
    for (int i = 0; i < 24; ++i) {
      EXPECT_EQ(seen[i], number(i)) << layout;
      EXPECT_EQ(THTensor_fastGet3d(t, i / 12, i / 4 % 3, i % 4), number(i) + 1);
    }
    // Dimension 1 is not merged with 2.
    TH_TENSOR_APPLY_D(float, t, 1, {
      ASSERT_EQ(t_size, 4);
      ASSERT_EQ(t_i, static_cast<int64_t>(*t_data - 1) % 10);
    });
    THFloatTensor_free(t);
  }
}

TEST(Apply, PairsTensorsByTheirOrder) {
  for (int one = 0; one < kLayouts; ++one) {
    for (int other = 0; other < kLayouts; ++other) {
      THFloatTensor *a = numbered(one), *b = numbered(other);
      THDoubleTensor* flat = THDoubleTensor_newWithSize2d(8, 3);
      TH_TENSOR_APPLY2(double, flat, float, a, *flat_data = *a_data;);
      TH_TENSOR_APPLY3(float, b, float, a, double, flat, {
        EXPECT_EQ(*a_data, *b_data);
        *b_data = static_cast<float>(*a_data + *flat_data);
      });
      for (int i = 0; i < 24; ++i) {
        EXPECT_EQ(THDoubleTensor_get2d(flat, i / 3, i % 3), number(i));
        EXPECT_EQ(THFloatTensor_get3d(b, i / 12, i / 4 % 3, i % 4), 2 * number(i));
      }
      THFloatTensor_free(a);
      THFloatTensor_free(b);
      THDoubleTensor_free(flat);
    }
  }
}

TEST(Apply, EndsWhereItIsTold) {
  for (int layout = 0; layout < kLayouts; ++layout) {
    THFloatTensor *t = numbered(layout), *u = numbered(0);
    int count = 0;
    TH_TENSOR_APPLY(float, t, if (*t_data == 12) break; count++;);
    EXPECT_EQ(count, 6) << layout;
    count = 0;
    TH_TENSOR_APPLY2(float, u, float, t, if (*t_data == 110) break; count++;);
    EXPECT_EQ(count, 16) << layout;
    bool equal = true;
    TH_TENSOR_APPLY2(
        float, u, float, t, if (*t_data != *u_data || *t_data == 111) {
          equal = false;
          TH_TENSOR_APPLY_hasFinished = 1;
          break;
        });
    EXPECT_FALSE(equal);
    THFloatTensor_free(t);
    THFloatTensor_free(u);
  }
}

TEST(Apply, LeavesOutWhatHasNoElement) {
  THFloatTensor *none = THFloatTensor_new(), *empty = THFloatTensor_newWithSize2d(3, 0);
  int count = 0;
  TH_TENSOR_APPLY(float, none, count++;);
  TH_TENSOR_APPLY2(float, none, float, empty, count++;);
  TH_TENSOR_DIM_APPLY(float, empty, 0, count++;);
  EXPECT_EQ(count, 0);
  TH_TENSOR_DIM_APPLY(float, empty, 1, { count += empty_size == 0; });
  EXPECT_EQ(count, 3);
  THFloatTensor_free(none);
  THFloatTensor_free(empty);
}

TEST(Apply, RefusesDifferentCounts) {
  THFloatTensor *a = THFloatTensor_newWithSize2d(2, 3), *b = THFloatTensor_newWithSize1d(5);
  std::string message = error_of([&] { TH_TENSOR_APPLY2(float, a, float, b, *a_data = *b_data;); });
  EXPECT_NE(message.find("sizes [2 x 3] and [5] differ in their numbers"), std::string::npos)
      << message;
  EXPECT_NE(error_of([&] { TH_TENSOR_DIM_APPLY(float, a, 2, *a_data = 0;); }), "");
  EXPECT_NE(error_of([&] { TH_TENSOR_DIM_APPLY2(float, a, float, b, 0, *a_data = *b_data;); }), "");
  THFloatTensor_free(a);
  THFloatTensor_free(b);
}

TEST(DimApply, VisitsTheVectorsAlongADimension) {
  for (int layout = 0; layout < kLayouts; ++layout) {
    for (int dim = 0; dim < 3; ++dim) {
      THFloatTensor *t = numbered(layout), *sums = THFloatTensor_new();
      THDoubleTensor* counts = THDoubleTensor_new();
      THFloatTensor_sum(sums, t, dim, 1);
      THDoubleTensor_resize3d(counts, sums->size[0], sums->size[1], sums->size[2]);
      TH_TENSOR_DIM_APPLY3(float, t, float, sums, double, counts, dim, {
        float sum = 0;
        for (int64_t i = 0; i < t_size; i++) sum += t_data[i * t_stride];
        EXPECT_EQ(sum, *sums_data);
        *counts_data = static_cast<double>(t_size);
      });
      EXPECT_EQ(THDoubleTensor_sumall(counts), 24);
      int vectors = 0;
      TH_TENSOR_DIM_APPLY2(float, t, float, sums, dim, {
        if (++vectors == 2) TH_TENSOR_DIM_APPLY_hasFinished = 1;
      });
      EXPECT_EQ(vectors, 2);
      THFloatTensor_free(t);
      THFloatTensor_free(sums);
      THDoubleTensor_free(counts);
    }
  }
}

TEST(FastAccess, IsByIndices) {
  THIntTensor* t = THIntTensor_newWithSize4d(2, 3, 4, 5);
  THTensor_fastSet4d(t, 1, 2, 3, 4, 7);
  EXPECT_EQ(THIntTensor_get4d(t, 1, 2, 3, 4), 7);
  EXPECT_EQ(THTensor_fastGet4d(t, 1, 2, 3, 4), 7);
  THIntTensor_select(t, t, 0, 1);
  EXPECT_EQ(THTensor_fastGet3d(t, 2, 3, 4), 7);
  THIntTensor_select(t, t, 0, 2);
  THTensor_fastSet2d(t, 3, 4, 8);
  EXPECT_EQ(THTensor_fastGet2d(t, 3, 4), 8);
  THIntTensor_select(t, t, 1, 4);
  EXPECT_EQ(THTensor_fastGet1d(t, 3), 8);
  THIntTensor_free(t);
}

}  // namespace
}  // namespace th
