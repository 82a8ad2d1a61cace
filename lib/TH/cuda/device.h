#ifndef TH_CUDA_DEVICE_H
#define TH_CUDA_DEVICE_H

#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <memory>
#include <mutex>

#include "cuda/device_memory.h"
#include "cuda/events.h"
#include "cuda/failure.h"
#include "cuda/host_memory.h"
#include "cuda/staging.h"
#include "simt/queue.h"

namespace th {

// Makes a device current on the calling thread, and at the end of the scope the previous one, for
// other CUDA code in the process.
class CurrentDevice {
 public:
  explicit CurrentDevice(int index);
  ~CurrentDevice();
  CurrentDevice(const CurrentDevice&) = delete;
  CurrentDevice& operator=(const CurrentDevice&) = delete;

 private:
  int index_, previous_;
};

// One CUDA device: an in-order stream, another one for asynchronous copies, and memory. Devices are
// never destroyed, because the driver may be unloaded before the last tensor is freed. The
// functions require that the device is current on the calling thread.
class CudaDevice : public Queue {
 public:
  struct Turn : CurrentDevice {
    explicit Turn(CudaDevice& device) : CurrentDevice(device.index_) {}
  };

  static int count();
  static CudaDevice* open(int index);
  explicit CudaDevice(int index);
  CudaDevice(const CudaDevice&) = delete;
  CudaDevice& operator=(const CudaDevice&) = delete;

  // Needs no open device.
  static DeviceProperties properties(int index);

  void* allocate_block(size_t bytes);
  void* allocate_for_copy(size_t bytes);
  // Copies of copy_async that use the block must have ended or been waited for.
  void release_block(void* block) noexcept { memory_->release(block); }
  void* allocate_host(size_t bytes) { return host_memory_.allocate(bytes); }
  void release_host(void* block) noexcept { host_memory_.release(block); }

  void zero(void* block, size_t bytes);
  void copy(CopyKind kind, void* to, const void* from, size_t bytes);
  void copy_peer(void* to, CudaDevice& other, const void* from, size_t bytes);
  // An event is a cudaEvent_t.
  void* copy_async(CopyKind kind, void* to, const void* from, size_t bytes, bool is_new);
  void wait(void* event);
  void order(void* event);
  void release_event(void* event) noexcept { events_.put_back(static_cast<cudaEvent_t>(event)); }
  // Lets kernels on either device access the other's memory, if the hardware supports it.
  void allow_peer(CudaDevice& other);

  // Until the operation queues its first work, it can be repeated if memory runs out.
  void begin_operation() { work_queued() = false; }
  DeviceStatus status_without_memory() const { return th::status_without_memory(); }
  // CUDA's own calls report failures of earlier work.
  void check_work() {}
  void synchronize();
  void finish();
  void* stream_handle() const { return stream_; }
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
  // Small copies to the device have buffers of their own, so that they do not wait for large ones.
  static constexpr size_t kSmallCopy = 64 << 10;
  static constexpr size_t kSmallSlots = 32;
  static constexpr size_t kLargeSlot = 2 << 20;
  static constexpr size_t kLargeSlots = 4;

  void open_cublas();
  [[noreturn]] void fail_without_memory(size_t bytes);
  // Queues a copy through pinned buffers. Returns false if that is impossible or slower.
  bool copy_staged(cudaStream_t stream, void* to, const void* from, size_t bytes);
  // Makes later work on one stream wait for all earlier work on the other.
  void order_streams(cudaStream_t later, cudaStream_t earlier);

  int index_;
  DeviceProperties properties_;
  cudaStream_t copies_ = nullptr;
  std::unique_ptr<DeviceMemory> memory_;
  volatile DeviceAssertion* host_assertion_ = nullptr;
  EventPool events_;
  HostMemory host_memory_;
  Staging small_copies_{host_memory_, events_, kSmallSlots, kSmallCopy};
  Staging large_copies_{host_memory_, events_, kLargeSlots, kLargeSlot};
  std::mutex cublas_mutex_;
  cublasHandle_t cublas_ = nullptr;
};

inline CudaDevice& cuda_device(Queue& queue) { return static_cast<CudaDevice&>(queue); }

}  // namespace th

#endif
