// Leases on memory's block on a device, beside threads that move the memory.

#include "memory/lease.h"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "base/error.h"
#include "memory/heap.h"
#include "memory/stats.h"
#include "memory/synced_memory.h"
#include "soft_devices.h"
#include "tensor/storage.h"

namespace th {
namespace {

constexpr size_t kBytes = 64;
constexpr ByteRange kAll{0, kBytes};

struct Memory : SyncedMemory {
  Memory() : SyncedMemory(kBytes, &THDefaultAllocator, nullptr) {}
  explicit Memory(char value) : Memory() { std::memset(cpu(Access::overwrite), value, kBytes); }
  bool is(char value) {
    const auto* bytes = static_cast<const char*>(cpu(Access::read));
    return std::all_of(bytes, bytes + kBytes, [=](char byte) { return byte == value; });
  }
};

class SyncedLease : public OnSoftDevices {
 protected:
  Device& first = *find_device("soft:1");
  Device& second = *find_device("soft:2");

  // Work that reads a leased block, as an operation queues it.
  bool reads(const void* block, char value) {
    void* copy = first.allocate(kBytes);
    first.copy_within(copy, block, kBytes);
    std::vector<char> bytes = bytes_on("soft:1", copy, kBytes);
    first.release(copy);
    return bytes == std::vector<char>(kBytes, value);
  }
  void write(void* block, char value) {
    std::vector<char> bytes(kBytes, value);
    first.copy_to_device(block, bytes.data(), kBytes);
  }
};

TEST_P(SyncedLease, ABlockThatIsReadOutlivesTheMove) {
  struct Move {
    const char* name;
    void (*move)(SyncedMemory& m, Device& second);
  };
  const Move moves[] = {
      {"to the host", [](SyncedMemory& m, Device&) { m.leave_device(); }},
      {"to another device", [](SyncedMemory& m, Device& d) { m.device(Access::read, d); }},
      {"pushed to another device",
       [](SyncedMemory& m, Device& d) {
         m.cpu(Access::write);
         m.push_async(d);
       }},
      {"another size", [](SyncedMemory& m, Device&) { m.resize(2 * kBytes); }},
  };
  int64_t used = used_on("soft:1"), bytes = heap_usage().device_bytes;
  for (const Move& move : moves) {
    {
      Memory m(5);
      Lease lease;
      char* block = m.lease(Access::read, first, kAll, &lease);
      EXPECT_EQ(block, lease.data());
      move.move(m, second);
      EXPECT_GT(used_on("soft:1"), used) << move.name;
      EXPECT_TRUE(reads(block, 5)) << move.name;
      lease.release();
      EXPECT_EQ(used_on("soft:1"), used) << move.name;
    }
    EXPECT_EQ(heap_usage().device_bytes, bytes) << move.name;
  }
}

TEST_P(SyncedLease, ABlockOutlivesItsMemory) {
  int64_t used = used_on("soft:1");
  Lease lease;
  Memory(6).lease(Access::read, first, kAll, &lease);
  EXPECT_TRUE(reads(lease.data(), 6));
  Lease moved = std::move(lease);
  EXPECT_EQ(lease.data(), nullptr);
  EXPECT_TRUE(reads(moved.data(), 6));
  moved = Lease();
  EXPECT_EQ(used_on("soft:1"), used);
}

// Returns true if a thread of this process waits for something.
bool is_asleep(long thread) {
  std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/stat");
  std::string text;
  std::getline(file, text);
  size_t end = text.rfind(')');
  return end != std::string::npos && text.compare(end, 3, ") S") == 0;
}

TEST_P(SyncedLease, MovesWaitForWhatIsAboutToBeWritten) {
  using Body = void (*)(SyncedMemory & m, Device & second);
  const Body moves[] = {
      [](SyncedMemory& m, Device&) { m.leave_device(); },
      [](SyncedMemory& m, Device&) { m.cpu(Access::read); },
      [](SyncedMemory& m, Device& second) { m.device(Access::read, second); },
      [](SyncedMemory& m, Device&) { m.prefetch(nullptr); },
      [](SyncedMemory& m, Device&) { m.pull_async(); },
      [](SyncedMemory& m, Device& second) { m.prefetch(&second); },
      [](SyncedMemory& m, Device&) { m.resize(kBytes + 1); },
  };
  for (Body move : moves) {
    Memory m(1);
    Lease lease;
    m.lease(Access::write, first, kAll, &lease);
    std::atomic<bool> moved{false};
    std::atomic<long> id{0};
    std::thread mover([&] {
      id = syscall(SYS_gettid);
      move(m, second);
      moved = true;
    });
    while (!moved && !is_asleep(id)) std::this_thread::yield();
    EXPECT_FALSE(moved);
    // The operation may request more of the same memory meanwhile.
    Lease again;
    m.lease(Access::read, first, kAll, &again);
    write(lease.data(), 2);
    again.release();
    lease.release();
    mover.join();
    EXPECT_TRUE(static_cast<const char*>(m.cpu(Access::read))[kBytes - 1] == 2);
  }
}

TEST_P(SyncedLease, AThreadDoesNotWaitForItself) {
  Memory m(1), other(2);
  Lease lease;
  m.lease(Access::write, first, kAll, &lease);
  for (Access access : {Access::read, Access::write, Access::overwrite}) {
    EXPECT_THROW(m.cpu(access), Error);
    EXPECT_THROW(m.device(access, second), Error);
  }
  EXPECT_THROW(m.leave_device(), Error);
  EXPECT_THROW(m.prefetch(nullptr), Error);
  EXPECT_EQ(m.head(), Head::device);
  EXPECT_TRUE(other.is(2)) << "other memory can be used";
  lease.release();
  EXPECT_TRUE(m.is(1));

  // Memory that is only read can be used on both sides at the same time.
  Lease here, there;
  m.lease(Access::read, first, kAll, &here);
  m.lease(Access::read, second, kAll, &there);
  EXPECT_TRUE(m.is(1));
  EXPECT_TRUE(reads(here.data(), 1));
  EXPECT_EQ(bytes_on("soft:2", there.data(), 1)[0], 1);
}

// Each of two devices reads both, in the other order.
TEST_P(SyncedLease, TwoDevicesThatShareOperandsDoNotWaitForEachOther) {
  Memory a(1), b(2);
  auto read_both = [](Memory& one, Memory& other, Device& device, char of_one) {
    std::vector<char> bytes(kBytes);
    for (int round = 0; round < 200; ++round) {
      Lease leases[2];
      const char* block = one.lease(Access::read, device, kAll, &leases[0]);
      other.lease(Access::read, device, kAll, &leases[1]);
      std::this_thread::yield();
      device.copy_to_host(bytes.data(), block, kBytes);
      if (bytes != std::vector<char>(kBytes, of_one)) ADD_FAILURE() << int{bytes[0]};
    }
  };
  std::thread thread([&] { read_both(b, a, second, 2); });
  read_both(a, b, first, 1);
  thread.join();
}

TEST_P(SyncedLease, ReadersOnTheDeviceAreSafeBesideMoves) {
  Memory m(7);
  std::atomic<bool> done{false};
  std::thread mover([&] {
    for (int round = 0; !done; ++round) {
      if (round % 3 == 0) m.leave_device();
      if (round % 3 == 1) m.device(Access::read, second);
      if (round % 3 == 2) m.prefetch(round % 2 ? &first : nullptr);
      if (!m.is(7)) ADD_FAILURE();
    }
  });
  std::vector<std::thread> readers;
  for (int k = 0; k < 2; ++k) {
    readers.emplace_back([&] {
      for (int round = 0; round < 60; ++round) {
        Lease lease;
        const char* block = m.lease(Access::read, first, kAll, &lease);
        std::this_thread::yield();
        if (!reads(block, 7)) ADD_FAILURE();
      }
    });
  }
  for (std::thread& reader : readers) reader.join();
  done = true;
  mover.join();
}

TEST_P(SyncedLease, PrefetchingBesideOtherThreadsIsNoError) {
  constexpr int kThreads = 3, kRounds = 500;
  Storage* s = storage_new(DType::Byte, kBytes);
  std::memset(s->cpu(Access::overwrite), 9, kBytes);
  std::atomic<int> arrived{0};
  auto all_at_once = [&](int turn) {
    ++arrived;
    while (arrived < kThreads * turn) std::this_thread::yield();
  };
  std::vector<std::thread> threads;
  for (int k = 0; k < kThreads; ++k) {
    threads.emplace_back([&, k] {
      for (int round = 0; round < kRounds; ++round) {
        try {
          Device* device = find_device(round % 2 ? "soft:1" : "soft:2");
          if (k == 0) storage_to(s, round % 3 ? nullptr : device);
          all_at_once(2 * round + 1);
          storage_prefetch(s, round % 3 ? device : nullptr);
          if (static_cast<const char*>(s->cpu(Access::read))[kBytes - 1] != 9) ADD_FAILURE();
        } catch (const Error& error) {
          ADD_FAILURE() << error.what();
        }
        all_at_once(2 * round + 2);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  storage_free(s);
}

TEST_P(SyncedLease, AnOperandOfTwoDevicesIsCopiedAtEachChange) {
  Memory m(3);
  for (int round = 0; round < 3; ++round) {
    m.device(Access::write, first);
    m.device(Access::read, second);
  }
  EXPECT_EQ(counters().betweenDevices.copies, 5);
  EXPECT_EQ(counters().toDevice.copies, 1);
  // Where the host has the bytes, they come from there.
  EXPECT_TRUE(m.is(3));
  m.device(Access::read, first);
  EXPECT_EQ(counters().betweenDevices.copies, 5);
  EXPECT_EQ(counters().toDevice.copies, 2);
  // Memory that is overwritten is not copied.
  m.device(Access::write, first);
  m.device(Access::overwrite, second);
  EXPECT_EQ(counters().betweenDevices.copies, 5);
}

// ---- memory that runs out: the collector runs finalizers, which may use any memory

struct Collected {
  SyncedMemory* memory;
  SyncedMemory* garbage = nullptr;
  int calls = 0;
};
void collect(void* data) {
  auto* collected = static_cast<Collected*>(data);
  ++collected->calls;
  collected->memory->leave_device();
  if (collected->garbage) collected->garbage->leave_device();
}

TEST_P(SyncedLease, TheCollectorMayUseTheMemoryThatIsAskedFor) {
  constexpr size_t too_much = size_t{1} << 46;
  SyncedMemory m(too_much, &THDefaultAllocator, nullptr);
  Collected collected{&m};
  set_collector(collect, &collected);
  EXPECT_THROW(m.cpu(Access::write), Error);
  EXPECT_EQ(collected.calls, 1);
  EXPECT_THROW(m.device(Access::write, first), Error);
  EXPECT_EQ(collected.calls, 2);
  EXPECT_EQ(m.head(), Head::uninitialized);
  set_collector(nullptr, nullptr);
}

TEST_P(SyncedLease, WhatTheCollectorFreesOnADeviceIsUsed) {
  SyncedMemory garbage(1 << 20, &THDefaultAllocator, nullptr);
  garbage.device(Access::write, first);
  set_soft_memory(used_on("soft:1") + (1 << 19));
  SyncedMemory m(1 << 20, &THDefaultAllocator, nullptr);
  Collected collected{&m, &garbage};
  set_collector(collect, &collected);
  EXPECT_NE(m.device(Access::write, first), nullptr);
  EXPECT_EQ(collected.calls, 1);
  set_collector(nullptr, nullptr);
}

TEST_IN_BOTH_MODES(SyncedLease);

}  // namespace
}  // namespace th
