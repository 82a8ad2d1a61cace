#ifndef TH_CUDA_HOST_MEMORY_H
#define TH_CUDA_HOST_MEMORY_H

#include <cstddef>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace th {

// Pinned host memory. Pinning takes much longer than most copies, so freed blocks are kept and
// reused for similar sizes.
class HostMemory {
 public:
  void* allocate(size_t bytes);
  void release(void* block) noexcept;
  void empty_cache() noexcept;

 private:
  std::mutex mutex_;
  std::unordered_map<void*, size_t> sizes_;  // sizes of all blocks
  std::unordered_map<size_t, std::vector<void*>> kept_;
};

}  // namespace th

#endif
