// A device that fails, or is gone for good: errors are reported, nothing leaks, and what is on the
// host can be used.

#include <gtest/gtest.h>

#include <cstring>
#include <functional>

#include "backend/table_device.h"
#include "base/error.h"
#include "soft/soft_queue.h"
#include "soft_devices.h"
#include "tensor/tensor.h"

namespace th {
namespace {

// The software device, until it is gone; counts what it has handed out.
struct Fragile {
  const DeviceTable& soft = *soft_device_table();
  bool gone = false;
  int blocks = 0, host_blocks = 0, events = 0;
};
Fragile fragile;

int report_gone() { return kDeviceFailed; }

const char* message() { return fragile.gone ? "the device is gone" : fragile.soft.message(); }

int allocate(void* device, size_t bytes, int for_copy, void** block) {
  if (fragile.gone) return report_gone();
  int status = fragile.soft.allocate(device, bytes, for_copy, block);
  if (status == kDeviceOk && *block) ++fragile.blocks;
  return status;
}
void release(void* device, void* block) {
  --fragile.blocks;
  fragile.soft.release(device, block);
}
int allocate_host(void* device, size_t bytes, void** block) {
  if (fragile.gone) return report_gone();
  ++fragile.host_blocks;
  return fragile.soft.allocate_host(device, bytes, block);
}
void release_host(void* device, void* block) {
  --fragile.host_blocks;
  fragile.soft.release_host(device, block);
}
int copy_async(void* device, CopyKind kind, void* to, const void* from, size_t bytes, int is_new,
               void** event) {
  if (fragile.gone) return report_gone();
  ++fragile.events;
  return fragile.soft.copy_async(device, kind, to, from, bytes, is_new, event);
}
int upload(void* device, void* to, const void* from, size_t bytes, int is_new, void** event) {
  if (fragile.gone) return report_gone();
  const int status = fragile.soft.upload(device, to, from, bytes, is_new, event);
  if (*event) ++fragile.events;
  return status;
}
void release_event(void* device, void* event) {
  --fragile.events;
  fragile.soft.release_event(device, event);
}

// Functions of the table that do nothing but fail when the device is gone.
template <auto Function, class... Arguments>
int unless_gone(Arguments... arguments) {
  return fragile.gone ? report_gone() : (fragile.soft.*Function)(arguments...);
}

DeviceTable fragile_table() {
  DeviceTable table = fragile.soft;
  table.message = message;
  table.allocate = allocate;
  table.release = release;
  table.allocate_host = allocate_host;
  table.release_host = release_host;
  table.copy_async = copy_async;
  table.upload = upload;
  table.release_event = release_event;
  table.properties = unless_gone<&DeviceTable::properties>;
  table.zero = unless_gone<&DeviceTable::zero>;
  table.copy = unless_gone<&DeviceTable::copy>;
  table.copy_peer = unless_gone<&DeviceTable::copy_peer>;
  table.wait = unless_gone<&DeviceTable::wait>;
  table.order = unless_gone<&DeviceTable::order>;
  table.synchronize = unless_gone<&DeviceTable::synchronize>;
  table.usage = unless_gone<&DeviceTable::usage>;
  table.empty_cache = unless_gone<&DeviceTable::empty_cache>;
  table.run = unless_gone<&DeviceTable::run>;
  return table;
}

Device& fragile_device() {
  static const DeviceTable table = fragile_table();
  static auto* device = new TableDevice(table, 0, "fragile:1");
  return *device;
}

constexpr size_t kBytes = 32;

class FailingDevice : public OnSoftDevices {
 protected:
  void SetUp() override {
    OnSoftDevices::SetUp();
    device.synchronize();
  }
  void TearDown() override {
    fragile.gone = false;
    device.synchronize();
    EXPECT_EQ(fragile.blocks, 0) << "blocks leak";
    EXPECT_EQ(fragile.host_blocks, 0) << "blocks of the host leak";
    EXPECT_EQ(fragile.events, 0) << "events leak";
    OnSoftDevices::TearDown();
  }

  void write(SyncedMemory* m, char value) { std::memset(m->cpu(Access::write), value, kBytes); }
  char read(SyncedMemory* m) { return static_cast<const char*>(m->cpu(Access::read))[kBytes - 1]; }
  void expect_gone(const std::function<void()>& body) {
    try {
      body();
      ADD_FAILURE() << "no error";
    } catch (const Error& error) {
      EXPECT_NE(std::strstr(error.what(), "fragile:1"), nullptr) << error.what();
      EXPECT_NE(std::strstr(error.what(), "the device is gone"), nullptr) << error.what();
    }
  }

