// CUDA C++ on the CPU: threads, barriers, shuffles, atomics, shared memory.

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "soft/soft_device.h"
#include "soft/soft_queue.h"
#include "simt/shim/sanitizer.h"
#include "simt/report.h"

namespace th {
namespace {

// Kernels here work on the host's memory: the queue is eager.
SoftDevice& queue() {
  static auto* device = new SoftDevice(0);
  return *device;
}

// Waits, and returns what failed.
std::string failure() {
  try {
    queue().check_work();
    return "";
  } catch (const DeviceFailure& failed) {
    return failed.text;
  }
}

class Simt : public testing::TestWithParam<ThreadOrder> {
 protected:
  void SetUp() override { set_thread_order(GetParam()); }
  void TearDown() override {
    set_thread_order(ThreadOrder::ascending);
    EXPECT_EQ(failure(), "");
  }
};
INSTANTIATE_TEST_SUITE_P(Orders, Simt,
                         testing::Values(ThreadOrder::ascending, ThreadOrder::descending),
                         [](const auto& order) {
                           return order.param == ThreadOrder::ascending ? "ascending"
                                                                        : "descending";
                         });

__global__ void count_up(int* counts, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) ++counts[i];
}

TEST_P(Simt, EveryThreadRunsOnce) {
  std::vector<int> counts(1000);
  TH_LAUNCH(queue(), (count_up), 8, 128, 0, counts.data(), 1000);
  EXPECT_EQ(counts, std::vector<int>(1000, 1));
}

__global__ void write_places(dim3* places) {
  unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  unsigned threads = blockDim.x * blockDim.y * blockDim.z;
  unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  places[block * threads + thread] = dim3(threadIdx.x, threadIdx.y, threadIdx.z);
}

TEST_P(Simt, GridsAndBlocksHaveThreeDimensions) {
  dim3 blocks(2, 3, 2), threads(4, 2, 3);
  std::vector<dim3> places(12 * 24, dim3(99));
  TH_LAUNCH(queue(), (write_places), blocks, threads, 0, places.data());
  for (size_t k = 0; k < places.size(); ++k) {
    ASSERT_EQ(places[k].x, k % 4) << k;
    ASSERT_EQ(places[k].y, k / 4 % 2) << k;
    ASSERT_EQ(places[k].z, k / 8 % 3) << k;
  }
}

// A block of threads reverses its part, which needs everybody's element at once.
template <class T, int kThreads>
__global__ void reverse_parts(T* data) {
  __shared__ T part[kThreads];
  int first = blockIdx.x * kThreads;
  part[threadIdx.x] = data[first + threadIdx.x];
  __syncthreads();
  data[first + threadIdx.x] = part[kThreads - 1 - threadIdx.x];
}

TEST_P(Simt, BarriersSeparateWritesFromReads) {
  std::vector<int> data(4 * 256);
  std::iota(data.begin(), data.end(), 0);
  TH_LAUNCH(queue(), (reverse_parts<int, 256>), 4, 256, 0, data.data());
  for (int i = 0; i < 4 * 256; ++i) ASSERT_EQ(data[i], i / 256 * 256 + 255 - i % 256);
}

// The same without its barrier.
__global__ void reverse_too_early(int* data) {
  __shared__ int part[256];
  part[threadIdx.x] = data[threadIdx.x];
  data[threadIdx.x] = part[255 - threadIdx.x];
}

TEST(SimtFaults, MissingBarrierShowsInEitherOrder) {
  for (ThreadOrder order : {ThreadOrder::ascending, ThreadOrder::descending}) {
    set_thread_order(order);
    // The values of the previous launch must not be correct for this one.
    int first = order == ThreadOrder::ascending ? 1 : 1000;
    std::vector<int> data(256), expected(256);
    std::iota(data.begin(), data.end(), first);
    std::iota(expected.rbegin(), expected.rend(), first);
    TH_LAUNCH(queue(), (reverse_too_early), 1, 256, 0, data.data());
    EXPECT_NE(data, expected);
  }
  set_thread_order(ThreadOrder::ascending);
}

// Each thread reads what its neighbour below wrote, without waiting for it.
__global__ void read_below(int* out) {
  __shared__ int part[64];
  int i = threadIdx.x;
  if (i == 0) memset(part, 0, sizeof(part));
  __syncthreads();
  part[i] = i + 1;
  out[i] = i ? part[i - 1] : 0;
}

TEST(SimtFaults, MissingBarrierThatOneOrderHides) {
  std::vector<int> expected(64), ascending(64), descending(64);
  std::iota(expected.begin(), expected.end(), 0);
  TH_LAUNCH(queue(), (read_below), 1, 64, 0, ascending.data());
  set_thread_order(ThreadOrder::descending);
  TH_LAUNCH(queue(), (read_below), 1, 64, 0, descending.data());
  set_thread_order(ThreadOrder::ascending);
  EXPECT_EQ(ascending, expected);
  EXPECT_NE(descending, expected);
}

__global__ void sum_by_barriers(const double* in, double* out, int n) {
  TH_DYNAMIC_SHARED(double, part);
  double sum = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) sum += in[i];
  part[threadIdx.x] = sum;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (static_cast<int>(threadIdx.x) < half) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) *out = part[0];
}

