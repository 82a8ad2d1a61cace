#include "cuda/host_memory.h"

#include <cuda_runtime.h>
#include <unistd.h>

namespace th {

namespace {

size_t limit() {
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGE_SIZE);
  constexpr size_t least = 2 * HostMemory::kLargest;
  if (pages <= 0 || page <= 0) return least;
  const size_t part = static_cast<size_t>(pages) / 16 * static_cast<size_t>(page);
  return part > least ? part : least;
}

}  // namespace

HostMemory::HostMemory() : cache_(*this, limit()) {}

void* HostMemory::allocate(size_t bytes) {
  if (bytes > kLargest) return nullptr;
  void* block = cache_.allocate(bytes);
  if (block) return block;
  cache_.empty();
  return cache_.allocate(bytes);
}

void* HostMemory::take(size_t bytes) {
  void* block = nullptr;
  if (cudaHostAlloc(&block, bytes, cudaHostAllocPortable) == cudaSuccess) return block;
  cudaGetLastError();
  return nullptr;
}

void HostMemory::give_back(void* block) noexcept {
  if (cudaFreeHost(block) != cudaSuccess) cudaGetLastError();
}

}  // namespace th
