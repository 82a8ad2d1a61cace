// Invalid values found by kernels are errors in the thread that queued the operation.

#include <gtest/gtest.h>

#include <functional>
#include <future>
#include <string>
#include <thread>

#include "backend/device_assertions.h"
#include "soft_devices.h"

namespace th {
namespace {

// Takes an element of ten that there is not: only the device knows.
void select(int64_t wrong) {
  THFloatTensor* t = THFloatTensor_newWithSize1d(10);
  THFloatTensor* r = THFloatTensor_new();
  THLongTensor* index = THLongTensor_newWithSize1d(1);
  THFloatTensor_to(t, "soft:1");
  THFloatTensor_fill(t, 1);
  THLongTensor_to(index, "soft:1");
  THLongTensor_fill(index, wrong);
  THFloatTensor_indexSelect(r, t, 0, index);
  THLongTensor_free(index);
  THFloatTensor_free(r);
  THFloatTensor_free(t);
}

std::string text_of(int64_t wrong) {
  return "indexSelect: index " + std::to_string(wrong) +
         " is out of range of dimension 0 of size 10";
}

// Removes the name of the function that reported the error.
std::string without(const std::string& function, const std::string& error) {
  return error.compare(0, function.size(), function) == 0 ? error.substr(function.size()) : error;
}

// The error of this thread's wait.
std::string wait_for_device() {
  return without("THSynchronize: ", error_of([] { THSynchronize("soft:1"); }));
}
// The same of a read that has nothing to do with it.
std::string read_from_device() {
  THFloatTensor* t = THFloatTensor_newWithSize1d(2);
  std::string error = error_of([t] {
    THFloatTensor_to(t, "soft:1");
    THFloatTensor_fill(t, 1);
    if (THFloatTensor_sumall(t) != 2) ADD_FAILURE();
  });
  THFloatTensor_free(t);
  return without("THFloatTensor_sumall: ", error);
}

// A thread that runs the given functions, one at a time.
class Worker {
 public:
  void run(const std::function<void()>& body) {
    std::promise<void> done;
    next_.set_value([&] {
      body();
      done.set_value();
    });
    done.get_future().wait();
  }
  ~Worker() {
    next_.set_value(nullptr);
    thread_.join();
  }

 private:
  void work() {
    for (;;) {
      std::function<void()> body = next_.get_future().get();
      if (!body) return;
      next_ = std::promise<std::function<void()>>();
      body();
    }
  }
  std::promise<std::function<void()>> next_;
  std::thread thread_{[this] { work(); }};
};

class DeviceAssertions : public OnSoftDevices {
 protected:
  void SetUp() override {
    OnSoftDevices::SetUp();
    EXPECT_EQ(wait_for_device(), "");
  }
};

TEST_P(DeviceAssertions, ReachTheThreadThatQueuedTheWork) {
  Worker worker;
  worker.run([] { select(70); });
  EXPECT_EQ(wait_for_device(), "");
  EXPECT_EQ(read_from_device(), "");
  worker.run([] {
    EXPECT_EQ(wait_for_device(), text_of(70));
    EXPECT_EQ(wait_for_device(), "") << "reported once";
  });
  EXPECT_EQ(wait_for_device(), "");
}

TEST_P(DeviceAssertions, OfTwoThreadsReachBoth) {
  Worker worker;
  select(71);
  worker.run([] { select(72); });
  select(73);
  EXPECT_EQ(wait_for_device(), text_of(71)) << "the first of several";
  EXPECT_EQ(wait_for_device(), "");
  worker.run([] { EXPECT_EQ(read_from_device(), text_of(72)); });
}

TEST_P(DeviceAssertions, OfAThreadThatHasEndedReachTheNextToWait) {
  std::thread([] { select(74); }).join();
  EXPECT_EQ(wait_for_device(), text_of(74));
  EXPECT_EQ(wait_for_device(), "");
}

TEST_P(DeviceAssertions, OfManyThreadsAreNotLost) {
  constexpr int kThreads = 20;
  std::vector<Worker> workers(kThreads);
  for (int k = 0; k < kThreads; ++k) workers[k].run([k] { select(100 + k); });
  EXPECT_EQ(wait_for_device(), "");
  for (int k = 0; k < kThreads; ++k) {
    workers[k].run([k] { EXPECT_EQ(wait_for_device(), text_of(100 + k)); });
  }
}

TEST_P(DeviceAssertions, NameTheOperationTheyAreOf) {
  THFloatTensor* t = THFloatTensor_newWithSize1d(4);
  THFloatTensor* r = THFloatTensor_new();
  THByteTensor* mask = THByteTensor_newWithSize1d(4);
  THFloatTensor_to(t, "soft:1");
  THFloatTensor_fill(t, 1);
  THByteTensor_to(mask, "soft:1");
  THByteTensor_fill(mask, 2);
  THFloatTensor_maskedFill(t, mask, 5);
  EXPECT_EQ(read_from_device(), "maskedFill: Mask tensor can take 0 and 1 values only");
  THFloatTensor_free(t);
  THFloatTensor_free(r);
  THByteTensor_free(mask);
}

TEST_IN_BOTH_MODES(DeviceAssertions);

}  // namespace
}  // namespace th