TEST_P(Simt, DynamicSharedMemory) {
  std::vector<double> in(10000, 0.5);
  double out = 0;
  TH_LAUNCH(queue(), (sum_by_barriers), 1, 512, 512 * sizeof(double), in.data(), &out, 10000);
  EXPECT_EQ(out, 5000);
}

__global__ void read_unwritten(unsigned char* out) {
  TH_DYNAMIC_SHARED(unsigned char, part);
  out[blockIdx.x] = part[5];
  part[5] = 1;
}

TEST_P(Simt, SharedMemoryStartsAsGarbageInEveryBlock) {
  unsigned char out[2] = {};
  TH_LAUNCH(queue(), (read_unwritten), 2, 1, 16, out);
  EXPECT_EQ(out[0], 0xA5);
  EXPECT_EQ(out[1], 0xA5);
}

template <class T>
__global__ void shuffle_all(T* up, T* down, T* in_eights, T* across) {
  unsigned i = threadIdx.x;
  T own = static_cast<T>(i + 1);
  up[i] = __shfl_up_sync(0xffffffff, own, 3);
  down[i] = __shfl_down_sync(0xffffffff, own, 3);
  in_eights[i] = __shfl_down_sync(0xffffffff, own, 1, 8);
  across[i] = __shfl_xor_sync(0xffffffff, own, 5);
}

template <class T>
void check_shuffles() {
  T r[4][64];
  TH_LAUNCH(queue(), (shuffle_all<T>), 1, 64, 0, r[0], r[1], r[2], r[3]);
  for (int i = 0; i < 64; ++i) {
    int lane = i % 32;
    EXPECT_EQ(r[0][i], static_cast<T>((lane < 3 ? i : i - 3) + 1));
    EXPECT_EQ(r[1][i], static_cast<T>((lane > 28 ? i : i + 3) + 1));
    EXPECT_EQ(r[2][i], static_cast<T>((i % 8 == 7 ? i : i + 1) + 1));
    EXPECT_EQ(r[3][i], static_cast<T>((i ^ 5) + 1));
  }
}

TEST_P(Simt, Shuffles) {
  check_shuffles<float>();
  check_shuffles<int>();
  check_shuffles<unsigned>();
  check_shuffles<double>();
  check_shuffles<int64_t>();
}

// Lanes of one warp go through loops of different lengths by groups of their own.
__global__ void sum_by_groups(int* out) {
  int group = threadIdx.x / 8, own = 1;
  unsigned mask = 0xffu << (8 * group);
  for (int round = 0; round <= group; ++round) {
    for (int d = 4; d > 0; d /= 2) own += __shfl_down_sync(mask, own, d, 8);
    own = __shfl_up_sync(mask, own, threadIdx.x % 8, 8);
  }
  out[threadIdx.x] = own;
}

TEST_P(Simt, PartsOfAWarpWaitForThemselves) {
  int out[32];
  TH_LAUNCH(queue(), (sum_by_groups), 1, 32, 0, out);
  for (int i = 0, expected = 1; i < 32; ++i) {
    if (i % 8 == 0) expected *= 8;
    EXPECT_EQ(out[i], expected) << i;
  }
}

__global__ void ask_all(int* out) {
  int i = static_cast<int>(threadIdx.x);
  out[0] = __syncthreads_and(i < 40);
  out[1] = __syncthreads_and(i != 3);
  out[2] = __syncthreads_and(i >= 0);
}

TEST_P(Simt, WhetherAllThreadsHaveIt) {
  int out[3] = {};
  TH_LAUNCH(queue(), (ask_all), 1, 40, 0, out);
  EXPECT_NE(out[0], 0);
  EXPECT_EQ(out[1], 0);
  EXPECT_NE(out[2], 0);
}

// The last, partial, warp has fewer lanes than its mask names.
__global__ void sum_partial_warp(int* out) {
  int own = 1;
  for (int d = 16; d > 0; d /= 2) {
    int other = __shfl_down_sync(0xffffffff, own, d);
    if (threadIdx.x + d < blockDim.x) own += other;
  }
  if (threadIdx.x == 0) *out = own;
}

TEST_P(Simt, PartialWarps) {
  int out = 0;
  TH_LAUNCH(queue(), (sum_partial_warp), 1, 21, 0, &out);
  EXPECT_EQ(out, 21);
}

