// The head and the access modes of SyncedMemory, on a device of the test.

#include "memory/synced_memory.h"

#include <gtest/gtest.h>

#include <cstring>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.h"
#include "counting_device.h"
#include "memory/heap.h"

namespace th {
namespace {

class SyncedMemoryTest : public testing::Test {
 protected:
  void SetUp() override { set_default_device(&device); }
  void TearDown() override { set_default_device(nullptr); }
  CountingDevice device;
  SyncedMemory memory{8, &THDefaultAllocator, nullptr};
};

TEST_F(SyncedMemoryTest, StartsUninitializedAndTakesNoMemory) {
  int64_t before = heap_usage().blocks;
  SyncedMemory fresh(1 << 20, &THDefaultAllocator, nullptr);
  EXPECT_EQ(fresh.head(), Head::uninitialized);
  EXPECT_EQ(fresh.size(), size_t{1} << 20);
  EXPECT_EQ(heap_usage().blocks, before);
  EXPECT_EQ(fresh.cpu_if_valid(), nullptr);
}

TEST_F(SyncedMemoryTest, UnwrittenMemoryReadsAsZerosOnEitherSide) {
  const char zeros[8] = {};
  EXPECT_EQ(std::memcmp(memory.cpu(Access::read), zeros, 8), 0);
  EXPECT_EQ(memory.head(), Head::cpu);
  SyncedMemory other(8, &THDefaultAllocator, nullptr);
  EXPECT_EQ(std::memcmp(other.device(Access::read), zeros, 8), 0);
  EXPECT_EQ(other.head(), Head::device);
}

// The state after each access from each state, as Caffe has it.
TEST_F(SyncedMemoryTest, HeadFollowsEveryAccess) {
  auto bring_to = [&](SyncedMemory& m, Head head) {
    if (head == Head::cpu) m.cpu(Access::write);
    if (head == Head::device) m.device(Access::write);
    if (head == Head::synced) {
      m.cpu(Access::write);
      m.device(Access::read);
    }
    ASSERT_EQ(m.head(), head);
  };
  struct Case {
    Head before;
    bool on_device;
    Access access;
    Head after;
  };
  const Case cases[] = {
      {Head::uninitialized, false, Access::read, Head::cpu},
      {Head::uninitialized, false, Access::write, Head::cpu},
      {Head::uninitialized, false, Access::overwrite, Head::cpu},
      {Head::uninitialized, true, Access::read, Head::device},
      {Head::uninitialized, true, Access::write, Head::device},
      {Head::uninitialized, true, Access::overwrite, Head::device},
      {Head::cpu, false, Access::read, Head::cpu},
      {Head::cpu, false, Access::write, Head::cpu},
      {Head::cpu, true, Access::read, Head::synced},
      {Head::cpu, true, Access::write, Head::device},
      {Head::cpu, true, Access::overwrite, Head::device},
      {Head::device, true, Access::read, Head::device},
      {Head::device, true, Access::write, Head::device},
      {Head::device, false, Access::read, Head::synced},
      {Head::device, false, Access::write, Head::cpu},
      {Head::device, false, Access::overwrite, Head::cpu},
      {Head::synced, false, Access::read, Head::synced},
      {Head::synced, false, Access::write, Head::cpu},
      {Head::synced, false, Access::overwrite, Head::cpu},
      {Head::synced, true, Access::read, Head::synced},
      {Head::synced, true, Access::write, Head::device},
      {Head::synced, true, Access::overwrite, Head::device},
  };
  for (const Case& c : cases) {
    SyncedMemory m(8, &THDefaultAllocator, nullptr);
    bring_to(m, c.before);
    EXPECT_NE(c.on_device ? m.device(c.access) : m.cpu(c.access), nullptr);
    EXPECT_EQ(m.head(), c.after) << "from " << static_cast<int>(c.before) << " on "
                                 << (c.on_device ? "device" : "cpu") << " by "
                                 << static_cast<int>(c.access);
  }
}

TEST_F(SyncedMemoryTest, BytesArriveOnTheOtherSide) {
  for (char value : {1, 2}) {
    std::memset(memory.cpu(Access::write), value, 8);
    EXPECT_EQ(static_cast<const char*>(memory.device(Access::read))[7], value);
    EXPECT_EQ(memory.head(), Head::synced);
    static_cast<char*>(memory.device(Access::write))[0] = static_cast<char>(value + 10);
    const char* host = static_cast<const char*>(memory.cpu(Access::read));
    EXPECT_EQ(host[0], value + 10);
    EXPECT_EQ(host[7], value);
    EXPECT_EQ(memory.head(), Head::synced);
  }
}

TEST_F(SyncedMemoryTest, OverwritingCopiesNothing) {
  memory.cpu(Access::write);
  memory.device(Access::overwrite);
  EXPECT_EQ(device.to_device, 0);
  memory.cpu(Access::overwrite);
  EXPECT_EQ(device.to_host, 0);
}

TEST_F(SyncedMemoryTest, RepeatedReadsCopyOnce) {
  memory.cpu(Access::write);
  memory.device(Access::read);
  memory.device(Access::read);
  memory.cpu(Access::read);
  EXPECT_EQ(device.to_device, 1);
  EXPECT_EQ(device.to_host, 0);
}

TEST_F(SyncedMemoryTest, BorrowedMemoryIsUsedAndLeftAlone) {
  char mine[8] = {7};
  {
    SyncedMemory m(8, &THDefaultAllocator, nullptr);
    m.device(Access::write);
    m.set_cpu(mine);
    EXPECT_EQ(m.head(), Head::cpu);
    EXPECT_EQ(m.cpu(Access::write), mine);
    EXPECT_EQ(static_cast<const char*>(m.device(Access::read))[0], 7);
    EXPECT_THROW(m.resize(16), Error);
    EXPECT_THROW(m.set_cpu(nullptr), Error);
  }
  EXPECT_EQ(mine[0], 7);

  char block[8] = {9};
  SyncedMemory m(8, &THDefaultAllocator, nullptr);
  m.cpu(Access::write);
  m.set_device(block);
  EXPECT_EQ(m.head(), Head::device);
  EXPECT_EQ(static_cast<const char*>(m.cpu(Access::read))[0], 9);
}

TEST_F(SyncedMemoryTest, PushedBytesAreNotWrittenBeforeTheyArrived) {
  EXPECT_THROW(memory.push_async(), Error);
  std::memset(memory.cpu(Access::write), 3, 8);
  memory.push_async();
  EXPECT_EQ(memory.head(), Head::synced);
  EXPECT_EQ(device.waits, 0);
  // A write on the host must wait, or the copy would carry the new bytes.
  static_cast<char*>(memory.cpu(Access::write))[0] = 4;
  EXPECT_EQ(device.waits, 1);
  EXPECT_EQ(memory.head(), Head::cpu);
  EXPECT_THROW(SyncedMemory(8, &THDefaultAllocator, nullptr).push_async(), Error);
}

TEST_F(SyncedMemoryTest, DestructionReturnsEverything) {
  int64_t blocks = heap_usage().blocks;
  {
    SyncedMemory m(64, &THDefaultAllocator, nullptr);
    m.cpu(Access::write);
    m.push_async();
  }
  EXPECT_EQ(heap_usage().blocks, blocks);
  EXPECT_EQ(device.allocations, device.releases);
  EXPECT_TRUE(device.pending.empty());
}

TEST_F(SyncedMemoryTest, ResizingKeepsTheBytesOfWhicheverSide) {
  memory.cpu(Access::write);
  static_cast<char*>(memory.device(Access::write))[0] = 5;
  memory.resize(4096);
  EXPECT_EQ(memory.size(), 4096u);
  EXPECT_EQ(static_cast<const char*>(memory.cpu(Access::read))[0], 5);
  EXPECT_EQ(static_cast<const char*>(memory.device(Access::read))[0], 5);
}

TEST(SyncedMemoryWithoutDevice, AskingForOneIsAnError) {
  SyncedMemory m(8, &THDefaultAllocator, nullptr);
  EXPECT_THROW(m.device(Access::read), Error);
  EXPECT_EQ(m.head(), Head::uninitialized);
}

TEST(SyncedMemoryThreads, OneTransitionServesAllReaders) {
  CountingDevice device;
  set_default_device(&device);
  for (int round = 0; round < 50; ++round) {
    SyncedMemory m(1024, &THDefaultAllocator, nullptr);
    std::memset(m.device(Access::write), round, 1024);
    std::vector<std::thread> readers;
    std::atomic<int> wrong{0};
    for (int i = 0; i < 4; ++i) {
      readers.emplace_back([&] {
        const char* bytes = static_cast<const char*>(m.cpu(Access::read));
        if (bytes[1023] != static_cast<char>(round)) ++wrong;
      });
    }
    for (std::thread& reader : readers) reader.join();
    EXPECT_EQ(wrong, 0);
  }
  EXPECT_EQ(device.to_host, 50);
  set_default_device(nullptr);
}

struct CountingAllocator {
  int mallocs = 0, frees = 0;
};
void* counting_malloc(void* ctx, ptrdiff_t size) {
  static_cast<CountingAllocator*>(ctx)->mallocs++;
  return std::malloc(size);
}
void counting_free(void* ctx, void* block) {
  static_cast<CountingAllocator*>(ctx)->frees++;
  std::free(block);
}

TEST(Allocators, AnAllocatorWithoutReallocIsResizedByCopying) {
  THAllocator allocator = {counting_malloc, nullptr, counting_free};
  CountingAllocator counts;
  {
    SyncedMemory m(4, &allocator, &counts);
    std::memset(m.cpu(Access::write), 6, 4);
    m.resize(400);
    EXPECT_EQ(static_cast<const char*>(m.cpu(Access::read))[3], 6);
  }
  EXPECT_EQ(counts.mallocs, 2);
  EXPECT_EQ(counts.frees, 2);
}

// Resizes the memory during an allocation, as finalizers may if memory is short.
struct ResizingAllocator {
  SyncedMemory* memory = nullptr;
  std::map<void*, ptrdiff_t> blocks;
};
void* resizing_malloc(void* ctx, ptrdiff_t size) {
  auto* own = static_cast<ResizingAllocator*>(ctx);
  if (SyncedMemory* memory = std::exchange(own->memory, nullptr)) memory->resize(4096);
  void* block = std::malloc(static_cast<size_t>(size));
  own->blocks[block] = size;
  return block;
}
void resizing_free(void* ctx, void* block) {
  static_cast<ResizingAllocator*>(ctx)->blocks.erase(block);
  std::free(block);
}

TEST(Allocators, MayResizeTheMemoryThatTheyAreAskedFor) {
  THAllocator allocator = {resizing_malloc, nullptr, resizing_free};
  for (Access access : {Access::overwrite, Access::read, Access::write}) {
    ResizingAllocator own;
    {
      SyncedMemory m(64, &allocator, &own);
      own.memory = &m;
      void* block = m.cpu(access);
      EXPECT_EQ(m.size(), 4096u);
      EXPECT_EQ(own.blocks[block], 4096);
    }
    EXPECT_TRUE(own.blocks.empty());
  }
}

TEST(Heap, BlocksAreAlignedCountedAndRefusedWhenTooLarge) {
  HeapUsage before = heap_usage();
  void* block = heap_allocate(100);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % kAlignment, 0u);
  EXPECT_EQ(heap_usage().blocks, before.blocks + 1);
  EXPECT_GE(heap_usage().bytes, before.bytes + 100);
  std::memset(block, 8, 100);
  block = heap_reallocate(block, 100000);
  EXPECT_EQ(static_cast<char*>(block)[99], 8);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % kAlignment, 0u);
  heap_free(block);
  EXPECT_EQ(heap_usage().bytes, before.bytes);
  EXPECT_EQ(heap_usage().blocks, before.blocks);
  EXPECT_EQ(heap_allocate(0), nullptr);
  EXPECT_THROW(heap_allocate(SIZE_MAX), Error);
}

