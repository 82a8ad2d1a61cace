#include "cuda/device.h"

#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <utility>

#include "backend/device_assertions.h"
#include "cuda/failure.h"
#include "cuda/probe.h"
#include "cuda/restore_device.h"

namespace th {

namespace {

cudaMemcpyKind as_cuda(CopyKind kind) {
  switch (kind) {
    case CopyKind::host_to_device:
      return cudaMemcpyHostToDevice;
    case CopyKind::device_to_host:
      return cudaMemcpyDeviceToHost;
    case CopyKind::device_to_device:
      return cudaMemcpyDeviceToDevice;
  }
  return cudaMemcpyDefault;
}

int attribute(cudaDeviceAttr which, int device) {
  int value = 0;
  if (cudaDeviceGetAttribute(&value, which, device) != cudaSuccess) {
    cudaGetLastError();
    return 0;
  }
  return value;
}

}  // namespace

DeviceProperties CudaDevice::properties(int index) {
  cudaDeviceProp found;
  check_cuda(cudaGetDeviceProperties(&found, index), "asking for the device's properties");
  DeviceProperties p = {};
  std::snprintf(p.name, sizeof p.name, "%s", found.name);
  int driver = 0;
  check_cuda(cudaDriverGetVersion(&driver), "asking for the driver's version");
  std::snprintf(p.software, sizeof p.software, "CUDA %d.%d, driver for %d.%d",
                CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10, driver / 1000,
                driver % 1000 / 10);
  p.total_memory = static_cast<int64_t>(found.totalGlobalMem);
  // The clock is in kHz and the bus width in bits; two transfers per clock cycle.
  p.bandwidth = int64_t{2000} * attribute(cudaDevAttrMemoryClockRate, index) *
                (attribute(cudaDevAttrGlobalMemoryBusWidth, index) / 8);
  p.major = found.major;
  p.minor = found.minor;
  p.multiprocessors = found.multiProcessorCount;
  return p;
}

// ---- the current device -------------------------------------------------------------------------

namespace {

// True in a child process of one that has used a device: the driver works in neither of them.
std::atomic<bool> is_forked{false};

void remember_forks() {
  static const int registered =
      pthread_atfork(nullptr, nullptr, [] { is_forked.store(true, std::memory_order_relaxed); });
  static_cast<void>(registered);
}

}  // namespace

CurrentDevice::CurrentDevice(int index) : index_(index), previous_(index) {
  if (is_forked.load(std::memory_order_relaxed)) {
    fail(kDeviceFailed,
         "CUDA: the parent process has used a device before fork(); this process cannot use one");
  }
  if (cudaGetDevice(&previous_) != cudaSuccess) {
    cudaGetLastError();
    previous_ = -1;
  }
  if (previous_ != index) check_cuda(cudaSetDevice(index), "choosing the device");
}

CurrentDevice::~CurrentDevice() {
  if (previous_ == index_ || previous_ < 0) return;
  if (restore_device(previous_) != cudaSuccess) cudaGetLastError();
}

// ---- opening ------------------------------------------------------------------------------------

namespace {

// Throws if the plugin has no kernels that run on the device.
void check_kernels(const DeviceProperties& device) {
  const cudaError_t code = probe_kernel();
  if (code == cudaErrorUnsupportedPtxVersion) {
    fail(kDeviceFailed,
         "CUDA: the driver is too old to compile the kernels of this build for %s (%s): it needs a "
         "newer driver, or a build with TH_CUDA_ARCHITECTURES=%d%d-real",
         device.name, device.software, device.major, device.minor);
  }
  if (code == cudaErrorNoKernelImageForDevice || code == cudaErrorInvalidDeviceFunction) {
    fail(kDeviceFailed,
         "CUDA: this build has no kernels for %s, of compute capability %d.%d; build it with "
         "TH_CUDA_ARCHITECTURES=%d%d",
         device.name, device.major, device.minor, device.major, device.minor);
  }
  check_cuda(code, "loading the kernels");
}

}  // namespace

CudaDevice::CudaDevice(int index) : index_(index), properties_(properties(index)) {
  check_kernels(properties_);
  remember_forks();
  // Eight blocks of 256 threads fill a multiprocessor; allow four times as many.
  most_blocks_ = properties_.multiprocessors * 32;
  // About the size of the cache, and large enough for products that use all multiprocessors.
  patch_bytes_ = int64_t{64} << 20;
  check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "making a stream");
  check_cuda(cudaStreamCreateWithFlags(&copies_, cudaStreamNonBlocking), "making a stream");
  check_cuda(cudaStreamCreateWithFlags(&uploads_, cudaStreamNonBlocking), "making a stream");
  memory_ = std::make_unique<DeviceMemory>(index, stream_);
  void* block = nullptr;
  check_cuda(cudaHostAlloc(&block, kAssertions * sizeof(DeviceAssertion),
                           cudaHostAllocMapped | cudaHostAllocPortable),
             "allocating mapped host memory");
  std::memset(block, 0, kAssertions * sizeof(DeviceAssertion));
  host_assertion_ = static_cast<DeviceAssertion*>(block);
  check_cuda(cudaHostGetDevicePointer(&block, block, 0), "mapping host memory");
  assertion_ = static_cast<DeviceAssertion*>(block);
}