__global__ void use_atomics(int* i, unsigned* u) {
  int t = static_cast<int>(threadIdx.x);
  atomicMax(&i[0], t);
  atomicMin(&i[1], -t);
  atomicCAS(u, 0u, static_cast<unsigned>(t + 1));
}

TEST_P(Simt, Atomics) {
  int i[2] = {};
  unsigned u = 0;
  TH_LAUNCH(queue(), (use_atomics), 1, 64, 0, i, &u);
  EXPECT_EQ(i[0], 63);
  EXPECT_EQ(i[1], -63);
  EXPECT_EQ(u, GetParam() == ThreadOrder::ascending ? 1u : 64u);
}

__global__ void find_negative(DeviceAssertion* assertion, const int* values) {
  int value = values[threadIdx.x];
  if (value < 0) report(assertion, 17, value);
}

TEST_P(Simt, TheFirstAssertionIsReported) {
  int values[4] = {3, -1, -2, 5};
  TH_LAUNCH(queue(), (find_negative), 1, 4, 0, queue().assertion(), values);
  DeviceAssertion found = queue().take_assertion();
  EXPECT_EQ(found.check, 17u);
  EXPECT_EQ(found.value, GetParam() == ThreadOrder::ascending ? -1 : -2);
  EXPECT_EQ(queue().take_assertion().check, 0u);
}

// ---- faults

__global__ void end_before_barrier(int n) {
  if (static_cast<int>(threadIdx.x) >= n) return;
  __syncthreads();
}

__global__ void wait_at_two_barriers() {
  if (threadIdx.x < 8) {
    __syncthreads();
  } else {
    __syncthreads();
  }
}

__global__ void shuffle_without_all(int* out) {
  if (threadIdx.x != 5) out[threadIdx.x] = __shfl_down_sync(0xffffffff, 1, 0);
}

__global__ void shuffle_without_self() { __shfl_down_sync(0x1, 1, 0); }

TEST_P(Simt, DivergentBarriersAreErrors) {
  TH_LAUNCH(queue(), (end_before_barrier), 2, 64, 0, 60);
  std::string text = failure();
  EXPECT_NE(text.find("end_before_barrier"), std::string::npos) << text;
  EXPECT_NE(text.find("divergent barrier"), std::string::npos) << text;
  EXPECT_NE(text.find("4 of 64 threads ended, 60 wait at __syncthreads of line"), std::string::npos)
      << text;

  TH_LAUNCH(queue(), (wait_at_two_barriers), 1, 32, 0);
  text = failure();
  EXPECT_NE(text.find("8 wait at __syncthreads of line"), std::string::npos) << text;
  EXPECT_NE(text.find("24 wait at __syncthreads of line"), std::string::npos) << text;

  int out[32];
  TH_LAUNCH(queue(), (shuffle_without_all), 1, 32, 0, out);
  text = failure();
  EXPECT_NE(text.find("1 of 32 threads ended, 31 wait at a shuffle of line"), std::string::npos)
      << text;

  TH_LAUNCH(queue(), (shuffle_without_self), 1, 32, 0);
  text = failure();
  EXPECT_NE(text.find("is not in its own mask"), std::string::npos) << text;

  // And the next kernel runs as if nothing had been.
  std::vector<int> data(256);
  std::iota(data.begin(), data.end(), 0);
  TH_LAUNCH(queue(), (reverse_parts<int, 256>), 1, 256, 0, data.data());
  EXPECT_EQ(data[0], 255);
}

#ifdef TH_ADDRESS_SANITIZER
__global__ void write_shared(int n) {
  TH_DYNAMIC_SHARED(char, part);
  part[n] = 1;
}

TEST(SimtDeathTest, SharedMemoryOverrun) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  TH_LAUNCH(queue(), (write_shared), 1, 1, 100, 99);
  EXPECT_DEATH(TH_LAUNCH(queue(), (write_shared), 1, 1, 100, 100), "use-after-poison");
}
#endif

TEST(SimtFaults, LaunchLimits) {
  int count = 0;
  TH_LAUNCH(queue(), (count_up), 1, 1025, 0, &count, 1);
  EXPECT_NE(failure().find("1 to 1024 threads"), std::string::npos);
  TH_LAUNCH(queue(), (count_up), 0, 32, 0, &count, 1);
  EXPECT_NE(failure().find("blocks, got (0, 1, 1)"), std::string::npos);
  TH_LAUNCH(queue(), (count_up), dim3(1, 65536), 32, 0, &count, 1);
  EXPECT_NE(failure().find("blocks, got (1, 65536, 1)"), std::string::npos);
  TH_LAUNCH(queue(), (count_up), 1, 32, 49153, &count, 1);
  EXPECT_NE(failure().find("at most 49152 bytes of shared memory"), std::string::npos);
  EXPECT_EQ(count, 0);
}

}  // namespace
}  // namespace th
