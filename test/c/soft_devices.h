#ifndef TEST_SOFT_DEVICES_H
#define TEST_SOFT_DEVICES_H

// Two software devices, which are this process's "gpu:1" and "gpu:2", and what tests ask of them.
// ctest sets TENSOR_DEVICE=soft:2 for a source that includes this.

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "TH.h"
#include "soft/soft_device.h"
#include "backend/device_list.h"

namespace th {

// Runs the tests eagerly and lazily, each with the counters at 0.
class OnSoftDevices : public testing::TestWithParam<SoftMode> {
 protected:
  void SetUp() override {
    ASSERT_STREQ(std::getenv("TENSOR_DEVICE"), "soft:2") << "ctest sets it for sources with this";
    mode_ = soft_mode();
    set_soft_mode(GetParam());
    THResetDeviceStats();
  }
  void TearDown() override {
    THSynchronize(nullptr);
    THSetDefaultDevice("cpu");
    set_soft_memory(0);
    set_soft_mode(mode_);
  }

 private:
  SoftMode mode_ = SoftMode::eager;
};

inline std::string mode_name(const testing::TestParamInfo<SoftMode>& info) {
  return info.param == SoftMode::lazy ? "lazy" : "eager";
}
#define TEST_IN_BOTH_MODES(Suite)                                                          \
  INSTANTIATE_TEST_SUITE_P(Modes, Suite, testing::Values(SoftMode::eager, SoftMode::lazy), \
                           mode_name)

inline THDeviceCounters counters() {
  THDeviceCounters all;
  THDeviceStats(&all);
  return all;
}

inline int64_t used_on(const char* device) {
  THDeviceUsage usage;
  THGetDeviceUsage(device, &usage);
  return usage.used;
}

// Returns the contents of a device block.
inline std::vector<char> bytes_on(const char* device, const void* block, size_t count) {
  std::vector<char> bytes(count);
  find_device(device)->copy_to_host(bytes.data(), block, count);
  return bytes;
}
inline std::vector<float> floats_on(const char* device, const float* block, size_t count) {
  std::vector<float> floats(count);
  find_device(device)->copy_to_host(floats.data(), block, count * sizeof(float));
  return floats;
}
inline void put_floats(const char* device, float* block, const std::vector<float>& floats) {
  find_device(device)->copy_to_device(block, floats.data(), floats.size() * sizeof(float));
}

// The message of the error that body raises; empty: none.
template <class Body>
std::string error_of(Body body) {
  char message[600] = "";
  auto call = [](void* data) { (*static_cast<Body*>(data))(); };
  int failed = THTry(call, &body, message, sizeof(message));
  return failed ? message : "";
}

}  // namespace th

#endif
