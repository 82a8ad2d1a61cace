// Blobs of both types, with their memory at the CPU and on a device: what Caffe documents of them.

#include "blob/blob.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "blob_places.h"
#include "memory/error.h"
#include "memory/heap.h"

namespace th {
namespace {

using Part = Blob::Part;
using Shape = std::vector<int64_t>;

BlobRef make(DType type, const Shape& shape) {
  BlobRef blob(new Blob(type));
  blob->reshape(static_cast<int>(shape.size()), shape.data());
  return blob;
}
Shape shape_of(const Blob& blob) { return Shape(blob.shape(), blob.shape() + blob.axes()); }
void reshape(Blob& blob, const Shape& shape) {
  blob.reshape(static_cast<int>(shape.size()), shape.data());
}

std::string error_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}
#define EXPECT_FAILS(body, part) \
  EXPECT_NE(error_of([&] { body; }).find(part), std::string::npos) << error_of([&] { body; })

class BlobTest : public testing::TestWithParam<std::tuple<DType, Place>> {
 protected:
  void SetUp() override {
    set_soft_mode(place().mode);
    set_thread_order(place().order);
  }
  void TearDown() override {
    soft().synchronize();
    set_soft_mode(SoftMode::eager);
    set_thread_order(ThreadOrder::ascending);
  }
  DType type() const { return std::get<0>(GetParam()); }
  const Place& place() const { return std::get<1>(GetParam()); }
  BlobRef make(const Shape& shape) const { return th::make(type(), shape); }