void CudaDevice::open_cublas() {
  // With its own workspace, cuBLAS does not allocate memory later. Its documentation recommends 32
  // MiB, or 4 MiB before Hopper. The math mode makes sums of 16-bit products accumulate in float.
  const size_t bytes = properties_.major >= 9 ? size_t{32} << 20 : size_t{4} << 20;
  void* workspace = allocate_block(bytes);
  cublasHandle_t handle = nullptr;
  try {
    const cublasStatus_t status = cublasCreate(&handle);
    // A failed creation may leave a value that is not a handle.
    if (status != CUBLAS_STATUS_SUCCESS) handle = nullptr;
    if (status == CUBLAS_STATUS_NOT_INITIALIZED || status == CUBLAS_STATUS_INTERNAL_ERROR) {
      fail(status_of_failed_start(), "cuBLAS: %s (cublasCreate)", cublasGetStatusString(status));
    }
    check_cublas(status);
    check_cublas(cublasSetStream(handle, stream_));
    check_cublas(cublasSetWorkspace(handle, workspace, bytes));
    check_cublas(cublasSetMathMode(handle, CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION));
  } catch (...) {
    if (handle) cublasDestroy(handle);
    release_block(workspace);
    throw;
  }
  cublas_ = handle;
}

void CudaDevice::allow_peer(CudaDevice& other) {
  int can = 0;
  const cudaError_t code = cudaDeviceCanAccessPeer(&can, other.index_, index_);
  // Without peer access, copies go through the host.
  if (code != cudaSuccess) cudaGetLastError();
  if (code == cudaSuccess && can) memory_->allow(other.index_);
}

// ---- memory -------------------------------------------------------------------------------------

void* Queue::allocate(size_t bytes) { return cuda_device(*this).allocate_block(bytes); }
void Queue::release(void* block) noexcept { cuda_device(*this).release_block(block); }
void Queue::read(void* host, const void* from, size_t bytes) {
  cuda_device(*this).copy(CopyKind::device_to_host, host, from, bytes);
}
void Queue::allow_repetition() { cuda_device(*this).begin_operation(); }

void* CudaDevice::allocate_block(size_t bytes) {
  if (bytes == 0) return nullptr;
  void* block = memory_->allocate(bytes);
  if (!block) fail_without_memory(bytes);
  return block;
}

void* CudaDevice::allocate_for_copy(size_t bytes) {
  if (bytes == 0) return nullptr;
  limit_lead(bytes);
  void* block = memory_->allocate_for(uploads_, bytes);
  if (!block) fail_without_memory(bytes);
  return block;
}

void CudaDevice::fail_without_memory(size_t bytes) {
  const DeviceUsage now = usage();
  auto mebibytes = [](int64_t n) { return static_cast<double>(n) / 0x100000; };
  fail(status_without_memory(),
       "CUDA: out of memory: %.1f MiB requested, %.1f MiB free, %.1f MiB in use here and %.1f MiB "
       "kept, of %.1f MiB of %s",
       mebibytes(static_cast<int64_t>(bytes)), mebibytes(now.free), mebibytes(now.in_use),
       mebibytes(now.cached), mebibytes(now.total), properties_.name);
}

