// The host code of the CUDA plugin on a fake runtime: memory, copies, streams and failures. It
// needs the headers of the CUDA toolkit, and no GPU.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "THDLPack.h"
#include "backend/table.h"
#include "cuda/device.h"
#include "cuda/probe.h"
#include "fake_runtime.h"

extern "C" const th::DeviceTable* th_device_table(void);

namespace th {

cudaError_t probe_kernel() { return fake_runtime().kernel_error; }

namespace {

constexpr size_t kMebi = size_t{1} << 20;

}  // namespace

// Operation 1 runs out of memory before it has queued work, operation 2 after that. Operation 3
// frees small blocks and then allocates a large one, after it has queued work.
void run_device_op(Queue& queue, int op, const void*) {
  if (op != 1) queue.check(cudaSuccess);
  if (op == 3) {
    std::vector<void*> blocks;
    for (int k = 0; k < 20; ++k) blocks.push_back(queue.allocate(kMebi));
    for (void* block : blocks) queue.release(block);
  }
  Scratch scratch(queue, op == 3 ? 20 * kMebi : size_t{1} << 40);
}

namespace {

class CudaHost : public testing::Test {
 protected:
  void SetUp() override { fake.kernel_error = cudaSuccess; }
  void TearDown() override {
    if (!device) return;
    ok(table->synchronize(device));
    ok(table->empty_cache(device));
  }
  void open(int index) { ok(table->open(index, &device)); }
  void ok(int status) { ASSERT_EQ(status, kDeviceOk) << table->message(); }
  void* allocate(size_t bytes, bool for_copy = false) {
    void* block = nullptr;
    ok(table->allocate(device, bytes, for_copy, &block));
    return block;
  }
  std::vector<char> read(const void* block, size_t bytes) {
    std::vector<char> host(bytes);
    ok(table->copy(device, CopyKind::device_to_host, host.data(), block, bytes));
    return host;
  }
  DeviceUsage usage() {
    DeviceUsage now;
    ok(table->usage(device, &now));
    return now;
  }

