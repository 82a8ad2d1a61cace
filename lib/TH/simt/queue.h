#ifndef TH_SIMT_QUEUE_H
#define TH_SIMT_QUEUE_H

// A device as seen by code that launches kernels: an in-order stream of work, and stream-ordered
// memory. Implemented by soft/ and cuda/.

#include <cstddef>
#include <cstdio>

#include "backend/calls.h"
#include "simt/failure.h"

// The host code of the plugin is compiled by the host compiler, the kernels by nvcc.
#if defined(__CUDACC__) || defined(TH_CUDA_PLUGIN)
#define TH_USES_CUDA 1
#include <cuda_runtime.h>
#else
#include <functional>
#endif

namespace th {

class Queue {
 public:
#ifdef TH_USES_CUDA
  cudaStream_t stream() const { return stream_; }
  // Throws an error with its name unless code is cudaSuccess.
  void check(cudaError_t code) const;
#else
  // Runs task after all work queued before: immediately or, in lazy mode, at the next
  // synchronization.
  void enqueue(std::function<void()> task);
#endif
  // Stream-ordered: work queued before a release may still use the block.
  void* allocate(size_t bytes);
  void release(void* block) noexcept;
  // Copies to memory of the host, after all work queued before.
  void read(void* host, const void* from, size_t bytes);
  // The work queued so far has changed no operand, so the operation can be repeated if memory runs
  // out.
  void allow_repetition();
  // A number of blocks that fills the device several times; for grid-stride loops.
  int most_blocks() const { return most_blocks_; }
  // The size of the matrices that convolutions make of the patches of images, where rows fit in.
  int64_t patch_bytes() const { return patch_bytes_; }
  // The slots where kernels report failed checks: see report.h.
  DeviceAssertion* assertion() const { return assertion_; }

 protected:
  int most_blocks_ = 64;
  int64_t patch_bytes_ = int64_t{1} << 16;
  DeviceAssertion* assertion_ = nullptr;
#ifdef TH_USES_CUDA
  cudaStream_t stream_ = nullptr;
#endif
};

// A stream-ordered block that is released at the end of the scope.
class Scratch {
 public:
  Scratch(Queue& queue, size_t bytes) : queue_(queue), block_(queue.allocate(bytes)) {}
  ~Scratch() { queue_.release(block_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  template <class T>
  T* as() const {
    return static_cast<T*>(block_);
  }

 private:
  Queue& queue_;
  void* block_;
};

// The operations of BackendOp. They are in simt/ or, if the two devices differ, in soft/ and cuda/.
#define TH_BACKEND_OP(name, Struct) void run_##name(Queue& queue, const Struct& call);
TH_BACKEND_OPS(TH_BACKEND_OP)
#undef TH_BACKEND_OP

// Runs an operation given by its number (simt/run.cc).
void run_device_op(Queue& queue, int op, const void* call);

}  // namespace th

#endif
