// What libTH makes of plugins that are missing, of another version, or none at all.

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "backend/plugin.h"

namespace {

std::string problem_with(const char* path) {
  setenv("TENSOR_CUDA_PLUGIN", path, 1);
  std::string problem;
  EXPECT_EQ(th::load_cuda_plugin(&problem), nullptr);
  unsetenv("TENSOR_CUDA_PLUGIN");
  return problem;
}

TEST(DevicePlugin, Missing) {
  std::string problem = problem_with("/nonexistent/libTHcuda.so");
  EXPECT_NE(problem.find("/nonexistent/libTHcuda.so"), std::string::npos) << problem;
}

TEST(DevicePlugin, OfAnotherVersion) {
  std::string problem = problem_with(TH_TEST_PLUGIN_WRONG_ABI);
  EXPECT_NE(problem.find("version"), std::string::npos) << problem;
}

TEST(DevicePlugin, WithoutATable) {
  std::string problem = problem_with(TH_TEST_PLUGIN_NO_ENTRY);
  EXPECT_NE(problem.find("version"), std::string::npos) << problem;
}

}  // namespace
