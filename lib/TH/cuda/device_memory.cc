#include "cuda/device_memory.h"

#include <cstdint>

#include "cuda/failure.h"

namespace th {

namespace {

// Returns null if the device has no memory pools.
cudaMemPool_t make_pool(int device) {
  int supported = 0;
  const bool known =
      cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolsSupported, device) == cudaSuccess;
  cudaMemPool_t pool = nullptr;
  cudaMemPoolProps props = {};
  props.allocType = cudaMemAllocationTypePinned;
  props.location.type = cudaMemLocationTypeDevice;
  props.location.id = device;
  if (!known || !supported || cudaMemPoolCreate(&pool, &props) != cudaSuccess) {
    cudaGetLastError();
    return nullptr;
  }
  // Keep freed blocks until empty_cache().
  uint64_t all = UINT64_MAX;
  check_cuda(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all),
             "setting a memory pool up");
  return pool;
}

// Returns false if there is no memory left.
bool is_allocated(cudaError_t code) {
  if (code == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    return false;
  }
  check_cuda(code, "allocating memory");
  return true;
}

// The pool divides and joins blocks, so the cache keeps only as many as loops of small operations
// need. Without a pool it keeps all.
constexpr size_t kMostBeforePool = size_t{64} << 20;

}  // namespace

DeviceMemory::DeviceMemory(int device, cudaStream_t stream)
    : stream_(stream),
      pool_(make_pool(device)),
      cache_(*this, pool_ ? kMostBeforePool : SIZE_MAX) {}

void* DeviceMemory::from_pool(cudaStream_t stream, size_t bytes) {
  void* block = nullptr;
  return is_allocated(cudaMallocFromPoolAsync(&block, bytes, pool_, stream)) ? block : nullptr;
}

void* DeviceMemory::take(size_t bytes) {
  if (pool_) return from_pool(stream_, bytes);
  void* block = nullptr;
  return is_allocated(cudaMalloc(&block, bytes)) ? block : nullptr;
}

void DeviceMemory::give_back(void* block) noexcept {
  // cudaFree waits for all work of the device.
  if ((pool_ ? cudaFreeAsync(block, stream_) : cudaFree(block)) != cudaSuccess) cudaGetLastError();
}

void* DeviceMemory::allocate(size_t bytes) {
  void* block = cache_.allocate(bytes);
  if (block) return block;
  empty_cache();
  return cache_.allocate(bytes);
}

void* DeviceMemory::allocate_for(cudaStream_t other, size_t bytes) {
  if (!pool_) return allocate(bytes);
  void* block = from_pool(other, bytes);
  if (block) return block;
  empty_cache();
  return from_pool(other, bytes);
}

void DeviceMemory::release(void* block) noexcept {
  if (!cache_.release(block)) give_back(block);
}

void DeviceMemory::release_after(cudaStream_t stream, void* block) noexcept {
  if (cudaFreeAsync(block, stream) != cudaSuccess) cudaGetLastError();
}

DeviceUsage DeviceMemory::usage() const {
  size_t free = 0, total = 0;
  check_cuda(cudaMemGetInfo(&free, &total), "asking for the free memory");
  DeviceUsage out = {};
  out.total = static_cast<int64_t>(total);
  out.free = static_cast<int64_t>(free);
  const auto kept = static_cast<int64_t>(cache_.kept());
  if (!pool_) {
    out.in_use = static_cast<int64_t>(cache_.in_use());
    out.cached = kept;
    return out;
  }
  uint64_t used = 0, reserved = 0;
  check_cuda(cudaMemPoolGetAttribute(pool_, cudaMemPoolAttrUsedMemCurrent, &used),
             "asking for the memory in use");
  check_cuda(cudaMemPoolGetAttribute(pool_, cudaMemPoolAttrReservedMemCurrent, &reserved),
             "asking for the memory in use");
  out.in_use = static_cast<int64_t>(used) - kept;
  out.cached = static_cast<int64_t>(reserved > used ? reserved - used : 0) + kept;
  return out;
}

void DeviceMemory::empty_cache() {
  cache_.empty();
  if (!pool_) return;
  // The blocks were freed in the order of the stream.
  check_cuda(cudaStreamSynchronize(stream_), "waiting for the device");
  check_cuda(cudaMemPoolTrimTo(pool_, 0), "emptying the cache");
}

void DeviceMemory::allow(int other) {
  cudaMemAccessDesc access = {};
  access.location.type = cudaMemLocationTypeDevice;
  access.location.id = other;
  access.flags = cudaMemAccessFlagsProtReadWrite;
  if (pool_ && cudaMemPoolSetAccess(pool_, &access, 1) != cudaSuccess) cudaGetLastError();
}

}  // namespace th
