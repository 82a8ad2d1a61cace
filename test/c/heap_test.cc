// Memory that goes back: of threads that end, and of calls that fail.

#include <gtest/gtest.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <csetjmp>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "base/error.h"
#include "memory/heap.h"
#include "memory/large_blocks.h"
#include "memory/recycle.h"
#include "soft_devices.h"

namespace th {
namespace {

// Bytes that the process has from malloc; under a sanitizer, which looks itself, 0.
int64_t malloced() { return static_cast<int64_t>(mallinfo2().uordblks); }
constexpr int64_t kSome = 256 << 10;

TEST(Heap, AThreadThatOnlyFreesGivesItsBlocksBack) {
  constexpr int kBlocks = 4000;
  int64_t before = malloced();
  for (int round = 0; round < 4; ++round) {
    std::vector<void*> blocks(kBlocks);
    for (void*& block : blocks) block = heap_allocate(300);
    std::thread([&] {
      for (void* block : blocks) heap_free(block);
    }).join();
  }
  EXPECT_LT(malloced() - before, kSome);
}

TEST(Heap, WhatIsInUseIsThatOfAllThreads) {
  constexpr int kThreads = 3, kBlocks = 100, kBytes = 700;
  const HeapUsage before = heap_usage();
  std::vector<void*> blocks(kThreads * kBlocks);
  for (int round = 0; round < 2; ++round) {
    for (int k = 0; k < kThreads; ++k) {
      std::thread([&] {
        for (int i = 0; i < kBlocks; ++i) blocks[k * kBlocks + i] = heap_allocate(kBytes);
      }).join();
    }
    EXPECT_EQ(heap_usage().bytes - before.bytes, kThreads * kBlocks * kBytes);
    EXPECT_EQ(heap_usage().blocks - before.blocks, kThreads * kBlocks);
    std::vector<std::thread> threads;
    for (int k = 0; k < kThreads; ++k) {
      threads.emplace_back([&, k] {
        for (int i = k; i < kThreads * kBlocks; i += kThreads) heap_free(blocks[i]);
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(heap_usage().bytes, before.bytes);
    EXPECT_EQ(heap_usage().blocks, before.blocks);
  }
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
// ---- blocks of a thread

TEST(Heap, ABlockIsTheNextOfAboutItsSize) {
  for (size_t bytes : {1, 63, 400, 425, 1000, 4096, 5000, 16384, 70000, 130900}) {
    recycle_release();
    void* first = heap_allocate(bytes);
    std::memset(first, 1, bytes);
    heap_free(first);
    void* other = heap_allocate(3 * bytes + 300);
    EXPECT_NE(first, other);
    void* second = heap_allocate(bytes);
    EXPECT_EQ(first, second);
    std::memset(second, 2, bytes);
    heap_free(second);
    heap_free(other);
  }
}

TEST(Heap, WhatAThreadKeepsIsBoundedAndGoesBack) {
  recycle_release();
  // Allocated first: malloced() counts it only if earlier tests made malloc raise its threshold for
  // mmap.
  std::vector<void*> blocks;
  blocks.reserve(100000);
  const int64_t before = malloced();
  for (size_t bytes : {900, 9000, 90000}) {
    for (int64_t all = 0; all < int64_t{60} << 20; all += static_cast<int64_t>(bytes)) {
      blocks.push_back(heap_allocate(bytes));
    }
  }
  for (void* block : blocks) heap_free(block);
  EXPECT_GT(malloced() - before, int64_t{16} << 20);
  EXPECT_LT(malloced() - before, int64_t{40} << 20);
  EXPECT_TRUE(recycle_release());
  EXPECT_FALSE(recycle_release());
  EXPECT_LT(malloced() - before, kSome);
}

// ---- large blocks: in chunks, and mapped by themselves

constexpr size_t kLargeSizes[] = {16 << 10, 200 << 10, 3 << 20, (4 << 20) + 12345, 70 << 20};

TEST(Heap, ALargeBlockIsTheNextOfItsSize) {
  for (size_t bytes : kLargeSizes) {
    recycle_release();
    void* first = heap_allocate(bytes);
    std::memset(first, 1, bytes);
    heap_free(first);
    EXPECT_GE(recycle_kept(), static_cast<int64_t>(bytes));
    void* second = heap_allocate(bytes);
    EXPECT_EQ(first, second);
    EXPECT_EQ(recycle_kept(), 0);
    heap_free(second);
    EXPECT_TRUE(recycle_release());
    EXPECT_FALSE(recycle_release());
    EXPECT_EQ(recycle_kept(), 0);
  }
}

TEST(Heap, ALargeBlockOfZerosIsOneAlsoTheSecondTime) {
  for (size_t bytes : kLargeSizes) {
    recycle_release();
    for (int round = 0; round < 2; ++round) {
      auto* block = static_cast<unsigned char*>(heap_allocate_zeroed(bytes));
      for (size_t i = 0; i < bytes; i += 511) ASSERT_EQ(block[i], 0);
      EXPECT_EQ(block[bytes - 1], 0);
      std::memset(block, 7, bytes);
      heap_free(block);
    }
  }
}

// The memory of the process in bytes.
int64_t resident() {
  int64_t size = 0, pages = 0;
  std::ifstream("/proc/self/statm") >> size >> pages;
  return pages * sysconf(_SC_PAGESIZE);
}

TEST(Heap, ReleasedBlocksReturnTheirPagesBesideOneInUse) {
  constexpr int kBlocks = 160;
  constexpr size_t kBytes = 200 << 10;
  recycle_release();
  const int64_t before = resident();
  std::vector<unsigned char*> blocks(kBlocks);
  for (unsigned char*& block : blocks) {
    block = static_cast<unsigned char*>(heap_allocate(kBytes));
    std::memset(block, static_cast<int>(&block - blocks.data()), kBytes);
  }
  for (int k = 0; k < kBlocks; ++k) {
    for (size_t i = 0; i < kBytes; i += 1013) ASSERT_EQ(blocks[k][i], k);
  }
  EXPECT_GT(resident() - before, int64_t{kBlocks} * kBytes * 9 / 10);
  // Some blocks stay in use.
  for (int k = 0; k < kBlocks; ++k) {
    if (k % 20 != 7) heap_free(blocks[k]);
  }
  recycle_release();
  EXPECT_LT(resident() - before, int64_t{kBlocks} * kBytes / 4);
  for (int k = 7; k < kBlocks; k += 20) {
    for (size_t i = 0; i < kBytes; ++i) ASSERT_EQ(blocks[k][i], k);
    heap_free(blocks[k]);
  }
  recycle_release();
  EXPECT_LT(resident() - before, int64_t{1} << 20);
}

TEST(Heap, NewMemoryIsCounted) {
  for (size_t bytes : {size_t{300}, size_t{5000}, size_t{200} << 10, size_t{9} << 20}) {
    recycle_release();
    const int64_t before = recycle_fresh();
    void* block = heap_allocate(bytes);
    const int64_t once = recycle_fresh();
    EXPECT_GE(once - before, static_cast<int64_t>(bytes));
    EXPECT_LT(once - before, static_cast<int64_t>(bytes * 5 / 4 + 128));
    heap_free(block);
    heap_free(heap_allocate(bytes));
    EXPECT_EQ(recycle_fresh(), once);
  }
}

TEST(Heap, WhatIsKeptIsBounded) {
  recycle_release();
  constexpr int64_t most = int64_t{128} << 20;
  std::vector<void*> blocks;
  for (int k = 0; k < 60; ++k) blocks.push_back(heap_allocate(size_t{8} << 20));
  int64_t in_use = heap_usage().bytes;
  for (void* block : blocks) {
    heap_free(block);
    in_use -= int64_t{8} << 20;
    EXPECT_LE(recycle_kept(), std::max(most, in_use / 2 + (int64_t{64} << 20)));
  }
  EXPECT_LE(recycle_kept(), most);
  EXPECT_GT(recycle_kept(), 0);
  recycle_release();
}

TEST(Heap, ExpectedGarbageIsKeptAndOtherSizesMakeRoom) {
  constexpr int64_t kMiB = int64_t{1} << 20;
  recycle_release();
  std::vector<void*> blocks;
  auto allocate = [&blocks](int count, int64_t bytes) {
    for (int k = 0; k < count; ++k) blocks.push_back(heap_allocate(static_cast<size_t>(bytes)));
  };
  auto free_all = [&blocks] {
    for (void* block : blocks) heap_free(block);
    blocks.clear();
  };
  recycle_expect(heap_usage().bytes, 400 * kMiB);
  allocate(40, 10 * kMiB);
  free_all();
  EXPECT_GE(recycle_kept(), 400 * kMiB);  // more than the 128 MiB that are kept otherwise
  const int64_t before = recycle_fresh();
  allocate(2, 30 * kMiB);  // in the place of several kept blocks
  EXPECT_EQ(recycle_fresh(), before);
  EXPECT_GE(recycle_kept(), 340 * kMiB);
  allocate(1, 500 * kMiB);  // exceeds the limit, together with the kept blocks
  EXPECT_EQ(recycle_kept(), 0);
  free_all();
  EXPECT_GE(recycle_kept(), 60 * kMiB);
  recycle_expect(heap_usage().bytes, 0);
  EXPECT_LE(recycle_kept(), 128 * kMiB);
  allocate(20, 10 * kMiB);
  free_all();
  EXPECT_LE(recycle_kept(), 128 * kMiB);
  recycle_release();
  recycle_expect(0, 32 * kMiB);
  large_set_limit(0);
}

TEST(Heap, BlocksOfAllSizesShareTheKeptMemory) {
  constexpr size_t kMiB = size_t{1} << 20;
  recycle_release();
  heap_free(heap_allocate(60 * kMiB));
  const int64_t before = recycle_fresh();
  for (size_t bytes : {size_t{20} << 10, size_t{300} << 10, 3 * kMiB, 12 * kMiB, 60 * kMiB}) {
    std::vector<unsigned char*> blocks(40 * kMiB / bytes + (bytes == 60 * kMiB));
    for (size_t k = 0; k < blocks.size(); ++k) {
      blocks[k] = static_cast<unsigned char*>(heap_allocate(bytes));
      std::memset(blocks[k], static_cast<int>(k % 251), bytes);
    }
    for (size_t k = 0; k < blocks.size(); ++k) {
      for (size_t i = 0; i < bytes; i += 1013) ASSERT_EQ(blocks[k][i], k % 251);
      heap_free(blocks[k]);
    }
  }
  EXPECT_EQ(recycle_fresh(), before);
  recycle_release();
}

TEST(Heap, LargeBlocksMoveBetweenThreads) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      for (size_t k = 0; k < 300; ++k) {
        size_t bytes = kLargeSizes[k % 3];
        auto* block = static_cast<int*>(heap_allocate(bytes));
        block[0] = t;
        block[bytes / sizeof(int) - 1] = t;
        std::this_thread::yield();
        EXPECT_EQ(block[0], t);
        EXPECT_EQ(block[bytes / sizeof(int) - 1], t);
        heap_free(block);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  recycle_release();
}
#endif

void* no_memory(void*, ptrdiff_t) { fail("no memory"); }

TEST(Heap, StoragesThatCannotBeWrittenDoNotLeak) {
  THFloatTensor* t = THFloatTensor_newWithSize2d(3, 4);
  THLongStorage* sizes = THLongStorage_newWithSize2(3, -1);
  auto* malloc_before = THDefaultAllocator.malloc;
  THDefaultAllocator.malloc = no_memory;
  auto fail_often = [&](auto body) {
    EXPECT_NE(error_of(body).find("no memory"), std::string::npos);
    int64_t before = malloced();
    for (int k = 0; k < 3000; ++k) error_of(body);
    EXPECT_LT(malloced() - before, kSome);
  };
  fail_often([&] { THFloatStorage_newWithSize1(1); });
  fail_often([&] { THFloatTensor_newSizeOf(t); });
  fail_often([&] { THLongStorage_newInferSize(sizes, 12); });
  THDefaultAllocator.malloc = malloc_before;
  THLongStorage_free(sizes);
  THFloatTensor_free(t);
}

// An allocator that has no large blocks. Growing storages keep their elements.
void* small_malloc(void*, ptrdiff_t bytes) {
  return bytes > 1000 ? nullptr : std::malloc(static_cast<size_t>(bytes));
}
void* small_realloc(void*, void* block, ptrdiff_t bytes) {
  return bytes > 1000 ? nullptr : std::realloc(block, static_cast<size_t>(bytes));
}
void free_small(void*, void* block) { std::free(block); }

TEST(Heap, AllocatorsThatReturnNullRaiseErrors) {
  THAllocator allocators[] = {{small_malloc, nullptr, free_small},
                              {small_malloc, small_realloc, free_small}};
  for (THAllocator& allocator : allocators) {
    THFloatStorage* s = THFloatStorage_newWithAllocator(4, &allocator, nullptr);
    THFloatStorage_fill(s, 7);
    const std::string error = error_of([&] { THFloatStorage_resize(s, 10000); });
    EXPECT_NE(error.find("returned NULL"), std::string::npos) << error;
    EXPECT_EQ(THFloatStorage_size(s), 4);
    THFloatStorage_resize(s, 6);
    for (ptrdiff_t k = 0; k < 6; ++k) EXPECT_EQ(THFloatStorage_get(s, k), k < 4 ? 7 : 0);
    THFloatStorage_free(s);
  }
}

TEST(Heap, NewStoragesCheckTheirAllocator) {
  int calls = 0;
  THAllocator allocator = {nullptr, nullptr, nullptr};
  allocator.malloc = [](void* context, ptrdiff_t) -> void* {
    ++*static_cast<int*>(context);
    return nullptr;
  };
  allocator.free = [](void* context, void*) { *static_cast<int*>(context) += 100; };
  const std::string error = error_of([&] { THIntStorage_newWithAllocator(4, &allocator, &calls); });
  EXPECT_NE(error.find("needs memory, got NULL"), std::string::npos) << error;
  EXPECT_EQ(calls, 1);
  THIntStorage* s = THIntStorage_newWithAllocator(0, &allocator, &calls);
  EXPECT_EQ(THIntStorage_data(s), nullptr);
  THIntStorage_free(s);
  EXPECT_EQ(calls, 1) << "free accepts only blocks of malloc";
}

// realloc of 0 bytes need not free the block.
TEST(Heap, EmptyStoragesFreeTheirBlock) {
  int frees = 0;
  THAllocator allocator = {small_malloc, nullptr, nullptr};
  allocator.realloc = [](void*, void* block, ptrdiff_t bytes) -> void* {
    return bytes ? std::realloc(block, static_cast<size_t>(bytes)) : nullptr;
  };
  allocator.free = [](void* context, void* block) {
    ++*static_cast<int*>(context);
    std::free(block);
  };
  THFloatStorage* s = THFloatStorage_newWithAllocator(4, &allocator, &frees);
  THFloatStorage_fill(s, 7);
  THFloatStorage_resize(s, 0);
  EXPECT_EQ(frees, 1);
  THFloatStorage_resize(s, 2);
  EXPECT_EQ(THFloatStorage_get(s, 1), 0);
  THFloatStorage_free(s);
  EXPECT_EQ(frees, 2);
}

void* malloc_or_error(void*, ptrdiff_t bytes) {
  if (bytes > 1000) THError("%td bytes are too many", bytes);
  return std::malloc(static_cast<size_t>(bytes));
}

// The handler leaves by longjmp, and the storage can be used.
TEST(Heap, ErrorsOfAllocatorsLeaveStoragesUsable) {
  THAllocator allocator = {malloc_or_error, nullptr, free_small};
  THFloatStorage* s = THFloatStorage_newWithAllocator(4, &allocator, nullptr);
  THFloatStorage_fill(s, 7);
  char message[200];
  const auto grow = [](void* data) {
    THFloatStorage_resize(static_cast<THFloatStorage*>(data), 10000);
  };
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(THTry(grow, s, message, sizeof(message)), -1);
    EXPECT_NE(std::string(message).find("40000 bytes are too many"), std::string::npos) << message;
    EXPECT_EQ(THFloatStorage_size(s), 4 + 2 * round);
    THFloatStorage_resize(s, 6);
    EXPECT_EQ(THFloatStorage_get(s, 3), 7);
  }
  THFloatStorage_free(s);
}

// An error handler that leaves the library by longjmp, as one of Lua does.
jmp_buf escape;
void leave(const char*, void*) { longjmp(escape, 1); }

TEST(Heap, ErrorsOfCallbacksKeepTheFirstNumber) {
  THAllocator allocator = {malloc_or_error, nullptr, free_small};
  THSetErrorHandler(leave, nullptr);
  const auto base = shown(0);
  if (setjmp(escape) == 0) THFloatStorage_newWithAllocator(1000, &allocator, nullptr);
  EXPECT_EQ(shown(0), base);
  THSetGCHandler([](void*) { THError("no garbage"); }, nullptr);
  if (setjmp(escape) == 0) THAlloc(ptrdiff_t{1} << 60);
  EXPECT_EQ(shown(0), base);
  THSetGCHandler(nullptr, nullptr);
  THSetErrorHandler(nullptr, nullptr);
}

}  // namespace
}  // namespace th