TEST(Heap, TheCollectorIsAskedOnceBeforeGivingUp) {
  int calls = 0;
  set_collector([](void* data) { ++*static_cast<int*>(data); }, &calls);
  EXPECT_THROW(heap_allocate(size_t{1} << 46), Error);
  EXPECT_EQ(calls, 1);
  set_collector(nullptr, nullptr);
}

// Other code writes the device block at any time, so each read on the host copies it.
TEST_F(SyncedMemoryTest, SharedDeviceMemory) {
  SyncedMemory memory(4, &THDefaultAllocator, nullptr);
  std::memset(memory.cpu(Access::overwrite), 1, 4);
  SharedBlock* shared = memory.share_device(device);
  char* theirs = static_cast<char*>(shared->data());
  EXPECT_EQ(theirs[3], 1);
  for (char value : {2, 3}) {
    theirs[3] = value;
    EXPECT_EQ(static_cast<char*>(memory.cpu(Access::read))[3], value);
    EXPECT_EQ(memory.head(), Head::device);
    memory.prefetch(nullptr);
    memory.device(Access::read, device);
    theirs[2] = value;
    char byte = 0;
    memory.read_bytes(2, 1, &byte);
    EXPECT_EQ(byte, value);
  }
  // Bytes that the host writes arrive with the next access on the device, and no others.
  static_cast<char*>(memory.cpu(Access::write, {0, 1}))[0] = 9;
  theirs[1] = 8;
  memory.device(Access::read, device);
  EXPECT_EQ(theirs[0], 9);
  EXPECT_EQ(theirs[1], 8);
  EXPECT_EQ(static_cast<char*>(memory.cpu(Access::read))[1], 8);
  // The block lives as long as either refers to it.
  const int releases = device.releases;
  memory.leave_device();
  EXPECT_EQ(device.releases, releases);
  EXPECT_EQ(static_cast<char*>(memory.cpu(Access::read))[1], 8);
  theirs[1] = 7;
  shared->share(-1);
  shared->release();
  EXPECT_EQ(device.releases, releases + 1);
}

TEST_F(SyncedMemoryTest, DeviceMemoryOfOtherCode) {
  char theirs[4] = {1, 2, 3, 4};
  int returned = 0;
  {
    SyncedMemory memory(4, &THDefaultAllocator, nullptr);
    memory.set_device(
        device, theirs, [](Device&, void* count) { ++*static_cast<int*>(count); }, &returned);
    EXPECT_EQ(static_cast<char*>(memory.cpu(Access::read))[3], 4);
    theirs[3] = 5;
    EXPECT_EQ(static_cast<char*>(memory.cpu(Access::read))[3], 5);
    EXPECT_THROW(memory.resize(8), Error);
    Lease lease;
    memory.lease(Access::read, device, {0, 4}, &lease);
    memory.leave_device();
    EXPECT_EQ(returned, 0) << "the lease ends first";
    lease.release();
    EXPECT_EQ(returned, 1);
    EXPECT_EQ(static_cast<char*>(memory.cpu(Access::read))[3], 5);
  }
  EXPECT_EQ(returned, 1);
}

}  // namespace
}  // namespace th
