// Memory that moves between the host and a device, as C programs see it: what Caffe documents of
// its SyncedMemory, for blocks of bytes and for storages.

#include <gtest/gtest.h>

#include <csetjmp>
#include <cstring>
#include <tuple>

#include "backend/device_list.h"
#include "soft_devices.h"
#include "tensor/storage.h"

namespace th {
namespace {

constexpr size_t kBytes = 64;

// The same functions of THSyncedMemory and of storages.
struct Api {
  const char* name;
  void* (*make)();
  void (*release)(void*);
  THSyncedHead (*head)(void*);
  const void* (*cpu_data)(void*);
  void* (*mutable_cpu_data)(void*);
  void* (*overwrite_cpu_data)(void*);
  const void* (*gpu_data)(void*);
  void* (*mutable_gpu_data)(void*);
  void* (*overwrite_gpu_data)(void*);
  void (*set_cpu_data)(void*, void*);
  void (*set_gpu_data)(void*, void*);
  void (*async_gpu_push)(void*);
  void (*to)(void*, const char*);
};

#define TEST_API(Class, Element, create)                                                    \
  {                                                                                         \
#Class, []() -> void* { return create; },                                                 \
        [](void* m) { Class##_free(static_cast<Class*>(m)); },                                \
        [](void* m) { return Class##_head(static_cast<Class*>(m)); },                         \
        [](void* m) -> const void* { return Class##_cpuData(static_cast<Class*>(m)); },       \
        [](void* m) -> void* { return Class##_mutableCpuData(static_cast<Class*>(m)); },      \
        [](void* m) -> void* { return Class##_overwriteCpuData(static_cast<Class*>(m)); },    \
        [](void* m) -> const void* { return Class##_gpuData(static_cast<Class*>(m)); },       \
        [](void* m) -> void* { return Class##_mutableGpuData(static_cast<Class*>(m)); },      \
        [](void* m) -> void* { return Class##_overwriteGpuData(static_cast<Class*>(m)); },    \
        [](void* m, void* p) {                                                                \
          Class##_setCpuData(static_cast<Class*>(m), static_cast<Element*>(p));               \
        },                                                                                    \
        [](void* m, void* p) {                                                                \
          Class##_setGpuData(static_cast<Class*>(m), static_cast<Element*>(p));               \
        },                                                                                    \
        [](void* m) { Class##_asyncGpuPush(static_cast<Class*>(m)); },                        \
        [](void* m, const char* device) { Class##_to(static_cast<Class*>(m), device); }, \
  }

// Like storages of Lua, without memory until the first access.
const Api apis[] = {
    TEST_API(THSyncedMemory, void, THSyncedMemory_new(kBytes)),
    TEST_API(THFloatStorage, float, storage_new(DType::Float, kBytes / 4)),
    TEST_API(THByteStorage, unsigned char, storage_new(DType::Byte, kBytes)),
    TEST_API(THHalfStorage, THHalf, storage_new(DType::Half, kBytes / 2)),
};

// Memory of an api for as long as the object lives.
class Memory {
 public:
  explicit Memory(const Api& api) : api_(api), memory_(api.make()) {}
  ~Memory() { api_.release(memory_); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  THSyncedHead head() const { return api_.head(memory_); }
  const void* cpu_data() { return api_.cpu_data(memory_); }
  char* mutable_cpu_data() { return static_cast<char*>(api_.mutable_cpu_data(memory_)); }
  char* overwrite_cpu_data() { return static_cast<char*>(api_.overwrite_cpu_data(memory_)); }
  const void* gpu_data() { return api_.gpu_data(memory_); }
  void* mutable_gpu_data() { return api_.mutable_gpu_data(memory_); }
  void* overwrite_gpu_data() { return api_.overwrite_gpu_data(memory_); }
  void set_cpu_data(void* data) { api_.set_cpu_data(memory_, data); }
  void set_gpu_data(void* data) { api_.set_gpu_data(memory_, data); }
  void async_gpu_push() { api_.async_gpu_push(memory_); }
  void to(const char* device) { api_.to(memory_, device); }

  void bring_to(THSyncedHead head) {
    if (head == TH_HEAD_AT_CPU) mutable_cpu_data();
    if (head == TH_HEAD_AT_GPU) mutable_gpu_data();
    if (head == TH_SYNCED) {
      mutable_cpu_data();
      gpu_data();
    }
    ASSERT_EQ(this->head(), head);
  }
  void fill_on_gpu(char value) {
    std::vector<char> bytes(kBytes, value);
    find_device("soft")->copy_to_device(mutable_gpu_data(), bytes.data(), kBytes);
  }

 private:
  const Api& api_;
  void* memory_;
};

::testing::AssertionResult all_are(const void* bytes, char value) {
  for (size_t i = 0; i < kBytes; ++i) {
    char found = static_cast<const char*>(bytes)[i];
    if (found != value) {
      return ::testing::AssertionFailure()
             << "byte " << i << " is " << int{found} << ", not " << int{value};
    }
  }
  return ::testing::AssertionSuccess();
}
::testing::AssertionResult all_on_gpu_are(const void* block, char value) {
  return all_are(bytes_on("soft", block, kBytes).data(), value);
}

class SyncedStorage : public testing::TestWithParam<std::tuple<int, SoftMode>> {
 protected:
  void SetUp() override { set_soft_mode(std::get<1>(GetParam())); }
  void TearDown() override { set_soft_mode(SoftMode::eager); }
  const Api& api = apis[std::get<0>(GetParam())];
  Memory memory{api};
};

TEST_P(SyncedStorage, StartsWithoutMemory) {
  int64_t blocks, after;
  THMemoryUsage(nullptr, &blocks);
  int64_t used = used_on("soft");
  Memory fresh(api);
  EXPECT_EQ(fresh.head(), TH_UNINITIALIZED);
  THMemoryUsage(nullptr, &after);
  EXPECT_EQ(after, blocks);
  EXPECT_EQ(used_on("soft"), used);
}

TEST(SyncedStorageOfC, HasItsMemoryAtOnce) {
  int64_t blocks, after;
  THMemoryUsage(nullptr, &blocks);
  THFloatStorage* s = THFloatStorage_newWithSize(16);
  THMemoryUsage(nullptr, &after);
  EXPECT_EQ(after, blocks + 1);
  EXPECT_EQ(THFloatStorage_head(s), TH_HEAD_AT_CPU);
  ASSERT_NE(s->data, nullptr);
  for (int k = 0; k < 16; ++k) EXPECT_EQ(s->data[k], 0);
  EXPECT_EQ(s->data, THFloatStorage_data(s));
  THFloatStorage_free(s);
}

TEST_P(SyncedStorage, GivesPointersOfBothSides) {
  EXPECT_NE(memory.cpu_data(), nullptr);
  EXPECT_NE(memory.gpu_data(), nullptr);
  EXPECT_NE(memory.mutable_cpu_data(), nullptr);
  EXPECT_NE(memory.mutable_gpu_data(), nullptr);
}

TEST_P(SyncedStorage, ReadsAsZerosWhereNothingWasWritten) {
  EXPECT_TRUE(all_are(memory.cpu_data(), 0));
  EXPECT_EQ(memory.head(), TH_HEAD_AT_CPU);
  Memory other(api);
  EXPECT_TRUE(all_on_gpu_are(other.gpu_data(), 0));
  EXPECT_EQ(other.head(), TH_HEAD_AT_GPU);
  Memory third(api);
  EXPECT_TRUE(all_on_gpu_are(third.mutable_gpu_data(), 0));
}

TEST_P(SyncedStorage, MovesItsHeadAsDocumented) {
  enum Call { cpu, mutable_cpu, overwrite_cpu, gpu, mutable_gpu, overwrite_gpu };
  struct Case {
    THSyncedHead before;
    Call call;
    THSyncedHead after;
    int to_device, to_host;  // copies
  };
  const Case cases[] = {
      {TH_UNINITIALIZED, cpu, TH_HEAD_AT_CPU, 0, 0},
      {TH_UNINITIALIZED, mutable_cpu, TH_HEAD_AT_CPU, 0, 0},
      {TH_UNINITIALIZED, overwrite_cpu, TH_HEAD_AT_CPU, 0, 0},
      {TH_UNINITIALIZED, gpu, TH_HEAD_AT_GPU, 0, 0},
      {TH_UNINITIALIZED, mutable_gpu, TH_HEAD_AT_GPU, 0, 0},
      {TH_UNINITIALIZED, overwrite_gpu, TH_HEAD_AT_GPU, 0, 0},
      {TH_HEAD_AT_CPU, cpu, TH_HEAD_AT_CPU, 0, 0},
      {TH_HEAD_AT_CPU, mutable_cpu, TH_HEAD_AT_CPU, 0, 0},
      {TH_HEAD_AT_CPU, overwrite_cpu, TH_HEAD_AT_CPU, 0, 0},
      {TH_HEAD_AT_CPU, gpu, TH_SYNCED, 1, 0},
      {TH_HEAD_AT_CPU, mutable_gpu, TH_HEAD_AT_GPU, 1, 0},
      {TH_HEAD_AT_CPU, overwrite_gpu, TH_HEAD_AT_GPU, 0, 0},
      {TH_HEAD_AT_GPU, cpu, TH_SYNCED, 0, 1},
      {TH_HEAD_AT_GPU, mutable_cpu, TH_HEAD_AT_CPU, 0, 1},
      {TH_HEAD_AT_GPU, overwrite_cpu, TH_HEAD_AT_CPU, 0, 0},
      {TH_HEAD_AT_GPU, gpu, TH_HEAD_AT_GPU, 0, 0},
      {TH_HEAD_AT_GPU, mutable_gpu, TH_HEAD_AT_GPU, 0, 0},
      {TH_HEAD_AT_GPU, overwrite_gpu, TH_HEAD_AT_GPU, 0, 0},
      {TH_SYNCED, cpu, TH_SYNCED, 0, 0},
      {TH_SYNCED, mutable_cpu, TH_HEAD_AT_CPU, 0, 0},
      {TH_SYNCED, overwrite_cpu, TH_HEAD_AT_CPU, 0, 0},
      {TH_SYNCED, gpu, TH_SYNCED, 0, 0},
      {TH_SYNCED, mutable_gpu, TH_HEAD_AT_GPU, 0, 0},
      {TH_SYNCED, overwrite_gpu, TH_HEAD_AT_GPU, 0, 0},
  };
  for (const Case& c : cases) {
    Memory m(api);
    m.bring_to(c.before);
    THResetDeviceStats();
    const void* calls[] = {nullptr};
    switch (c.call) {
      case cpu:
        calls[0] = m.cpu_data();
        break;
      case mutable_cpu:
        calls[0] = m.mutable_cpu_data();
        break;
      case overwrite_cpu:
        calls[0] = m.overwrite_cpu_data();
        break;
      case gpu:
        calls[0] = m.gpu_data();
        break;
      case mutable_gpu:
        calls[0] = m.mutable_gpu_data();
        break;
      case overwrite_gpu:
        calls[0] = m.overwrite_gpu_data();
        break;
    }
    SCOPED_TRACE("from " + std::to_string(c.before) + " by " + std::to_string(c.call));
    EXPECT_NE(calls[0], nullptr);
    EXPECT_EQ(m.head(), c.after);
    EXPECT_EQ(counters().toDevice.copies, c.to_device);
    EXPECT_EQ(counters().toDevice.bytes, c.to_device * int64_t{kBytes});
    EXPECT_EQ(counters().toHost.copies, c.to_host);
    EXPECT_EQ(counters().toHost.bytes, c.to_host * int64_t{kBytes});
  }
}

TEST_P(SyncedStorage, CarriesWhatTheHostWroteToTheDevice) {
  for (char value : {1, 2}) {
    std::memset(memory.mutable_cpu_data(), value, kBytes);
    EXPECT_EQ(memory.head(), TH_HEAD_AT_CPU);
    EXPECT_TRUE(all_on_gpu_are(memory.gpu_data(), value));
    EXPECT_EQ(memory.head(), TH_SYNCED);
    EXPECT_TRUE(all_are(memory.cpu_data(), value));
  }
}

TEST_P(SyncedStorage, CarriesWhatTheDeviceWroteToTheHost) {
  for (char value : {1, 2}) {
    memory.fill_on_gpu(value);
    EXPECT_EQ(memory.head(), TH_HEAD_AT_GPU);
    EXPECT_TRUE(all_are(memory.cpu_data(), value));
    EXPECT_EQ(memory.head(), TH_SYNCED);
    EXPECT_TRUE(all_on_gpu_are(memory.gpu_data(), value));
  }
}

TEST_P(SyncedStorage, TakesMemoryOfTheHostFromAnyState) {
  for (THSyncedHead head : {TH_UNINITIALIZED, TH_HEAD_AT_CPU, TH_HEAD_AT_GPU, TH_SYNCED}) {
    alignas(64) char mine[kBytes];
    std::memset(mine, 7, kBytes);
    {
      Memory m(api);
      m.bring_to(head);
      m.set_cpu_data(mine);
      EXPECT_EQ(m.head(), TH_HEAD_AT_CPU);
      EXPECT_EQ(m.cpu_data(), mine);
      EXPECT_TRUE(all_on_gpu_are(m.gpu_data(), 7));
      m.fill_on_gpu(8);
      EXPECT_EQ(m.cpu_data(), mine);
      EXPECT_TRUE(all_are(mine, 8));
      // Another block takes its place.
      alignas(64) char other[kBytes] = {};
      m.set_cpu_data(other);
      EXPECT_TRUE(all_on_gpu_are(m.gpu_data(), 0));
      EXPECT_TRUE(all_are(mine, 8));
      m.set_cpu_data(mine);
    }
    EXPECT_TRUE(all_are(mine, 8)) << "the caller's block is left alone";
  }
}

TEST_P(SyncedStorage, TakesMemoryOfTheDeviceFromAnyState) {
  Device* device = find_device("soft");
  void* mine = device->allocate(kBytes);
  int64_t used = used_on("soft");
  for (THSyncedHead head : {TH_UNINITIALIZED, TH_HEAD_AT_CPU, TH_HEAD_AT_GPU, TH_SYNCED}) {
    std::vector<char> bytes(kBytes, 9);
    device->copy_to_device(mine, bytes.data(), kBytes);
    {
      Memory m(api);
      m.bring_to(head);
      m.set_gpu_data(mine);
      EXPECT_EQ(m.head(), TH_HEAD_AT_GPU);
      EXPECT_EQ(m.gpu_data(), mine);
      EXPECT_TRUE(all_are(m.cpu_data(), 9));
      EXPECT_EQ(m.head(), TH_SYNCED);
      std::memset(m.mutable_cpu_data(), 10, kBytes);
      EXPECT_EQ(m.gpu_data(), mine);
    }
    EXPECT_TRUE(all_on_gpu_are(mine, 10)) << "the caller's block is left alone";
    EXPECT_EQ(used_on("soft"), used) << "the memory's own blocks are not";
  }
  device->release(mine);
}

TEST_P(SyncedStorage, RefusesNoMemory) {
  memory.fill_on_gpu(3);
  EXPECT_NE(error_of([&] { memory.set_cpu_data(nullptr); }), "");
  EXPECT_NE(error_of([&] { memory.set_gpu_data(nullptr); }), "");
  EXPECT_EQ(memory.head(), TH_HEAD_AT_GPU);
  EXPECT_TRUE(all_are(memory.cpu_data(), 3));
}

TEST_P(SyncedStorage, IsPushedOnlyFromTheHost) {
  for (THSyncedHead head : {TH_UNINITIALIZED, TH_HEAD_AT_GPU, TH_SYNCED}) {
    Memory m(api);
    m.bring_to(head);
    EXPECT_NE(error_of([&] { m.async_gpu_push(); }), "");
    EXPECT_EQ(m.head(), head);
  }
  std::memset(memory.mutable_cpu_data(), 5, kBytes);
  memory.async_gpu_push();
  EXPECT_EQ(memory.head(), TH_SYNCED);
  EXPECT_TRUE(all_on_gpu_are(memory.gpu_data(), 5));
}

struct Caught {
  jmp_buf escape;
  std::string message;
};

TEST_P(SyncedStorage, TellsTheThreadsHandlerOfErrors) {
  Caught caught;
  auto handler = [](const char* message, void* data) {
    static_cast<Caught*>(data)->message = message;
    longjmp(static_cast<Caught*>(data)->escape, 1);
  };
  THSetErrorHandler(handler, &caught);
  if (setjmp(caught.escape) == 0) {
    memory.async_gpu_push();
    ADD_FAILURE() << "no error";
  }
  EXPECT_NE(caught.message.find("the head is not at the CPU"), std::string::npos) << caught.message;
  if (setjmp(caught.escape) == 0) {
    memory.to("soft:77");
    ADD_FAILURE() << "no error";
  }
  EXPECT_NE(caught.message.find("no device 'soft:77'"), std::string::npos) << caught.message;
  THSetErrorHandler(nullptr, nullptr);
}

TEST_P(SyncedStorage, GivesEverythingBack) {
  int64_t blocks, after;
  int64_t used = used_on("soft");
  THMemoryUsage(nullptr, &blocks);
  for (THSyncedHead head : {TH_UNINITIALIZED, TH_HEAD_AT_CPU, TH_HEAD_AT_GPU, TH_SYNCED}) {
    Memory m(api);
    m.bring_to(head);
    if (head == TH_HEAD_AT_CPU) m.async_gpu_push();
  }
  THMemoryUsage(nullptr, &after);
  EXPECT_EQ(after, blocks);
  EXPECT_EQ(used_on("soft"), used);
}

INSTANTIATE_TEST_SUITE_P(Apis, SyncedStorage,
                         testing::Combine(testing::Range(0, int{std::size(apis)}),
                                          testing::Values(SoftMode::eager, SoftMode::lazy)),
                         [](const auto& info) {
                           return std::string(apis[std::get<0>(info.param)].name) +
                                  (std::get<1>(info.param) == SoftMode::lazy ? "Lazy" : "Eager");
                         });

}  // namespace
}  // namespace th
