#ifndef TH_CUDA_HOST_MEMORY_H
#define TH_CUDA_HOST_MEMORY_H

#include <cstddef>

#include "cuda/block_cache.h"

namespace th {

// Pinned host memory. Pinning takes much longer than most copies, about 0.3 s for each GiB, so
// freed blocks are kept, up to a 16th of the machine's memory.
class HostMemory : private BlockSource {
 public:
  HostMemory();
  // Returns null if the block is so large that a copy from it would not make up for pinning it, or
  // if no memory can be pinned.
  void* allocate(size_t bytes);
  void release(void* block) noexcept { cache_.release(block); }
  void empty_cache() noexcept { cache_.empty(); }
  // Returns true if the address is in pinned memory of this object.
  bool contains(const void* address) const { return cache_.contains(address); }

  // Larger blocks stay pageable.
  static constexpr size_t kLargest = size_t{64} << 20;

 private:
  void* take(size_t bytes) override;
  void give_back(void* block) noexcept override;

  BlockCache cache_;
};

}  // namespace th

#endif
