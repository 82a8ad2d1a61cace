// Blocks of whole pages, also under sanitizers, where the heap does not use them.

#include "memory/large_blocks.h"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace th {
namespace {

constexpr size_t kKiB = 1024, kMiB = 1024 * kKiB;

// The number of mappings of the process.
int64_t mappings() {
  std::ifstream file("/proc/self/maps");
  int64_t lines = 0;
  for (std::string line; std::getline(file, line);) ++lines;
  return lines;
}

// A block whose first and last bytes of each page are a value of its own.
struct Filled {
  unsigned char* at;
  size_t bytes;
  unsigned char value;

  template <class F>
  void visit(const F& f) const {
    for (size_t i = 0; i < bytes; i += 2048) f(at[i]);
    f(at[bytes - 1]);
  }
  void fill() const {
    visit([this](unsigned char& byte) { byte = value; });
  }
  bool is_intact() const {
    bool intact = true;
    visit([&](const unsigned char& byte) { intact = intact && byte == value; });
    return intact;
  }
  bool is_zero() const { return *at == 0 && std::memcmp(at, at + 1, bytes - 1) == 0; }
};

Filled allocate(size_t bytes, unsigned char value) {
  int64_t fresh = 0;
  const Filled block = {static_cast<unsigned char*>(large_allocate(bytes, &fresh)), bytes, value};
  EXPECT_NE(block.at, nullptr);
  EXPECT_TRUE(fresh == 0 || block.is_zero());
  block.fill();
  return block;
}

void run_at_random(unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Filled> blocks;
  for (int step = 0; step < 200; ++step) {
    const size_t doubling = random() % 10;  // up to 16 MiB
    const size_t bytes = (16 * kKiB << doubling) + random() % (16 * kKiB << doubling);
    if (random() % 2) blocks.push_back(allocate(bytes, static_cast<unsigned char>(random())));
    while (blocks.size() > 20 || (!blocks.empty() && random() % 3 == 0)) {
      std::swap(blocks[random() % blocks.size()], blocks.back());
      ASSERT_TRUE(blocks.back().is_intact());
      large_free(blocks.back().at, blocks.back().bytes);
      blocks.pop_back();
    }
    if (step % 100 == 50) large_release();
    if (step % 100 == 90) large_set_limit(static_cast<int64_t>((random() % 400) * kMiB));
  }
  for (const Filled& block : blocks) {
    ASSERT_TRUE(block.is_intact());
    large_free(block.at, block.bytes);
  }
}

TEST(LargeBlocks, KeepTheirContentsAndFreshOnesAreZero) {
  std::vector<std::thread> threads;
  for (unsigned k = 0; k < 3; ++k) threads.emplace_back(run_at_random, k);
  for (std::thread& thread : threads) thread.join();
  large_release();
  EXPECT_EQ(large_kept(), 0);
  large_set_limit(0);
}

// The system limits the number of mappings: 65530 by default on Linux.
TEST(LargeBlocks, GapsBetweenBlocksInUseAreNoMappings) {
  constexpr size_t kBlocks = 3000, kBytes = 16 * kKiB;
  large_release();
  const int64_t before = mappings();
  for (int round = 0; round < 2; ++round) {
    std::vector<Filled> blocks(kBlocks);
    for (Filled& block : blocks) block = allocate(kBytes, 1);
    for (size_t k = 0; k < kBlocks; k += 2) large_free(blocks[k].at, kBytes);
    large_release();
    EXPECT_LT(mappings(), before + 300);
    // Pages that were returned are used again, and are zero.
    for (size_t k = 0; k < kBlocks; k += 2) blocks[k] = allocate(kBytes, 2);
    EXPECT_LT(mappings(), before + 300);
    for (const Filled& block : blocks) {
      ASSERT_TRUE(block.is_intact());
      large_free(block.at, kBytes);
    }
    large_release();
    EXPECT_LT(mappings(), before + 10);
  }
}

TEST(LargeBlocks, SizesThatAreTooLargeAreRefused) {
  for (size_t bytes : {size_t{1} << 60, SIZE_MAX / 2, SIZE_MAX}) {
    int64_t fresh = 1;
    EXPECT_EQ(large_allocate(bytes, &fresh), nullptr);
    EXPECT_EQ(fresh, 0);
  }
}

}  // namespace
}  // namespace th
