// The software device behind the device interface: memory, order, laziness, errors.

#include <algorithm>
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "backend/calls.h"
#include "backend/device_assertions.h"
#include "backend/device_list.h"
#include "backend/table.h"
#include "backend/table_device.h"
#include "base/error.h"
#include "base/op_scope.h"
#include "device_block.h"
#include "memory/heap.h"
#include "memory/stats.h"
#include "simt/shim/sanitizer.h"
#include "soft/soft_device.h"

namespace th {
namespace {
template <class F>
std::string error_of(F f) {
  try {
    f();
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}
#define EXPECT_HAS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)
class SoftDeviceTest : public testing::Test {
 protected:
  SoftDeviceTest() : device(*find_device("soft")) {}
  void SetUp() override {
    // Threads may be there already.
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    set_soft_mode(SoftMode::eager);
  }
  void TearDown() override {
    device.synchronize();
    device.empty_cache();
    set_soft_mode(SoftMode::eager);
    set_soft_memory(0);
    set_collector(nullptr, nullptr);
  }

  void fill(Device& on, char* block, int64_t n, float value) {
    FillCall call = {};
    call.dtype = DType::Float;
    call.value = Scalar(static_cast<double>(value));
    call.plan.start_contiguous(n);
    call.plan.add_contiguous(block, sizeof(float));
    on.run(BackendOp::fill, &call);
  }
  void fill(char* block, int64_t n, float value) { fill(device, block, n, value); }
  std::vector<float> read(Device& on, const void* block, size_t n) {
    std::vector<float> out(n);
    on.copy_to_host(out.data(), block, n * sizeof(float));
    return out;
  }
  std::vector<float> read(const void* block, size_t n) { return read(device, block, n); }
  DeviceUsage usage() {
    DeviceUsage now;
    device.usage(&now);
    return now;
  }

  Device& device;
};

class SoftDeviceModes : public SoftDeviceTest, public testing::WithParamInterface<SoftMode> {
 protected:
  void SetUp() override {
    SoftDeviceTest::SetUp();
    set_soft_mode(GetParam());
  }
};
INSTANTIATE_TEST_SUITE_P(Modes, SoftDeviceModes, testing::Values(SoftMode::eager, SoftMode::lazy),
                         [](const auto& mode) {
                           return mode.param == SoftMode::eager ? "eager" : "lazy";
                         });

TEST_P(SoftDeviceModes, RunsOperationsInOrder) {
  DeviceBlock block(device, 4 * sizeof(float));
  fill(block.get(), 4, 1.5f);
  fill(block.get() + 4, 2, 2.5f);
  EXPECT_EQ(read(block.get(), 4), (std::vector<float>{1.5f, 2.5f, 2.5f, 1.5f}));
  device.fill_zero(block.get(), 8);
  EXPECT_EQ(read(block.get(), 4), (std::vector<float>{0, 0, 2.5f, 1.5f}));
}

TEST_P(SoftDeviceModes, NewMemoryIsAlignedGarbage) {
  for (int round = 0; round < 2; ++round) {
    DeviceBlock block(device, 100);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(block.get()) % 256, 0u);
    unsigned char out[100];
    device.copy_to_host(out, block.get(), 100);
    for (unsigned char byte : out) ASSERT_EQ(byte, 0xA5);
    device.fill_zero(block.get(), 100);  // what the second round must not find
  }
}

TEST_P(SoftDeviceModes, HostBytesMayBeReusedAfterACopy) {
  DeviceBlock block(device, 8);
  float host[2] = {1, 2};
  device.copy_to_device(block.get(), host, 8);
  host[0] = 3;
  EXPECT_EQ(read(block.get(), 2), (std::vector<float>{1, 2}));
}

TEST_P(SoftDeviceModes, ReleasedBlocksServeTheWorkBefore) {
  DeviceBlock kept(device, 64);
  {
    DeviceBlock passing(device, 64);
    fill(passing.get(), 16, 7);
    device.copy_within(kept.get(), passing.get(), 64);
  }
  DeviceBlock other(device, 64);
  fill(other.get(), 16, 8);
  EXPECT_EQ(read(kept.get(), 16), std::vector<float>(16, 7));
}

TEST_P(SoftDeviceModes, EmptyBlocksAndCopiesAreNothing) {
  EXPECT_EQ(device.allocate(0), nullptr);
  device.release(nullptr);
  device.copy_to_device(nullptr, nullptr, 0);
  device.copy_to_host(nullptr, nullptr, 0);
  device.copy_within(nullptr, nullptr, 0);
  device.fill_zero(nullptr, 0);
}

TEST_P(SoftDeviceModes, LongQueuesDoNotGrowWithoutEnd) {
  set_soft_memory(64 << 20);
  DeviceBlock block(device, 4096);
  std::vector<float> host(1024, 1);
  for (int i = 0; i < 20000; ++i) {
    DeviceBlock passing(device, 1 << 16);
    device.copy_to_device(block.get(), host.data(), 4096);
  }
  EXPECT_EQ(read(block.get(), 1024), host);
}

// ---- what only lazy work shows

TEST_F(SoftDeviceTest, AMissingWaitShowsStaleData) {
  set_soft_mode(SoftMode::lazy);
  DeviceBlock block(device, 4);
  fill(block.get(), 1, 5);
  float host = -1;
  void* event = device.pull_async(&host, block.get(), 4);
  EXPECT_EQ(host, -1);  // what a program sees that does not wait
  device.wait(event);
  device.release_event(event);
  EXPECT_EQ(host, 5);
}

TEST_F(SoftDeviceTest, APushReadsTheHostLate) {
  set_soft_mode(SoftMode::lazy);
  DeviceBlock block(device, 4);
  float host = 1;
  void* event = device.push_async(block.get(), &host, 4);
  host = 2;  // too early
  device.wait(event);
  device.release_event(event);
  EXPECT_EQ(read(block.get(), 1), std::vector<float>{2});
}

TEST_F(SoftDeviceTest, APushIsUnseenByWorkThatIsNotOrdered) {
  set_soft_mode(SoftMode::lazy);
  DeviceBlock block(device, 4), early(device, 4), late(device, 4);
  float host = 1;
  device.fill_zero(block.get(), 4);
  void* event = device.push_async(block.get(), &host, 4);
  device.copy_within(early.get(), block.get(), 4);
  device.order(event);
  device.copy_within(late.get(), block.get(), 4);
  device.release_event(event);  // an event may go before its copy has ended
  EXPECT_EQ(read(early.get(), 1), std::vector<float>{0});
  EXPECT_EQ(read(late.get(), 1), std::vector<float>{1});
}

TEST_F(SoftDeviceTest, APullSeesLaterWritesThatAreNotOrdered) {
  set_soft_mode(SoftMode::lazy);
  DeviceBlock block(device, 4);
  for (bool ordered : {false, true}) {
    fill(block.get(), 1, 1);
    float host = 0;
    void* event = device.pull_async(&host, block.get(), 4);
    if (ordered) device.order(event);
    fill(block.get(), 1, 2);
    read(block.get(), 1);  // runs what is in the queue
    device.wait(event);
    device.release_event(event);
    EXPECT_EQ(host, ordered ? 1 : 2);
  }
}

TEST_F(SoftDeviceTest, CopiesBesideTheQueueEndInOrder) {
  set_soft_mode(SoftMode::lazy);
  DeviceBlock block(device, 4);
  float first = 1, second = 2, out = 0;
  void* events[] = {device.push_async(block.get(), &first, 4),
                    device.push_async(block.get(), &second, 4),
                    device.pull_async(&out, block.get(), 4)};
  device.wait(events[2]);
  EXPECT_EQ(out, 2);
  device.wait(events[0]);
  EXPECT_EQ(read(block.get(), 1), std::vector<float>{2});
  for (void* event : events) device.release_event(event);
}

TEST_F(SoftDeviceTest, SynchronizeEndsAllCopies) {
  set_soft_mode(SoftMode::lazy);
  DeviceBlock block(device, 4);
  fill(block.get(), 1, 3);
  float out = 0;
  void* event = device.pull_async(&out, block.get(), 4);
  device.release_event(event);
  device.synchronize();
  EXPECT_EQ(out, 3);
}

TEST_P(SoftDeviceModes, DevicesWaitForEachOther) {
  static auto* second = new TableDevice(*soft_device_table(), 1, "soft:2");
  DeviceBlock here(device, 8), there(*second, 8);
  float host[2] = {1, 2};
  device.copy_to_device(here.get(), host, 8);
  CopyCount before = device_stats().between_devices;
  second->copy_from(device, there.get(), here.get(), 8);
  fill(here.get(), 2, 9);  // after it was copied
  device.copy_from(*second, here.get() + 4, there.get(), 4);
  EXPECT_EQ(read(*second, there.get(), 2), (std::vector<float>{1, 2}));
  EXPECT_EQ(read(here.get(), 2), (std::vector<float>{9, 1}));
  EXPECT_EQ(device_stats().between_devices.copies - before.copies, 2);
  EXPECT_EQ(device_stats().between_devices.bytes - before.bytes, 12);
}

// ---- memory

TEST_P(SoftDeviceModes, UsageKnowsBlocksAndCache) {
  device.synchronize();
  device.empty_cache();
  DeviceUsage before = usage();
  EXPECT_EQ(before.cached, 0);
  EXPECT_EQ(before.free, before.total - before.in_use);
  void* block = device.allocate(1000);
  EXPECT_EQ(usage().in_use, before.in_use + 1024);
  device.release(block);
  EXPECT_EQ(usage().in_use, before.in_use);
  EXPECT_EQ(usage().cached, 1024);
  device.synchronize();
  void* again = device.allocate(900);
  EXPECT_EQ(again, block);  // from the cache
  device.release(again);
  device.empty_cache();
  EXPECT_EQ(usage().cached, 0);
  EXPECT_EQ(usage().free, before.free);
}

struct Garbage {
  Device* device;
  void* block = nullptr;
  int collections = 0;
  static void collect(void* data) {
    auto* garbage = static_cast<Garbage*>(data);
    ++garbage->collections;
    garbage->device->release(garbage->block);
    garbage->block = nullptr;
  }
};

TEST_P(SoftDeviceModes, MemoryIsFoundInTheCacheThenByCollecting) {
  set_soft_memory(1 << 20);
  Garbage garbage{&device, nullptr, 0};
  set_collector(&Garbage::collect, &garbage);
  device.release(device.allocate(600 << 10));
  void* block = device.allocate(700 << 10);  // another size than what is cached
  EXPECT_EQ(garbage.collections, 0);
  garbage.block = block;
  void* more = device.allocate(800 << 10);
  EXPECT_EQ(garbage.collections, 1);
  EXPECT_EQ(garbage.block, nullptr);
  std::string text = error_of([&] { device.allocate(500 << 10); });
  EXPECT_EQ(garbage.collections, 2);
  EXPECT_HAS(text, "out of memory of soft:1: 512000 bytes requested, 8");
  EXPECT_HAS(text, " in use, 0 cached, ");
  EXPECT_HAS(text, " free of 1048576");
  device.release(more);
  device.release(device.allocate(500 << 10));
}

TEST_F(SoftDeviceTest, MoreThanThereCanBe) {
  EXPECT_HAS(error_of([&] { device.allocate(PTRDIFF_MAX); }), "out of memory of soft:1");
  EXPECT_HAS(error_of([&] { device.allocate(SIZE_MAX); }), "out of memory of soft:1");
  EXPECT_EQ(device.allocate_host(SIZE_MAX), nullptr);
}

TEST_F(SoftDeviceTest, HostBlocks) {
  auto* block = static_cast<char*>(device.allocate_host(100));
  ASSERT_NE(block, nullptr);
  std::memset(block, 1, 100);
  device.release_host(block);
  EXPECT_EQ(device.allocate_host(0), nullptr);
}

TEST_F(SoftDeviceTest, CopiesAndLaunchesAreCounted) {
  DeviceBlock block(device, 12);
  float host[3] = {};
  DeviceStats before = device_stats();
  device.copy_to_device(block.get(), host, 12);
  device.copy_to_host(host, block.get(), 8);
  void* event = device.push_async(block.get(), host, 4);
  device.wait(event);
  device.release_event(event);
  fill(block.get(), 3, 1);
  DeviceStats after = device_stats();
  EXPECT_EQ(after.launches - before.launches, 1);
  EXPECT_EQ(after.to_device.copies - before.to_device.copies, 2);
  EXPECT_EQ(after.to_device.bytes - before.to_device.bytes, 16);
  EXPECT_EQ(after.to_host.copies - before.to_host.copies, 1);
  EXPECT_EQ(after.to_host.bytes - before.to_host.bytes, 8);
}

TEST_P(SoftDeviceModes, ThreadsShareADevice) {
  std::vector<std::thread> threads;
  std::vector<int> wrong(4, 0);
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int round = 0; round < 50; ++round) {
        DeviceBlock block(device, 400);
        fill(block.get(), 100, static_cast<float>(t));
        for (float x : read(block.get(), 100)) wrong[static_cast<size_t>(t)] += x != t;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(4, 0));
}

// ---- what kernels found

// The failed check that the device reports.
DeviceAssertion failed_check;
void report_check(void*, DeviceAssertion* out) {
  *out = failed_check;
  failed_check = {0, 0};
}
int fails_to_run(void*, int, const void*) { return kDeviceFailed; }
const char* message_of_test() { return "too hot"; }

TableDevice& reporting_device() {
  static DeviceTable table = [] {
    DeviceTable copied = *soft_device_table();
    copied.assertion = report_check;
    return copied;
  }();
  static auto* device = new TableDevice(table, 0, "soft:7");
  return *device;
}

TEST_F(SoftDeviceTest, AssertionsAreErrorsAtTheNextSynchronization) {
  TableDevice& reporting = reporting_device();
  DeviceBlock block(reporting, 4);
  float host = 0;
  auto number = [&](int argument, const char* text) {
    OpScope scope("gather");
    return number_of_check({argument, text});
  };
  failed_check = {number(2, "index %v is out of range 1..10"), -3};
  EXPECT_EQ(error_of([&] { reporting.synchronize(); }), "gather: index -3 is out of range 1..10");
  reporting.synchronize();  // reported once

  failed_check = {number(4, "index %v is out of range 1..11"), int64_t{1} << 40};
  try {
    reporting.copy_to_host(&host, block.get(), 4);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.argument(), 0) << "it would be taken for an argument of what is done now";
    EXPECT_STREQ(error.what(), "gather: index 1099511627776 is out of range 1..11");
  }
  constexpr char kText[] = "%1 %2 %s";
  EXPECT_EQ(number(2, kText), number(2, kText));
  EXPECT_NE(number(2, kText), number(3, kText));
  EXPECT_NE(number(2, kText), number_of_check({2, kText}));
  EXPECT_EQ(number_of_check({2, kText, 1, 2}), number_of_check({2, kText, 1, 2}));
  EXPECT_NE(number_of_check({2, kText, 1, 2}), number_of_check({2, kText, 1, 3}));
  failed_check = {number_of_check({2, kText, 1, 2, "Int"}), 5};
  EXPECT_EQ(error_of([&] { reporting.synchronize(); }), "1 2 Int");

