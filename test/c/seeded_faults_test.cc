// The software device detects faults that would cause errors on other devices: programs and devices
// with one fault each, which one check finds, and the same check without the fault.

#include <gtest/gtest.h>

#include <deque>
#include <cstring>

#include "simt/shim/sanitizer.h"
#include "backend/table_device.h"
#include "memory/synced_memory.h"
#include "soft_devices.h"

namespace th {
namespace {

constexpr size_t kBytes = 64;

bool all_are(const void* bytes, char value) {
  for (size_t i = 0; i < kBytes; ++i) {
    if (static_cast<const char*>(bytes)[i] != value) return false;
  }
  return true;
}

// A device of the given functions; they live as long as the process.
Device& device_of(const DeviceTable& table) {
  static std::deque<DeviceTable> tables;
  static std::deque<TableDevice> devices;
  tables.push_back(table);
  devices.emplace_back(tables.back(), 0, "faulty:1");
  return devices.back();
}
DeviceTable sound() { return *soft_device_table(); }

// Frees memory only after all copies to it have ended, also with faults.
struct Memory {
  explicit Memory(Device& used) : device(used) {}
  ~Memory() { device.synchronize(); }
  void fill_host(char value, Access access = Access::write) {
    std::memset(bytes.cpu(access), value, kBytes);
  }
  void fill_device(char value, Access access = Access::write) {
    std::vector<char> values(kBytes, value);
    device.copy_to_device(bytes.device(access, device), values.data(), kBytes);
  }
  const void* on_host() { return bytes.cpu(Access::read); }

  Device& device;
  SyncedMemory bytes{kBytes, &THDefaultAllocator, nullptr};
};

class SeededFaults : public testing::Test {
 protected:
  void SetUp() override { set_soft_mode(SoftMode::lazy); }
  void TearDown() override { set_soft_mode(SoftMode::eager); }
};

// ---- a stale head: a write was not requested as such ----

bool host_sees_the_device(Access access) {
  Memory m(device_of(sound()));
  m.fill_host(1);
  m.fill_device(2, access);
  return all_are(m.on_host(), 2);
}
bool device_sees_the_host(Access access) {
  Memory m(device_of(sound()));
  m.fill_device(1);
  m.on_host();
  m.fill_host(2, access);
  Memory copy(m.device);
  m.device.copy_within(copy.bytes.device(Access::overwrite, m.device),
                       m.bytes.device(Access::read, m.device), kBytes);
  return all_are(copy.on_host(), 2);
}

TEST_F(SeededFaults, AStaleHead) {
  EXPECT_TRUE(host_sees_the_device(Access::write));
  EXPECT_FALSE(host_sees_the_device(Access::read));
  EXPECT_TRUE(device_sees_the_host(Access::write));
  EXPECT_FALSE(device_sees_the_host(Access::read));
}

// ---- missing synchronisation ----

int wait_for_nothing(void*, void*) { return kDeviceOk; }

// Returns before the copy has ended.
int copy_without_waiting(void* device, CopyKind kind, void* to, const void* from, size_t bytes) {
  void* event = nullptr;
  int status = soft_device_table()->copy_async(device, kind, to, from, bytes, 0, &event);
  if (status == kDeviceOk) soft_device_table()->release_event(device, event);
  return status;
}

bool pulled_bytes_arrive(Device& device) {
  Memory m(device);
  m.fill_device(3);
  m.bytes.pull_async();
  return all_are(m.on_host(), 3);
}
bool read_bytes_arrive(Device& device) {
  Memory m(device);
  void* block = m.bytes.device(Access::overwrite, device);
  device.fill_zero(block, kBytes);
  std::memset(m.bytes.cpu(Access::overwrite), 9, kBytes);
  m.bytes.device(Access::overwrite, device);
  device.fill_zero(block, kBytes);
  return all_are(m.on_host(), 0);
}
bool pushed_bytes_arrive_before_the_next_work(Device& device) {
  Memory m(device), copy(device);
  m.fill_host(4);
  m.bytes.push_async(device);
  void* to = copy.bytes.device(Access::overwrite, device);
  device.copy_within(to, m.bytes.device(Access::read, device), kBytes);
  return all_are(copy.on_host(), 4);
}
bool pushed_bytes_are_those_of_then(Device& device) {
  Memory m(device), copy(device);
  m.fill_host(5);
  m.bytes.push_async(device);
  void* to = copy.bytes.device(Access::overwrite, device);
  device.copy_within(to, m.bytes.device(Access::read, device), kBytes);
  m.fill_host(6);
  return all_are(copy.on_host(), 5);
}

TEST_F(SeededFaults, NoWaitForACopy) {
  DeviceTable faulty = sound();
  faulty.wait = wait_for_nothing;
  EXPECT_TRUE(pulled_bytes_arrive(device_of(sound())));
  EXPECT_FALSE(pulled_bytes_arrive(device_of(faulty)));
  EXPECT_TRUE(pushed_bytes_are_those_of_then(device_of(sound())));
  EXPECT_FALSE(pushed_bytes_are_those_of_then(device_of(faulty)));
}

TEST_F(SeededFaults, WorkThatDoesNotWaitForACopy) {
  DeviceTable faulty = sound();
  faulty.order = wait_for_nothing;
  EXPECT_TRUE(pushed_bytes_arrive_before_the_next_work(device_of(sound())));
  EXPECT_FALSE(pushed_bytes_arrive_before_the_next_work(device_of(faulty)));
}

TEST_F(SeededFaults, ACopyThatDoesNotWaitForTheWorkBefore) {
  DeviceTable faulty = sound();
  faulty.copy = copy_without_waiting;
  EXPECT_TRUE(read_bytes_arrive(device_of(sound())));
  EXPECT_FALSE(read_bytes_arrive(device_of(faulty)));
}

// ---- the host uses a pointer of the device ----

bool host_finds_bytes_in(const void* block) { return all_are(block, 7); }

TEST_F(SeededFaults, TheHostReadsTheDevicesMemory) {
  Memory m(device_of(sound()));
  m.fill_device(7);
  EXPECT_TRUE(host_finds_bytes_in(m.on_host()));
  const void* block = m.bytes.device(Access::write, m.device);
  if (kPoisons) {
    EXPECT_DEATH(host_finds_bytes_in(block), "AddressSanitizer");
  } else {
    m.fill_device(8);
    m.fill_device(7);
    // The device is behind: nothing was run yet.
    Memory fresh(m.device);
    fresh.fill_device(7);
    EXPECT_FALSE(host_finds_bytes_in(fresh.bytes.device(Access::read, m.device)));
  }
}

}  // namespace
}  // namespace th