  // Writes elements on the host, then brings them to the place.
  void set(Blob& blob, Part part, const std::function<double(int64_t)>& value) const {
    TensorRef t = blob.tensor("test", part);
    for (int64_t i = 0; i < blob.count(); ++i) {
      if (type() == DType::Float) {
        t->data_as<float>(Access::write)[i] = static_cast<float>(value(i));
      } else {
        t->data_as<double>(Access::write)[i] = value(i);
      }
    }
    place().bring(blob.storage(part));
  }
  void fill(Blob& blob, Part part, double value) const {
    set(blob, part, [=](int64_t) { return value; });
  }
  std::vector<double> get(const Blob& blob, Part part) const {
    std::vector<double> values;
    for (int64_t i = 0; i < blob.count(); ++i) values.push_back(blob.element("test", part, i));
    return values;
  }
  Head head(const Blob& blob, Part part) const { return blob.storage(part)->memory.head(); }
};

TEST_P(BlobTest, StartsWithoutAxesElementsAndMemory) {
  BlobRef blob(new Blob(type()));
  EXPECT_EQ(blob->axes(), 0);
  EXPECT_EQ(blob->count(), 0);
  EXPECT_EQ(blob->shape_text(), "(0)");
  EXPECT_EQ(blob->storage(Part::data), nullptr);
  EXPECT_FAILS(blob->tensor("data", Part::data), "no shape yet");
  EXPECT_EQ(blob->asum("asumData", Part::data), 0);
  EXPECT_EQ(blob->sumsq("sumsqDiff", Part::diff), 0);
  blob->scale("scaleData", Part::data, 3);
  EXPECT_FAILS(blob->update(), "no shape yet");
}

TEST_P(BlobTest, HasFourLegacyAxes) {
  BlobRef blob = make({2, 3, 4, 5});
  EXPECT_EQ(blob->legacy_shape("num", 0), 2);
  EXPECT_EQ(blob->legacy_shape("channels", 1), 3);
  EXPECT_EQ(blob->legacy_shape("height", 2), 4);
  EXPECT_EQ(blob->legacy_shape("width", 3), 5);
  EXPECT_EQ(blob->legacy_shape("width", -1), 5);
  EXPECT_EQ(blob->count(), 120);
  EXPECT_EQ(blob->shape_text(), "2 3 4 5 (120)");
  // Missing axes are 1: behind from the front, in front from the back.
  reshape(*blob, {7, 8});
  EXPECT_EQ(blob->legacy_shape("num", 0), 7);
  EXPECT_EQ(blob->legacy_shape("height", 2), 1);
  EXPECT_EQ(blob->legacy_shape("legacyShape", -2), 7);
  EXPECT_EQ(blob->legacy_shape("legacyShape", -4), 1);
  EXPECT_FAILS(blob->legacy_shape("legacyShape", 4), "axis 5 is out of range");
  EXPECT_FAILS(blob->legacy_shape("legacyShape", -5), "axis -5 is out of range");
  EXPECT_FAILS(make({1, 1, 1, 1, 1})->legacy_shape("num", 0), "num: a blob of 5 axes");
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
  EXPECT_EQ(blob->canonical_axis("f", 0), 0);
  EXPECT_EQ(blob->canonical_axis("f", 2), 2);
  EXPECT_EQ(blob->canonical_axis("f", -1), 2);
  EXPECT_EQ(blob->canonical_axis("f", -3), 0);
  EXPECT_FAILS(blob->canonical_axis("f", 3), "axis 4 is out of range of a blob of 3 axes");
  EXPECT_FAILS(blob->canonical_axis("f", -4), "axis -4 is out of range");
  EXPECT_EQ(blob->count(0, 3), 24);
  EXPECT_EQ(blob->count(1, 3), 12);
  EXPECT_EQ(blob->count(1, 2), 3);
  EXPECT_EQ(blob->count(2, 2), 1);
  EXPECT_EQ(blob->count(3, 3), 1);
  EXPECT_FAILS(blob->count(2, 1), "no range");
  EXPECT_FAILS(blob->count(-1, 2), "no range");
  EXPECT_FAILS(blob->count(0, 4), "no range");
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
  EXPECT_EQ(blob->offset("offset", 4, index), 119);
  EXPECT_EQ(blob->offset("offset", 2, index), 100);
  EXPECT_EQ(blob->offset("offset", 0, index), 0);
  EXPECT_FAILS(blob->offset("offset", 5, index), "5 indices");
  const int64_t beyond[] = {0, 3};
  EXPECT_FAILS(blob->offset("offset", 2, beyond), "index 4 is out of range of axis 2");
  set(*blob, Part::data, [](int64_t i) { return i; });
  EXPECT_EQ(blob->element("dataAt", Part::data, 119), 119);
  EXPECT_FAILS(blob->element("dataAt", Part::data, 120), "out of range");
  EXPECT_FAILS(blob->element("dataAt", Part::data, -1), "out of range");
}

TEST_P(BlobTest, ShapesHaveLimits) {
  BlobRef blob = make({2, 3});
  fill(*blob, Part::data, 5);
  Shape shape(32, 1);
  reshape(*blob, shape);
  EXPECT_EQ(blob->axes(), 32);
  EXPECT_EQ(blob->tensor("data", Part::data)->nDimension, 32);
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
  EXPECT_EQ(blob->tensor("data", Part::data)->nDimension, 2);
  EXPECT_EQ(blob->asum("asumData", Part::data), 0);
  blob->update();
  reshape(*blob, {});
  EXPECT_EQ(blob->count(), 1);
  EXPECT_EQ(blob->shape_text(), "(1)");
  fill(*blob, Part::data, 3);
  EXPECT_EQ(blob->tensor("data", Part::data)->numel(), 1);
  EXPECT_EQ(blob->asum("asumData", Part::data), 3);
}

TEST_P(BlobTest, TakesMemoryOnlyWhenItIsTouched) {
  int64_t before = heap_usage().bytes;
  BlobRef blob = make({100, 1000});
  EXPECT_EQ(head(*blob, Part::data), Head::uninitialized);
  EXPECT_EQ(blob->asum("asumData", Part::data), 0);
  EXPECT_EQ(blob->asum("asumDiff", Part::diff), 0);
  EXPECT_EQ(blob->sumsq("sumsqData", Part::data), 0);
  blob->scale("scaleData", Part::data, 2);
  EXPECT_FAILS(blob->update(), "never written");
  EXPECT_EQ(heap_usage().bytes, before);
  EXPECT_EQ(head(*blob, Part::data), Head::uninitialized);
  // What was never written reads as 0.
  EXPECT_EQ(blob->element("dataAt", Part::data, 99999), 0);
  EXPECT_EQ(head(*blob, Part::diff), Head::uninitialized);
}

TEST_P(BlobTest, ReshapeKeepsWhatFits) {
  BlobRef blob = make({2, 3, 4});
  set(*blob, Part::data, [](int64_t i) { return i; });
  fill(*blob, Part::diff, 7);
  Storage* data = blob->storage(Part::data);
  Storage* diff = blob->storage(Part::diff);
  reshape(*blob, {4, 3});
  EXPECT_EQ(blob->storage(Part::data), data);
  EXPECT_EQ(blob->count(), 12);
  EXPECT_EQ(blob->asum("asumData", Part::data), 66);
  reshape(*blob, {24});
  EXPECT_EQ(blob->storage(Part::data), data);
  EXPECT_EQ(blob->storage(Part::diff), diff);
  EXPECT_EQ(get(*blob, Part::data)[23], 23);
  // More than ever: both parts are new, and read as 0.
  TensorRef old = blob->tensor("data", Part::data);
  reshape(*blob, {5, 5});
  EXPECT_NE(blob->storage(Part::data), data);
  EXPECT_EQ(head(*blob, Part::data), Head::uninitialized);
  EXPECT_EQ(head(*blob, Part::diff), Head::uninitialized);
  EXPECT_EQ(get(*blob, Part::diff), std::vector<double>(25, 0));
  // Tensors keep the memory that they were made of.
  EXPECT_EQ(old->storage, data);
  EXPECT_EQ(old->size[0], 24);
  BlobRef other = make({2, 2});
  other->reshape_like(*blob);
  EXPECT_EQ(shape_of(*other), Shape({5, 5}));
}

TEST_P(BlobTest, PartsAreTensorsInItsMemory) {
  BlobRef blob = make({2, 3});
  TensorRef data = blob->tensor("data", Part::data);
  EXPECT_EQ(data->storage, blob->storage(Part::data));
  EXPECT_TRUE(is_contiguous(*data));
  EXPECT_NE(blob->tensor("diff", Part::diff)->storage, data->storage);
  fill(*blob, Part::data, 2);
  TensorRef again = blob->tensor("data", Part::data);
  if (type() == DType::Float) {
    data->data_as<float>(Access::write)[1] = 5;
    EXPECT_EQ(again->data_as<float>(Access::read)[1], 5);
  } else {
    data->data_as<double>(Access::write)[1] = 5;
    EXPECT_EQ(again->data_as<double>(Access::read)[1], 5);
  }
  EXPECT_EQ(blob->asum("asumData", Part::data), 15);
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
  EXPECT_EQ(blob->sumsq("sumsqData", Part::data), 0);
  set(*blob, Part::data, [&](int64_t i) { return values[i]; });
  EXPECT_PRED2(near, blob->asum("asumData", Part::data), asum);
  EXPECT_PRED2(near, blob->sumsq("sumsqData", Part::data), sumsq);
  EXPECT_EQ(blob->asum("asumDiff", Part::diff), 0);
  EXPECT_EQ(blob->sumsq("sumsqDiff", Part::diff), 0);
  set(*blob, Part::diff, [&](int64_t i) { return 7 * values[i]; });
  EXPECT_PRED2(near, blob->sumsq("sumsqDiff", Part::diff), 49 * sumsq);
  EXPECT_PRED2(near, blob->asum("asumDiff", Part::diff), 7 * asum);
  EXPECT_PRED2(near, blob->sumsq("sumsqData", Part::data), sumsq);
}

TEST_P(BlobTest, PartsAreScaledAlone) {
  BlobRef blob = make({2, 3, 4, 5});
  set(*blob, Part::data, [](int64_t i) { return i % 7 - 3.0; });
  double asum = blob->asum("asumData", Part::data);
  blob->scale("scaleData", Part::data, 3);
  EXPECT_EQ(head(*blob, Part::data), place().head);
  EXPECT_EQ(blob->asum("asumData", Part::data), 3 * asum);
  EXPECT_EQ(blob->asum("asumDiff", Part::diff), 0);
  fill(*blob, Part::diff, -1);
  blob->scale("scaleDiff", Part::diff, 3);
  EXPECT_EQ(blob->asum("asumDiff", Part::diff), 360);
  EXPECT_EQ(blob->asum("asumData", Part::data), 3 * asum);
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

TEST_P(BlobTest, CopiesOnePart) {
  BlobRef from = make({2, 3}), to = make({2, 3});
  set(*from, Part::data, [](int64_t i) { return i; });
  fill(*from, Part::diff, 4);
  fill(*to, Part::data, 9);
  to->copy_from(*from, Part::data, false);
  EXPECT_EQ(get(*to, Part::data), get(*from, Part::data));
  EXPECT_EQ(to->asum("asumDiff", Part::diff), 0);
  to->copy_from(*from, Part::diff, false);
  EXPECT_EQ(get(*to, Part::diff), std::vector<double>(6, 4));
  EXPECT_NE(to->storage(Part::data), from->storage(Part::data));
  BlobRef other = make({6});
  EXPECT_FAILS(other->copy_from(*from, Part::data, false), "2 3 (6)");
  EXPECT_EQ(shape_of(*other), Shape({6}));
  other->copy_from(*from, Part::data, true);
  EXPECT_EQ(shape_of(*other), Shape({2, 3}));
  EXPECT_EQ(get(*other, Part::data)[5], 5);
  // Of what was never written, zeros.
  BlobRef empty = make({2, 3});
  to->copy_from(*empty, Part::data, false);
  EXPECT_EQ(get(*to, Part::data), std::vector<double>(6, 0));
  EXPECT_EQ(head(*empty, Part::data), Head::uninitialized);
  to->copy_from(*to, Part::data, false);
  BlobRef shapeless(new Blob(type()));
  EXPECT_FAILS(to->copy_from(*shapeless, Part::data, true), "no shape yet");
  shapeless->copy_from(*from, Part::data, true);
  EXPECT_EQ(get(*shapeless, Part::data), get(*from, Part::data));
}

TEST_P(BlobTest, CopiesBetweenTypes) {
  DType other_type = type() == DType::Float ? DType::Double : DType::Float;
  BlobRef from = make({3}), to = th::make(other_type, {3});
  set(*from, Part::data, [](int64_t i) { return i + 0.5; });
  to->copy_from(*from, Part::data, false);
  EXPECT_EQ(get(*to, Part::data), std::vector<double>({0.5, 1.5, 2.5}));
  EXPECT_FAILS(to->share("shareData", Part::data, *from), "cannot share");
}

TEST_P(BlobTest, SharesMemory) {
  BlobRef a = make({2, 6}), b = make({3, 4});
  fill(*a, Part::data, 1);
  fill(*b, Part::data, 2);
  fill(*b, Part::diff, 3);
  a->share("shareData", Part::data, *b);
  EXPECT_EQ(a->storage(Part::data), b->storage(Part::data));
  EXPECT_NE(a->storage(Part::diff), b->storage(Part::diff));
  EXPECT_EQ(shape_of(*a), Shape({2, 6}));
  a->scale("scaleData", Part::data, 5);
  EXPECT_EQ(get(*b, Part::data), std::vector<double>(12, 10));
  a->share("shareDiff", Part::diff, *b);
  EXPECT_EQ(a->asum("asumDiff", Part::diff), 36);
  a->share("shareDiff", Part::diff, *a);
  EXPECT_FAILS(a->share("shareData", Part::data, *make({5})), "numbers of elements");
  EXPECT_FAILS(a->share("shareData", Part::data, *BlobRef(new Blob(type()))), "no shape yet");
  // A reshape that needs more ends it.
  reshape(*a, {13});
  EXPECT_NE(a->storage(Part::data), b->storage(Part::data));
  EXPECT_EQ(get(*b, Part::data), std::vector<double>(12, 10));
  EXPECT_EQ(a->asum("asumData", Part::data), 0);
  // The memory outlives the blob that had it first.
  a = make({12});
  a->share("shareData", Part::data, *b);
  b.reset();
  EXPECT_EQ(a->asum("asumData", Part::data), 120);
}

TEST_P(BlobTest, ReshapeTrustsNoCapacityThatSharingTookAway) {
  BlobRef large = make({100}), small = make({10});
  fill(*large, Part::data, 1);
  fill(*large, Part::diff, 1);
  fill(*small, Part::data, 2);
  reshape(*large, {10});
  large->share("shareData", Part::data, *small);
  // Caffe would go on with the ten elements that small has.
  reshape(*large, {100});
  EXPECT_EQ(large->storage(Part::data)->size, 100);
  EXPECT_NE(large->storage(Part::data), small->storage(Part::data));
  fill(*large, Part::data, 3);
  EXPECT_EQ(get(*small, Part::data), std::vector<double>(10, 2));
  // A larger block of another blob does not count either, as in Caffe.
  BlobRef huge = make({1000});
  reshape(*huge, {100});
  large->share("shareData", Part::data, *huge);
  reshape(*large, {200});
  EXPECT_NE(large->storage(Part::data), huge->storage(Part::data));
}

TEST_P(BlobTest, SurvivesAStorageThatOthersResize) {
  BlobRef blob = make({10, 10});
  fill(*blob, Part::data, 1);
  storage_resize(blob->storage(Part::data), 4);
  EXPECT_EQ(blob->asum("asumData", Part::data), 4);
  EXPECT_EQ(blob->storage(Part::data)->size, 100);
  storage_resize(blob->storage(Part::diff), 4);
  reshape(*blob, {100});
  EXPECT_EQ(blob->storage(Part::diff)->size, 100);
}

TEST_P(BlobTest, KeepsItsHome) {
  BlobRef blob = make({2, 3});
  fill(*blob, Part::data, 1);
  fill(*blob, Part::diff, 2);
  Device* home = blob->storage(Part::data)->get_home();
  blob->scale("scaleData", Part::data, 2);
  blob->update();
  blob->asum("asumDiff", Part::diff);
  EXPECT_EQ(blob->storage(Part::data)->get_home(), home);
  EXPECT_EQ(blob->storage(Part::diff)->get_home(), home);
  // Memory that a larger shape needs is at home where the old one was.
  reshape(*blob, {100});
  EXPECT_EQ(blob->storage(Part::data)->get_home(), home);
  EXPECT_EQ(blob->storage(Part::diff)->get_home(), home);
}

TEST_P(BlobTest, GivesItsMemoryOnBothSides) {
  BlobRef blob = make({2, 3});
  for (Part part : {Part::data, Part::diff}) {
    place().bring(blob->storage(part));
    EXPECT_NE(blob->storage(part)->memory.device(Access::read, soft()), nullptr);
    EXPECT_NE(blob->device_block("gpuData", part, Access::read), nullptr);
    EXPECT_NE(blob->storage(part)->cpu(Access::read), nullptr);
    EXPECT_EQ(head(*blob, part), Head::synced);
    EXPECT_NE(blob->device_block("gpuData", part, Access::write), nullptr);
    EXPECT_EQ(head(*blob, part), Head::device);
    EXPECT_NE(blob->storage(part)->cpu(Access::write), nullptr);
    EXPECT_EQ(head(*blob, part), Head::cpu);
  }
}

TEST_P(BlobTest, TakesBlocksOfTheCaller) {
  BlobRef blob = make({2, 3});
  fill(*blob, Part::data, 1);
  fill(*blob, Part::diff, 4);
  size_t bytes = 6 * item_size(type());
  std::vector<char> block(bytes);
  blob->set_block("setCpuData", block.data(), false);
  EXPECT_EQ(head(*blob, Part::data), Head::cpu);
  EXPECT_EQ(blob->asum("asumData", Part::data), 0);
  EXPECT_EQ(blob->asum("asumDiff", Part::diff), 24);
  blob->storage(Part::data)->memory.device(Access::read, soft());
  void* device_block = soft().allocate(bytes);
  BlobRef ones = make({6});
  fill(*ones, Part::data, 1);
  soft().copy_to_device(device_block, ones->storage(Part::data)->cpu(Access::read), bytes);
  blob->set_block("setGpuData", device_block, true);
  EXPECT_EQ(head(*blob, Part::data), Head::device);
  blob->scale("scaleData", Part::data, 3);
  EXPECT_EQ(block, std::vector<char>(bytes));
  EXPECT_EQ(blob->asum("asumData", Part::data), 18);
  // Of fewer elements than the memory has: both parts are new.
  reshape(*blob, {5});
  TensorRef diff = blob->tensor("diff", Part::diff);
  blob->set_block("setCpuData", block.data(), false);
  EXPECT_NE(blob->storage(Part::diff), diff->storage);
  EXPECT_EQ(blob->storage(Part::data)->size, 5);
  reshape(*blob, {6});
  EXPECT_NE(blob->tensor("data", Part::data)->data(Access::read), block.data());
  EXPECT_FAILS(blob->set_block("setCpuData", nullptr, false), "got NULL");
  blob.reset();
  soft().release(device_block);
}

TEST_P(BlobTest, IsFreedWithItsLastReference) {
  int64_t before = heap_usage().blocks;
  BlobRef blob = make({100, 100});
  fill(*blob, Part::data, 1);
  fill(*blob, Part::diff, 1);
  blob->retain();
  BlobRef second(blob.get());
  blob.reset();
  EXPECT_EQ(second->asum("asumData", Part::data), 10000);
  second.reset();
  EXPECT_EQ(heap_usage().blocks, before);
}

INSTANTIATE_TEST_SUITE_P(Types, BlobTest,
                         testing::Combine(testing::Values(DType::Float, DType::Double),
                                          testing::ValuesIn(places())),
                         [](const auto& info) {
                           return std::string(name(std::get<0>(info.param))) +
                                  std::get<1>(info.param).name;
                         });

}  // namespace
}  // namespace th
