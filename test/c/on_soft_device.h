#ifndef TENSOR_TEST_C_ON_SOFT_DEVICE_H
#define TENSOR_TEST_C_ON_SOFT_DEVICE_H

// A fixture for operations on the software device, or on another one (test_device.h): whenever work
// runs, in whatever order threads do, and none of it on the CPU.

#include <string>

#include <gtest/gtest.h>

#include "core_tensors.h"
#include "soft/soft_device.h"
#include "backend/device_list.h"
#include "memory/stats.h"
#include "test_device.h"

namespace core {

struct Setting {
  th::SoftMode mode;
  th::ThreadOrder order;
};
// Each mode and each order occurs once.
inline const Setting kSettings[] = {
    {th::SoftMode::lazy, th::ThreadOrder::descending},
    {th::SoftMode::eager, th::ThreadOrder::ascending},
};
inline std::string setting_name(const testing::TestParamInfo<Setting>& info) {
  return std::string(info.param.mode == th::SoftMode::lazy ? "Lazy" : "Eager") +
         (info.param.order == th::ThreadOrder::ascending ? "Up" : "Down");
}

class OnSoftDevice : public testing::TestWithParam<Setting> {
 protected:
  void SetUp() override {
    th::set_soft_mode(GetParam().mode);
    th::set_thread_order(GetParam().order);
    std::string problem;
    device_ = test_device::find(&problem);
    if (!device_) GTEST_SKIP() << problem;
    th::reset_device_stats();
  }
  void TearDown() override {
    if (!device_) return;
    for (const auto& entry : th::device_stats().fallbacks) {
      ADD_FAILURE() << entry.first << " ran on the CPU";
    }
    device_->synchronize();
    th::set_soft_mode(th::SoftMode::eager);
    th::set_thread_order(th::ThreadOrder::ascending);
  }

  // Returns t with the device as its current device.
  TensorRef sent(TensorRef t) {
    if (t->storage) th::storage_to(t->storage, device_);
    return t;
  }
  TensorRef make_there(DType type, const Shape& shape, Layout layout = Layout::contiguous) {
    return sent(make(type, shape, layout));
  }
  // Returns true if the current device of t is the device, and only the device has valid bytes.
  bool is_there(const Tensor& t) {
    return t.storage->current_device() == device_ && t.storage->memory.head() == th::Head::device;
  }

  th::Device* device_ = nullptr;
};

}  // namespace core

#endif
