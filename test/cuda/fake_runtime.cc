#include "fake_runtime.h"

#include <cuda.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <utility>
#include <vector>

struct CUstream_st {
  std::deque<std::function<void()>> work;
  uint64_t done = 0;
  uint64_t queued() const { return done + work.size(); }
  void run_until(uint64_t position) {
    while (done < position && !work.empty()) {
      auto next = std::move(work.front());
      work.pop_front();
      ++done;
      next();
    }
  }
  void run() { run_until(queued()); }
};
struct CUevent_st {
  cudaStream_t stream = nullptr;
  uint64_t position = 0;
};
struct CUmemPoolHandle_st {
  int device;
};

namespace {

struct Allocation {
  size_t bytes;
  int device;  // -1: pinned host memory
};
std::map<void*, Allocation> allocations;
std::vector<cudaStream_t> streams;
thread_local int current = 0;

void run_all() {
  for (cudaStream_t stream : streams) stream->run();
}

const Allocation* allocation_of(const void* address) {
  auto after = allocations.upper_bound(const_cast<void*>(address));
  if (after == allocations.begin()) return nullptr;
  --after;
  bool inside = static_cast<const char*>(address) <
                static_cast<const char*>(after->first) + after->second.bytes;
  return inside ? &after->second : nullptr;
}
bool is_pageable(const void* address) { return allocation_of(address) == nullptr; }

cudaError_t allocate(void** block, size_t bytes, int device) {
  FakeRuntime& fake = fake_runtime();
  size_t& used = device < 0 ? fake.pinned : fake.used[device];
  if (used + bytes > (device < 0 ? fake.pinnable : fake.memory)) return cudaErrorMemoryAllocation;
  used += bytes;
  *block = std::aligned_alloc(512, (bytes + 511) / 512 * 512);
  allocations[*block] = {bytes, device};
  ++(device < 0 ? fake.host_allocations : fake.device_allocations);
  return cudaSuccess;
}
cudaError_t release(void* block) {
  auto entry = allocations.find(block);
  if (entry == allocations.end()) return cudaErrorInvalidValue;
  const Allocation gone = entry->second;
  FakeRuntime& fake = fake_runtime();
  (gone.device < 0 ? fake.pinned : fake.used[gone.device]) -= gone.bytes;
  if (gone.device >= 0) ++fake.device_frees;
  allocations.erase(entry);
  std::free(block);
  return cudaSuccess;
}

}  // namespace

FakeRuntime& fake_runtime() {
  static FakeRuntime fake;
  return fake;
}

extern "C" {

const char* cudaGetErrorString(cudaError_t) { return "a fake error"; }
const char* cudaGetErrorName(cudaError_t) { return "cudaErrorFake"; }
cudaError_t cudaGetLastError() { return std::exchange(fake_runtime().last_error, cudaSuccess); }
cudaError_t cudaGetDeviceCount(int* count) {
  *count = FakeRuntime::kDevices;
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* version) {
  *version = 12040;
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
  *device = current;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
  current = device;
  fake_runtime().has_context[device] = true;
  return cudaSuccess;
}
CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned* flags, int* active) {
  *flags = 0;
  *active = fake_runtime().has_context[device];
  return CUDA_SUCCESS;
}
cudaError_t cudaGetDriverEntryPointByVersion(const char* name, void** function, unsigned,
                                             unsigned long long, cudaDriverEntryPointQueryResult*) {
  if (std::strcmp(name, "cuDevicePrimaryCtxGetState") != 0) return cudaErrorInvalidValue;
  *function = reinterpret_cast<void*>(cuDevicePrimaryCtxGetState);
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr which, int device) {
  *value = which == cudaDevAttrMemoryPoolsSupported ? fake_runtime().has_pools[device] : 1;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* out, int) {
  *out = {};
  std::strcpy(out->name, "Fake");
  out->totalGlobalMem = fake_runtime().memory;
  out->major = 9;
  out->multiProcessorCount = 2;
  return cudaSuccess;
}
cudaError_t cudaDeviceCanAccessPeer(int* can, int, int) {
  *can = 1;
  return cudaSuccess;
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  const cudaError_t failed = fake_runtime().work_error;
  if (failed != cudaSuccess) return failed;
  return stream->work.empty() ? cudaSuccess : cudaErrorNotReady;
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  *stream = new CUstream_st;
  streams.push_back(*stream);
  ++fake_runtime().contexts;
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  stream->run();
  streams.erase(std::find(streams.begin(), streams.end(), stream));
  delete stream;
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  ++fake_runtime().waits;
  stream->run();
  return cudaSuccess;
}
cudaError_t cudaDeviceSynchronize() {
  ++fake_runtime().waits;
  run_all();
  return cudaSuccess;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t later, cudaEvent_t event, unsigned) {
  cudaStream_t stream = event->stream;
  uint64_t position = event->position;
  later->work.push_back([=] { stream->run_until(position); });
  return cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  *event = new CUevent_st;
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  *event = {stream, stream->queued()};
  return cudaSuccess;
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  const bool ended = !event->stream || event->stream->done >= event->position;
  return ended ? cudaSuccess : cudaErrorNotReady;
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  ++fake_runtime().waits;
  if (event->stream) event->stream->run_until(event->position);
  return cudaSuccess;
}

