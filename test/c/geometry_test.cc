// Sizes, strides, offsets and indices at the ends of int64, given to the C functions: errors, and
// nothing changed.

#include <gtest/gtest.h>

#include <climits>
#include <string>
#include <vector>

#include "TH.h"
#include "base/error.h"
#include "tensor/checked.h"
#include "tensor/tensor.h"

namespace {

template <class F>
std::string error_of(F call) {
  char message[512] = "no error";
  THTry([](void* data) { (*static_cast<F*>(data))(); }, &call, message, sizeof(message));
  return message;
}
#define EXPECT_ERROR(call, text)                                 \
  do {                                                           \
    std::string message = error_of([&] { call; });               \
    EXPECT_NE(message.find(text), std::string::npos) << message; \
  } while (0)

constexpr int64_t kLeast = INT64_MIN, kMost = INT64_MAX;

class Geometry : public ::testing::Test {
 protected:
  void SetUp() override {
    storage_ = THFloatStorage_newWithSize(4);
    THFloatStorage_fill(storage_, 7);
    t_ = THFloatTensor_newWithStorage1d(storage_, 1, 3, 1);
  }
  void TearDown() override {
    EXPECT_EQ(t_->nDimension, 1);
    EXPECT_EQ(t_->size[0], 3);
    EXPECT_EQ(t_->storageOffset, 1);
    EXPECT_EQ(t_->storage, storage_);
    EXPECT_EQ(storage_->size, 4);
    EXPECT_EQ(THFloatTensor_sumall(t_), 21);
    THFloatTensor_free(t_);
    THFloatStorage_free(storage_);
  }
  static THLongStorage* sizes(std::vector<int64_t> values) {
    THLongStorage* s = THLongStorage_newWithSize(static_cast<ptrdiff_t>(values.size()));
    for (size_t i = 0; i < values.size(); ++i) {
      THLongStorage_set(s, static_cast<ptrdiff_t>(i), values[i]);
    }
    return s;
  }
  THFloatStorage* storage_;
  THFloatTensor* t_;
};

TEST_F(Geometry, NegativeSizesEndTheList) {
  THFloatTensor* made[] = {THFloatTensor_newWithSize4d(2, 3, -1, -1),
                           THFloatTensor_newWithStorage4d(nullptr, 0, 2, -1, 3, -1, -1, -1, -1, -1),
                           THFloatTensor_new(), THFloatTensor_new(), THFloatTensor_new()};
  THFloatTensor_resize4d(made[2], 2, 3, -1, kLeast);
  THFloatTensor_resize5d(made[3], 2, 3, -1, -1, -1);
  THFloatTensor_setStorage3d(made[4], storage_, 0, 2, 1, 3, 0, -1, -1);
  for (THFloatTensor* t : made) {
    EXPECT_EQ(t->nDimension, 2);
    EXPECT_EQ(t->size[0], 2);
    EXPECT_EQ(t->size[1], 3);
    THFloatTensor_free(t);
  }
  EXPECT_ERROR(THFloatTensor_resize3d(t_, 2, -1, 3), "size -1 of dimension 1 is negative");
  EXPECT_ERROR(THFloatTensor_resize2d(t_, -1, -1), "size -1 of dimension 0 is negative");
}

TEST_F(Geometry, OffsetsMayNotBeBeyondMemory) {
  THLongStorage *one = sizes({1}), *none = sizes({0});
  for (ptrdiff_t offset :
       {PTRDIFF_MAX, PTRDIFF_MAX - 1, PTRDIFF_MAX / 2, ptrdiff_t{-1}, PTRDIFF_MIN}) {
    const char* text = offset < 0 ? "is negative" : "is too large";
    EXPECT_ERROR(THFloatTensor_newWithStorage(storage_, offset, one, nullptr), text);
    EXPECT_ERROR(THFloatTensor_newWithStorage(storage_, offset, none, nullptr), text);
    EXPECT_ERROR(THFloatTensor_newWithStorage1d(storage_, offset, 1, 1), text);
    EXPECT_ERROR(THFloatTensor_newWithStorage2d(storage_, offset, 1, 1, 1, 1), text);
    EXPECT_ERROR(THFloatTensor_setStorage(t_, storage_, offset, one, nullptr), text);
    EXPECT_ERROR(THFloatTensor_setStorage1d(t_, storage_, offset, 1, 1), text);
    EXPECT_ERROR(THFloatTensor_setStorage4d(t_, storage_, offset, 1, 1, 1, 1, 1, 1, 1, 1), text);
    int64_t size = 1;
    EXPECT_ERROR(THFloatTensor_setStorageNd(t_, storage_, offset, 1, &size, nullptr), text);
  }
  // As large as they can be, but not in memory.
  EXPECT_ERROR(THFloatTensor_setStorage1d(t_, storage_, th::kMostElements, 1, 1), "address space");
  THLongStorage_free(one);
  THLongStorage_free(none);
}

TEST_F(Geometry, NumbersOfDimensionsAreChecked) {
  int64_t size[] = {1, 1};
  for (int ndim : {-1, INT_MIN, INT_MIN + 1}) {
    EXPECT_ERROR(THFloatTensor_resizeNd(t_, ndim, size, nullptr), "cannot have -");
    EXPECT_ERROR(THFloatTensor_setStorageNd(t_, storage_, 0, ndim, size, nullptr), "cannot have -");
  }
  EXPECT_ERROR(THFloatTensor_resizeNd(t_, INT_MAX, size, nullptr), "dimensions are more than");
  EXPECT_ERROR(THFloatTensor_resizeNd(t_, 1, nullptr, nullptr), "got NULL");
  EXPECT_ERROR(THFloatTensor_resizeNd(t_, 2, nullptr, nullptr), "got NULL");
  EXPECT_ERROR(THFloatTensor_setStorageNd(t_, storage_, 0, 2, nullptr, nullptr), "got NULL");
}

TEST_F(Geometry, StridesMayNotLeadBeyondMemory) {
  // 2^50 x 8192 is 2^63, the stride that is left open.
  THLongStorage *size = sizes({2, 8192}), *stride = sizes({-1, int64_t{1} << 50});
  EXPECT_ERROR(THFloatTensor_newWithStorage(storage_, 0, size, stride), "a stride is too large");
  EXPECT_ERROR(THFloatTensor_setStorage(t_, storage_, 0, size, stride), "a stride is too large");
  EXPECT_ERROR(THFloatTensor_resize(t_, size, stride), "a stride is too large");
  THLongStorage_free(size);
  THLongStorage_free(stride);
  for (int64_t s : {kMost, kMost / 2, kMost / 16 + 1}) {
    EXPECT_ERROR(THFloatTensor_setStorage1d(t_, storage_, 0, 2, s), "too large");
    EXPECT_ERROR(THFloatTensor_setStorage2d(t_, storage_, 0, 0, 1, 2, s), "too large");
  }
  int64_t far = th::kMostElements;
  EXPECT_ERROR(THFloatTensor_setStorage2d(t_, storage_, far, 2, far, 2, far), "too large");
  EXPECT_ERROR(THFloatTensor_setStorage1d(t_, storage_, 0, 3, far), "too large");
}

TEST_F(Geometry, SizesMayNotOverflow) {
  for (int64_t n : {kMost, kMost / 2, kLeast}) {
    EXPECT_ERROR(THFloatTensor_resize1d(t_, n), n < 0 ? "negative" : "too large");
    EXPECT_ERROR(THFloatTensor_resize3d(t_, n, 0, 2), n < 0 ? "negative" : "too large");
    EXPECT_ERROR(THFloatTensor_newWithSize2d(n, 4), n < 0 ? "negative" : "too large");
  }
  std::vector<THFloatTensor*> parts(33, THFloatTensor_newWithSize2d(int64_t{1} << 58, 0));
  EXPECT_ERROR(THFloatTensor_catArray(t_, parts.data(), 33, 0), "catArray: a size is too large");
  THFloatTensor_free(parts[0]);
}

TEST_F(Geometry, IndicesAndDimensionsMayBeAnyNumber) {
  THFloatTensor* view = THFloatTensor_new();
  for (int64_t index : {kMost, kMost - 1, kLeast, int64_t{3}, int64_t{-1}}) {
    EXPECT_ERROR(THFloatTensor_get1d(t_, index), "out of range");
    EXPECT_ERROR(THFloatTensor_set1d(t_, index, 1), "out of range");
    EXPECT_ERROR(THFloatStorage_get(storage_, index == 3 ? 4 : index), "out of bounds");
    if (index == -1) continue;  // the last
    EXPECT_ERROR(THFloatTensor_narrow(view, t_, 0, index, 1), "out of range");
    EXPECT_ERROR(THFloatTensor_narrow(view, t_, 0, 1, index), "out of range");
  }
  EXPECT_ERROR(THFloatTensor_get1d(t_, kMost - 1), "index 9223372036854775806 ");
  EXPECT_ERROR(THFloatTensor_set1d(t_, kMost, 1), "index 9223372036854775807 ");
  EXPECT_ERROR(THFloatStorage_get(storage_, PTRDIFF_MAX), "index 9223372036854775807 ");
  for (int dim : {INT_MAX, INT_MIN, 1, -2}) {
    EXPECT_ERROR(THFloatTensor_size(t_, dim), "dimension");
    EXPECT_ERROR(THFloatTensor_size(view, dim), "dimension");
    EXPECT_ERROR(THFloatTensor_select(view, t_, dim, 0), "dimension");
  }
  THFloatTensor* matrix = THFloatTensor_newWithSize2d(2, 2);
  EXPECT_ERROR(THFloatTensor_select(view, matrix, 0, kMost), "index 9223372036854775807 ");
  EXPECT_ERROR(THFloatTensor_select(view, matrix, 0, kLeast), "out of range");
  EXPECT_EQ(view->nDimension, 0);
  THFloatTensor_free(matrix);
  THFloatTensor_free(view);
}

TEST_F(Geometry, ViewsOfNothingHaveOffsetsTheyCanHave) {
  // Strides of tensors without an element lead nowhere, but are multiplied all the same.
  int64_t size[] = {int64_t{1} << 20, 0}, stride[] = {int64_t{1} << 58, 1};
  THFloatTensor *far = THFloatTensor_new(), *view = THFloatTensor_new();
  THFloatTensor_setStorageNd(far, storage_, 0, 2, size, stride);
  EXPECT_ERROR(THFloatTensor_select(view, far, 0, 99999), "a storage offset is too large");
  EXPECT_ERROR(THFloatTensor_narrow(view, far, 0, 99999, 1), "a storage offset is too large");
  EXPECT_ERROR(THFloatTensor_unsqueeze1d(view, far, 0), "a stride is too large");
  THFloatTensor_unfold(view, far, 0, 2, 1000);
  EXPECT_EQ(THFloatTensor_numel(view), 0);
  EXPECT_EQ(THFloatTensor_sumall(far), 0);
  // A storage without memory: the address of nothing.
  THFloatStorage* empty = THFloatStorage_new();
  THFloatTensor_setStorage1d(view, empty, 5, 0, 1);
  EXPECT_EQ(THFloatTensor_data(view), nullptr);
  THFloatStorage_free(empty);
  THFloatTensor_free(view);
  THFloatTensor_free(far);
}

TEST(Range, CountsIntegersExactly) {
  THLongTensor* t = THLongTensor_new();
  THLongTensor_range(t, kLeast, kMost - 1023, int64_t{1} << 62);
  ASSERT_EQ(THLongTensor_numel(t), 4);
  EXPECT_EQ(THLongTensor_get1d(t, 3), int64_t{1} << 62);
  THLongTensor_range(t, kMost, kLeast, kLeast + 1);
  ASSERT_EQ(THLongTensor_numel(t), 3);
  EXPECT_EQ(THLongTensor_get1d(t, 2), -kMost);
  THLongTensor_range(t, kMost - 2, kMost, 1);
  ASSERT_EQ(THLongTensor_numel(t), 3);
  EXPECT_EQ(THLongTensor_get1d(t, 2), kMost);
  EXPECT_ERROR(THLongTensor_range(t, kMost, kMost - 1, 1), "do not lead");
  EXPECT_ERROR(THLongTensor_range(t, kLeast, kMost, 1), "too many");
  THLongTensor_free(t);
}

TEST(Checked, IsExactAtTheEnds) {
  int64_t r;
  EXPECT_TRUE(th::add_fits(th::kMostElements, 0, &r));
  EXPECT_FALSE(th::add_fits(th::kMostElements, 1, &r));
  EXPECT_FALSE(th::add_fits(kMost, kMost, &r));
  EXPECT_TRUE(th::mul_fits(th::kMostElements, 1, &r));
  EXPECT_FALSE(th::mul_fits(th::kMostElements, 2, &r));
  EXPECT_FALSE(th::mul_fits(int64_t{1} << 32, int64_t{1} << 32, &r));
  EXPECT_EQ(th::shown(kMost), kMost);
  EXPECT_EQ(th::shown(kMost - 1), kMost - 1 + TH_INDEX_BASE);
  EXPECT_EQ(th::shown(-1), -1);
  try {
    th::checked_mul(kMost, 3, "the answer");
    ADD_FAILURE() << "no error";
  } catch (const th::Error& error) {
    EXPECT_STREQ(error.what(), "the answer is too large: 9223372036854775807 x 3");
  }
}

TEST(Pins, HoldTheMemory) {
  th::Storage* a = th::storage_new(th::DType::Float, 2);
  th::Storage* b = th::storage_new(th::DType::Float, 2);
  a->pins = 1;
  EXPECT_THROW(th::storage_swap(a, b), th::Error);
  EXPECT_THROW(th::storage_swap(b, a), th::Error);
  EXPECT_THROW(th::storage_resize(a, 3), th::Error);
  a->pins = 0;
  th::storage_swap(a, b);
  th::storage_free(a);
  th::storage_free(b);
}

TEST(Null, IsNotATensor) {
  THFloatTensor* t = THFloatTensor_newWithSize1d(2);
  THFloatTensor* list[] = {t, nullptr};
  THLongTensor* index = THLongTensor_new();
  EXPECT_ERROR(THFloatTensor_add(nullptr, t, 1), "argument 1 (r_) is NULL");
  EXPECT_ERROR(THFloatTensor_add(t, nullptr, 1), "argument 2 (t) is NULL");
  EXPECT_ERROR(THFloatTensor_sumall(nullptr), "argument 1 (t) is NULL");
  EXPECT_ERROR(THFloatTensor_sort(t, nullptr, t, 0, 0), "argument 2 (ri_) is NULL");
  EXPECT_ERROR(THFloatTensor_indexSelect(t, t, 0, nullptr), "argument 4 (index) is NULL");
  EXPECT_ERROR(THFloatTensor_catArray(t, list, 2, 0), "argument 2 (inputs) is NULL");
  EXPECT_ERROR(THFloatTensor_catArray(t, nullptr, 2, 0), "argument 2 (inputs) is NULL");
  EXPECT_ERROR(THFloatTensor_max(t, nullptr, t, 0, 1), "argument 2 (indices_) is NULL");
  EXPECT_ERROR(THFloatTensor_resize(t, nullptr, nullptr), "sizes are expected, got NULL");
  EXPECT_EQ(t->nDimension, 1);
  THLongTensor_free(index);
  THFloatTensor_free(t);
}

TEST(Null, IsNotAGenerator) {
  THFloatTensor* t = THFloatTensor_newWithSize1d(2);
  EXPECT_ERROR(THFloatTensor_uniform(t, nullptr, 0, 1), "argument 2 (gen) is NULL");
  EXPECT_ERROR(THFloatTensor_normal(t, nullptr, 0, 1), "argument 2 (gen) is NULL");
  const char* text = "a generator is expected, got NULL";
  EXPECT_ERROR(THRandom_seed(nullptr), text);
  EXPECT_ERROR(THRandom_manualSeed(nullptr, 1), text);
  EXPECT_ERROR(THRandom_initialSeed(nullptr), text);
  EXPECT_ERROR(THRandom_random(nullptr), text);
  EXPECT_ERROR(THRandom_uniform(nullptr, 0, 1), text);
  EXPECT_ERROR(THRandom_normal(nullptr, 0, 1), text);
  EXPECT_ERROR(THRandom_cauchy(nullptr, 0, 1), text);
  EXPECT_ERROR(THRandom_geometric(nullptr, 0.5), text);
  EXPECT_ERROR(THGenerator_kind(nullptr), text);
  EXPECT_ERROR(THGenerator_setKind(nullptr, "philox"), text);
  THGenerator* g = THGenerator_new();
  EXPECT_ERROR(THGenerator_copy(g, nullptr), text);
  EXPECT_ERROR(THGenerator_copy(nullptr, g), text);
  EXPECT_EQ(THGenerator_isValid(nullptr), 0);
  THGenerator_free(g);
  THGenerator_free(nullptr);
  THFloatTensor_free(t);
}

TEST(Null, IsNoFact) { EXPECT_EQ(THInfo(nullptr), nullptr); }

}  // namespace