  failed_check = {number(2, "index %v"), 5};
  OpScope scope("gather");
  EXPECT_EQ(error_of([&] { reporting.synchronize(); }), "index 5") << "the caller adds the name";
}

TEST_F(SoftDeviceTest, ChecksThatAreForgottenStillFail) {
  constexpr char kOld[] = "old %v";
  uint32_t old = number_of_check({1, kOld});
  for (int k = 0; k < 5000; ++k) number_of_check({1, "check %1", k});
  failed_check = {old, 5};
  EXPECT_HAS(error_of([&] { reporting_device().synchronize(); }), "5");
  uint32_t fresh = number_of_check({1, kOld});
  EXPECT_NE(fresh, old);
  failed_check = {fresh, 6};
  EXPECT_EQ(error_of([&] { reporting_device().synchronize(); }), "old 6");
}

TEST_F(SoftDeviceTest, FailuresNameTheDevice) {
  DeviceTable table = *soft_device_table();
  table.run = fails_to_run;
  table.message = message_of_test;
  TableDevice failing(table, 0, "soft:8");
  EXPECT_EQ(error_of([&] { failing.run(BackendOp::fill, nullptr); }),
            "soft:8: running it: too hot");
}

TEST_F(SoftDeviceTest, UnsupportedOperationsAreNoFailures) {
  SortCall call = {};
  call.dtype = DType::Float;
  call.plan.start_contiguous(1);
  call.n = call.count = int64_t{1} << 32;
  EXPECT_FALSE(device.run(BackendOp::sort, &call));
  call.n = 0;
  EXPECT_TRUE(device.run(BackendOp::sort, &call));
}

