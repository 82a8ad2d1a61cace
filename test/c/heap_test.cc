// Memory that goes back: of threads that end, and of calls that fail.

#include <gtest/gtest.h>
#include <malloc.h>

#include <thread>
#include <vector>

#include "memory/error.h"
#include "memory/heap.h"
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

}  // namespace
}  // namespace th