  const DeviceTable* table = th_device_table();
  FakeRuntime& fake = fake_runtime();
  void* device = nullptr;
};

// Device 0 has memory pools, device 1 has none.
class CudaHostMemory : public CudaHost, public testing::WithParamInterface<int> {
 protected:
  void SetUp() override {
    CudaHost::SetUp();
    open(GetParam());
  }
};
INSTANTIATE_TEST_SUITE_P(Devices, CudaHostMemory, testing::Values(0, 1));

TEST_P(CudaHostMemory, FreedBlocksAreReused) {
  ok(table->empty_cache(device));
  void* block = allocate(10000);
  const int allocations = fake.device_allocations, frees = fake.device_frees;
  for (size_t bytes : {10000, 9900, 10100}) {
    table->release(device, block);
    EXPECT_EQ(allocate(bytes), block);
  }
  EXPECT_EQ(fake.device_allocations, allocations);
  const int64_t used = usage().in_use;
  table->release(device, block);
  EXPECT_LT(usage().in_use, used);
  EXPECT_GE(usage().cached, 10000);
  ok(table->empty_cache(device));
  EXPECT_EQ(fake.device_frees, frees + 1);
  EXPECT_EQ(usage().cached, 0);
}

TEST_P(CudaHostMemory, TheCacheIsEmptiedForOtherSizes) {
  ok(table->empty_cache(device));
  fake.memory = fake.used[GetParam()] + 30 * kMebi;
  std::vector<void*> blocks;
  for (int k = 0; k < 20; ++k) blocks.push_back(allocate(kMebi));
  for (void* block : blocks) table->release(device, block);
  for (bool for_copy : {false, true}) {
    table->release(device, allocate(20 * kMebi, for_copy));
    void* block = nullptr;
    EXPECT_EQ(table->allocate(device, 31 * kMebi, for_copy, &block), kDeviceOutOfMemory);
    EXPECT_NE(std::string(table->message()).find("31.0 MiB requested"), std::string::npos);
  }
  EXPECT_EQ(table->run(device, 3, nullptr), kDeviceOk) << table->message();
  fake.memory = size_t{1} << 30;
}

TEST_P(CudaHostMemory, TheHostMayChangeMemoryAfterACopy) {
  for (size_t pinnable : {size_t{1} << 30, fake.pinned}) {
    fake.pinnable = pinnable;
    for (size_t bytes : {size_t{1}, size_t{65536}, size_t{65537}, 9 * kMebi + 3}) {
      std::vector<char> host(bytes);
      for (size_t i = 0; i < bytes; ++i) host[i] = static_cast<char>(i * 7 + i / 1000);
      const std::vector<char> copy = host;
      void* block = allocate(bytes);
      ok(table->copy(device, CopyKind::host_to_device, block, host.data(), bytes));
      std::fill(host.begin(), host.end(), 1);
      EXPECT_EQ(read(block, bytes), copy) << bytes << " " << pinnable;
      table->release(device, block);
    }
    // Without buffers for the next case, as a program that cannot pin memory.
    ok(table->empty_cache(device));
  }
  fake.pinnable = size_t{1} << 30;
}

TEST_P(CudaHostMemory, SmallCopiesDoNotWait) {
  std::vector<char> host(1000, 5);
  void* block = allocate(1000);
  ok(table->copy(device, CopyKind::host_to_device, block, host.data(), host.size()));
  const int waits = fake.waits, copies = fake.pageable_copies;
  for (int k = 0; k < 20; ++k) {
    ok(table->copy(device, CopyKind::host_to_device, block, host.data(), host.size()));
  }
  EXPECT_EQ(fake.waits, waits);
  EXPECT_EQ(fake.pageable_copies, copies);
  table->release(device, block);
}

// A copy to a block that was allocated for it overtakes queued work, one to another block does not.
TEST_P(CudaHostMemory, AsynchronousCopies) {
  constexpr size_t kBytes = 3 * kMebi;
  std::vector<char> host(kBytes, 9);
  void* other = allocate(64);
  ok(table->synchronize(device));
  for (bool is_new : {true, false}) {
    void* block = allocate(kBytes, is_new);
    ok(table->zero(device, other, 64));
    const int fills = fake.fills;
    void* event = nullptr;
    ok(table->copy_async(device, CopyKind::host_to_device, block, host.data(), kBytes, is_new,
                         &event));
    ok(table->wait(device, event));
    const bool overtakes = is_new && GetParam() == 0;
    EXPECT_EQ(fake.fills, overtakes ? fills : fills + 1);
    ok(table->order(device, event));
    table->release_event(device, event);
    EXPECT_EQ(read(block, kBytes), host);
    table->release(device, block);
  }
  table->release(device, other);
}

// Work that is queued before copies has run only if it was waited for.
class CudaHostCopies : public CudaHost {
 protected:
  void SetUp() override {
    CudaHost::SetUp();
    open(0);
    block = allocate(kBytes);
    other = allocate(64);
    // Allocates the buffers.
    const std::vector<char> host(kBytes);
    ok(table->copy(device, CopyKind::host_to_device, block, host.data(), kBytes));
    for (int k = 0; k < 40; ++k) {
      ok(table->copy(device, CopyKind::host_to_device, block, host.data(), 1));
    }
    ok(table->synchronize(device));
  }
  void TearDown() override {
    table->release(device, block);
    table->release(device, other);
    CudaHost::TearDown();
  }
  static std::vector<char> pattern(size_t bytes, int seed) {
    std::vector<char> out(bytes);
    for (size_t i = 0; i < bytes; ++i) out[i] = static_cast<char>(i * 7 + i / 1000 + seed);
    return out;
  }
  void queue_work() {
    ok(table->zero(device, other, 64));
    ok(table->zero(device, block, kBytes));
    fills = fake.fills;
  }
  bool has_waited() const { return fake.fills != fills; }

