// C code written for TH reads and writes storage->data as soon as a tensor has a size, also if the
// memory was on a device before.

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

#include "soft_devices.h"
#include "tensor/tensor.h"

namespace th {
namespace {

Tensor* erased(THFloatTensor* t) { return reinterpret_cast<Tensor*>(t); }

// Writes by the fields alone, and reads what the functions of TH see.
void expect_true(THFloatTensor* t, float value) {
  ASSERT_NE(t->storage->data, nullptr);
  float* first = t->storage->data + t->storageOffset;
  ASSERT_EQ(t->nDimension, 1);
  for (int64_t i = 0; i < t->size[0]; ++i) first[i * t->stride[0]] = value;
  EXPECT_EQ(THFloatTensor_sumall(t), value * static_cast<double>(t->size[0]));
  EXPECT_EQ(THFloatTensor_data(t), first);
}

TEST(DataField, IsThereAsSoonAsThereIsASize) {
  THFloatTensor* t = THFloatTensor_new();
  EXPECT_EQ(t->storage, nullptr);
  THFloatTensor_resize1d(t, 5);
  expect_true(t, 1);
  THLongStorage* size = THLongStorage_newWithSize1(7);
  THFloatTensor_resize(t, size, nullptr);
  expect_true(t, 2);
  THFloatTensor* other = THFloatTensor_newWithSize(size, nullptr);
  expect_true(other, 3);
  THFloatTensor_resize1d(t, 100000);
  THFloatTensor_resizeAs(other, t);
  expect_true(other, 4);
  THFloatTensor* narrow = THFloatTensor_newNarrow(other, 0, 2, 3);
  expect_true(narrow, 5);
  THFloatTensor_resize1d(narrow, 1000);
  expect_true(narrow, 6);
  THFloatTensor* clone = THFloatTensor_newClone(t);
  THFloatTensor_resize1d(clone, 200000);
  expect_true(clone, 7);
  THFloatStorage* storage = THFloatStorage_new();
  THFloatTensor_setStorage1d(t, storage, 3, 4, 2);
  expect_true(t, 8);
  THFloatTensor* result = THFloatTensor_new();
  THFloatTensor_add(result, other, 1);
  EXPECT_EQ(result->storage->data[5], 7);
  for (THFloatTensor* each : {t, other, narrow, clone, result}) THFloatTensor_free(each);
  THFloatStorage_free(storage);
  THLongStorage_free(size);
}

// As tensors of Lua are, until they are handed over.
TEST(DataField, IsThereForTensorsThatWereMadeElsewhere) {
  int64_t size = 6;
  Tensor* t = tensor_new_sized(DType::Float, 1, &size);
  auto* typed = reinterpret_cast<THFloatTensor*>(t);
  EXPECT_EQ(t->storage->data, nullptr);
  THFloatTensor* view = THFloatTensor_newWithTensor(typed);
  expect_true(view, 1);
  expose_to_c(t);
  size = 60;
  resize(t, 1, &size);
  expect_true(typed, 2);
  THFloatTensor_free(view);
  tensor_free(t);
}

TEST(DataField, StaysWhereATensorShrinks) {
  THFloatTensor* t = THFloatTensor_newWithSize2d(100, 100);
  float* before = t->storage->data;
  THFloatTensor_resize1d(t, 3);
  THFloatTensor_zero(t);
  EXPECT_EQ(t->storage->data, before);
  THFloatTensor_resize2d(t, 100, 100);
  EXPECT_EQ(t->storage->data, before);
  THFloatTensor_free(t);
}

TEST(DataField, IsMemoryOfMallocAsWell) {
  for (size_t size : {1, 7, 100, 5000, 1 << 20}) {
    for (size_t alignment : {16, 64, 4096}) {
      void* block = nullptr;
      ASSERT_EQ(posix_memalign(&block, alignment, size * sizeof(float)), 0);
      auto* data = static_cast<float*>(block);
      for (size_t k = 0; k < size; ++k) data[k] = static_cast<float>(k);
      THFloatStorage* s = THFloatStorage_newWithData(data, static_cast<ptrdiff_t>(size));
      EXPECT_EQ(s->data, data);
      THFloatStorage_resize(s, static_cast<ptrdiff_t>(2 * size));
      EXPECT_EQ(s->data[size - 1], static_cast<float>(size - 1));
      s->data[2 * size - 1] = 1;
      THFloatStorage_free(s);
    }
    THFree(std::malloc(size));
    void* grown = THRealloc(std::malloc(size), static_cast<ptrdiff_t>(2 * size));
    std::memset(grown, 1, 2 * size);
    THFree(grown);
  }
}

TEST(DataField, BelongsToTheCallerWithoutTheFlag) {
  auto* mine = static_cast<float*>(THAlloc(4 * sizeof(float)));
  for (int i = 0; i < 4; ++i) mine[i] = static_cast<float>(i);
  THFloatStorage* s = THFloatStorage_newWithData(mine, 4);
  THFloatStorage_clearFlag(s, TH_STORAGE_FREEMEM | TH_STORAGE_RESIZABLE);
  THFloatTensor* t = THFloatTensor_newWithStorage1d(s, 0, 4, -1);
  THFloatTensor_mul(t, t, 2);
  EXPECT_NE(error_of([&] { THFloatTensor_resize1d(t, 5); }), "");
  THFloatTensor_free(t);
  THFloatStorage_free(s);
  EXPECT_EQ(mine[3], 6);
  THFree(mine);
}

TEST(DataField, IsTheCallersToFreeAfterTheStorageWithoutTheFlag) {
  int64_t before, blocks, after;
  THMemoryUsage(&before, &blocks);
  THFloatStorage* s = THFloatStorage_newWithSize(1000);
  float* data = s->data;
  data[999] = 3;
  THFloatStorage_clearFlag(s, TH_STORAGE_FREEMEM);
  THFloatStorage_free(s);
  data = static_cast<float*>(THRealloc(data, 8000));
  EXPECT_EQ(data[999], 3);
  THFree(data);
  THMemoryUsage(&after, &blocks);
  EXPECT_EQ(after, before);
}

// Passes the memory of a storage to another one, and frees both. As the old package threads did.
void give_memory(THCharStorage* s, bool new_owner_ends_first) {
  char* data = s->data;
  const ptrdiff_t size = s->size;
  for (ptrdiff_t i = 0; i < size; ++i) data[i] = static_cast<char>(i % 100);
  THCharStorage_clearFlag(s, TH_STORAGE_FREEMEM);
  ASSERT_EQ(s->data, data);
  THCharStorage* owner = THCharStorage_newWithData(data, size);
  if (new_owner_ends_first) {
    THCharStorage_free(owner);
    THCharStorage_free(s);
    return;
  }
  THCharStorage_free(s);
  EXPECT_EQ(owner->data[size - 1], static_cast<char>((size - 1) % 100));
  THCharStorage_resize(owner, 2 * size);
  EXPECT_EQ(owner->data[size - 1], static_cast<char>((size - 1) % 100));
  THCharStorage_free(owner);
}

TEST(DataField, MovesToAnotherStorageThatIsFreedFirstOrLast) {
  int64_t before, after, blocks;
  THMemoryUsage(&before, &blocks);
  for (ptrdiff_t size : {10, 100, 5000, 1000000}) {
    for (bool first : {true, false}) {
      give_memory(THCharStorage_newWithSize(size), first);

      THFile* file = THMemoryFile_new("w");
      THCharStorage* text = THCharStorage_newWithSize(size);
      THFile_writeChar(file, text);
      THCharStorage_free(text);
      THCharStorage* storage = THMemoryFile_storage(file);
      THCharStorage_retain(storage);
      THFile_free(file);
      give_memory(storage, first);
    }
  }
  THMemoryUsage(&after, &blocks);
  EXPECT_EQ(after, before);
}

TEST(DataField, IsTheStoragesAgainOnceTheFlagIsSet) {
  int64_t before, after, blocks;
  THMemoryUsage(&before, &blocks);
  for (auto* data : {static_cast<float*>(nullptr), static_cast<float*>(THAlloc(400)),
                     static_cast<float*>(std::malloc(400))}) {
    THFloatStorage* s =
        data ? THFloatStorage_newWithData(data, 100) : THFloatStorage_newWithSize(100);
    s->data[99] = 7;
    for (int i = 0; i < 2; ++i) {
      THFloatStorage_clearFlag(s, TH_STORAGE_FREEMEM);
      THFloatStorage_clearFlag(s, TH_STORAGE_FREEMEM);
      EXPECT_NE(error_of([&] { THFloatStorage_resize(s, 5000); }), "");
      THFloatStorage_setFlag(s, TH_STORAGE_FREEMEM);
      THFloatStorage_setFlag(s, TH_STORAGE_FREEMEM);
      THFloatStorage_resize(s, 1000 + i);
      EXPECT_EQ(s->data[99], 7);
    }
    THFloatStorage_free(s);
  }
  THMemoryUsage(&after, &blocks);
  EXPECT_EQ(after, before);
}

TEST(DataField, StaysBorrowedWhateverTheFlagIs) {
  float mine[4] = {1, 2, 3, 4};
  THFloatStorage* s = THFloatStorage_newWithDataAndAllocator(mine, 4, nullptr, nullptr);
  THFloatStorage_clearFlag(s, TH_STORAGE_FREEMEM);
  THFloatStorage_setFlag(s, TH_STORAGE_FREEMEM);
  THFloatStorage_free(s);
  EXPECT_EQ(mine[3], 4);

  THFloatStorage* viewed = THFloatStorage_newWithSize(10);
  Storage* view = storage_view(reinterpret_cast<Storage*>(viewed), 2, 3);
  storage_clear_flags(view, kFreeMemory);
  EXPECT_NE(error_of([&] { THFloatStorage_resize(viewed, 20); }), "");
  storage_free(view);
  THFloatStorage_resize(viewed, 20);
  THFloatStorage_free(viewed);
}

TEST(DataField, IsSharedByTheStorageThatGetsAViewBySwap) {
  THFloatStorage* viewed = THFloatStorage_newWithSize(10);
  for (int i = 0; i < 10; ++i) viewed->data[i] = static_cast<float>(i);
  Storage* view = storage_view(reinterpret_cast<Storage*>(viewed), 1, 9);
  THFloatStorage* other = THFloatStorage_newWithSize(4);
  THFloatStorage_swap(reinterpret_cast<THFloatStorage*>(view), other);
  EXPECT_FALSE(view->memory.shares_host());
  EXPECT_TRUE(reinterpret_cast<Storage*>(other)->memory.shares_host());
  storage_to(view, find_device("soft"));
  storage_free(view);

  // Each element is copied to the next position, which an operation that knows of the overlap reads
  // before it writes.
  THFloatTensor* from = THFloatTensor_newWithStorage1d(viewed, 0, 9, 1);
  THFloatTensor* to = THFloatTensor_newWithStorage1d(other, 0, 9, 1);
  THFloatTensor_cumsum(to, from, 0);
  const float sums[] = {0, 0, 1, 3, 6, 10, 15, 21, 28, 36};
  for (int i = 0; i < 10; ++i) EXPECT_EQ(viewed->data[i], sums[i]) << i;
  THFloatTensor_free(from);
  THFloatTensor_free(to);
  EXPECT_NE(error_of([&] { THFloatStorage_resize(viewed, 20); }), "");
  THFloatStorage_free(other);
  THFloatStorage_resize(viewed, 20);
  EXPECT_FALSE(reinterpret_cast<Storage*>(viewed)->memory.shares_host());
  THFloatStorage_free(viewed);
}

// A list of numbers may be in the storage of the result, which is resized.
TEST(DataField, HasTheListsOfACallWhenItBegins) {
  constexpr int64_t kRows = 100, kColumns = 50;
  THLongTensor* t = THLongTensor_newWithSize1d(3);
  THLongTensor_fill(t, 7);
  for (auto* repeat : {THLongTensor_tile, THLongTensor_repeat}) {
    THLongTensor* r = THLongTensor_newWithSize1d(2);
    THLongTensor_set1d(r, 0, kRows);
    THLongTensor_set1d(r, 1, kColumns);
    repeat(r, t, THLongTensor_storage(r));
    ASSERT_EQ(r->nDimension, 2);
    EXPECT_EQ(r->size[0], kRows);
    EXPECT_EQ(r->size[1], 3 * kColumns);
    EXPECT_EQ(THLongTensor_sumall(r), 7 * kRows * 3 * kColumns);
    THLongTensor_free(r);
  }
  THLongStorage* many = THLongStorage_newWithSize(kMaxDims + 1);
  THLongTensor* result = THLongTensor_new();
  EXPECT_NE(error_of([&] { THLongTensor_tile(result, t, many); }).find("at most 64 numbers"),
            std::string::npos);
  THLongStorage_free(many);
  THLongTensor_free(result);
  THLongTensor_free(t);
}

TEST(DataField, IsAllocatedWhenTheCallerBecomesItsOwner) {
  THFloatStorage* s = reinterpret_cast<THFloatStorage*>(storage_new(DType::Float, 1000));
  EXPECT_EQ(s->data, nullptr);
  THFloatStorage_clearFlag(s, TH_STORAGE_FREEMEM);
  float* data = s->data;
  ASSERT_NE(data, nullptr);
  THFloatStorage_free(s);
  EXPECT_EQ(data[999], 0);
  THFree(data);
  s = THFloatStorage_new();
  THFloatStorage_clearFlag(s, TH_STORAGE_FREEMEM);
  EXPECT_EQ(s->data, nullptr);
  THFloatStorage_free(s);
}

TEST(DataField, MemoryOfTheDefaultAllocatorAndOfMallocCanBeMixed) {
  auto* block = static_cast<float*>(THDefaultAllocator.malloc(nullptr, 4 * sizeof(float)));
  block[3] = 5;
  THFloatStorage* s = THFloatStorage_newWithData(block, 4);
  THFloatStorage_resize(s, 1000);
  EXPECT_EQ(s->data[3], 5);
  THFloatStorage_free(s);
  THFree(THDefaultAllocator.malloc(nullptr, 100));
  THDefaultAllocator.free(nullptr, std::malloc(100));
  THDefaultAllocator.free(nullptr, THRealloc(THAlloc(10), 5000));
}

class DataFieldOnDevice : public testing::TestWithParam<SoftMode> {
 protected:
  void SetUp() override {
    set_soft_mode(GetParam());
    t_ = THFloatTensor_newWithSize1d(8);
    THFloatTensor_fill(t_, 1);
    THFloatTensor_to(t_, "soft");
    THFloatTensor_add(t_, t_, 1);
  }
  void TearDown() override {
    THFloatTensor_free(t_);
    set_soft_mode(SoftMode::eager);
  }
  THFloatTensor* t_;
};

TEST_P(DataFieldOnDevice, IsNotBroughtToWhoNamedTheDevice) {
  EXPECT_EQ(THFloatStorage_head(t_->storage), TH_HEAD_AT_GPU);
  THFloatTensor* r = THFloatTensor_new();
  THFloatTensor_mul(r, t_, 3);
  EXPECT_EQ(THFloatStorage_head(r->storage), TH_HEAD_AT_GPU);
  THFloatTensor* clone = THFloatTensor_newClone(r);
  EXPECT_EQ(THFloatStorage_head(clone->storage), TH_HEAD_AT_GPU);
  EXPECT_EQ(THFloatTensor_data(clone)[7], 6);
  THFloatTensor_free(r);
  THFloatTensor_free(clone);
}

TEST_P(DataFieldOnDevice, IsTrueForWhoItWasHandedOverTo) {
  expose_to_c(erased(t_)->storage);
  EXPECT_EQ(t_->storage->data[0], 2);
  float* kept = t_->storage->data;
  THFloatTensor_zero(t_);
  kept[3] = 5;
  EXPECT_EQ(THFloatTensor_sumall(t_), 5);
  THFloatTensor* r = THFloatTensor_new();
  THFloatTensor_add(r, t_, 1);
  EXPECT_EQ(r->storage->data[3], 6);
  r->storage->data[3] = 60;
  kept[3] = 50;
  THFloatTensor_cadd(r, r, 1, t_);
  EXPECT_EQ(r->storage->data[3], 110);
  EXPECT_EQ(t_->storage->data, kept);
  THFloatTensor_resize1d(r, 1000);
  expect_true(r, 2);
  THFloatTensor_free(r);
}

TEST_P(DataFieldOnDevice, IsValidOnceTheProgramHasMovedTheTensorBack) {
  THFloatTensor_resize1d(t_, 80);
  THFloatTensor_fill(t_, 3);
  THFloatTensor_to(t_, "cpu");
  ASSERT_NE(t_->storage->data, nullptr);
  EXPECT_EQ(t_->storage->data[79], 3);
  expect_true(t_, 4);
  THFloatStorage_to(t_->storage, "soft");
  THFloatTensor_resize1d(t_, 800);
  THFloatStorage_to(t_->storage, "cpu");
  expect_true(t_, 5);
}

TEST_P(DataFieldOnDevice, IsUpToDateAndOfTheHeapWhenTheCallerBecomesItsOwner) {
  int64_t before, after, blocks;
  THMemoryUsage(&before, &blocks);
  Storage* of_core = storage_new(DType::Float, 8);
  of_core->memory.device(Access::write, *find_device("soft"));
  storage_to(of_core, find_device("soft"));
  auto* s = reinterpret_cast<THFloatStorage*>(of_core);
  THFloatStorage_data(s);  // the device allocates host memory
  EXPECT_TRUE(of_core->memory.is_host_of_device());
  THFloatStorage_fill(s, 3);
  pin(of_core);
  EXPECT_NE(error_of([&] { THFloatStorage_clearFlag(s, TH_STORAGE_FREEMEM); }), "");
  unpin(of_core);
  THFloatStorage_clearFlag(s, TH_STORAGE_FREEMEM);
  THMemoryUsage(&after, &blocks);
  EXPECT_EQ(after - before, static_cast<int64_t>(8 * sizeof(float)));
  float* data = s->data;
  EXPECT_EQ(data[7], 3);
  THFloatStorage_fill(s, 4);
  EXPECT_EQ(THFloatStorage_data(s), data);
  THFloatStorage_free(s);
  EXPECT_EQ(data[7], 4);
  THFree(data);
  THMemoryUsage(&after, &blocks);
  EXPECT_EQ(after, before);
}

INSTANTIATE_TEST_SUITE_P(Modes, DataFieldOnDevice,
                         testing::Values(SoftMode::eager, SoftMode::lazy));

// fuzz_test checks the other functions.
TEST(DataField, IsValidAfterEachFunctionOnTheDefaultDevice) {
  THSetDefaultDevice("soft");
  THFloatTensor* t = THFloatTensor_newWithSize1d(4);
  THFloatTensor* from = THFloatTensor_newWithSize1d(4);
  THFloatStorage_fill(t->storage, 5);
  EXPECT_EQ(t->storage->data[0], 5);
  expect_true(t, 4);
  from->storage->data[0] = 7;
  THFloatStorage_copy(t->storage, from->storage);
  EXPECT_EQ(t->storage->data[0], 7);
  expect_true(t, 3);
  from->storage->data[0] = 8;
  THFloatTensor_retain(from);
  THFloatTensor_freeCopyTo(from, t);
  EXPECT_EQ(t->storage->data[0], 8);
  expect_true(t, 2);
  expect_true(from, 1);
  EXPECT_NE(error_of([&] { THFloatTensor_mv(t, from, from); }), "");
  expect_true(t, 2);
  THFloatTensor_free(from);
  THFloatTensor_free(t);
  THSetDefaultDevice("cpu");
}

TEST(DataField, IsValidAfterTheReversePassOnADevice) {
  THSetDefaultDevice("soft");
  THFloatTensor* x = THFloatTensor_newWithSize1d(3);
  THFloatTensor_fill(x, 2);
  THTape* tape = THTape_new();
  THTape_start(tape);
  THFloatTensor_track(tape, x);
  THFloatTensor* y = THFloatTensor_new();
  THFloatTensor_cmul(y, x, x);
  THTape_stop(tape);
  THFloatTensor* ones = THFloatTensor_newWithSize1d(3);
  THFloatTensor_fill(ones, 1);
  THFloatTensor_addGradient(tape, y, ones);
  expect_true(ones, 3);
  THTape_run(tape);
  expect_true(x, 5);
  expect_true(y, 6);
  THFloatTensor* gradient = THFloatTensor_gradient(tape, x);
  EXPECT_EQ(THFloatTensor_sumall(gradient), 12);
  expect_true(gradient, 7);
  THTape_free(tape);
  for (THFloatTensor* each : {x, y, ones, gradient}) THFloatTensor_free(each);
  THSetDefaultDevice("cpu");
}

TEST(CErrors, CountFromZeroAndNameTheFunction) {
  THFloatTensor* t = THFloatTensor_newWithSize2d(3, 4);
  THFloatTensor* r = THFloatTensor_new();
  EXPECT_EQ(error_of([&] { THFloatTensor_get2d(t, 1000, 0); }),
            "bad argument #2 (THFloatTensor_get2d: index 1000 is out of range of dimension 0 of "
            "size 3)");
  EXPECT_EQ(error_of([&] { THFloatTensor_size(t, 2); }),
            "bad argument #2 (THFloatTensor_size: dimension 2 is out of range of a tensor of 2 "
            "dimensions)");
  EXPECT_EQ(error_of([&] { THFloatTensor_narrow(r, t, 1, 3, 2); }),
            "bad argument #4 (THFloatTensor_narrow: range of 2 from 3 on is out of range of "
            "dimension 1 of size 4)");
  EXPECT_EQ(error_of([&] { THFloatTensor_mm(r, t, t); }),
            "THFloatTensor_mm: size mismatch, m1: [3 x 4], m2: [3 x 4]");
  THLongStorage* size = THLongStorage_newWithSize1(-5);
  EXPECT_EQ(error_of([&] { THFloatTensor_newWithSize(size, nullptr); }),
            "THFloatTensor_newWithSize: size -5 of dimension 0 is negative");
  THLongStorage_free(size);
  THFloatTensor_free(t);
  THFloatTensor_free(r);
}

TEST(CErrors, AHugeTensorIsAnErrorThatLeavesEverything) {
  THByteTensor* t = THByteTensor_newWithSize1d(3);
  THByteTensor_fill(t, 7);
  std::string message = error_of([&] { THByteTensor_resize1d(t, int64_t{1} << 46); });
  EXPECT_NE(message.find("THByteTensor_resize1d: out of memory"), std::string::npos) << message;
  EXPECT_EQ(t->size[0], 3);
  EXPECT_EQ(t->storage->size, 3);
  EXPECT_EQ(THByteTensor_sumall(t), 21);
  THByteTensor* fresh = THByteTensor_new();
  EXPECT_NE(error_of([&] { THByteTensor_resize1d(fresh, int64_t{1} << 46); }), "");
  EXPECT_EQ(fresh->nDimension, 0);
  THByteTensor_resize1d(fresh, 4);
  EXPECT_NE(fresh->storage->data, nullptr);
  THByteTensor_free(t);
  THByteTensor_free(fresh);
}

}  // namespace
}  // namespace th
