#include "cuda/device.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "backend/device_assertions.h"
#include "cuda/failure.h"
#include "cuda/probe.h"

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

DeviceProperties properties_of(int index) {
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

}  // namespace

// ---- events -------------------------------------------------------------------------------------

cudaEvent_t EventPool::take() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!free_.empty()) {
      cudaEvent_t event = free_.back();
      free_.pop_back();
      return event;
    }
  }
  cudaEvent_t event;
  check_cuda(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "making an event");
  return event;
}

void EventPool::put_back(cudaEvent_t event) noexcept {
  std::lock_guard<std::mutex> lock(mutex_);
  try {
    free_.push_back(event);
  } catch (...) {
    cudaEventDestroy(event);
  }
}

// ---- opening ------------------------------------------------------------------------------------

CudaDevice::CudaDevice(int index) : index_(index) {
  make_current();
  properties_ = properties_of(index);
  if (!has_kernels_for_current_device()) {
    fail(kDeviceFailed, "CUDA: this build has no kernels for %s, of compute capability %d.%d",
         properties_.name, properties_.major, properties_.minor);
  }
  // Eight blocks of 256 threads fill a multiprocessor; allow four times as many.
  most_blocks_ = properties_.multiprocessors * 32;
  check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "making a stream");
  check_cuda(cudaStreamCreateWithFlags(&copies_, cudaStreamNonBlocking), "making a stream");
  open_pool();
  void* block = nullptr;
  check_cuda(cudaHostAlloc(&block, kAssertions * sizeof(DeviceAssertion),
                           cudaHostAllocMapped | cudaHostAllocPortable),
             "allocating mapped host memory");
  std::memset(block, 0, kAssertions * sizeof(DeviceAssertion));
  host_assertion_ = static_cast<DeviceAssertion*>(block);
  check_cuda(cudaHostGetDevicePointer(&block, block, 0), "mapping host memory");
  assertion_ = static_cast<DeviceAssertion*>(block);
}

void CudaDevice::open_pool() {
  if (!attribute(cudaDevAttrMemoryPoolsSupported, index_)) {
    fail(kDeviceFailed, "CUDA: %s, or its driver, has no memory pools", properties_.name);
  }
  cudaMemPoolProps props = {};
  props.allocType = cudaMemAllocationTypePinned;
  props.location.type = cudaMemLocationTypeDevice;
  props.location.id = index_;
  check_cuda(cudaMemPoolCreate(&pool_, &props), "making a memory pool");
  // Keep freed blocks until empty_cache().
  uint64_t all = UINT64_MAX;
  check_cuda(cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrReleaseThreshold, &all),
             "setting a memory pool up");
}

void CudaDevice::open_cublas() {
  cublasHandle_t handle;
  cublasStatus_t status = cublasCreate(&handle);
  if (status != CUBLAS_STATUS_SUCCESS) {
    fail(status == CUBLAS_STATUS_ALLOC_FAILED ? kDeviceOutOfMemory : kDeviceFailed,
         "cuBLAS: %s (cublasCreate)", cublasGetStatusString(status));
  }
  // With its own workspace, cuBLAS does not allocate memory later. Its documentation recommends 32
  // MiB, or 4 MiB before Hopper. The math mode makes sums of 16-bit products accumulate in float.
  size_t bytes = properties_.major >= 9 ? size_t{32} << 20 : size_t{4} << 20;
  void* workspace = allocate_block(bytes);
  if (cublasSetStream(handle, stream_) != CUBLAS_STATUS_SUCCESS ||
      cublasSetWorkspace(handle, workspace, bytes) != CUBLAS_STATUS_SUCCESS ||
      cublasSetMathMode(handle, CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION) !=
          CUBLAS_STATUS_SUCCESS) {
    release_block(workspace);
    cublasDestroy(handle);
    fail(kDeviceFailed, "cuBLAS: the handle could not be set up");
  }
  cublas_ = handle;
}

void CudaDevice::make_current() const { check_cuda(cudaSetDevice(index_), "choosing the device"); }

void CudaDevice::allow_peer(CudaDevice& other) {
  int can = 0;
  if (cudaDeviceCanAccessPeer(&can, other.index_, index_) == cudaSuccess && can) {
    cudaMemAccessDesc access = {};
    access.location.type = cudaMemLocationTypeDevice;
    access.location.id = other.index_;
    access.flags = cudaMemAccessFlagsProtReadWrite;
    cudaMemPoolSetAccess(pool_, &access, 1);
  }
  // Without peer access, copies go through the host.
  cudaGetLastError();
}

// ---- memory -------------------------------------------------------------------------------------

void* Queue::allocate(size_t bytes) { return cuda_device(*this).allocate_block(bytes); }
void Queue::release(void* block) noexcept { cuda_device(*this).release_block(block); }

