#ifndef TH_CUDA_DEVICE_H
#define TH_CUDA_DEVICE_H

#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <mutex>
#include <vector>

#include "cuda/host_memory.h"
#include "simt/queue.h"

namespace th {

// A pool of events without timing.
class EventPool {
 public:
  cudaEvent_t take();
  void put_back(cudaEvent_t event) noexcept;

 private:
  std::mutex mutex_;
  std::vector<cudaEvent_t> free_;
};

// Takes an event from the pool and returns it at the end of the scope.
class PooledEvent {
 public:
  explicit PooledEvent(EventPool& pool) : pool_(pool), event_(pool.take()) {}
  ~PooledEvent() {
    if (event_) pool_.put_back(event_);
  }
  PooledEvent(const PooledEvent&) = delete;
  PooledEvent& operator=(const PooledEvent&) = delete;
  cudaEvent_t get() const { return event_; }
  cudaEvent_t release() {
    cudaEvent_t event = event_;
    event_ = nullptr;
    return event;
  }

 private:
  EventPool& pool_;
  cudaEvent_t event_;
};

// One CUDA device: an in-order stream, another one for asynchronous copies, and a memory pool. The
// pool is our own, so that settings of other CUDA code in the process stay unchanged. Devices are
// never destroyed, because the driver may be unloaded before the last tensor is freed. The
// functions require that the device is current on the calling thread.
class CudaDevice : public Queue {
 public:
  // Makes the device current on the calling thread.
  struct Turn {
    explicit Turn(CudaDevice& device) { device.make_current(); }
  };

  static int count();
  static CudaDevice* open(int index);
  explicit CudaDevice(int index);
  CudaDevice(const CudaDevice&) = delete;
  CudaDevice& operator=(const CudaDevice&) = delete;

  void make_current() const;
  const DeviceProperties& properties() const { return properties_; }

  void* allocate_block(size_t bytes);
  // Copies of copy_async that use the block must have ended or been waited for.
  void release_block(void* block) noexcept;
  void* allocate_host(size_t bytes) { return host_memory_.allocate(bytes); }
  void release_host(void* block) noexcept { host_memory_.release(block); }

  void zero(void* block, size_t bytes);
  void copy(CopyKind kind, void* to, const void* from, size_t bytes);
  void copy_peer(void* to, CudaDevice& other, const void* from, size_t bytes);
  // An event is a cudaEvent_t.
  void* copy_async(CopyKind kind, void* to, const void* from, size_t bytes);
  void wait(void* event);
  void order(void* event);
  void release_event(void* event) noexcept { events_.put_back(static_cast<cudaEvent_t>(event)); }
  // Lets kernels on either device access the other's memory, if the hardware supports it.
  void allow_peer(CudaDevice& other);

  // CUDA's own calls report failures of earlier work.
  void begin_operation() {}
  DeviceStatus status_without_memory() const { return kDeviceFailed; }
  void check_work() {}
  void synchronize();
  DeviceAssertion take_assertion();
  DeviceUsage usage();
  void empty_cache();

  // Calls use(cublasHandle_t), one thread at a time.
  template <class F>
  void with_cublas(const F& use) {
    std::lock_guard<std::mutex> lock(cublas_mutex_);
    if (!cublas_) open_cublas();
    use(cublas_);
  }

 private:
  // Pinned buffers for small copies to the device, so that callers do not wait for work that was
  // queued before.
  static constexpr size_t kSlotBytes = 64 << 10;
  static constexpr int kSlots = 32;

  void open_pool();
  void open_cublas();
  void copy_staged(void* to, const void* from, size_t bytes);
  // Makes later work on one stream wait for all earlier work on the other.
  void order_streams(cudaStream_t later, cudaStream_t earlier);

  int index_;
  DeviceProperties properties_;
  cudaStream_t copies_ = nullptr;
  cudaMemPool_t pool_ = nullptr;
  volatile DeviceAssertion* host_assertion_ = nullptr;
  EventPool events_;
  HostMemory host_memory_;
  std::mutex slots_mutex_;
  char* slots_ = nullptr;
  cudaEvent_t slot_events_[kSlots] = {};
  int next_slot_ = 0;
  std::mutex cublas_mutex_;
  cublasHandle_t cublas_ = nullptr;
};

inline CudaDevice& cuda_device(Queue& queue) { return static_cast<CudaDevice&>(queue); }

}  // namespace th

#endif
