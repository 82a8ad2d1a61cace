// The cache of blocks of the CUDA plugin.

#include <gtest/gtest.h>

#include <cstdlib>

#include "cuda/block_cache.h"

namespace th {
namespace {

struct Heap : BlockSource {
  void* take(size_t bytes) override { return std::malloc(bytes); }
  void give_back(void* block) noexcept override { std::free(block); }
};

TEST(CudaBlockCache, ForgetsTheSizesOfBlocksThatItDoesNotKeep) {
  Heap heap;
  BlockCache cache(heap, 10000);
  void *used = cache.allocate(600), *large[2] = {cache.allocate(20000), cache.allocate(20000)};
  EXPECT_EQ(cache.sizes(), 2u);
  for (size_t bytes = 30000; bytes < 40000; bytes += 1000) cache.release(cache.allocate(bytes));
  EXPECT_EQ(cache.sizes(), 2u);
  cache.release(large[0]);
  EXPECT_EQ(cache.sizes(), 2u) << "there is another block of this size";
  cache.release(large[1]);
  EXPECT_EQ(cache.sizes(), 1u);
  EXPECT_EQ(cache.in_use(), 1024u);
  EXPECT_EQ(cache.kept(), 0u);
  // Blocks that are kept have a size, until others take their place.
  void* first = cache.allocate(4096);
  cache.release(first);
  EXPECT_EQ(cache.sizes(), 2u);
  EXPECT_EQ(cache.allocate(4096), first);
  cache.release(first);
  for (size_t bytes : {1024, 2048, 3072, 5120}) cache.release(cache.allocate(bytes));
  EXPECT_EQ(cache.kept(), 3072u + 5120u);
  EXPECT_EQ(cache.sizes(), 3u) << "these, and that of the block in use";
  cache.empty();
  EXPECT_EQ(cache.sizes(), 1u) << "the block in use";
  cache.release(used);
  cache.empty();
  EXPECT_EQ(cache.sizes(), 0u);
}

}  // namespace
}  // namespace th
