// The CUDA plugin as libTH uses it: it loads without a driver and reports that. With a GPU its
// table of functions works as specified. TENSOR_CUDA_PLUGIN names another file than that of the
// build. Only for builds with the plugin.

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "backend/calls.h"
#include "backend/table.h"

namespace {

using namespace th;

const DeviceTable* load() {
  const char* chosen = std::getenv("TENSOR_CUDA_PLUGIN");
  void* library = dlopen(chosen && *chosen ? chosen : TH_CUDA_PLUGIN_FILE, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    ADD_FAILURE() << dlerror();
    return nullptr;
  }
  using Entry = const DeviceTable* (*)();
  Entry entry = reinterpret_cast<Entry>(dlsym(library, "th_device_table"));
  return entry ? entry() : nullptr;
}

class CudaPlugin : public ::testing::Test {
 protected:
  void SetUp() override {
    table = load();
    ASSERT_TRUE(table);
  }
  const DeviceTable* table = nullptr;
};

TEST_F(CudaPlugin, TableIsComplete) {
  EXPECT_EQ(table->abi, kDeviceAbi);
  EXPECT_EQ(table->bytes, sizeof(DeviceTable));
  EXPECT_STREQ(table->kind, "cuda");
  // Nothing but functions follows the kind.
  const char* bytes = reinterpret_cast<const char*>(table);
  for (size_t at = offsetof(DeviceTable, message); at < sizeof(DeviceTable); at += sizeof(void*)) {
    void* function;
    std::memcpy(&function, bytes + at, sizeof function);
    EXPECT_TRUE(function) << "at byte " << at;
  }
}

TEST_F(CudaPlugin, DeclinesWithoutADriver) {
  int devices = -1;
  if (table->count(&devices) == kDeviceOk) {
    EXPECT_GT(devices, 0);
    GTEST_SKIP() << "there is a GPU";
  }
  EXPECT_EQ(devices, 0);
  std::string said = table->message();
  EXPECT_EQ(said.find("CUDA: "), 0u) << said;
  EXPECT_TRUE(said.find("driver") != std::string::npos) << said;
  void* device = nullptr;
  EXPECT_EQ(table->open(0, &device), kDeviceFailed);
  EXPECT_EQ(device, nullptr);
  EXPECT_EQ(table->message(), said);
}

TEST_F(CudaPlugin, MessagesAreTheThreadsOwn) {
  int devices = 0;
  if (table->count(&devices) == kDeviceOk) GTEST_SKIP() << "there is a GPU";
  std::string other = "unset";
  std::thread([&] { other = table->message(); }).join();
  EXPECT_EQ(other, "");
  EXPECT_NE(std::string(table->message()), "");
}

// These tests need a GPU.
class CudaDevices : public CudaPlugin {
 protected:
  void SetUp() override {
    CudaPlugin::SetUp();
    if (HasFatalFailure()) return;
    if (table->count(&devices) != kDeviceOk) GTEST_SKIP() << table->message();
    expect_ok(table->open(0, &device));
  }
  void expect_ok(int status) { ASSERT_EQ(status, kDeviceOk) << table->message(); }
  std::vector<char> read(const void* block, size_t bytes) {
    std::vector<char> host(bytes, 1);
    expect_ok(table->copy(device, CopyKind::device_to_host, host.data(), block, bytes));
    return host;
  }