DeviceStatus CudaDevice::status_of_failed_start() {
  constexpr int64_t kEnough = int64_t{1} << 30;
  return usage().free < kEnough ? status_without_memory() : kDeviceFailed;
}

DeviceUsage CudaDevice::usage() { return memory_->usage(); }

void CudaDevice::empty_cache() {
  synchronize();
  memory_->empty_cache();
  host_memory_.empty_cache();
}

// ---- copies -------------------------------------------------------------------------------------

void CudaDevice::limit_lead(size_t bytes) {
  if (lead_.fetch_add(bytes, std::memory_order_relaxed) + bytes <= kMostLead) return;
  lead_.store(0, std::memory_order_relaxed);
  order_streams(uploads_, stream_);
}

bool CudaDevice::is_idle() { return has_ended(cudaStreamQuery(stream_)); }

void CudaDevice::zero(void* block, size_t bytes) {
  if (bytes) check_cuda(cudaMemsetAsync(block, 0, bytes, stream_), "filling memory");
}

// The end of an asynchronous copy.
struct CudaDevice::CopyEvent {
  explicit CopyEvent(EventPool& events) : done(events) {}
  PooledEvent done;
  bool to_host = false;
  // If `to` is not pinned: a pinned block, from which wait() copies to `to`.
  void* pinned = nullptr;
  void* to = nullptr;
  size_t bytes = 0;
};

void CudaDevice::copy(CopyKind kind, void* to, const void* from, size_t bytes) {
  if (bytes == 0) return;
  if (kind == CopyKind::host_to_device) {
    std::unique_ptr<CopyEvent> copy(static_cast<CopyEvent*>(upload(to, from, bytes, false)));
    if (copy) check_cuda(cudaEventSynchronize(copy->done.get()), "copying");
    return;
  }
  check_cuda(cudaMemcpyAsync(to, from, bytes, as_cuda(kind), stream_), "copying");
  if (kind != CopyKind::device_to_device) check_cuda(cudaStreamSynchronize(stream_), "copying");
}

void CudaDevice::order_streams(cudaStream_t later, cudaStream_t earlier) {
  PooledEvent event(events_);
  check_cuda(cudaEventRecord(event.get(), earlier), "ordering streams");
  check_cuda(cudaStreamWaitEvent(later, event.get(), 0), "ordering streams");
}

void CudaDevice::copy_peer(void* to, CudaDevice& other, const void* from, size_t bytes) {
  if (bytes == 0) return;
  {
    // An event belongs to the device that was current at its creation.
    CurrentDevice current(other.index_);
    other.order_streams(stream_, other.stream_);
  }
  check_cuda(cudaMemcpyPeerAsync(to, index_, from, other.index_, bytes, stream_),
             "copying from another device");
  order_streams(other.stream_, stream_);
}

bool CudaDevice::send(void* to, const void* from, size_t bytes, cudaEvent_t end) {
  const bool is_pinned = bytes > kSmallCopy && host_memory_.contains(from);
  const bool is_staged = !is_pinned && large_copies_.copy(uploads_, to, from, bytes);
  if (!is_staged) {
    check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, uploads_), "copying");
  }
  check_cuda(cudaEventRecord(end, uploads_), "copying");
  return is_staged;
}

bool CudaDevice::upload_to(void* to, const void* from, size_t bytes, bool is_new, bool is_ordered,
                           cudaEvent_t end) {
  void* transit = nullptr;
  if (!(is_new && memory_->has_pool()) && !is_idle()) {
    limit_lead(bytes);
    transit = memory_->allocate_beside(uploads_, bytes);
    if (!transit) order_streams(uploads_, stream_);
  }
  try {
    const bool is_staged = send(transit ? transit : to, from, bytes, end);
    cudaStream_t last = is_ordered ? stream_ : copies_;
    if (transit && !is_ordered) order_streams(last, stream_);
    if (transit || is_ordered) check_cuda(cudaStreamWaitEvent(last, end, 0), "copying");
    if (transit) {
      check_cuda(cudaMemcpyAsync(to, transit, bytes, cudaMemcpyDeviceToDevice, last), "copying");
      memory_->release_after(last, std::exchange(transit, nullptr));
      if (!is_ordered) check_cuda(cudaEventRecord(end, last), "copying");
    }
    return is_staged;
  } catch (...) {
    // The caller may free both blocks.
    for (cudaStream_t stream : {uploads_, copies_}) {
      if (cudaStreamSynchronize(stream) != cudaSuccess) cudaGetLastError();
    }
    if (transit) memory_->release_after(uploads_, transit);
    throw;
  }
}