void* CudaDevice::allocate_block(size_t bytes) {
  void* block = nullptr;
  cudaError_t code = cudaMallocFromPoolAsync(&block, std::max<size_t>(bytes, 1), pool_, stream_);
  if (code == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    DeviceUsage now = usage();
    fail(
        kDeviceOutOfMemory,
        "CUDA: out of memory: %.1f MiB requested, %.1f MiB free, %.1f MiB in use here and %.1f MiB "
        "kept, of %.1f MiB of %s",
        static_cast<double>(bytes) / 0x100000, static_cast<double>(now.free) / 0x100000,
        static_cast<double>(now.in_use) / 0x100000, static_cast<double>(now.cached) / 0x100000,
        static_cast<double>(now.total) / 0x100000, properties_.name);
  }
  check_cuda(code, "allocating memory");
  return block;
}

void CudaDevice::release_block(void* block) noexcept {
  if (block && cudaFreeAsync(block, stream_) != cudaSuccess) cudaGetLastError();
}

DeviceUsage CudaDevice::usage() {
  size_t free = 0, total = 0;
  uint64_t used = 0, reserved = 0;
  check_cuda(cudaMemGetInfo(&free, &total), "asking for the free memory");
  check_cuda(cudaMemPoolGetAttribute(pool_, cudaMemPoolAttrUsedMemCurrent, &used),
             "asking for the memory in use");
  check_cuda(cudaMemPoolGetAttribute(pool_, cudaMemPoolAttrReservedMemCurrent, &reserved),
             "asking for the memory in use");
  DeviceUsage out = {};
  out.total = static_cast<int64_t>(total);
  out.free = static_cast<int64_t>(free);
  out.in_use = static_cast<int64_t>(used);
  out.cached = static_cast<int64_t>(reserved > used ? reserved - used : 0);
  return out;
}

void CudaDevice::empty_cache() {
  // Released blocks become free when the work queued before has ended.
  synchronize();
  check_cuda(cudaMemPoolTrimTo(pool_, 0), "emptying the cache");
  host_memory_.empty_cache();
}

// ---- copies -------------------------------------------------------------------------------------

void CudaDevice::zero(void* block, size_t bytes) {
  if (bytes) check_cuda(cudaMemsetAsync(block, 0, bytes, stream_), "filling memory");
}

void CudaDevice::copy_staged(void* to, const void* from, size_t bytes) {
  std::lock_guard<std::mutex> lock(slots_mutex_);
  if (!slots_) slots_ = static_cast<char*>(host_memory_.allocate(kSlots * kSlotBytes));
  cudaEvent_t& event = slot_events_[next_slot_];
  if (event) {
    check_cuda(cudaEventSynchronize(event), "copying to the device");
  } else {
    event = events_.take();
  }
  char* slot = slots_ + static_cast<size_t>(next_slot_) * kSlotBytes;
  next_slot_ = (next_slot_ + 1) % kSlots;
  std::memcpy(slot, from, bytes);
  check_cuda(cudaMemcpyAsync(to, slot, bytes, cudaMemcpyHostToDevice, stream_),
             "copying to the device");
  check_cuda(cudaEventRecord(event, stream_), "copying to the device");
}

void CudaDevice::copy(CopyKind kind, void* to, const void* from, size_t bytes) {
  if (bytes == 0) return;
  if (kind == CopyKind::host_to_device && bytes <= kSlotBytes) {
    copy_staged(to, from, bytes);
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
  // An event belongs to the device that was current at its creation.
  other.make_current();
  other.order_streams(stream_, other.stream_);
  make_current();
  check_cuda(cudaMemcpyPeerAsync(to, index_, from, other.index_, bytes, stream_),
             "copying from another device");
  order_streams(other.stream_, stream_);
}

void* CudaDevice::copy_async(CopyKind kind, void* to, const void* from, size_t bytes) {
  order_streams(copies_, stream_);
  PooledEvent event(events_);
  if (bytes) check_cuda(cudaMemcpyAsync(to, from, bytes, as_cuda(kind), copies_), "copying");
  check_cuda(cudaEventRecord(event.get(), copies_), "copying");
  return event.release();
}

void CudaDevice::wait(void* event) {
  check_cuda(cudaEventSynchronize(static_cast<cudaEvent_t>(event)), "waiting for a copy");
}

void CudaDevice::order(void* event) {
  check_cuda(cudaStreamWaitEvent(stream_, static_cast<cudaEvent_t>(event), 0),
             "ordering work after a copy");
}

void CudaDevice::synchronize() {
  check_cuda(cudaStreamSynchronize(stream_), "waiting for the device");
  check_cuda(cudaStreamSynchronize(copies_), "waiting for copies");
}

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
