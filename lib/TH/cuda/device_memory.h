#ifndef TH_CUDA_DEVICE_MEMORY_H
#define TH_CUDA_DEVICE_MEMORY_H

#include <cuda_runtime.h>

#include "backend/table.h"
#include "cuda/block_cache.h"

namespace th {

// The memory of a device: blocks of a memory pool or, if the device or its driver has no pools, as
// some virtual GPUs, blocks of cudaMalloc. All work of the device is in one stream, so a freed
// block can be used again at once, by work that is queued later; the cache in front of both takes a
// tenth of the pool's time. The pool is our own, so that settings of other CUDA code in the process
// stay unchanged.
class DeviceMemory : private BlockSource {
 public:
  // The device must be current, as for all functions.
  DeviceMemory(int device, cudaStream_t stream);

  // Return null if the device has no memory left, even after empty_cache(). So an operation that
  // has queued work can continue, although it cannot be repeated.
  void* allocate(size_t bytes);
  // The block may be used at once in this other stream. In the device's stream it may be used after
  // work of the other one.
  void* allocate_for(cudaStream_t other, size_t bytes);
  // For a copy in this other stream, which need not wait for the device's stream. Returns null if
  // there is no such memory.
  void* allocate_beside(cudaStream_t other, size_t bytes) {
    return pool_ ? from_pool(other, bytes) : nullptr;
  }
  // Frees a block of allocate_beside() after work of the stream.
  void release_after(cudaStream_t stream, void* block) noexcept;
  // Returns true if blocks of allocate_for() need not wait for the device's stream.
  bool has_pool() const { return pool_ != nullptr; }
  void release(void* block) noexcept;
  DeviceUsage usage() const;
  // Waits for the work in the device's stream, because it may use released blocks.
  void empty_cache();
  // Lets kernels of the other device access the memory.
  void allow(int other);

 private:
  void* from_pool(cudaStream_t stream, size_t bytes);
  void* take(size_t bytes) override;
  void give_back(void* block) noexcept override;

  cudaStream_t stream_;
  cudaMemPool_t pool_;
  BlockCache cache_;
};

}  // namespace th

#endif
