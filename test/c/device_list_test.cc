// Devices by name.

#include "backend/device_list.h"

#include <algorithm>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "backend/table.h"
#include "base/error.h"

namespace th {
namespace {

TEST(DeviceListTest, Names) {
  EXPECT_EQ(find_device("cpu"), nullptr);
  Device* soft = find_device("soft");
  ASSERT_NE(soft, nullptr);
  EXPECT_EQ(find_device("soft:1"), soft);
  std::vector<Device*> all = all_devices();
  EXPECT_NE(std::find(all.begin(), all.end(), soft), all.end());
  DeviceProperties properties;
  soft->properties(&properties);
  EXPECT_STREQ(properties.name, "software device");
  EXPECT_GT(properties.total_memory, 0);
}

// Expects an error about the name that contains the text.
void expect_missing(const std::string& name, const char* text) {
  try {
    find_device(name.c_str());
    ADD_FAILURE() << name;
  } catch (const Error& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("no device '" + name + "'"), std::string::npos) << message;
    EXPECT_NE(message.find(text), std::string::npos) << message;
  }
}

TEST(DeviceListTest, WhatThereIsNot) {
  for (const char* name : {"tpu", "soft:0", "soft:", "soft:x", "soft:1x", "soft:01", "software",
                           "gpu:-1", "", "CPU", "cpu:1", "soft:99999999999999999999"}) {
    expect_missing(name, "there are: cpu");
  }
  expect_missing("soft:2000", "no device 'soft:2000'; there are: cpu");
  expect_missing("soft:2000", "soft:1");
}

}  // namespace
}  // namespace th