  static constexpr size_t kBytes = 9 * kMebi + 5;  // more than all buffers have
  void *block = nullptr, *other = nullptr;
  int fills = 0;
};

TEST_F(CudaHostCopies, LargeCopiesDoNotWaitForWork) {
  queue_work();
  for (int k = 0; k < 2; ++k) {
    std::vector<char> host = pattern(kBytes, k);
    ok(table->copy(device, CopyKind::host_to_device, block, host.data(), kBytes));
    std::fill(host.begin(), host.end(), 1);
  }
  EXPECT_FALSE(has_waited());
  EXPECT_EQ(read(block, kBytes), pattern(kBytes, 1)) << "after the work that was queued before";
}

TEST_F(CudaHostCopies, ManySmallCopiesDoNotWaitForWork) {
  queue_work();
  for (int k = 0; k < 200; ++k) {
    std::vector<char> host = pattern(1000, k);
    ok(table->copy(device, CopyKind::host_to_device, static_cast<char*>(block) + k * 1000,
                   host.data(), 1000));
    std::fill(host.begin(), host.end(), 1);
  }
  EXPECT_FALSE(has_waited());
  const std::vector<char> got = read(block, 200000);
  for (int k = 0; k < 200; ++k) {
    const auto first = got.begin() + k * 1000;
    ASSERT_EQ(std::vector<char>(first, first + 1000), pattern(1000, k)) << k;
  }
}

TEST_F(CudaHostCopies, UploadsFromPinnedMemoryAreAsynchronous) {
  constexpr size_t kPart = 3 * kMebi;
  void *pinned = nullptr, *event = nullptr;
  ok(table->allocate_host(device, kPart, &pinned));
  std::memcpy(pinned, pattern(kPart, 3).data(), kPart);
  queue_work();
  const int waits = fake.waits;
  ok(table->upload(device, block, pinned, kPart, 0, &event));
  EXPECT_EQ(fake.waits, waits);
  ASSERT_TRUE(event);
  ok(table->wait(device, event));
  table->release_event(device, event);
  EXPECT_FALSE(has_waited()) << "neither do writes of the host";
  std::memset(pinned, 1, kPart);
  EXPECT_EQ(read(block, kPart), pattern(kPart, 3));
  // Copies that return after the copy wait for the copy only.
  queue_work();
  ok(table->copy(device, CopyKind::host_to_device, block, pinned, kPart));
  std::memset(pinned, 2, kPart);
  EXPECT_FALSE(has_waited());
  EXPECT_EQ(read(block, kPart), std::vector<char>(kPart, 1));
  table->release_host(device, pinned);
}

TEST_F(CudaHostCopies, UploadsOfOtherMemoryNeedNoEvent) {
  for (size_t bytes : {size_t{1000}, kBytes}) {
    for (int is_new : {0, 1}) {
      void* to = is_new ? allocate(bytes, true) : block;
      queue_work();
      std::vector<char> host = pattern(bytes, is_new);
      void* event = block;
      ok(table->upload(device, to, host.data(), bytes, is_new, &event));
      EXPECT_EQ(event, nullptr);
      std::fill(host.begin(), host.end(), 1);
      EXPECT_FALSE(has_waited());
      EXPECT_EQ(read(to, bytes), pattern(bytes, is_new));
      if (is_new) table->release(device, to);
    }
  }
}

TEST_F(CudaHostCopies, AnAsynchronousCopyComesAfterEarlierWork) {
  queue_work();
  void* event = nullptr;
  std::vector<char> host = pattern(kBytes, 4);
  ok(table->copy_async(device, CopyKind::host_to_device, block, host.data(), kBytes, 0, &event));
  EXPECT_FALSE(has_waited());
  ok(table->order(device, event));
  ok(table->wait(device, event));
  table->release_event(device, event);
  EXPECT_TRUE(has_waited());
  EXPECT_EQ(read(block, kBytes), host);
}

TEST_F(CudaHostCopies, UploadsWithoutFreeMemoryWaitForWork) {
  const size_t memory = std::exchange(fake.memory, fake.used[0] + kMebi);
  queue_work();
  const std::vector<char> host = pattern(kBytes, 5);
  ok(table->copy(device, CopyKind::host_to_device, block, host.data(), kBytes));
  EXPECT_EQ(read(block, kBytes), host);
  fake.memory = memory;
}

TEST_F(CudaHostCopies, CopiesToPageableMemoryAreAsynchronous) {
  for (size_t bytes : {size_t{1000}, kBytes}) {
    const std::vector<char> expected = pattern(bytes, 6);
    ok(table->copy(device, CopyKind::host_to_device, block, expected.data(), bytes));
    std::vector<char> host(bytes, 9);
    const int copies = fake.pageable_copies, waits = fake.waits;
    const size_t pinned = fake.pinned;
    void* event = nullptr;
    ok(table->copy_async(device, CopyKind::device_to_host, host.data(), block, bytes, 0, &event));
    EXPECT_EQ(fake.pageable_copies, copies) << "the driver would wait";
    EXPECT_EQ(fake.waits, waits);
    // Later work may change the source.
    ok(table->order(device, event));
    ok(table->zero(device, block, bytes));
    EXPECT_EQ(host, std::vector<char>(bytes, 9));
    ok(table->wait(device, event));
    EXPECT_EQ(host, expected);
    // Waiting again changes nothing.
    host[0] = 77;
    ok(table->wait(device, event));
    EXPECT_EQ(host[0], 77);
    table->release_event(device, event);
    ok(table->empty_cache(device));
    EXPECT_LE(fake.pinned, pinned) << "the buffer is free";
  }
}

TEST_F(CudaHostCopies, CopiesToPageableMemoryThatNobodyWaitsFor) {
  std::vector<char> host(kBytes, 9);
  const size_t pinned = fake.pinned;
  void* event = nullptr;
  ok(table->copy_async(device, CopyKind::device_to_host, host.data(), block, kBytes, 0, &event));
  table->release_event(device, event);
  ok(table->empty_cache(device));
  EXPECT_LE(fake.pinned, pinned);
  EXPECT_EQ(host, std::vector<char>(kBytes, 9));
}

TEST_F(CudaHostCopies, WithoutPinnedMemoryCopiesToTheHostAreDirect) {
  const std::vector<char> expected = pattern(kBytes, 7);
  ok(table->copy(device, CopyKind::host_to_device, block, expected.data(), kBytes));
  ok(table->empty_cache(device));
  const size_t pinnable = std::exchange(fake.pinnable, fake.pinned);
  std::vector<char> host(kBytes);
  void* event = nullptr;
  ok(table->copy_async(device, CopyKind::device_to_host, host.data(), block, kBytes, 0, &event));
  ok(table->wait(device, event));
  table->release_event(device, event);
  EXPECT_EQ(host, expected);
  fake.pinnable = pinnable;
}

TEST_P(CudaHostMemory, OperationsAreRepeatedOnlyBeforeTheirFirstWork) {
  EXPECT_EQ(table->run(device, 1, nullptr), kDeviceOutOfMemory);
  EXPECT_EQ(table->run(device, 2, nullptr), kDeviceInterrupted);
  EXPECT_NE(std::string(table->message()).find("out of memory"), std::string::npos);
  EXPECT_EQ(table->run(device, 1, nullptr), kDeviceOutOfMemory);
}

TEST_F(CudaHost, PinnedMemoryIsLimited) {
  open(0);
  void *block = nullptr, *again = nullptr;
  ok(table->allocate_host(device, 65 * kMebi, &block));
  EXPECT_EQ(block, nullptr) << "pageable memory";
  ok(table->allocate_host(device, 10 * kMebi, &block));
  ASSERT_TRUE(block);
  table->release_host(device, block);
  ok(table->allocate_host(device, 10 * kMebi - 1000, &again));
  EXPECT_EQ(again, block);
  table->release_host(device, again);
  ok(table->empty_cache(device));
  fake.pinnable = fake.pinned;
  ok(table->allocate_host(device, kMebi, &block));
  EXPECT_EQ(block, nullptr);
  fake.pinnable = size_t{1} << 30;
}

TEST_F(CudaHost, TheCurrentDeviceStays) {
  open(0);
  ASSERT_EQ(cudaSetDevice(2), cudaSuccess);
  void* block = allocate(100);
  ok(table->zero(device, block, 100));
  table->release(device, block);
  EXPECT_EQ(table->run(device, 1, nullptr), kDeviceOutOfMemory);
  int now = -1;
  cudaGetDevice(&now);
  EXPECT_EQ(now, 2);
  open(1);
  cudaGetDevice(&now);
  EXPECT_EQ(now, 2);
  cudaSetDevice(0);
}

// The current device of a thread that never chose one is device 0.
TEST_F(CudaHost, NoContextIsCreatedOnOtherDevices) {
  open(3);
  const bool before = std::exchange(fake.has_context[0], false);
  std::thread([&] {
    void* block = allocate(100);
    ok(table->zero(device, block, 100));
    table->release(device, block);
  }).join();
  EXPECT_FALSE(fake.has_context[0]);
  fake.has_context[0] = before;
}

TEST_F(CudaHost, PropertiesOpenNothing) {
  const int contexts = fake.contexts;
  DeviceProperties properties;
  ok(table->properties(2, &properties));
  EXPECT_STREQ(properties.name, "Fake");
  EXPECT_EQ(fake.contexts, contexts);
}

TEST_F(CudaHost, KernelsThatDoNotRun) {
  fake.kernel_error = cudaErrorUnsupportedPtxVersion;
  void* none = nullptr;
  EXPECT_EQ(table->open(2, &none), kDeviceFailed);
  EXPECT_NE(std::string(table->message()).find("driver is too old"), std::string::npos)
      << table->message();
  EXPECT_NE(std::string(table->message()).find("90-real"), std::string::npos) << table->message();
  fake.kernel_error = cudaErrorNoKernelImageForDevice;
  EXPECT_EQ(table->open(2, &none), kDeviceFailed);
  EXPECT_NE(std::string(table->message()).find("no kernels for Fake"), std::string::npos);
  fake.kernel_error = cudaErrorECCUncorrectable;
  EXPECT_EQ(table->open(2, &none), kDeviceFailed);
  EXPECT_NE(std::string(table->message()).find("can no longer use"), std::string::npos);
}

TEST_F(CudaHost, CopiesBetweenDevices) {
  constexpr size_t kBytes = 1000;
  void *second = nullptr, *from = nullptr;
  open(0);
  ok(table->open(1, &second));
  ok(table->allocate(second, kBytes, 0, &from));
  std::vector<char> host(kBytes, 4);
  ok(table->copy(second, CopyKind::host_to_device, from, host.data(), kBytes));
  void* to = allocate(kBytes);
  ok(table->copy_peer(device, to, second, from, kBytes));
  ok(table->zero(second, from, kBytes));
  EXPECT_EQ(read(to, kBytes), host);
  table->release(second, from);
  table->release(device, to);
}

// Other code in the process queues work in a stream of its own and in the device's.
TEST_F(CudaHost, StreamsOfOtherCode) {
  open(0);
  EXPECT_EQ(table->dlpack_type, kDLCUDA);
  char* block = static_cast<char*>(allocate(2));
  ok(table->zero(device, block, 2));
  ok(table->synchronize(device));
  cudaStream_t own = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking), cudaSuccess);
  auto* stream = static_cast<cudaStream_t>(table->stream(device));
  ASSERT_TRUE(stream);
  ASSERT_EQ(cudaMemsetAsync(block, 5, 1, stream), cudaSuccess);
  ASSERT_EQ(cudaMemsetAsync(block + 1, 6, 1, own), cudaSuccess);
  EXPECT_EQ(block[1], 0);
  ok(table->finish(device));
  EXPECT_EQ(block[1], 6);
  EXPECT_EQ(read(block, 2), (std::vector<char>{5, 6}));
  EXPECT_EQ(cudaStreamDestroy(own), cudaSuccess);
  table->release(device, block);
}

TEST_F(CudaHost, AChildProcessCannotUseTheDevice) {
  open(0);
  void *pinned = nullptr, *used = allocate(kMebi), *upload = nullptr, *pull = nullptr;
  ok(table->allocate_host(device, kMebi, &pinned));
  ok(table->upload(device, used, pinned, kMebi, 0, &upload));
  ok(table->copy_async(device, CopyKind::device_to_host, pinned, used, kMebi, 0, &pull));
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    void* block = nullptr;
    const bool failed = table->allocate(device, 100, 0, &block) == kDeviceFailed &&
                        table->wait(device, pull) == kDeviceFailed;
    if (!failed || !std::strstr(table->message(), "before fork()")) _exit(1);
    // The child may write its copy of memory that the parent copies to the device.
    _exit(table->wait(device, upload) == kDeviceOk ? 0 : 2);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  for (void* event : {upload, pull}) {
    ok(table->wait(device, event));
    table->release_event(device, event);
  }
  table->release_host(device, pinned);
  table->release(device, used);
  table->release(device, allocate(100));
}

}  // namespace
}  // namespace th
