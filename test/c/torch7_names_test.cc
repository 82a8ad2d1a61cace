// Small families of Torch7's C functions: atomic numbers, logarithms, shapes, mapped files.

#include <gtest/gtest.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmath>
#include <thread>

#include "soft_devices.h"

namespace th {
namespace {

TEST(Atomic, CountsInThreads) {
  int count = 0, references = 1, won = 0;
  int64_t longs = 0;
  ptrdiff_t differences = 0;
  std::vector<std::thread> threads;
  for (int k = 0; k < 4; ++k) {
    threads.emplace_back([&] {
      for (int i = 0; i < 1000; ++i) {
        THAtomicAdd(&count, 2);
        THAtomicAddLong(&longs, -1);
        THAtomicAddPtrdiff(&differences, 3);
        THAtomicIncrementRef(&references);
      }
      int lock = 0;
      lock += THAtomicCompareAndSwap(&won, 0, 1);
      THAtomicAdd(&count, 100000 * lock);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(THAtomicGet(&count), 108000);
  EXPECT_EQ(THAtomicGetLong(&longs), -4000);
  EXPECT_EQ(THAtomicGetPtrdiff(&differences), 12000);
  for (int i = 0; i < 4000; ++i) ASSERT_EQ(THAtomicDecrementRef(&references), 0);
  EXPECT_EQ(THAtomicDecrementRef(&references), 1);
  THAtomicSet(&count, 5);
  EXPECT_EQ(THAtomicAdd(&count, 1), 5);
  EXPECT_EQ(THAtomicCompareAndSwap(&count, 5, 9), 0);
  THAtomicSetLong(&longs, 7);
  EXPECT_EQ(THAtomicCompareAndSwapLong(&longs, 7, 8), 1);
  THAtomicSetPtrdiff(&differences, 1);
  EXPECT_EQ(THAtomicCompareAndSwapPtrdiff(&differences, 2, 8), 0);
  EXPECT_EQ(longs + differences + count, 15);
}

TEST(Math, HasTheFunctionsOfTorch7) {
  EXPECT_DOUBLE_EQ(TH_sigmoid(1), 1 / (1 + std::exp(-1.0)));
  EXPECT_EQ(TH_sigmoid(-800), 0);
  EXPECT_FLOAT_EQ(TH_sigmoidf(0), 0.5f);
  EXPECT_EQ(TH_frac(-2.75), -0.75);
  EXPECT_EQ(TH_fracf(2.75f), 0.75f);
  EXPECT_EQ(TH_rsqrt(4), 0.5);
  EXPECT_EQ(TH_rsqrtf(0.25f), 2);
  EXPECT_EQ(TH_lerp(2, 4, 0.25), 2.5);
  EXPECT_EQ(TH_lerpf(2, 4, 1.5f), 5);
}

TEST(LogAdd, IsExact) {
  for (double a : {-50.0, -3.0, 0.0, 2.5, 300.0}) {
    for (double b : {-60.0, -3.0, 0.0, 2.0, 300.0}) {
      long double sum = std::exp(static_cast<long double>(a)) + std::exp((long double)b);
      EXPECT_NEAR(THLogAdd(a, b), static_cast<double>(std::log(sum)),
                  1e-13 * std::fabs(a + b) + 1e-15);
      if (a < b) {
        EXPECT_NE(error_of([&] { THLogSub(a, b); }), "");
      } else if (a > b) {
        long double rest = std::exp(static_cast<long double>(a)) - std::exp((long double)b);
        EXPECT_NEAR(THLogSub(a, b), static_cast<double>(std::log(rest)), 1e-12);
      }
    }
  }
  EXPECT_EQ(THLogAdd(THLogZero, 3), 3);
  EXPECT_EQ(THLogSub(3, 3), THLogZero);
  EXPECT_EQ(THLog1p(1e-20), 1e-20);
  EXPECT_NEAR(THLog2Pi, std::log(2 * M_PI), 1e-15);
  EXPECT_EQ(THExpMinusApprox(13), 0);
  for (double x : {0.0, 0.5, 3.0, 12.0}) EXPECT_NEAR(THExpMinusApprox(x), std::exp(-x), 2e-4);
}

TEST(Size, ComparesAndCounts) {
  int64_t a[] = {2, 3}, b[] = {2, 4};
  EXPECT_EQ(THSize_isSameSizeAs(a, 2, b, 2), 0);
  EXPECT_EQ(THSize_isSameSizeAs(a, 1, b, 1), 1);
  EXPECT_EQ(THSize_isSameSizeAs(a, 1, b, 2), 0);
  EXPECT_EQ(THSize_nElement(2, a), 6);
  EXPECT_EQ(THSize_nElement(0, a), 0);
}

TEST(Broadcast, GivesTheCommonShape) {
  THLongStorage* out = THLongStorage_new();
  int64_t a[] = {3, 1}, b[] = {2, 1, 4}, c[] = {5};
  char text[100];
  ASSERT_EQ(THLongStorage_inferSize2(out, a, 2, b, 3, text, sizeof(text)), 0);
  ASSERT_EQ(out->size, 3);
  EXPECT_EQ(out->data[0] * 100 + out->data[1] * 10 + out->data[2], 234);
  EXPECT_EQ(THLongStorage_inferSize2(out, a, 2, a, 0, text, sizeof(text)), -1);
  int64_t* all[] = {a, b, c};
  int64_t dims[] = {2, 3, 1};
  EXPECT_EQ(THLongStorage_inferSizeN(out, 3, all, dims, text, sizeof(text)), -1);
  EXPECT_STREQ(text, "sizes [2 x 3 x 4] and [5] do not broadcast");
  EXPECT_EQ(THLongStorage_inferSizeN(out, 2, all, dims, nullptr, 0), 0);

  int64_t stride[] = {1, 1}, *size = nullptr, *expanded = nullptr;
  ASSERT_EQ(THLongStorage_inferExpandGeometry(a, stride, 2, out, &size, &expanded, text, 100), 0);
  EXPECT_EQ(size[0] * 100 + size[1] * 10 + size[2], 234);
  EXPECT_EQ(expanded[0] * 100 + expanded[1] * 10 + expanded[2], 10);
  THFree(size);
  THFree(expanded);
  EXPECT_EQ(THLongStorage_inferExpandGeometry(c, stride, 1, out, &size, &expanded, text, 100), -1);
  THLongStorage_free(out);

  THFloatTensor* given[] = {THFloatTensor_newWithSize2d(3, 1), THFloatTensor_newWithSize1d(4)};
  THFloatTensor* views[] = {THFloatTensor_new(), THFloatTensor_new()};
  THFloatTensor_fill(given[0], 2);
  THFloatTensor_expandNd(views, given, 2);
  for (THFloatTensor* view : views) {
    EXPECT_EQ(view->nDimension, 2);
    EXPECT_EQ(view->size[0] * 10 + view->size[1], 34);
  }
  EXPECT_EQ(THFloatTensor_sumall(views[0]), 24);
  THFloatTensor_resize1d(given[0], 3);
  EXPECT_NE(error_of([&] { THFloatTensor_expandNd(views, given, 2); }), "");
  for (THFloatTensor* t : {given[0], given[1], views[0], views[1]}) THFloatTensor_free(t);
}

TEST(Shapes, OfViewsMayBeExchanged) {
  THFloatTensor* column = THFloatTensor_newWithSize2d(3, 1);
  THFloatTensor* row = THFloatTensor_newWithSize2d(1, 4);
  THFloatTensor_fill(column, 1);
  THFloatTensor_fill(row, 2);
  THFloatTensor* given[] = {column, row};
  THFloatTensor* views[] = {row, column};
  THFloatTensor_expandNd(views, given, 2);
  EXPECT_EQ(THFloatTensor_sumall(row), 12);
  EXPECT_EQ(THFloatTensor_sumall(column), 24);
  THFloatTensor_free(column);
  THFloatTensor_free(row);
}

TEST(Shapes, AreShortenedInDescriptions) {
  THLongStorage* size = THLongStorage_newWithSize(8);
  THLongStorage_fill(size, 1);
  for (int k = 0; k < 4; ++k) THLongStorage_set(size, k, 11);
  THBFloat16Tensor* t = THBFloat16Tensor_new();
  THBFloat16Tensor_resize(t, size, nullptr);
  EXPECT_STREQ(THBFloat16Tensor_desc(t).str,
               "torch.BFloat16Tensor of size [11 x 11 x 11 x 11 x 1 x 1 x...]");
  THBFloat16Tensor_resize4d(t, 111, 1, 11, 111);
  EXPECT_STREQ(THBFloat16Tensor_desc(t).str, "torch.BFloat16Tensor of size [111 x 1 x 11 x 111]");
  THBFloat16Tensor_free(t);
  THLongStorage_free(size);
}

// The result has the shape of the first operand, also if it is another operand. A view that is not
// contiguous keeps its shape, so that other elements are not overwritten.
TEST(Shapes, OfResultsAreThoseOfTheFirstOperand) {
  for (bool contiguous : {true, false}) {
    THFloatTensor* t = THFloatTensor_newWithSize1d(3);
    THFloatTensor* whole = THFloatTensor_newWithSize3d(3, contiguous ? 1 : 2, 1);
    for (int k = 0; k < 3; ++k) THFloatTensor_set1d(t, k, static_cast<float>(k + 1));
    auto check = [&](auto call, const std::vector<float>& values) {
      THFloatTensor* u = THFloatTensor_newNarrow(whole, 1, 0, 1);
      THFloatTensor_fill(whole, -1);
      for (int k = 0; k < 3; ++k) THFloatTensor_set3d(u, k, 0, 0, static_cast<float>(10 * k + 10));
      call(u);
      EXPECT_EQ(u->nDimension, contiguous ? 1 : 3);
      EXPECT_EQ(u->size[0], 3);
      for (int k = 0; k < 3; ++k) {
        EXPECT_EQ(THFloatTensor_get3d(whole, k, 0, 0), values[k]);
        if (contiguous) continue;
        EXPECT_EQ(THFloatTensor_get3d(whole, k, 1, 0), -1);
      }
      THFloatTensor_free(u);
    };
    check([&](THFloatTensor* u) { THFloatTensor_cmul(u, t, u); }, {10, 40, 90});
    check([&](THFloatTensor* u) { THFloatTensor_cadd(u, t, 2, u); }, {21, 42, 63});
    check([&](THFloatTensor* u) { THFloatTensor_addcmul(u, t, 1, u, t); }, {11, 42, 93});
    for (THFloatTensor* each : {t, whole}) THFloatTensor_free(each);
  }
}

class Mapped : public testing::Test {
 protected:
  void SetUp() override {
    int fd = mkstemp(name_);
    int numbers[] = {1, 2, 3, 4};
    ASSERT_EQ(write(fd, numbers, sizeof(numbers)), static_cast<ssize_t>(sizeof(numbers)));
    close(fd);
  }
  void TearDown() override { unlink(name_); }
  // The sum of the file's numbers, and their count, as a process sees them that opens it now.
  std::pair<double, ptrdiff_t> in_file() {
    THIntStorage* s = THIntStorage_newWithMapping(name_, 0, 0);
    std::pair<double, ptrdiff_t> result{0, s->size};
    for (ptrdiff_t i = 0; i < s->size; ++i) result.first += s->data[i];
    THIntStorage_free(s);
    return result;
  }
  char name_[30] = "/tmp/th_mapped_XXXXXX";
};

TEST_F(Mapped, FileIsPrivateOrShared) {
  EXPECT_EQ(in_file(), std::make_pair(10.0, ptrdiff_t{4}));
  THIntStorage* mine = THIntStorage_newWithMapping(name_, 3, 0);
  EXPECT_EQ(mine->size, 3);
  THIntStorage_fill(mine, 9);
  EXPECT_EQ(mine->data[2], 9);
  EXPECT_EQ(in_file().first, 10);
  EXPECT_NE(error_of([&] { THIntStorage_resize(mine, 10); }), "");
  THIntStorage_free(mine);
  THIntStorage* shared = THIntStorage_newWithMapping(name_, 6, TH_ALLOCATOR_MAPPED_SHARED);
  THIntTensor* t = THIntTensor_newWithStorage1d(shared, 0, 6, 1);
  THIntTensor_add(t, t, 1);
  EXPECT_EQ(in_file(), std::make_pair(16.0, ptrdiff_t{6}));
  THIntTensor_free(t);
  THIntStorage_free(shared);
}

TEST_F(Mapped, ErrorsNameTheFile) {
  std::string message = error_of([&] { THIntStorage_newWithMapping("/nowhere/at/all", 3, 0); });
  EXPECT_NE(message.find("cannot open </nowhere/at/all>: No such file"), std::string::npos)
      << message;
  message = error_of([&] { THIntStorage_newWithMapping(name_, 30, 0); });
  EXPECT_NE(message.find("has 16 bytes, and 120 are needed"), std::string::npos) << message;
  int both = TH_ALLOCATOR_MAPPED_SHARED | TH_ALLOCATOR_MAPPED_EXCLUSIVE;
  EXPECT_NE(error_of([&] { THIntStorage_newWithMapping(name_, 3, both); }), "");
  unlink(name_);
  both = TH_ALLOCATOR_MAPPED_SHARED | TH_ALLOCATOR_MAPPED_NOCREATE;
  EXPECT_NE(error_of([&] { THIntStorage_newWithMapping(name_, 3, both); }), "");
  THIntStorage* made = THIntStorage_newWithMapping(name_, 3, TH_ALLOCATOR_MAPPED_SHARED);
  EXPECT_EQ(made->data[2], 0);
  THIntStorage_free(made);
}

TEST_F(Mapped, DescriptorsAreTakenAndKept) {
  int fd = open(name_, O_RDWR);
  int flags = TH_ALLOCATOR_MAPPED_SHARED | TH_ALLOCATOR_MAPPED_KEEPFD | TH_ALLOCATOR_MAPPED_UNLINK;
  THMapAllocatorContext* context = THMapAllocatorContext_newWithFd(name_, fd, flags);
  EXPECT_STREQ(THMapAllocatorContext_filename(context), name_);
  THIntStorage* s = THIntStorage_newWithAllocator(4, &THMapAllocator, context);
  EXPECT_EQ(THMapAllocatorContext_size(context), 16);
  EXPECT_EQ(THMapAllocatorContext_fd(context), fd);
  EXPECT_NE(access(name_, F_OK), 0);
  EXPECT_EQ(s->data[3], 4);
  THIntStorage_free(s);
  EXPECT_EQ(fcntl(fd, F_GETFD), -1) << "closed with the memory";
}

TEST_F(Mapped, EmptyFilesCloseTheirDescriptor) {
  ASSERT_EQ(truncate(name_, 0), 0);
  const int flags = TH_ALLOCATOR_MAPPED_SHARED | TH_ALLOCATOR_MAPPED_KEEPFD;
  THMapAllocatorContext* context = THMapAllocatorContext_new(name_, flags);
  THIntStorage* s = THIntStorage_newWithAllocator(0, &THMapAllocator, context);
  const int fd = THMapAllocatorContext_fd(context);
  EXPECT_NE(fcntl(fd, F_GETFD), -1);
  THIntStorage_free(s);
  EXPECT_EQ(fcntl(fd, F_GETFD), -1);
  EXPECT_EQ(access(name_, F_OK), 0);
}

TEST(SharedMemory, IsCounted) {
  std::string name = "/th_test_" + std::to_string(getpid());
  int flags = TH_ALLOCATOR_MAPPED_SHAREDMEM;
  auto map = [&] {
    return THIntStorage_newWithAllocator(10, &THRefcountedMapAllocator,
                                         THMapAllocatorContext_new(name.c_str(), flags));
  };
  THIntStorage *one = map(), *two = map();
  one->data[9] = 5;
  EXPECT_EQ(two->data[9], 5);
  THRefcountedMapAllocator_incref(nullptr, one->data);
  THIntStorage_free(one);
  THIntStorage* three = map();
  EXPECT_EQ(three->data[9], 5) << "the name is there as long as somebody uses it";
  EXPECT_EQ(THRefcountedMapAllocator_decref(nullptr, three->data), 0);
  THIntStorage_free(two);
  THIntStorage_free(three);
  THIntStorage* fresh = map();
  EXPECT_EQ(fresh->data[9], 0);
  THIntStorage_free(fresh);
}

// The names of new files and objects are removed if they cannot be extended.
TEST_F(Mapped, ErrorsLeaveNoNewFiles) {
  const ptrdiff_t too_large = ptrdiff_t{1} << 44;
  const int flags = TH_ALLOCATOR_MAPPED_SHARED;
  EXPECT_NE(error_of([&] { THIntStorage_newWithMapping(name_, too_large, flags); }), "");
  EXPECT_EQ(in_file().second, 4) << "an existing file stays";
  unlink(name_);
  EXPECT_NE(error_of([&] { THIntStorage_newWithMapping(name_, too_large, flags); }), "");
  EXPECT_NE(access(name_, F_OK), 0);

  const std::string name = "/th_new_" + std::to_string(getpid());
  auto map_object = [&](ptrdiff_t size) {
    return THIntStorage_newWithMapping(name.c_str(), size, TH_ALLOCATOR_MAPPED_SHAREDMEM);
  };
  EXPECT_NE(error_of([&] { map_object(too_large); }), "");
  EXPECT_EQ(shm_open(name.c_str(), O_RDONLY, 0), -1);
  THIntStorage_free(map_object(0));
  EXPECT_EQ(shm_open(name.c_str(), O_RDONLY, 0), -1) << "of an empty object";
}

}  // namespace
}  // namespace th