cudaError_t cudaMalloc(void** block, size_t bytes) { return allocate(block, bytes, current); }
cudaError_t cudaFree(void* block) {
  run_all();
  return release(block);
}
cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* props) {
  *pool = new CUmemPoolHandle_st{props->location.id};
  return cudaSuccess;
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void*) { return cudaSuccess; }
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr, void* value) {
  *static_cast<uint64_t*>(value) = fake_runtime().used[pool->device];
  return cudaSuccess;
}
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t, const cudaMemAccessDesc*, size_t) {
  return cudaSuccess;
}
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, size_t) { return cudaSuccess; }
cudaError_t cudaMallocFromPoolAsync(void** block, size_t bytes, cudaMemPool_t pool, cudaStream_t) {
  return allocate(block, bytes, pool->device);
}
cudaError_t cudaFreeAsync(void* block, cudaStream_t stream) {
  stream->work.push_back([=] { release(block); });
  return cudaSuccess;
}
cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  *total = fake_runtime().memory;
  *free = *total - fake_runtime().used[current];
  return cudaSuccess;
}
cudaError_t cudaHostAlloc(void** block, size_t bytes, unsigned) {
  return allocate(block, bytes, -1);
}
cudaError_t cudaFreeHost(void* block) { return release(block); }
cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned) {
  *device = host;
  return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void* block, int value, size_t bytes, cudaStream_t stream) {
  stream->work.push_back([=] {
    std::memset(block, value, bytes);
    ++fake_runtime().fills;
  });
  return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind,
                            cudaStream_t stream) {
  if (is_pageable(to) || is_pageable(from)) ++fake_runtime().pageable_copies;
  stream->work.push_back([=] { std::memcpy(to, from, bytes); });
  return cudaSuccess;
}
cudaError_t cudaMemcpyPeerAsync(void* to, int, const void* from, int, size_t bytes,
                                cudaStream_t stream) {
  stream->work.push_back([=] { std::memcpy(to, from, bytes); });
  return cudaSuccess;
}

// A failure sets the handle, too.
cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
  static int state;
  *handle = reinterpret_cast<cublasHandle_t>(&state);
  const cublasStatus_t status = fake_runtime().cublas_creation;
  if (status != CUBLAS_STATUS_SUCCESS) return status;
  ++fake_runtime().cublas_handles;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasDestroy_v2(cublasHandle_t) {
  if (fake_runtime().before_cublas_destroy) fake_runtime().before_cublas_destroy();
  --fake_runtime().cublas_handles;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetStream_v2(cublasHandle_t, cudaStream_t) { return CUBLAS_STATUS_SUCCESS; }
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t, void*, size_t) {
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetMathMode(cublasHandle_t, cublasMath_t) {
  return fake_runtime().cublas_setup;
}
const char* cublasGetStatusString(cublasStatus_t) { return "a fake status"; }
const char* cublasGetStatusName(cublasStatus_t) { return "CUBLAS_STATUS_FAKE"; }
}
