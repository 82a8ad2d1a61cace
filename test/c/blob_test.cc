// Shapes and arithmetic of blobs: what Caffe documents of them.

#include <cmath>

#include "blob_fixture.h"
#include "memory/heap.h"

namespace th {
namespace {

class BlobTest : public BlobFixture {};
INSTANTIATE_BLOB_TESTS(BlobTest);

TEST_P(BlobTest, StartsWithoutAxesElementsAndMemory) {
  BlobRef blob(new Blob(type()));
  EXPECT_EQ(blob->axes(), 0);
  EXPECT_EQ(blob->count(), 0);
  EXPECT_EQ(blob->shape_text(), "(0)");
  EXPECT_EQ(blob->storage(Part::data), nullptr);
  EXPECT_FAILS(blob->tensor(Part::data), "no shape yet");
  EXPECT_EQ(blob->asum(Part::data), 0);
  EXPECT_EQ(blob->sumsq(Part::diff), 0);
  blob->scale(Part::data, 3);
  EXPECT_FAILS(blob->update(), "no shape yet");
}

TEST_P(BlobTest, HasFourLegacyAxes) {
  BlobRef blob = make({2, 3, 4, 5});
  EXPECT_EQ(blob->legacy_shape(0), 2);
  EXPECT_EQ(blob->legacy_shape(1), 3);
  EXPECT_EQ(blob->legacy_shape(2), 4);
  EXPECT_EQ(blob->legacy_shape(3), 5);
  EXPECT_EQ(blob->legacy_shape(-1), 5);
  EXPECT_EQ(blob->count(), 120);
  EXPECT_EQ(blob->shape_text(), "2 3 4 5 (120)");
  // Missing axes are 1: behind from the front, in front from the back.
  reshape(*blob, {7, 8});
  EXPECT_EQ(blob->legacy_shape(0), 7);
  EXPECT_EQ(blob->legacy_shape(2), 1);
  EXPECT_EQ(blob->legacy_shape(-2), 7);
  EXPECT_EQ(blob->legacy_shape(-4), 1);
  EXPECT_FAILS(blob->legacy_shape(4), "axis 5 is out of range");
  EXPECT_FAILS(blob->legacy_shape(-5), "axis -5 is out of range");
  EXPECT_FAILS(make({1, 1, 1, 1, 1})->legacy_shape(0), "a blob of 5 axes");
}

TEST_P(BlobTest, ComparesLegacyShapesFromTheBack) {
  auto equals = [](const Blob& blob, const Shape& four) {
    return blob.equals_legacy_shape(four.data());
  };
  BlobRef blob = make({3, 2});
  EXPECT_TRUE(equals(*blob, {1, 1, 3, 2}));
  EXPECT_FALSE(equals(*blob, {0, 1, 3, 2}));
  EXPECT_FALSE(equals(*blob, {3, 1, 3, 2}));
  EXPECT_FALSE(equals(*blob, {3, 2, 1, 1}));
  reshape(*blob, {1, 3, 2});
  EXPECT_TRUE(equals(*blob, {1, 1, 3, 2}));
  reshape(*blob, {2, 3, 2});
  EXPECT_FALSE(equals(*blob, {1, 1, 3, 2}));
  reshape(*blob, {1, 1, 1, 3, 2});
  EXPECT_FALSE(equals(*blob, {1, 1, 3, 2}));
  const int64_t five[] = {1, 1, 1, 3, 2};
  EXPECT_TRUE(blob->equals_shape(5, five));
  EXPECT_FALSE(blob->equals_shape(4, five));
}

TEST_P(BlobTest, AxesCountFromBothEnds) {
  BlobRef blob = make({2, 3, 4});
  EXPECT_EQ(blob->canonical_axis(0), 0);
  EXPECT_EQ(blob->canonical_axis(2), 2);
  EXPECT_EQ(blob->canonical_axis(-1), 2);
  EXPECT_EQ(blob->canonical_axis(-3), 0);
  EXPECT_FAILS(blob->canonical_axis(3), "axis 4 is out of range of a blob of 3 axes");
  EXPECT_FAILS(blob->canonical_axis(-4), "axis -4 is out of range");
  EXPECT_EQ(blob->count(0, 3), 24);
  EXPECT_EQ(blob->count(1, 3), 12);
  EXPECT_EQ(blob->count(1, 2), 3);
  EXPECT_EQ(blob->count(2, 2), 1);
  EXPECT_EQ(blob->count(3, 3), 1);
  EXPECT_FAILS(blob->count(2, 1), "invalid range of axes");
  EXPECT_FAILS(blob->count(-1, 2), "invalid range of axes");
  EXPECT_FAILS(blob->count(0, 4), "invalid range of axes");
}

TEST_P(BlobTest, OffsetsAreRowMajor) {
  BlobRef blob = make({2, 3, 4, 5});
  EXPECT_EQ(blob->legacy_offset(1, 2, 3, 4), 119);
  EXPECT_EQ(blob->legacy_offset(1, 0, 0, 0), 60);
  // The end of a range.
  EXPECT_EQ(blob->legacy_offset(2, 0, 0, 0), 120);
  EXPECT_FAILS(blob->legacy_offset(3, 0, 0, 0), "out of range of axis 1");
  EXPECT_FAILS(blob->legacy_offset(0, -1, 0, 0), "out of range of axis 2");
  const int64_t index[] = {1, 2, 3, 4, 0};
  EXPECT_EQ(blob->offset(4, index), 119);
  EXPECT_EQ(blob->offset(2, index), 100);
  EXPECT_EQ(blob->offset(0, index), 0);
  EXPECT_FAILS(blob->offset(5, index), "5 indices");
  const int64_t beyond[] = {0, 3};
  EXPECT_FAILS(blob->offset(2, beyond), "index 4 is out of range of axis 2");
  set(*blob, Part::data, [](int64_t i) { return i; });
  EXPECT_EQ(blob->element(Part::data, 119), 119);
  EXPECT_FAILS(blob->element(Part::data, 120), "out of range");
  EXPECT_FAILS(blob->element(Part::data, -1), "out of range");
}

TEST_P(BlobTest, ShapesHaveLimits) {
  BlobRef blob = make({2, 3});
  fill(*blob, Part::data, 5);
  Shape shape(32, 1);
  reshape(*blob, shape);
  EXPECT_EQ(blob->axes(), 32);
  EXPECT_EQ(blob->tensor(Part::data)->nDimension, 32);
  reshape(*blob, {2, 3});
  shape.push_back(1);
  EXPECT_FAILS(reshape(*blob, shape), "at most 32 axes, got 33");
  EXPECT_FAILS(reshape(*blob, {2, -1}), "size -1 of axis 2 is negative");
  EXPECT_FAILS(reshape(*blob, {int64_t{1} << 40, int64_t{1} << 40}), "too large");
  EXPECT_FAILS(reshape(*blob, {int64_t{1} << 62, 2, 0}), "too large");
  EXPECT_EQ(shape_of(*blob), Shape({2, 3}));
  EXPECT_EQ(get(*blob, Part::data), std::vector<double>(6, 5));
  // More elements than an int counts, none of which is touched.
  reshape(*blob, {int64_t{1} << 20, int64_t{1} << 14});
  EXPECT_EQ(blob->count(), int64_t{1} << 34);
  EXPECT_EQ(blob->count(1, 2), int64_t{1} << 14);
}

TEST_P(BlobTest, MayHaveNoElementOrNoAxis) {
  BlobRef blob = make({0, 5});
  EXPECT_EQ(blob->count(), 0);
  EXPECT_EQ(blob->tensor(Part::data)->nDimension, 2);
  EXPECT_EQ(blob->asum(Part::data), 0);
  blob->update();
  reshape(*blob, {});
  EXPECT_EQ(blob->count(), 1);
  EXPECT_EQ(blob->shape_text(), "(1)");
  fill(*blob, Part::data, 3);
  EXPECT_EQ(blob->tensor(Part::data)->numel(), 1);
  EXPECT_EQ(blob->asum(Part::data), 3);
}

TEST_P(BlobTest, TakesMemoryOnlyWhenItIsTouched) {
  int64_t before = heap_usage().bytes;
  BlobRef blob = make({100, 1000});
  EXPECT_EQ(head(*blob, Part::data), Head::uninitialized);
  EXPECT_EQ(blob->asum(Part::data), 0);
  EXPECT_EQ(blob->asum(Part::diff), 0);
  EXPECT_EQ(blob->sumsq(Part::data), 0);
  blob->scale(Part::data, 2);
  EXPECT_FAILS(blob->update(), "never written");
  EXPECT_EQ(heap_usage().bytes, before);
  EXPECT_EQ(head(*blob, Part::data), Head::uninitialized);
  // Memory that was never written reads as 0.
  EXPECT_EQ(blob->element(Part::data, 99999), 0);
  EXPECT_EQ(head(*blob, Part::diff), Head::uninitialized);
}

TEST_P(BlobTest, SumsAreThoseOfItsElements) {
  BlobRef blob = make({2, 3, 4, 5});
  uint32_t state = 1;
  std::vector<double> values;
  for (int i = 0; i < 120; ++i) {
    state = state * 1664525u + 1013904223u;
    values.push_back(static_cast<float>(state / 4294967296.0 * 6 - 3));
  }
  double asum = 0, sumsq = 0;
  for (double x : values) {
    asum += std::fabs(x);
    sumsq += x * x;
  }
  auto near = [](double a, double b) { return std::fabs(a - b) <= 1e-6 * std::fabs(b); };
  EXPECT_EQ(blob->sumsq(Part::data), 0);
  set(*blob, Part::data, [&](int64_t i) { return values[i]; });
  EXPECT_PRED2(near, blob->asum(Part::data), asum);
  EXPECT_PRED2(near, blob->sumsq(Part::data), sumsq);
  EXPECT_EQ(blob->asum(Part::diff), 0);
  EXPECT_EQ(blob->sumsq(Part::diff), 0);
  set(*blob, Part::diff, [&](int64_t i) { return 7 * values[i]; });
  EXPECT_PRED2(near, blob->sumsq(Part::diff), 49 * sumsq);
  EXPECT_PRED2(near, blob->asum(Part::diff), 7 * asum);
  EXPECT_PRED2(near, blob->sumsq(Part::data), sumsq);
}

TEST_P(BlobTest, PartsAreScaledAlone) {
  BlobRef blob = make({2, 3, 4, 5});
  set(*blob, Part::data, [](int64_t i) { return i % 7 - 3.0; });
  double asum = blob->asum(Part::data);
  blob->scale(Part::data, 3);
  EXPECT_EQ(head(*blob, Part::data), place().head);
  EXPECT_EQ(blob->asum(Part::data), 3 * asum);
  EXPECT_EQ(blob->asum(Part::diff), 0);
  fill(*blob, Part::diff, -1);
  blob->scale(Part::diff, 3);
  EXPECT_EQ(blob->asum(Part::diff), 360);
  EXPECT_EQ(blob->asum(Part::data), 3 * asum);
}

TEST_P(BlobTest, UpdateSubtractsTheDiff) {
  BlobRef blob = make({3, 4});
  set(*blob, Part::data, [](int64_t i) { return 2.0 * i; });
  blob->update();  // by a diff of zeros
  EXPECT_EQ(get(*blob, Part::data)[11], 22);
  set(*blob, Part::diff, [](int64_t i) { return 0.5 * i; });
  blob->update();
  EXPECT_EQ(head(*blob, Part::data), place().head);
  for (int i = 0; i < 12; ++i) EXPECT_EQ(get(*blob, Part::data)[i], 1.5 * i);
  EXPECT_EQ(get(*blob, Part::diff)[10], 5);
}

}  // namespace
}  // namespace th
