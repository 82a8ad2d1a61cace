// BLAS is loaded by the first product: programs of a process of their own, under limits, too. Each
// case runs this program anew, with what it does as its filter.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "TH.h"

namespace {

// Sanitizers take more address space than there is under a limit.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#elif defined(__has_feature)
constexpr bool kSanitized = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
constexpr bool kSanitized = false;
#endif

// Exit statuses of the cases below.
constexpr int kProduct = 10, kError = 11, kWrong = 12;

// The size of matrices for whose product no instruction set has a kernel of our own.
constexpr int64_t kSize = 40;
constexpr double kSum = kSize * kSize * kSize;

void multiply_ones(void* result) {
  THFloatTensor* a = THFloatTensor_newWithSize2d(kSize, kSize);
  THFloatTensor* b = THFloatTensor_newWithSize2d(kSize, kSize);
  THFloatTensor_fill(a, 1);
  THFloatTensor_addmm(b, 0, b, 1, a, a);
  *static_cast<double*>(result) = THFloatTensor_sumall(b);
  THFloatTensor_free(a);
  THFloatTensor_free(b);
}

// A case of its own process: it ends it with a status.
bool is_child() { return std::getenv("TH_TEST_BLAS_CHILD") != nullptr; }

// The exit status of that case in a process of its own; 124 where it takes too long.
int status_of(const std::string& name, const std::string& before) {
  char path[4096];
  ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
  if (length < 0) return -1;
  path[length] = '\0';
  std::string command = before + "; TH_TEST_BLAS_CHILD=1 exec timeout -k 1 30 '" + path +
                        "' --gtest_output= --gtest_filter=" + name + " >/dev/null";
  int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(BlasChild, Starts) {
  if (!is_child()) GTEST_SKIP();
  _exit(THGetNumThreads() >= 1 && THInfo("version") ? kProduct : kWrong);
}

TEST(BlasChild, Multiplies) {
  if (!is_child()) GTEST_SKIP();
  double sum = 0;
  char message[600] = "";
  if (THTry(multiply_ones, &sum, message, sizeof(message)) == 0) {
    _exit(sum == kSum ? kProduct : kWrong);
  }
  std::string text = message;
  bool is_reported = text.find("no BLAS library could be loaded") != std::string::npos ||
                     text.find("TENSOR_BLAS is") != std::string::npos ||
                     text.find("out of memory") != std::string::npos;
  if (!is_reported) std::fprintf(stderr, "%s\n", message);
  _exit(is_reported ? kError : kWrong);
}

// The address space of this process in KiB.
int64_t address_space() {
  std::ifstream file("/proc/self/statm");
  int64_t pages = 0;
  file >> pages;
  return pages * (sysconf(_SC_PAGESIZE) >> 10);
}
constexpr int64_t kUnit = 32 << 10;
constexpr int kNotLoaded = 100;

TEST(BlasChild, ReturnsTheAddressSpaceOfTheLibrary) {
  if (!is_child()) GTEST_SKIP();
  const int64_t before = address_space();
  const std::string text = THInfo("blas");
  const bool is_loaded = text.find("kernels") != std::string::npos;
  _exit(is_loaded ? static_cast<int>((address_space() - before) / kUnit) : kNotLoaded);
}

TEST(BlasChild, MultipliesOnManyThreadsAtOnce) {
  if (!is_child()) GTEST_SKIP();
  constexpr int kThreads = 8;
  std::vector<double> sums(kThreads);
  std::vector<std::thread> threads;
  for (double& sum : sums) threads.emplace_back([&] { multiply_ones(&sum); });
  for (std::thread& thread : threads) thread.join();
  for (double sum : sums) {
    if (sum != kSum) _exit(kWrong);
  }
  _exit(kProduct);
}

TEST(BlasLibrary, IsNotNeededToStart) {
  if (kSanitized) GTEST_SKIP();
  EXPECT_EQ(status_of("BlasChild.Starts", "ulimit -v 150000"), kProduct);
}

TEST(BlasLibrary, NeverHangsWhereMemoryIsShort) {
  if (kSanitized) GTEST_SKIP();
  EXPECT_EQ(status_of("BlasChild.Multiplies", "unset TENSOR_BLAS; ulimit -v 150000"), kError);
  for (int kibibytes = 200000; kibibytes < 700000; kibibytes += 50000) {
    int status = status_of(
        "BlasChild.Multiplies",
        "unset TENSOR_BLAS; export OMP_NUM_THREADS=16; ulimit -v " + std::to_string(kibibytes));
    EXPECT_TRUE(status == kError || status == kProduct) << kibibytes << ": " << status;
  }
  EXPECT_EQ(status_of("BlasChild.Multiplies",
                      "unset TENSOR_BLAS; export OMP_NUM_THREADS=16; ulimit -v 1200000"),
            kProduct);
}

TEST(BlasLibrary, StartsWithOneThread) {
  if (kSanitized) GTEST_SKIP();
  const std::string name = "BlasChild.ReturnsTheAddressSpaceOfTheLibrary";
  const int space = status_of(name, "unset TENSOR_BLAS; export OMP_NUM_THREADS=1");
  ASSERT_GT(space, 0);
  ASSERT_LT(space, kNotLoaded);
  for (const char* variable : {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "BLIS_NUM_THREADS"}) {
    const std::string set = "unset TENSOR_BLAS; export OMP_NUM_THREADS=1 ";
    EXPECT_NEAR(status_of(name, set + variable + "=16"), space, 1) << variable;
  }
}

TEST(BlasLibrary, MustBeOne) {
  for (const char* name : {"nosuch", "/no/such/library.so", "/etc/passwd"}) {
    EXPECT_EQ(status_of("BlasChild.Multiplies", std::string("export TENSOR_BLAS=") + name), kError)
        << name;
  }
  EXPECT_EQ(status_of("BlasChild.Multiplies", "export TENSOR_BLAS="), kProduct);
}

TEST(BlasLibrary, IsLoadedOnce) {
  EXPECT_EQ(status_of("BlasChild.MultipliesOnManyThreadsAtOnce", "true"), kProduct);
}

TEST(BlasLibrary, IsNamedAndLeavesTheEnvironmentAsItWas) {
  const char* const names[] = {"OPENBLAS_CORETYPE", "OPENBLAS_NUM_THREADS", "BLIS_NUM_THREADS",
                               "OMP_NUM_THREADS"};
  const char* threads = std::getenv("OMP_NUM_THREADS");
  const std::string own = threads ? threads : "";
  setenv("OMP_NUM_THREADS", "3", 1);
  std::vector<std::string> before, after;
  auto look = [&](std::vector<std::string>* values) {
    for (const char* name : names) {
      const char* value = std::getenv(name);
      values->push_back(value ? value : "not set");
    }
  };
  look(&before);
  std::string text = THInfo("blas");
  EXPECT_NE(text.find(", kernels for "), std::string::npos) << text;
  EXPECT_EQ(text, THInfo("blas"));
  look(&after);
  EXPECT_EQ(before, after);
  if (own.empty()) {
    unsetenv("OMP_NUM_THREADS");
  } else {
    setenv("OMP_NUM_THREADS", own.c_str(), 1);
  }
}

}  // namespace
