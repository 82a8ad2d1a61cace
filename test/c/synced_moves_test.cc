// Copies and their times: parts of storages, copies in progress, several devices, sizes that
// change, and devices without free memory.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <memory>
#include <utility>

#include "backend/device_list.h"
#include "soft_devices.h"
#include "tensor/storage.h"

namespace th {
namespace {

struct FreeTensor {
  void operator()(THFloatTensor* t) const { THFloatTensor_free(t); }
};
using FloatTensor = std::unique_ptr<THFloatTensor, FreeTensor>;

FloatTensor vector(int64_t n, float value) {
  FloatTensor t(THFloatTensor_newWithSize1d(n));
  THFloatTensor_fill(t.get(), value);
  return t;
}
FloatTensor vector_on(const char* device, int64_t n, float value) {
  FloatTensor t = vector(n, value);
  THFloatTensor_to(t.get(), device);
  THSynchronize(device);
  THResetDeviceStats();
  return t;
}
FloatTensor part(const FloatTensor& t, int64_t first, int64_t size) {
  return FloatTensor(THFloatTensor_newNarrow(t.get(), 0, first, size));
}

class Moves : public OnSoftDevices {};

// ---- what moves ----

TEST_P(Moves, OnlyThePartThatTheHostWroteGoesToTheDevice) {
  FloatTensor t = vector_on("soft", 1000, 1);
  FloatTensor view = part(t, 100, 10);
  float* p = THFloatTensor_data(view.get());
  EXPECT_EQ(counters().toHost.copies, 0) << "both sides were up to date";
  for (int i = 0; i < 10; ++i) p[i] = 2;
  THFloatTensor_mul(t.get(), t.get(), 3);
  EXPECT_EQ(counters().toDevice.bytes, 40);
  EXPECT_EQ(THFloatTensor_sumall(t.get()), 990 * 3 + 10 * 6);
  EXPECT_EQ(THDeviceFallbacks("mul"), 0);
}

TEST_P(Moves, APartThatWasWrittenDoesNotStandForAll) {
  FloatTensor t = vector_on("soft", 1000, 1);
  FloatTensor first = part(t, 0, 10);
  THFloatTensor_data(first.get())[0] = 2;
  THFloatStorage_data(t->storage)[500] = 4;
  THFloatTensor_mul(t.get(), t.get(), 10);
  EXPECT_EQ(THFloatTensor_sumall(t.get()), 10 * (998 + 2 + 4));
}

TEST_P(Moves, OnlyThePartThatTheDeviceWroteGoesToTheHost) {
  FloatTensor t = vector_on("soft", 1000, 1);
  FloatTensor view = part(t, 500, 20);
  THFloatTensor_mul(view.get(), view.get(), 5);
  const float* p = THFloatStorage_cpuData(t->storage);
  EXPECT_EQ(counters().toHost.copies, 1);
  EXPECT_EQ(counters().toHost.bytes, 80);
  EXPECT_EQ(p[499], 1);
  EXPECT_EQ(p[500], 5);
  EXPECT_EQ(p[519], 5);
  EXPECT_EQ(p[520], 1);
}

TEST_P(Moves, RangesOfBytesMoveAlone) {
  THSyncedMemory* m = THSyncedMemory_new(4096);
  THSyncedMemory_to(m, "soft");
  memset(THSyncedMemory_overwriteCpuData(m), 1, 4096);
  THSyncedMemory_gpuData(m);
  THResetDeviceStats();
  auto* range = static_cast<char*>(THSyncedMemory_mutableCpuRange(m, 100, 8));
  EXPECT_EQ(range, static_cast<const char*>(THSyncedMemory_cpuData(m)) + 100);
  memset(range, 2, 8);
  memset(THSyncedMemory_mutableCpuRange(m, 120, 4), 3, 4);
  const void* block = THSyncedMemory_gpuData(m);
  // From the first byte written to the last one.
  EXPECT_EQ(counters().toDevice.bytes, 24);
  std::vector<char> bytes = bytes_on("soft", block, 4096);
  EXPECT_EQ(bytes[99], 1);
  EXPECT_EQ(bytes[107], 2);
  EXPECT_EQ(bytes[110], 1);
  EXPECT_EQ(bytes[123], 3);
  THResetDeviceStats();
  std::vector<char> sixteen(16, 4);
  find_device("soft")->copy_to_device(THSyncedMemory_mutableGpuRange(m, 4080, 16), sixteen.data(),
                                      16);
  EXPECT_EQ(static_cast<const char*>(THSyncedMemory_cpuData(m))[4095], 4);
  EXPECT_EQ(counters().toHost.bytes, 16);
  EXPECT_NE(error_of([&] { THSyncedMemory_mutableCpuRange(m, 4090, 7); }), "");
  EXPECT_NE(error_of([&] { THSyncedMemory_mutableGpuRange(m, 5000, 0); }), "");
  THSyncedMemory_free(m);
}

TEST_P(Moves, AResultThatIsOverwrittenIsNotCopiedBefore) {
  FloatTensor a = vector_on("soft", 1000, 2), r = vector(1000, 7);
  THFloatTensor_to(r.get(), "soft");
  THFloatTensor_data(r.get());  // the host may have written it
  THResetDeviceStats();
  THFloatTensor_exp(r.get(), a.get());
  EXPECT_EQ(counters().toDevice.copies, 0);
  EXPECT_FLOAT_EQ(THFloatTensor_get1d(r.get(), 999), std::exp(2.0f));
}

TEST_P(Moves, SingleElementsAreReadAndWrittenWhereTheyAre) {
  FloatTensor t = vector_on("soft", 20000, 1);
  THFloatTensor_mul(t.get(), t.get(), 2);
  EXPECT_EQ(THFloatTensor_get1d(t.get(), 7), 2);
  EXPECT_EQ(THFloatStorage_get(t->storage, 8), 2);
  EXPECT_EQ(counters().toHost.bytes, 8);
  THFloatTensor_set1d(t.get(), 7, 30);
  THFloatStorage_set(t->storage, 8, 40);
  EXPECT_EQ(THFloatStorage_head(t->storage), TH_HEAD_AT_GPU);
  EXPECT_EQ(counters().toDevice.bytes + counters().toHost.bytes, 8);
  EXPECT_EQ(THFloatTensor_get1d(t.get(), 7), 30);
  EXPECT_EQ(THFloatTensor_get1d(t.get(), 8), 40);
  // One after the other they all are: then they come together.
  float sum = 0;
  for (int i = 0; i < 20000; ++i) sum += THFloatTensor_get1d(t.get(), i);
  EXPECT_EQ(sum, 19998 * 2 + 70);
  EXPECT_LT(counters().toHost.copies, 30);
}

TEST_P(Moves, APointerOfTheHostMakesTheDevicesCopyStale) {
  FloatTensor t = vector_on("soft", 4, 1);
  float* p = THFloatStorage_data(t->storage);
  EXPECT_EQ(THFloatStorage_head(t->storage), TH_HEAD_AT_CPU);
  p[2] = 9;
  EXPECT_STREQ(THFloatStorage_device(t->storage), "gpu:1");
  THFloatTensor_mul(t.get(), t.get(), 2);
  EXPECT_EQ(THFloatStorage_head(t->storage), TH_HEAD_AT_GPU);
  EXPECT_EQ(THFloatTensor_get1d(t.get(), 2), 18);
  EXPECT_EQ(THFloatTensor_data(t.get())[3], 2);
}

TEST_P(Moves, ViewsMoveTogether) {
  FloatTensor t = vector(100, 1);
  FloatTensor view = part(t, 10, 10);
  THFloatTensor_to(view.get(), "soft");
  EXPECT_STREQ(THFloatTensor_device(t.get()), "gpu:1");
  THFloatTensor_fill(view.get(), 3);
  EXPECT_EQ(THFloatTensor_sumall(t.get()), 120);
  THFloatTensor_to(t.get(), "cpu");
  EXPECT_STREQ(THFloatTensor_device(view.get()), "cpu");
  EXPECT_EQ(THFloatStorage_head(t->storage), TH_HEAD_AT_CPU);
  EXPECT_EQ(THFloatTensor_sumall(t.get()), 120);
}

// ---- copies that are under way ----

TEST_P(Moves, WhatWasPushedArrivesBeforeItIsUsed) {
  FloatTensor t = vector(1000, 4), r(THFloatTensor_new());
  THFloatStorage_asyncGpuPush(t->storage);
  EXPECT_EQ(THFloatStorage_head(t->storage), TH_SYNCED);
  EXPECT_STREQ(THFloatStorage_device(t->storage), "cpu") << "the current device stays";
  THFloatTensor_to(r.get(), "soft");
  THFloatTensor_to(t.get(), "soft");
  THFloatTensor_sqrt(r.get(), t.get());
  EXPECT_EQ(THFloatTensor_sumall(r.get()), 2000);
  EXPECT_EQ(counters().toDevice.bytes, 4000) << "pushed once";
}

TEST_P(Moves, TheHostDoesNotWriteWhatIsBeingPushed) {
  FloatTensor t = vector(1000, 4);
  THFloatStorage_asyncGpuPush(t->storage);
  const void* block = nullptr;
  // Reading does not wait, writing does.
  EXPECT_EQ(THFloatStorage_cpuData(t->storage)[0], 4);
  THFloatStorage_mutableCpuData(t->storage)[0] = 5;
  EXPECT_EQ(THFloatStorage_head(t->storage), TH_HEAD_AT_CPU);
  block = THFloatStorage_gpuData(t->storage);
  EXPECT_EQ(floats_on("soft", static_cast<const float*>(block), 2), (std::vector<float>{5, 4}));
}

TEST_P(Moves, WhatIsPulledWaitsForTheWorkBefore) {
  FloatTensor t = vector_on("soft", 1000, 3);
  THFloatTensor_mul(t.get(), t.get(), 2);
  THFloatTensor_prefetch(t.get(), "cpu");
  EXPECT_EQ(THFloatStorage_head(t->storage), TH_SYNCED);
  EXPECT_EQ(THFloatStorage_cpuData(t->storage)[999], 6);
  EXPECT_EQ(counters().toHost.bytes, 4000);
  // Work that is queued while the copy is under way does not get into it.
  THFloatTensor_mul(t.get(), t.get(), 2);
  THFloatTensor_prefetch(t.get(), "cpu");
  THFloatTensor_fill(t.get(), 1);
  EXPECT_EQ(THFloatStorage_head(t->storage), TH_HEAD_AT_GPU);
  EXPECT_EQ(THFloatTensor_sumall(t.get()), 1000);
}

TEST_P(Moves, ACopyCanBeWaitedFor) {
  THSyncedMemory* m = THSyncedMemory_new(64);
  THSyncedMemory_to(m, "soft");
  memset(THSyncedMemory_mutableCpuData(m), 6, 64);
  THSyncedMemory_asyncGpuPush(m);
  THSyncedMemory_wait(m);
  EXPECT_EQ(THSyncedMemory_head(m), TH_SYNCED);
  EXPECT_EQ(bytes_on("soft", THSyncedMemory_mutableGpuData(m), 64)[63], 6);
  EXPECT_NE(error_of([&] { THSyncedMemory_asyncGpuPush(m); }), "");
  THSyncedMemory_asyncCpuPull(m);
  EXPECT_EQ(THSyncedMemory_head(m), TH_SYNCED);
  THSyncedMemory_wait(m);
  EXPECT_EQ(static_cast<const char*>(THSyncedMemory_cpuData(m))[63], 6);
  EXPECT_NE(error_of([&] { THSyncedMemory_asyncCpuPull(m); }), "");
  THSyncedMemory_free(m);
}

TEST_P(Moves, CopiesUnderWayEndWithTheirMemory) {
  int64_t used = used_on("soft");
  for (int round = 0; round < 3; ++round) {
    FloatTensor t = vector(1000, 1);
    THFloatStorage_asyncGpuPush(t->storage);
    if (round == 1) THFloatStorage_resize(t->storage, 2000);
    if (round == 2) THFloatTensor_to(t.get(), "soft:2");
    EXPECT_EQ(THFloatTensor_sumall(t.get()), 1000);
  }
  EXPECT_EQ(used_on("soft"), used);
}

// ---- several devices ----

TEST_P(Moves, FromOneDeviceToAnother) {
  FloatTensor t = vector_on("soft", 1000, 1);
  THFloatTensor_mul(t.get(), t.get(), 3);
  int64_t used = used_on("soft:1");
  THFloatTensor_to(t.get(), "soft:2");
  EXPECT_STREQ(THFloatTensor_device(t.get()), "gpu:2");
  EXPECT_EQ(counters().betweenDevices.copies, 1);
  EXPECT_EQ(counters().betweenDevices.bytes, 4000);
  EXPECT_EQ(counters().toHost.copies, 0);
  EXPECT_EQ(THFloatStorage_head(t->storage), TH_HEAD_AT_GPU);
  EXPECT_LE(used_on("soft:1"), used - 4000) << "the first device's memory is given back";
  THFloatTensor_mul(t.get(), t.get(), 2);
  EXPECT_EQ(THFloatTensor_sumall(t.get()), 6000);
}

TEST_P(Moves, OperandsOfTwoDevicesMeetOnTheFirst) {
  FloatTensor a = vector_on("soft:1", 1000, 1), b = vector_on("soft:2", 1000, 2);
  FloatTensor r(THFloatTensor_new());
  THFloatTensor_cadd(r.get(), a.get(), 10, b.get());
  EXPECT_STREQ(THFloatTensor_device(r.get()), "gpu:1");
  EXPECT_EQ(THFloatTensor_sumall(r.get()), 21000);
  EXPECT_STREQ(THFloatTensor_device(b.get()), "gpu:2") << "an operand keeps its current device";
  THFloatTensor_cadd(b.get(), b.get(), 1, b.get());
  EXPECT_EQ(THFloatTensor_sumall(b.get()), 4000);
}

TEST_P(Moves, NewTensorsAreAtHomeOnTheDefaultDevice) {
  EXPECT_STREQ(THGetDefaultDevice(), "cpu");
  THSetDefaultDevice("gpu:2");
  EXPECT_STREQ(THGetDefaultDevice(), "gpu:2");
  FloatTensor t = vector(10, 2);
  EXPECT_STREQ(THFloatTensor_device(t.get()), "gpu:2");
  THSyncedMemory* m = THSyncedMemory_new(4);
  EXPECT_STREQ(THSyncedMemory_device(m), "gpu:2");
  THSetDefaultDevice("cpu");
  EXPECT_STREQ(THSyncedMemory_device(m), "gpu:1");
  THSyncedMemory_to(m, "soft:2");
  THSyncedMemory_gpuData(m);
  EXPECT_STREQ(THSyncedMemory_device(m), "gpu:2");
  THSyncedMemory_free(m);
  FloatTensor other = vector(10, 2);
  EXPECT_STREQ(THFloatTensor_device(other.get()), "cpu");
  EXPECT_EQ(THFloatTensor_sumall(t.get()), 20);
}

TEST_P(Moves, BlobsGiveOutMemoryOfTheirHome) {
  THFloatBlob* blob = THFloatBlob_newWithShape4d(1, 1, 2, 5);
  int64_t used = used_on("soft:2");
  THFloatStorage_to(THFloatBlob_dataStorage(blob), "soft:2");
  put_floats("soft:2", THFloatBlob_mutableGpuData(blob), std::vector<float>(10, 3));
  EXPECT_GE(used_on("soft:2"), used + 40);
  EXPECT_EQ(THFloatBlob_asumData(blob), 30);
  std::vector<float> twos(10, 2);
  auto* mine = static_cast<float*>(find_device("soft:2")->allocate(40));
  put_floats("soft:2", mine, twos);
  THFloatBlob_setGpuData(blob, mine);
  EXPECT_EQ(THFloatBlob_gpuData(blob), mine);
  EXPECT_EQ(THFloatBlob_cpuData(blob)[9], 2);
  THFloatBlob_free(blob);
  find_device("soft:2")->release(mine);
}

TEST_P(Moves, DevicesAreListedAndNamed) {
  ASSERT_GE(THDeviceCount(), 2);
  EXPECT_STREQ(THDeviceName(0), "gpu:1");
  EXPECT_STREQ(THDeviceName(1), "gpu:2");
  EXPECT_NE(error_of([] { THDeviceName(-1); }), "");
  THDeviceProperties properties;
  THGetDeviceProperties("gpu:2", &properties);
  EXPECT_STRNE(properties.model, "");
  EXPECT_GT(properties.totalMemory, 0);
  EXPECT_NE(error_of([&] { THGetDeviceProperties("cpu", &properties); }), "");
  std::string message = error_of([] { THSetDefaultDevice("gpu:3"); });
  EXPECT_NE(message.find("no device 'gpu:3'"), std::string::npos) << message;
  EXPECT_NE(message.find("gpu:2"), std::string::npos) << message;
  EXPECT_NE(error_of([] { THSynchronize("potato"); }), "");
  EXPECT_NE(error_of([] { THSetDefaultDevice(nullptr); }), "");
  THSynchronize("cpu");
}

// ---- sizes that change ----

TEST_P(Moves, ResizingOnADeviceKeepsTheElementsThere) {
  FloatTensor t = vector_on("soft", 100, 1);
  THFloatTensor_mul(t.get(), t.get(), 2);
  THFloatTensor_resize1d(t.get(), 1000);
  EXPECT_EQ(THFloatStorage_head(t->storage), TH_HEAD_AT_GPU);
  EXPECT_EQ(counters().toHost.copies + counters().toDevice.copies, 0);
  FloatTensor old = part(t, 0, 100), added = part(t, 100, 900);
  EXPECT_EQ(THFloatTensor_sumall(old.get()), 200);
  EXPECT_EQ(THFloatTensor_sumall(added.get()), 0);
  THFloatStorage_resize(t->storage, 50);
  EXPECT_EQ(THFloatStorage_get(t->storage, 49), 2);
  THFloatStorage_resize(t->storage, 0);
  EXPECT_EQ(THFloatStorage_head(t->storage), TH_UNINITIALIZED);
}

TEST_P(Moves, ResizingKeepsWhatIsUpToDateOnTheHostOnly) {
  FloatTensor t = vector_on("soft", 100, 1);
  THFloatTensor_data(t.get())[5] = 7;
  THFloatTensor_resize1d(t.get(), 200);
  EXPECT_EQ(THFloatTensor_get1d(t.get(), 5), 7);
  THFloatTensor_mul(t.get(), t.get(), 2);
  EXPECT_EQ(THFloatTensor_sumall(t.get()), 2 * (99 + 7));
}

// The next block on the host is the device's, not the heap's as the first one.
TEST_P(Moves, AStorageIsEmptiedAndRefilledAfterADeviceUsedIt) {
  THFloatStorage* s = THFloatStorage_newWithSize(100);
  for (int round = 0; round < 50; ++round) {
    THFloatStorage_gpuData(s);
    THFloatStorage_resize(s, 0);
    EXPECT_EQ(s->data, nullptr);
    THFloatStorage_resize(s, 100);
    THFloatStorage_fill(s, 3);
    THFloatStorage_resize(s, 200);
    EXPECT_EQ(THFloatStorage_get(s, 99), 3);
    EXPECT_EQ(THFloatStorage_get(s, 199), 0);
  }
  THFloatStorage_free(s);
}

TEST_P(Moves, MemoryOfSomeoneElseIsNotResized) {
  FloatTensor t = vector(8, 1);
  float mine[8] = {};
  THFloatStorage_setCpuData(t->storage, mine);
  EXPECT_NE(error_of([&] { THFloatStorage_resize(t->storage, 9); }), "");
  EXPECT_EQ(t->storage->size, 8);
  THFloatTensor_fill(t.get(), 3);
  EXPECT_EQ(mine[7], 3);
}

// ---- memory in use ----

struct Usage {
  int64_t bytes, blocks;
};
Usage usage() {
  Usage now;
  THMemoryUsage(&now.bytes, &now.blocks);
  return now;
}
constexpr ptrdiff_t kFloats = 1000;
constexpr int64_t kFloatBytes = kFloats * sizeof(float);

// Returns a storage whose host block a device allocated.
THFloatStorage* storage_of_device() {
  THFloatStorage* s = THFloatStorage_newWithSize(kFloats);
  THFloatStorage_to(s, "soft");
  THFloatStorage_resize(s, kFloats + 1);  // on the device, which frees the block of the heap
  THFloatStorage_resize(s, kFloats);
  THFloatStorage_to(s, "cpu");
  EXPECT_TRUE(reinterpret_cast<th::Storage*>(s)->memory.is_host_of_device());
  return s;
}

void* no_memory(void*, ptrdiff_t) { return nullptr; }

TEST_P(Moves, HostMemoryOfADeviceIsInUse) {
  float mine[kFloats] = {};
  const struct {
    const char* name;
    int64_t bytes;  // in use afterwards
    std::function<void(THFloatStorage*)> change;
  } cases[] = {
      {"unchanged", kFloatBytes, [](auto*) {}},
      {"emptied", 0, [](auto* s) { THFloatStorage_resize(s, 0); }},
      {"grown", 2 * kFloatBytes, [](auto* s) { THFloatStorage_resize(s, 2 * kFloats); }},
      {"shrunk without memory", kFloatBytes / 2,
       [](auto* s) {
         auto* const allocate = std::exchange(THDefaultAllocator.malloc, no_memory);
         THFloatStorage_resize(s, kFloats / 2);
         THDefaultAllocator.malloc = allocate;
         EXPECT_TRUE(reinterpret_cast<th::Storage*>(s)->memory.is_host_of_device());
       }},
      {"resized on the device", 0,
       [](auto* s) {
         THFloatStorage_to(s, "soft");
         THFloatStorage_resize(s, 2 * kFloats);
       }},
      {"on both sides", kFloatBytes, [](auto* s) { THFloatStorage_asyncGpuPush(s); }},
      {"replaced", 0, [&](auto* s) { THFloatStorage_setCpuData(s, mine); }},
      {"swapped", 2 * kFloatBytes,
       [](auto* s) {
         THFloatStorage* other = THFloatStorage_newWithSize(2 * kFloats);
         THFloatStorage_swap(s, other);
         THFloatStorage_free(other);
       }},
      {"given to the caller", kFloatBytes,
       [](auto* s) { THFloatStorage_clearFlag(s, TH_STORAGE_FREEMEM); }},
      {"given to another storage", kFloatBytes,
       [](auto* s) {
         THFloatStorage_clearFlag(s, TH_STORAGE_FREEMEM);
         THFloatStorage* other = THFloatStorage_newWithData(s->data, s->size);
         THFloatStorage_swap(s, other);
         THFloatStorage_free(other);
       }},
  };
  for (const auto& c : cases) {
    const Usage before = usage();
    THFloatStorage* s = storage_of_device();
    c.change(s);
    EXPECT_EQ(usage().bytes - before.bytes, c.bytes) << c.name;
    EXPECT_EQ(usage().blocks - before.blocks, c.bytes ? 1 : 0) << c.name;
    float* data = s->data;
    const bool given = !(s->flag & TH_STORAGE_FREEMEM);
    THFloatStorage_free(s);
    if (given) THFree(data);
    EXPECT_EQ(usage().bytes, before.bytes) << c.name;
    EXPECT_EQ(usage().blocks, before.blocks) << c.name;
  }
}

// ---- no memory left ----

TEST_P(Moves, WithoutMemoryTensorsStayAsTheyWere) {
  FloatTensor a = vector_on("soft", 1000, 2), host = vector(1 << 20, 3);
  THFloatTensor_mul(a.get(), a.get(), 2);
  THEmptyCache("soft");
  set_soft_memory(1 << 20);

  // To a device that is full: the elements, the head and the current device stay.
  std::string message = error_of([&] { THFloatTensor_to(host.get(), "soft"); });
  EXPECT_NE(message.find("out of memory of gpu:1: 4194304 bytes requested"), std::string::npos)
      << message;
  EXPECT_EQ(THFloatStorage_head(host->storage), TH_HEAD_AT_CPU);
  EXPECT_STREQ(THFloatTensor_device(host.get()), "cpu");
  EXPECT_EQ(THFloatTensor_sumall(host.get()), 3.0 * (1 << 20));

  // A storage that cannot grow keeps its size.
  EXPECT_NE(error_of([&] { THFloatTensor_resize1d(a.get(), 1 << 20); }), "");
  EXPECT_EQ(a->size[0], 1000);
  EXPECT_EQ(a->storage->size, 1000);

  // An operation whose result does not fit leaves its operand.
  FloatTensor column(THFloatTensor_newWithSize2d(2000, 1)), r(THFloatTensor_new());
  THFloatTensor_fill(column.get(), 1);
  THFloatTensor_to(column.get(), "soft");
  EXPECT_NE(error_of([&] { THFloatTensor_cadd(r.get(), column.get(), 1, a.get()); }), "");
  EXPECT_EQ(THFloatTensor_sumall(a.get()), 4000);
  EXPECT_STREQ(THFloatTensor_device(a.get()), "gpu:1");

  set_soft_memory(0);
  THFloatTensor_cadd(r.get(), column.get(), 1, a.get());
  EXPECT_EQ(THFloatTensor_get2d(r.get(), 1999, 999), 5);
}

TEST_P(Moves, CachedMemoryIsUsedUpBeforeThereIsNone) {
  THEmptyCache("soft");
  set_soft_memory(used_on("soft") + (3 << 20));
  for (int round = 1; round <= 20; ++round) {
    // No two are of a size, so that no cached block fits.
    FloatTensor t(THFloatTensor_newWithSize1d(round * 20000));
    THFloatTensor_to(t.get(), "soft");
    THFloatTensor_fill(t.get(), 1);
    EXPECT_EQ(THFloatTensor_sumall(t.get()), round * 20000);
  }
  THEmptyCache(nullptr);
  THDeviceUsage usage;
  THGetDeviceUsage("soft", &usage);
  EXPECT_EQ(usage.cached, 0);
  EXPECT_EQ(usage.total, usage.free + usage.used);
}

TEST_IN_BOTH_MODES(Moves);

}  // namespace
}  // namespace th