  Device& device = fragile_device();
};

TEST_P(FailingDevice, IsNoWayToGo) {
  SyncedMemory m(kBytes, &THDefaultAllocator, nullptr);
  write(&m, 1);
  fragile.gone = true;
  expect_gone([&] { m.device(Access::read, device); });
  expect_gone([&] { m.push_async(device); });
  EXPECT_EQ(m.head(), Head::cpu);
  EXPECT_EQ(read(&m), 1);
  write(&m, 2);
  fragile.gone = false;
  char first = 0;
  device.copy_to_host(&first, m.device(Access::read, device), 1);
  EXPECT_EQ(first, 2);
  EXPECT_EQ(m.head(), Head::synced);
}

TEST_P(FailingDevice, LeavesWhatIsOnTheHost) {
  SyncedMemory m(kBytes, &THDefaultAllocator, nullptr);
  write(&m, 3);
  m.device(Access::read, device);
  fragile.gone = true;
  EXPECT_EQ(read(&m), 3);
  write(&m, 4);
  EXPECT_EQ(m.head(), Head::cpu);
  expect_gone([&] { m.device(Access::read, device); });
  EXPECT_EQ(m.head(), Head::cpu);
  EXPECT_EQ(read(&m), 4);
  m.leave_device();
  m.resize(2 * kBytes);
  EXPECT_EQ(read(&m), 4);
}

TEST_P(FailingDevice, KeepsWhatOnlyItHas) {
  SyncedMemory m(kBytes, &THDefaultAllocator, nullptr);
  m.device(Access::write, device);
  fragile.gone = true;
  for (int attempt = 0; attempt < 2; ++attempt) {
    expect_gone([&] { m.cpu(Access::read); });
    expect_gone([&] { m.cpu(Access::write); });
    expect_gone([&] { m.leave_device(); });
    expect_gone([&] { m.pull_async(); });
    expect_gone([&] { m.resize(2 * kBytes); });
    EXPECT_EQ(m.head(), Head::device);
    EXPECT_EQ(m.size(), kBytes);
    EXPECT_EQ(m.cpu_if_valid(), nullptr);
  }
  fragile.gone = false;
  EXPECT_EQ(read(&m), 0);
}

TEST_P(FailingDevice, IsOverwrittenByTheHost) {
  SyncedMemory m(kBytes, &THDefaultAllocator, nullptr);
  m.device(Access::write, device);
  fragile.gone = true;
  std::memset(m.cpu(Access::overwrite), 6, kBytes);
  EXPECT_EQ(m.head(), Head::cpu);
  EXPECT_EQ(read(&m), 6);
}

TEST_P(FailingDevice, LosesACopyThatWasUnderWay) {
  SyncedMemory pushed(kBytes, &THDefaultAllocator, nullptr);
  write(&pushed, 7);
  pushed.push_async(device);
  SyncedMemory pulled(kBytes, &THDefaultAllocator, nullptr);
  pulled.device(Access::write, device);
  pulled.pull_async();
  SyncedMemory abandoned(kBytes, &THDefaultAllocator, nullptr);
  write(&abandoned, 7);
  abandoned.push_async(device);
  fragile.gone = true;

  EXPECT_EQ(read(&pushed), 7) << "what is pushed stays on the host";
  expect_gone([&] { write(&pushed, 8); });
  EXPECT_EQ(pushed.head(), Head::cpu) << "it did not arrive";
  write(&pushed, 8);
  EXPECT_EQ(read(&pushed), 8);

  EXPECT_EQ(pulled.cpu_if_valid(), nullptr);
  expect_gone([&] { read(&pulled); });
  EXPECT_EQ(pulled.head(), Head::device) << "it did not arrive";
  expect_gone([&] { read(&pulled); });

  // The other tests use this device again: pending work ends while its memory exists.
  fragile.gone = false;
  device.synchronize();
}

// The host's memory is the device's, so that its copies are asynchronous.
TEST_P(FailingDevice, LosesAnUploadThatWasUnderWay) {
  SyncedMemory m(kBytes, &THDefaultAllocator, nullptr);
  SyncedMemory abandoned(kBytes, &THDefaultAllocator, nullptr);
  for (SyncedMemory* memory : {&m, &abandoned}) {
    memory->device(Access::write, device);
    write(memory, 7);
    memory->device(Access::write, device);
  }
  EXPECT_EQ(fragile.events, 2);
  fragile.gone = true;
  expect_gone([&] { m.cpu(Access::write); });
  std::memset(m.cpu(Access::overwrite), 8, kBytes);
  EXPECT_EQ(m.head(), Head::cpu);
  EXPECT_EQ(read(&m), 8);
  fragile.gone = false;
  device.synchronize();
  EXPECT_EQ(read(&abandoned), 7);
}

TEST_P(FailingDevice, KeepsMemoryFromMovingToAnother) {
  SyncedMemory m(kBytes, &THDefaultAllocator, nullptr);
  m.device(Access::write, device);
  int64_t used = used_on("soft:2");
  fragile.gone = true;
  expect_gone([&] { m.device(Access::read, *find_device("soft:2")); });
  EXPECT_EQ(m.device(), &device);
  EXPECT_EQ(m.head(), Head::device);
  EXPECT_EQ(used_on("soft:2"), used);
  fragile.gone = false;
  m.device(Access::read, *find_device("soft:2"));
  EXPECT_EQ(read(&m), 0);
}

TEST_P(FailingDevice, FailsOperationsByName) {
  THFloatTensor* t = THFloatTensor_newWithSize1d(8);
  THFloatTensor_fill(t, 2);
  auto* storage = reinterpret_cast<Storage*>(t->storage);
  storage_to(storage, &device);
  fragile.gone = true;
  std::string message = error_of([&] { THFloatTensor_mul(t, t, 3); });
  EXPECT_EQ(message, "THFloatTensor_mul: fragile:1: running it: the device is gone");
  // Which may have been done in part: the device is where the elements are.
  EXPECT_EQ(error_of([&] { THFloatTensor_data(t); }),
            "THFloatTensor_data: fragile:1: copying from it: the device is gone");
  fragile.gone = false;
  device.synchronize();
  THFloatTensor_fill(t, 1);
  EXPECT_EQ(THFloatStorage_cpuData(t->storage)[7], 1);

  // Memory that is also on the host can be read there and moved to the host.
  fragile.gone = true;
  EXPECT_EQ(THFloatTensor_data(t)[7], 1);
  THFloatTensor_to(t, "cpu");
  THFloatTensor_mul(t, t, 3);
  EXPECT_EQ(THFloatTensor_sumall(t), 24);
  THFloatTensor_free(t);
}

TEST_P(FailingDevice, LeavesTheDataFieldOfAStorageThatCouldNotMove) {
  THFloatTensor* t = THFloatTensor_newWithSize1d(8);
  auto* storage = reinterpret_cast<Storage*>(t->storage);
  fragile.gone = true;
  expect_gone([&] { storage_to(storage, &device); });
  fragile.gone = false;
  EXPECT_TRUE(storage->is_exposed());
  // C code that uses the field gets it after each call.
  storage->memory.device(Access::write, device);
  THFloatTensor_fill(t, 3);
  EXPECT_EQ(t->storage->data[7], 3);

  storage->set_current_device(&device);
  storage->set_exposed(false);
  storage->memory.device(Access::write, device);
  fragile.gone = true;
  expect_gone([&] { storage_to(storage, nullptr); });
  EXPECT_FALSE(storage->is_exposed());
  fragile.gone = false;
  THFloatTensor_free(t);
}

// After a failure, the caller of copy_async would not wait for the event.
TEST_P(FailingDevice, ReportsAFailureBeforeACopyAtTheWaitForIt) {
  const DeviceTable& table = fragile.soft;
  void *handle = nullptr, *block = nullptr, *event = nullptr;
  ASSERT_EQ(table.open(0, &handle), kDeviceOk);
  ASSERT_EQ(table.allocate(handle, 4, 0, &block), kDeviceOk);
  static_cast<SoftDevice*>(handle)->enqueue_task([] { fail(kDeviceFailed, "too hot"); });
  float sent = 3, received = 0;
  ASSERT_EQ(table.copy_async(handle, CopyKind::host_to_device, block, &sent, 4, 0, &event),
            kDeviceOk);
  ASSERT_NE(event, nullptr);
  EXPECT_EQ(table.wait(handle, event), kDeviceFailed);
  EXPECT_STREQ(table.message(), "too hot");
  EXPECT_EQ(table.wait(handle, event), kDeviceOk);
  table.release_event(handle, event);
  EXPECT_EQ(table.copy(handle, CopyKind::device_to_host, &received, block, 4), kDeviceOk);
  EXPECT_EQ(received, 3);
  table.release(handle, block);
}

TEST_P(FailingDevice, IsToldOfByWhoWaits) {
  fragile.gone = true;
  expect_gone([&] { device.synchronize(); });
  expect_gone([&] { device.empty_cache(); });
  DeviceUsage usage;
  expect_gone([&] { device.usage(&usage); });
}

TEST_IN_BOTH_MODES(FailingDevice);

}  // namespace
}  // namespace th
