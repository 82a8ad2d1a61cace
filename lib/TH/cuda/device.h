#ifndef TH_CUDA_DEVICE_H
#define TH_CUDA_DEVICE_H

#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <atomic>
#include <memory>
#include <mutex>

#include "cuda/device_memory.h"
#include "cuda/events.h"
#include "cuda/failure.h"
#include "cuda/host_memory.h"
#include "cuda/staging.h"
#include "simt/queue.h"

namespace th {

// Makes a device current on the calling thread, and at the end of the scope calls restore_device()
// with the previous one, for other CUDA code in the process.
class CurrentDevice {
 public:
  explicit CurrentDevice(int index);
  ~CurrentDevice();
  CurrentDevice(const CurrentDevice&) = delete;
  CurrentDevice& operator=(const CurrentDevice&) = delete;

 private:
  int index_, previous_;
};

// One CUDA device: an in-order stream, two others for copies, and memory. Devices are never
// destroyed, because the driver may be unloaded before the last tensor is freed. The
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
  void* upload(void* to, const void* from, size_t bytes, bool is_new);
  // An event is a CopyEvent.
  void* copy_async(CopyKind kind, void* to, const void* from, size_t bytes, bool is_new);
  // Returns true for copies to the device in a child process, which has no device.
  static bool is_over(void* event) noexcept;
  void wait(void* event);
  void order(void* event);
  void release_event(void* event) noexcept;
  // Lets kernels on either device access the other's memory, if the hardware supports it.
  void allow_peer(CudaDevice& other);

  // Until the operation queues its first work, it can be repeated if memory runs out.
  void begin_operation() { work_queued() = false; }
  DeviceStatus status_without_memory() const { return th::status_without_memory(); }
  // The status if a library cannot make a handle or a plan, for a reason that it does not report.
  // If little memory is free, that is the likely reason.
  DeviceStatus status_of_failed_start();
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
  // After this number of bytes, copies wait for the work in stream_.
  static constexpr size_t kMostLead = size_t{256} << 20;

  struct CopyEvent;

  void open_cublas();
  [[noreturn]] void fail_without_memory(size_t bytes);
  // Called before a block for a copy is allocated. The pool reuses a block that was freed in
  // stream_ only if uploads_ has waited for the work before. Copies that overtake this work use new
  // blocks, which is limited to kMostLead bytes.
  void limit_lead(size_t bytes);
  // Returns true if all work in stream_ has ended.
  bool is_idle();
  // Queues a copy from the host in uploads_ and records its end in the event. Returns true if it
  // reads a pinned buffer, not `from`.
  bool send(void* to, const void* from, size_t bytes, cudaEvent_t end);
  // Copies from the host without waiting for earlier work. If that may use `to`, the bytes go to
  // other memory first, and from there to `to` after that work. Returns true if the host may change
  // `from` at once, else after the event. is_ordered: later work in stream_ waits for the copy;
  // else the event is its end.
  bool upload_to(void* to, const void* from, size_t bytes, bool is_new, bool is_ordered,
                 cudaEvent_t end);
  // Copies after all work queued so far.
  void copy_after_work(CopyEvent* copy, CopyKind kind, void* to, const void* from, size_t bytes);
  // Makes later work on one stream wait for all earlier work on the other.
  void order_streams(cudaStream_t later, cudaStream_t earlier);

  int index_;
  DeviceProperties properties_;
  // Copies that come after work, and copies from the host, which wait for each other only.
  cudaStream_t copies_ = nullptr, uploads_ = nullptr;
  std::atomic<size_t> lead_{0};
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