TEST_F(SoftDeviceTest, DebuggingWaitsForEveryOperation) {
  TableDevice& reporting = reporting_device();
  DeviceBlock block(reporting, 4);
  set_soft_mode(SoftMode::lazy);
  failed_check = {number_of_check({1, "found %v"}), 1};
  fill(reporting, block.get(), 1, 1);  // without a synchronization
  set_device_debug(true);
  EXPECT_EQ(error_of([&] { fill(reporting, block.get(), 1, 1); }), "found 1");
  set_device_debug(false);
}

// ---- what only AddressSanitizer shows

#ifdef TH_ADDRESS_SANITIZER
using SoftDeviceDeathTest = SoftDeviceTest;

TEST_F(SoftDeviceDeathTest, TheHostReadsDeviceMemory) {
  DeviceBlock block(device, 64);
  fill(block.get(), 16, 1);
  EXPECT_DEATH({ *static_cast<volatile char*>(block.get()); }, "use-after-poison");
}

TEST_F(SoftDeviceDeathTest, AKernelRunsOverItsBlock) {
  DeviceBlock block(device, 20), next(device, 20);
  fill(block.get(), 5, 1);
  EXPECT_DEATH(fill(block.get(), 6, 1), "use-after-poison");
}

TEST_F(SoftDeviceDeathTest, AKernelUsesAReleasedBlock) {
  auto* block = static_cast<char*>(device.allocate(64));
  device.release(block);
  EXPECT_DEATH(fill(block, 1, 1), "use-after-poison");
}

TEST_F(SoftDeviceDeathTest, ACopyBesideTheQueueUsesAReleasedBlock) {
  set_soft_mode(SoftMode::lazy);
  EXPECT_DEATH(
      {
        void* block = device.allocate(64);
        float host = 1;
        void* event = device.push_async(block, &host, 4);
        device.release(block);
        device.wait(event);
      },
      "use-after-poison");
}
#endif

}  // namespace
}  // namespace th
