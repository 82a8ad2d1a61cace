#include "cuda/host_memory.h"

#include "cuda/failure.h"

namespace th {

namespace {

// Rounds up to a power of two up to 1 MiB, then to a multiple of 1 MiB.
size_t rounded(size_t bytes) {
  constexpr size_t kLarge = size_t{1} << 20;
  if (bytes > kLarge) return (bytes + kLarge - 1) / kLarge * kLarge;
  size_t size = 512;
  while (size < bytes) size *= 2;
  return size;
}

}  // namespace

void* HostMemory::allocate(size_t bytes) {
  size_t size = rounded(bytes);
  {
    std::lock_guard<std::mutex> lock(mutex_);
    auto entry = kept_.find(size);
    if (entry != kept_.end() && !entry->second.empty()) {
      void* block = entry->second.back();
      entry->second.pop_back();
      return block;
    }
  }
  void* block = nullptr;
  cudaError_t code = cudaHostAlloc(&block, size, cudaHostAllocPortable);
  if (code == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    empty_cache();
    code = cudaHostAlloc(&block, size, cudaHostAllocPortable);
  }
  check_cuda(code, "allocating pinned host memory");
  std::lock_guard<std::mutex> lock(mutex_);
  sizes_[block] = size;
  return block;
}

void HostMemory::release(void* block) noexcept {
  if (!block) return;
  std::lock_guard<std::mutex> lock(mutex_);
  try {
    kept_[sizes_.at(block)].push_back(block);
  } catch (...) {
    // Without memory to record the block, free it.
    sizes_.erase(block);
    cudaFreeHost(block);
  }
}

void HostMemory::empty_cache() noexcept {
  std::lock_guard<std::mutex> lock(mutex_);
  for (auto& entry : kept_) {
    for (void* block : entry.second) {
      sizes_.erase(block);
      cudaFreeHost(block);
    }
  }
  kept_.clear();
}

}  // namespace th
