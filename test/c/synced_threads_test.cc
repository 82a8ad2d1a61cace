// Threads that use storages on devices, of their own and together.

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <thread>

#include "backend/device_list.h"
#include "soft_devices.h"

namespace th {
namespace {

constexpr int kThreads = 4;

void on_threads(const std::function<void(int)>& body) {
  std::vector<std::thread> threads;
  for (int k = 0; k < kThreads; ++k) threads.emplace_back(body, k);
  for (std::thread& thread : threads) thread.join();
}

class SyncedThreads : public OnSoftDevices {};

TEST_P(SyncedThreads, WorkOnStoragesOfTheirOwn) {
  on_threads([](int k) {
    for (int round = 0; round < 20; ++round) {
      THFloatTensor* t = THFloatTensor_newWithSize1d(100 + k);
      THFloatTensor_fill(t, static_cast<float>(k));
      THFloatTensor_to(t, k % 2 ? "soft:1" : "soft:2");
      THFloatTensor_add(t, t, 1);
      if (round % 3 == 0) THFloatTensor_prefetch(t, "cpu");
      THFloatTensor_mul(t, t, 2);
      float* p = THFloatTensor_data(t);
      if (p[99] != static_cast<float>(2 * (k + 1))) ADD_FAILURE() << p[99];
      p[0] = 0;
      THFloatTensor_add(t, t, 1);
      if (THFloatTensor_get1d(t, 0) != 1) ADD_FAILURE();
      THFloatTensor_free(t);
    }
  });
}

TEST_P(SyncedThreads, ReadOneStorageOnBothSides) {
  for (bool from_device : {false, true}) {
    for (int round = 0; round < 20; ++round) {
      THFloatStorage* s = THFloatStorage_newWithSize(1000);
      if (from_device) THFloatStorage_to(s, "soft:1");
      THFloatStorage_fill(s, static_cast<float>(round));
      THResetDeviceStats();
      on_threads([&](int k) {
        if (k % 2) {
          if (THFloatStorage_cpuData(s)[999] != static_cast<float>(round)) ADD_FAILURE();
        } else if (!THFloatStorage_gpuData(s)) {
          ADD_FAILURE();
        }
        if (THFloatStorage_get(s, 500) != static_cast<float>(round)) ADD_FAILURE();
      });
      EXPECT_EQ(THFloatStorage_head(s), TH_SYNCED);
      EXPECT_EQ(counters().toDevice.copies, from_device ? 0 : 1) << "one serves all";
      THFloatStorage_free(s);
    }
  }
}

TEST_P(SyncedThreads, ShareAnOperand) {
  THFloatTensor* a = THFloatTensor_newWithSize1d(500);
  THFloatTensor_fill(a, 3);
  THFloatStorage_asyncGpuPush(a->storage);
  on_threads([&](int k) {
    for (int round = 0; round < 10; ++round) {
      THFloatTensor* r = THFloatTensor_newWithSize1d(1);
      THFloatTensor_to(r, "soft:1");
      THFloatTensor* view = THFloatTensor_newNarrow(a, 0, 100 * k, 100);
      THFloatTensor_resize1d(r, 100);
      THFloatTensor_cmul(r, view, view);
      if (THFloatTensor_sumall(r) != 900) ADD_FAILURE();
      THFloatTensor_free(view);
      THFloatTensor_free(r);
    }
  });
  THFloatTensor_free(a);
}

struct Vector {
  Vector(int64_t n, const char* device, float value) : t(THFloatTensor_newWithSize1d(n)) {
    THFloatTensor_to(t, device);
    THFloatTensor_fill(t, value);
  }
  ~Vector() { THFloatTensor_free(t); }
  Vector(const Vector&) = delete;
  Vector& operator=(const Vector&) = delete;
  THFloatTensor* t;
};

TEST_P(SyncedThreads, MoveWhatOthersRead) {
  constexpr int kElements = 20000;
  Vector a(kElements, "soft:1", 3);
  std::atomic<int> readers{kThreads - 1};
  on_threads([&](int k) {
    const char* places[] = {"cpu", "soft:2", "soft:1"};
    for (int round = 0; k == 0 && readers > 0; ++round) {
      THFloatTensor_to(a.t, places[round % 3]);
      THFloatTensor_prefetch(a.t, places[round / 3 % 3]);
    }
    for (int round = 0; k > 0 && round < 100; ++round) {
      Vector r(kElements, places[k % 3], 0);
      THFloatTensor_cmul(r.t, a.t, a.t);
      if (THFloatTensor_sumall(r.t) != 9 * kElements) ADD_FAILURE() << THFloatTensor_sumall(r.t);
    }
    --readers;
  });
}

TEST_P(SyncedThreads, KeepWhatOthersWriteWhenTheyMoveIt) {
  constexpr int kAdded = 100;
  for (int round = 0; round < 10; ++round) {
    Vector a(500, "soft:1", 0);
    std::atomic<int> added{0};
    std::thread mover([&] {
      while (added < kAdded / 2) std::this_thread::yield();
      THFloatTensor_to(a.t, "cpu");
    });
    for (; added < kAdded; ++added) THFloatTensor_add(a.t, a.t, 1);
    mover.join();
    EXPECT_EQ(THFloatTensor_sumall(a.t), 500 * kAdded);
  }
}

TEST_P(SyncedThreads, HaveDefaultDevicesOfTheirOwn) {
  on_threads([](int k) {
    if (std::string(THGetDefaultDevice()) != "cpu") ADD_FAILURE();
    THSetDefaultDevice(k % 2 ? "soft:1" : "soft:2");
    THFloatTensor* t = THFloatTensor_newWithSize1d(10);
    THFloatTensor_fill(t, 1);
    if (std::string(THFloatTensor_device(t)) != (k % 2 ? "gpu:1" : "gpu:2")) ADD_FAILURE();
    THFloatTensor_free(t);
  });
  EXPECT_STREQ(THGetDefaultDevice(), "cpu");
}

TEST_P(SyncedThreads, WaitForDevicesWhileOthersQueueWork) {
  std::atomic<bool> done{false};
  std::thread waiter([&] {
    while (!done) {
      THSynchronize(nullptr);
      THEmptyCache(nullptr);
      counters();
    }
  });
  on_threads([](int) {
    THFloatTensor* t = THFloatTensor_newWithSize1d(256);
    THFloatTensor_to(t, "soft:1");
    THFloatTensor_fill(t, 0);
    for (int round = 0; round < 50; ++round) THFloatTensor_add(t, t, 1);
    if (THFloatTensor_sumall(t) != 50 * 256) ADD_FAILURE();
    THFloatTensor_free(t);
  });
  done = true;
  waiter.join();
}

TEST_IN_BOTH_MODES(SyncedThreads);

}  // namespace
}  // namespace th
