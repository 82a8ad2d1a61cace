#ifndef TH_SIMT_QUEUE_H
#define TH_SIMT_QUEUE_H

// One device as its kernels' callers see it: a stream of work in order, and memory that follows it.
// soft/ and cuda/ each implement it.

#include <cstddef>
#include <cstdio>

#include "backend/calls.h"
#include "simt/failure.h"

// The plugin's host code is the host compiler's, its kernels are nvcc's.
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
  // Throws where the code is an error, naming it.
  void check(cudaError_t code) const;
#else
  // Runs task after what was queued before: at once, or, in lazy mode, when someone waits.
  void enqueue(std::function<void()> task);
#endif
  // Blocks in the order of the stream: released ones may still be used by work queued before.
  void* allocate(size_t bytes);
  void release(void* block) noexcept;
  // How many blocks of threads fill the device several times over; for grid-stride loops.
  int most_blocks() const { return most_blocks_; }
  // Where kernels report what checks find: see report.h.
  DeviceAssertion* assertion() const { return assertion_; }

 protected:
  int most_blocks_ = 64;
  DeviceAssertion* assertion_ = nullptr;
#ifdef TH_USES_CUDA
  cudaStream_t stream_ = nullptr;
#endif
};

// A block that lives until the end of the scope, in the order of the stream.
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

// Every operation of BackendOp, in simt/kernels/ or, where the two devices differ, in soft/ and
// cuda/.
#define TH_BACKEND_OP(name, Struct) void run_##name(Queue& queue, const Struct& call);
TH_BACKEND_OPS(TH_BACKEND_OP)
#undef TH_BACKEND_OP

// The operation by its number; simt/run.cc.
void run_device_op(Queue& queue, int op, const void* call);

}  // namespace th

#endif
