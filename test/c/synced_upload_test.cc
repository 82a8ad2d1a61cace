// Copies from the host that a device reads after the access that started them.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "base/error.h"
#include "counting_device.h"
#include "device_block.h"
#include "memory/synced_memory.h"
#include "soft_devices.h"

namespace th {
namespace {

// Copies from its host memory are asynchronous.
class PinningDevice : public CountingDevice {
 public:
  int pinned = 0;
  bool fails = false;

  void* allocate_host(size_t bytes) override {
    ++pinned;
    return std::malloc(bytes);
  }
  void release_host(void* block) noexcept override {
    for (const auto& copy : pending) {
      EXPECT_NE(copy.second.from, block) << "the memory is freed before it is copied";
    }
    --pinned;
    std::free(block);
  }
  void* upload(void* device, const void* host, size_t bytes, bool is_new) override {
    if (fails) fail("counting: copying to it: no");
    ++to_device;
    void* event = push_async(device, host, bytes, is_new);
    last = event;
    return event;
  }
  void wait(void* event) override {
    CountingDevice::wait(event);
    pending.at(event).from = nullptr;
  }
  // This device's work runs in the test, after the copy.
  void run_copy() {
    const Push& push = pending.at(last);
    std::memcpy(push.to, push.from, push.bytes);
  }
  void* last = nullptr;
};

class UploadTest : public testing::Test {
 protected:
  // Memory whose host block is the device's, with a copy to the device in progress.
  void begin(SyncedMemory* m, char value) {
    m->device(Access::overwrite, device);
    std::memset(m->cpu(Access::overwrite), value, m->size());
    block = static_cast<char*>(m->device(Access::read, device));
    EXPECT_EQ(m->head(), Head::synced);
    EXPECT_EQ(device.waits, 0);
    EXPECT_TRUE(m->is_host_of_device());
  }
  void TearDown() override {
    EXPECT_EQ(device.allocations, device.releases);
    EXPECT_EQ(device.pinned, 0);
    EXPECT_TRUE(device.pending.empty());
  }
  PinningDevice device;
  char* block = nullptr;
};

TEST_F(UploadTest, OnlyWritesOfTheHostWait) {
  SyncedMemory m(8, &THDefaultAllocator, nullptr);
  begin(&m, 3);
  EXPECT_EQ(static_cast<const char*>(m.cpu(Access::read))[7], 3);
  m.device(Access::read, device);
  EXPECT_EQ(device.waits, 0);
  std::memset(m.cpu(Access::write), 4, 8);
  EXPECT_EQ(device.waits, 1);
  EXPECT_EQ(block[7], 3) << "the bytes of the time of the copy";
  // The next copy is of its own, and so is its event.
  m.device(Access::write, device);
  EXPECT_EQ(device.waits, 1);
  EXPECT_EQ(device.to_device, 2);
  device.run_copy();
  EXPECT_EQ(static_cast<const char*>(m.cpu(Access::read))[0], 4);
  std::memset(m.cpu(Access::overwrite), 5, 8);
  EXPECT_EQ(device.waits, 2);
  EXPECT_EQ(block[0], 4);
}

TEST_F(UploadTest, MemoryIsFreedAfterTheCopy) {
  for (int how = 0; how < 5; ++how) {
    SyncedMemory m(8, &THDefaultAllocator, nullptr), other(16, &THDefaultAllocator, nullptr);
    device.waits = 0;
    begin(&m, 3);
    char mine[16] = {};
    if (how == 1) m.resize(16);
    if (how == 2) m.set_cpu(mine);
    if (how == 3) m.swap(other);
    if (how == 4) {
      m.disown_host();
      EXPECT_EQ(device.pinned, 0);
      m.own_host();
    }
  }
}

TEST_F(UploadTest, TheMemoryOfTheCallerIsReadAtOnce) {
  SyncedMemory m(8, &THDefaultAllocator, nullptr);
  char mine[8] = {};
  m.set_cpu(mine);
  m.device(Access::read, device);
  EXPECT_EQ(device.waits, 1);
}

TEST_F(UploadTest, AFailureLeavesTheHostBlock) {
  SyncedMemory m(100000, &THDefaultAllocator, nullptr);
  device.fails = true;
  static_cast<char*>(m.cpu(Access::write))[9] = 6;
  EXPECT_THROW(m.device(Access::read, device), Error);
  EXPECT_EQ(m.head(), Head::cpu);
  EXPECT_EQ(device.allocations, device.releases) << "only the copy may use the block first";
  EXPECT_EQ(static_cast<const char*>(m.cpu(Access::write))[9], 6);
  device.fails = false;
  m.device(Access::read, device);
}

// The software device reads host memory of its own when the copy runs.
class SoftUpload : public OnSoftDevices {};

TEST_P(SoftUpload, ReadsTheHostsMemoryLate) {
  Device& soft = *find_device("soft");
  DeviceBlock block(soft, 1);
  auto* host = static_cast<char*>(soft.allocate_host(1));
  char got = 0;
  for (bool waits : {false, true}) {
    *host = 1;
    void* event = soft.upload(block.get(), host, 1, false);
    ASSERT_TRUE(event);
    if (waits) soft.wait(event);
    *host = 2;  // too early if nothing has waited
    soft.copy_to_host(&got, block.get(), 1);
    EXPECT_EQ(got, waits ? 1 : 2);
    soft.release_event(event);
  }
  soft.release_host(host);
  char other = 3;
  EXPECT_EQ(soft.upload(block.get(), &other, 1, false), nullptr);
  other = 4;
  soft.copy_to_host(&got, block.get(), 1);
  EXPECT_EQ(got, 3);
}

TEST_P(SoftUpload, TensorsAreWrittenAfterTheCopy) {
  for (int64_t n : {100, 100000}) {
    THFloatTensor *t = THFloatTensor_newWithSize1d(n), *sum = THFloatTensor_new();
    THFloatTensor_to(t, "soft");
    THFloatTensor_to(sum, "soft");
    THFloatTensor_fill(t, 1);
    double expected = 0;
    for (int k = 1; k <= 3; ++k) {
      std::fill_n(THFloatTensor_data(t), n, static_cast<float>(k));  // of the device's host memory
      THFloatTensor_cadd(sum, t, k == 1 ? 0 : 1, k == 1 ? t : sum);
      expected += k;
    }
    EXPECT_EQ(THFloatTensor_get1d(sum, n - 1), expected);
    THFloatTensor_free(t);
    THFloatTensor_free(sum);
  }
}

// The block that the caller gets has the bytes of a copy to the host that is still in progress.
TEST_P(SoftUpload, DisowningWaitsForACopyToTheHost) {
  Device& soft = *find_device("soft");
  SyncedMemory m(8, &THDefaultAllocator, nullptr);
  m.device(Access::overwrite, soft);
  std::memset(m.cpu(Access::overwrite), 7, 8);
  const char fives[] = {5, 5, 5, 5, 5, 5, 5, 5};
  soft.copy_to_device(m.device(Access::write, soft), fives, 8);
  m.prefetch(nullptr);
  ASSERT_TRUE(m.is_host_of_device());
  m.disown_host();
  EXPECT_EQ(static_cast<const char*>(m.cpu(Access::read))[7], 5);
  m.own_host();
}

INSTANTIATE_TEST_SUITE_P(Lazy, SoftUpload, testing::Values(SoftMode::lazy), mode_name);

}  // namespace
}  // namespace th
