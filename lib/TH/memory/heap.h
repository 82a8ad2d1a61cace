#ifndef TH_MEMORY_HEAP_H
#define TH_MEMORY_HEAP_H

#include <cstddef>
#include <cstdint>

#include "THAllocator.h"
#include "base/visibility.h"
#include "memory/recycle.h"

namespace th TH_VISIBLE {

// The size of a cache line and of the widest SIMD register.
constexpr size_t kAlignment = 64;

struct HeapUsage {
  int64_t bytes;
  int64_t blocks;
  int64_t device_bytes;  // of device memory allocated for storages
};
HeapUsage heap_usage() noexcept;
void heap_account(int64_t bytes, int64_t blocks, int64_t device_bytes = 0) noexcept;

// Allocate aligned blocks and count them. If memory runs out, the thread's garbage collection
// handler is called and the allocation is retried once; then they throw th::Error.
void* heap_allocate(size_t bytes);
void* heap_allocate_zeroed(size_t bytes);
void* heap_reallocate(void* block, size_t bytes);
void heap_free(void* block) noexcept;

// Returns true if the allocator allocates from this heap.
bool is_heap(const THAllocator& allocator) noexcept;

// Calls the thread's garbage collection handler, if any.
void collect_garbage();
void set_collector(void (*collect)(void* data), void* data) noexcept;

// Calls allocate() until its result is not null, at most three times: before the second call, the
// kept blocks are returned to the system, before the third one, the collector runs.
template <class Allocate>
void* try_to_allocate(const Allocate& allocate) {
  void* block = allocate();
  if (!block && recycle_release()) block = allocate();
  if (block) return block;
  collect_garbage();
  recycle_release();
  return allocate();
}

// While an object of this class lives, the garbage collector of the thread does not run. The
// collector runs finalizers, which may need a lock that the thread holds.
struct Collector;
class DeferGC {
 public:
  DeferGC() noexcept;
  ~DeferGC();
  DeferGC(const DeferGC&) = delete;
  DeferGC& operator=(const DeferGC&) = delete;
  // Returns true if the collector was requested in the meantime.
  bool requested() const noexcept;

 private:
  Collector& collector_;
  bool deferred_before_, requested_before_;
};

}  // namespace TH_VISIBLE

#endif