void* CudaDevice::upload(void* to, const void* from, size_t bytes, bool is_new) {
  if (bytes == 0) return nullptr;
  const bool is_small = !is_new && bytes <= kSmallCopy;
  if (is_small && small_copies_.copy_at_once(stream_, to, from, bytes)) return nullptr;
  auto copy = std::make_unique<CopyEvent>(events_);
  const bool is_staged = upload_to(to, from, bytes, is_new, true, copy->done.get());
  return is_staged ? nullptr : copy.release();
}

void CudaDevice::copy_after_work(CopyEvent* copy, CopyKind kind, void* to, const void* from,
                                 size_t bytes) {
  copy->to_host = kind == CopyKind::device_to_host;
  copy->to = to;
  copy->bytes = bytes;
  order_streams(copies_, stream_);
  if (copy->to_host && !host_memory_.contains(to)) copy->pinned = host_memory_.allocate(bytes);
  try {
    check_cuda(
        cudaMemcpyAsync(copy->pinned ? copy->pinned : to, from, bytes, as_cuda(kind), copies_),
        "copying");
    check_cuda(cudaEventRecord(copy->done.get(), copies_), "copying");
  } catch (...) {
    if (cudaStreamSynchronize(copies_) != cudaSuccess) cudaGetLastError();
    host_memory_.release(copy->pinned);
    throw;
  }
}

void* CudaDevice::copy_async(CopyKind kind, void* to, const void* from, size_t bytes, bool is_new) {
  auto copy = std::make_unique<CopyEvent>(events_);
  if (bytes == 0) return copy.release();
  if (kind == CopyKind::host_to_device) {
    upload_to(to, from, bytes, is_new, false, copy->done.get());
  } else {
    copy_after_work(copy.get(), kind, to, from, bytes);
  }
  return copy.release();
}

bool CudaDevice::is_over(void* event) noexcept {
  return is_forked.load(std::memory_order_relaxed) && !static_cast<CopyEvent*>(event)->to_host;
}

void CudaDevice::wait(void* event) {
  auto* copy = static_cast<CopyEvent*>(event);
  check_cuda(cudaEventSynchronize(copy->done.get()), "waiting for a copy");
  if (!copy->pinned) return;
  std::memcpy(copy->to, copy->pinned, copy->bytes);
  host_memory_.release(std::exchange(copy->pinned, nullptr));
}

void CudaDevice::order(void* event) {
  check_cuda(cudaStreamWaitEvent(stream_, static_cast<CopyEvent*>(event)->done.get(), 0),
             "ordering work after a copy");
}

void CudaDevice::release_event(void* event) noexcept {
  std::unique_ptr<CopyEvent> copy(static_cast<CopyEvent*>(event));
  if (!copy->pinned) return;
  // The caller has not waited for the copy.
  if (cudaEventSynchronize(copy->done.get()) == cudaSuccess) {
    host_memory_.release(copy->pinned);
  } else {
    cudaGetLastError();
  }
}

void CudaDevice::synchronize() {
  check_cuda(cudaStreamSynchronize(stream_), "waiting for the device");
  check_cuda(cudaStreamSynchronize(uploads_), "waiting for copies");
  check_cuda(cudaStreamSynchronize(copies_), "waiting for copies");
}

void CudaDevice::finish() { check_cuda(cudaDeviceSynchronize(), "waiting for the device"); }

DeviceAssertion CudaDevice::take_assertion() {
  for (uint32_t k = 0; k < kAssertions; ++k) {
    volatile DeviceAssertion& assertion = host_assertion_[k];
    if (__atomic_load_n(&assertion.check, __ATOMIC_ACQUIRE) == 0) continue;
    // Kernels write the value after the check number, so wait until the kernel has finished.
    if (cudaStreamSynchronize(stream_) != cudaSuccess) cudaGetLastError();
    DeviceAssertion found = {assertion.check, assertion.value};
    assertion.value = 0;
    __atomic_store_n(&assertion.check, 0u, __ATOMIC_RELEASE);
    return found;
  }
  return {};
}

}  // namespace th