  int devices = 0;
  void* device = nullptr;
};

TEST_F(CudaDevices, OpensOnce) {
  void* again = nullptr;
  expect_ok(table->open(0, &again));
  EXPECT_EQ(again, device);
  void* none = nullptr;
  EXPECT_EQ(table->open(devices, &none), kDeviceFailed);
  EXPECT_NE(std::string(table->message()).find("there is no device"), std::string::npos);
  DeviceProperties properties;
  expect_ok(table->properties(0, &properties));
  EXPECT_GT(std::strlen(properties.name), 0u);
  EXPECT_GT(properties.total_memory, 0);
  EXPECT_GT(properties.major, 0);
  EXPECT_GT(properties.multiprocessors, 0);
}

TEST_F(CudaDevices, CopiesAndZeroes) {
  // Below and above what is staged.
  for (size_t bytes : {size_t{1}, size_t{4096}, size_t{3} << 20}) {
    void *a = nullptr, *b = nullptr;
    expect_ok(table->allocate(device, bytes, 0, &a));
    expect_ok(table->allocate(device, bytes, 0, &b));
    EXPECT_EQ(reinterpret_cast<uintptr_t>(a) % 256, 0u);
    std::vector<char> host(bytes);
    for (size_t i = 0; i < bytes; ++i) host[i] = static_cast<char>(i * 7 + 3);
    for (int round = 0; round < 40; ++round) {
      host[0] = static_cast<char>(round);
      expect_ok(table->copy(device, CopyKind::host_to_device, a, host.data(), bytes));
      expect_ok(table->copy(device, CopyKind::device_to_device, b, a, bytes));
    }
    EXPECT_EQ(read(b, bytes), host);
    expect_ok(table->zero(device, b, bytes));
    EXPECT_EQ(read(b, bytes), std::vector<char>(bytes, 0));
    table->release(device, a);
    table->release(device, b);
  }
}

TEST_F(CudaDevices, AsynchronousCopies) {
  constexpr size_t kBytes = size_t{16} << 20;
  void *block = nullptr, *other = nullptr, *pinned = nullptr, *event = nullptr;
  expect_ok(table->allocate(device, kBytes, 0, &block));
  expect_ok(table->allocate(device, kBytes, 0, &other));
  expect_ok(table->allocate_host(device, kBytes, &pinned));
  std::memset(pinned, 42, kBytes);
  expect_ok(table->copy_async(device, CopyKind::host_to_device, block, pinned, kBytes, 0, &event));
  expect_ok(table->order(device, event));
  table->release_event(device, event);
  // Sees the copy, since it was ordered after it.
  expect_ok(table->copy(device, CopyKind::device_to_device, other, block, kBytes));
  expect_ok(table->copy_async(device, CopyKind::device_to_host, pinned, other, kBytes, 0, &event));
  expect_ok(table->wait(device, event));
  table->release_event(device, event);
  EXPECT_EQ(static_cast<char*>(pinned)[kBytes - 1], 42);
  table->release_host(device, pinned);
  void* again = nullptr;
  expect_ok(table->allocate_host(device, kBytes - 5, &again));
  EXPECT_EQ(again, pinned) << "pinned memory is kept";
  table->release_host(device, again);
  table->release(device, block);
  table->release(device, other);
  expect_ok(table->synchronize(device));
}

TEST_F(CudaDevices, Uploads) {
  constexpr size_t kBytes = size_t{16} << 20;
  void *pinned = nullptr, *work = nullptr;
  expect_ok(table->allocate_host(device, kBytes, &pinned));
  expect_ok(table->allocate(device, kBytes, 0, &work));
  std::vector<char> pageable(kBytes);
  for (int round = 0; round < 20; ++round) {
    for (int is_new : {0, 1}) {
      for (char* host : {static_cast<char*>(pinned), pageable.data()}) {
        void *block = nullptr, *event = nullptr;
        expect_ok(table->allocate(device, kBytes, is_new, &block));
        if (!is_new) expect_ok(table->zero(device, block, kBytes));
        expect_ok(table->zero(device, work, kBytes));
        const char value = static_cast<char>(4 * round + 2 * is_new + (host == pinned) + 1);
        std::memset(host, value, kBytes);
        expect_ok(table->upload(device, block, host, kBytes, is_new, &event));
        EXPECT_EQ(event != nullptr, host == pinned);
        if (event) expect_ok(table->wait(device, event));
        if (event) table->release_event(device, event);
        std::memset(host, 0, kBytes);
        expect_ok(table->copy(device, CopyKind::device_to_device, work, block, kBytes));
        table->release(device, block);
        // Into pageable memory, which changes at wait().
        std::vector<char> got(kBytes);
        expect_ok(table->copy_async(device, CopyKind::device_to_host, got.data(), work, kBytes, 0,
                                    &event));
        expect_ok(table->wait(device, event));
        table->release_event(device, event);
        ASSERT_EQ(got, std::vector<char>(kBytes, value));
      }
    }
  }
  table->release(device, work);
  table->release_host(device, pinned);
}

TEST_F(CudaDevices, RunsKernels) {
  constexpr int64_t n = 100003;
  void* block = nullptr;
  expect_ok(table->allocate(device, n * sizeof(float), 0, &block));
  GenerateCall call = {};
  call.dtype = DType::Float;
  call.a = Scalar(int64_t{5});
  call.b = Scalar(int64_t{2});
  call.n = n;
  call.out = static_cast<char*>(block);
  expect_ok(table->run(device, static_cast<int>(BackendOp::generate), &call));
  const std::vector<char> bytes = read(block, n * sizeof(float));
  std::vector<float> got(n);
  std::memcpy(got.data(), bytes.data(), bytes.size());
  for (int64_t i = 0; i < n; ++i) ASSERT_EQ(got[i], static_cast<float>(5 + 2 * i));
  table->release(device, block);
}

TEST_F(CudaDevices, MemoryIsKeptAndGivenBack) {
  constexpr size_t kBytes = size_t{64} << 20;
  DeviceUsage before, during, after, emptied;
  expect_ok(table->empty_cache(device));
  expect_ok(table->usage(device, &before));
  void* block = nullptr;
  expect_ok(table->allocate(device, kBytes, 0, &block));
  expect_ok(table->usage(device, &during));
  EXPECT_GE(during.in_use, before.in_use + static_cast<int64_t>(kBytes));
  table->release(device, block);
  expect_ok(table->synchronize(device));
  expect_ok(table->usage(device, &after));
  EXPECT_GE(after.cached, before.cached + static_cast<int64_t>(kBytes));
  expect_ok(table->empty_cache(device));
  expect_ok(table->usage(device, &emptied));
  EXPECT_LT(emptied.cached, after.cached);
}

TEST_F(CudaDevices, OutOfMemoryIsNoEnd) {
  DeviceProperties properties;
  expect_ok(table->properties(0, &properties));
  void* block = nullptr;
  size_t bytes = static_cast<size_t>(properties.total_memory) * 2;
  EXPECT_EQ(table->allocate(device, bytes, 0, &block), kDeviceOutOfMemory);
  EXPECT_NE(std::string(table->message()).find("MiB requested"), std::string::npos);
  expect_ok(table->allocate(device, 1024, 0, &block));
  expect_ok(table->zero(device, block, 1024));
  expect_ok(table->synchronize(device));
  table->release(device, block);
  DeviceAssertion assertion;
  table->assertion(device, &assertion);
  EXPECT_EQ(assertion.check, 0u);
}

TEST_F(CudaDevices, CopiesBetweenDevices) {
  if (devices < 2) GTEST_SKIP() << "there is one GPU";
  void *second = nullptr, *from = nullptr, *to = nullptr;
  constexpr size_t kBytes = size_t{5} << 20;
  expect_ok(table->open(1, &second));
  expect_ok(table->allocate(second, kBytes, 0, &from));
  expect_ok(table->allocate(device, kBytes, 0, &to));
  std::vector<char> host(kBytes, 9);
  expect_ok(table->copy(second, CopyKind::host_to_device, from, host.data(), kBytes));
  expect_ok(table->copy_peer(device, to, second, from, kBytes));
  table->release(second, from);
  EXPECT_EQ(read(to, kBytes), host);
  table->release(device, to);
}

}  // namespace
