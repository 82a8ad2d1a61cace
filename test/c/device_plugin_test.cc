// libTH with plugins that are missing, have another version, or are not plugins.

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "backend/plugin.h"

namespace {

std::string problem_with(const char* path) {
  std::string problem;
  for (const th::DevicePlugin& plugin : th::kDevicePlugins) {
    setenv(plugin.library.variable, path, 1);
    EXPECT_EQ(th::load_plugin(plugin, &problem), nullptr);
    unsetenv(plugin.library.variable);
  }
  return problem;
}

TEST(DevicePlugin, Missing) {
  std::string problem = problem_with("/nonexistent/libTHcuda.so");
  EXPECT_NE(problem.find("/nonexistent/libTHcuda.so"), std::string::npos) << problem;
}

TEST(DevicePlugin, NotBuilt) {
  std::string problem;
  EXPECT_EQ(th::load_plugin({"toy", {"libTHtoy.so", "TENSOR_TOY_PLUGIN", "make toy"}}, &problem),
            nullptr);
  EXPECT_NE(problem.find("libTHtoy.so"), std::string::npos) << problem;
  EXPECT_NE(problem.find("'make toy' builds it"), std::string::npos) << problem;
}

TEST(DevicePlugin, OfAnotherVersion) {
  std::string problem = problem_with(TH_TEST_PLUGIN_WRONG_ABI);
  EXPECT_NE(problem.find("version"), std::string::npos) << problem;
}

// Its numbers of operations would mean others here.
TEST(DevicePlugin, OfAnotherOpTable) {
  std::string problem = problem_with(TH_TEST_PLUGIN_WRONG_OPS);
  EXPECT_NE(problem.find("operations are others"), std::string::npos) << problem;
}

TEST(DevicePlugin, WithoutATable) {
  std::string problem = problem_with(TH_TEST_PLUGIN_NO_ENTRY);
  EXPECT_NE(problem.find("version"), std::string::npos) << problem;
}

}  // namespace
