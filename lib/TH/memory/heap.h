#ifndef TH_MEMORY_HEAP_H
#define TH_MEMORY_HEAP_H

#include <cstddef>
#include <cstdint>

#include "THAllocator.h"
#include "memory/visibility.h"

namespace th TH_VISIBLE {

// One cache line, and the widest vector register.
constexpr size_t kAlignment = 64;

struct HeapUsage {
  int64_t bytes;
  int64_t blocks;
};
HeapUsage heap_usage() noexcept;
void heap_account(int64_t bytes, int64_t blocks) noexcept;

// Aligned blocks, counted; throw th::Error when memory runs out even after the thread's
// collector handler was asked to free some.
void* heap_allocate(size_t bytes);
void* heap_allocate_zeroed(size_t bytes);
void* heap_reallocate(void* block, size_t bytes);
void heap_free(void* block) noexcept;

// Whether an allocator's blocks are this heap's.
bool is_heap(const THAllocator& allocator) noexcept;

// Asks the thread's collector handler, if any, to free what nobody uses.
void collect_garbage();
void set_collector(void (*collect)(void* data), void* data) noexcept;

// While one lives, the thread's collector is not run: it runs finalizers, which may want the lock
// that the thread holds.
struct Collector;
class CollectorHeldOff {
 public:
  CollectorHeldOff() noexcept;
  ~CollectorHeldOff();
  CollectorHeldOff(const CollectorHeldOff&) = delete;
  CollectorHeldOff& operator=(const CollectorHeldOff&) = delete;
  // Whether it was asked for meanwhile.
  bool wanted() const noexcept;

 private:
  Collector& collector_;
  bool held_off_before_, wanted_before_;
};

}  // namespace TH_VISIBLE

#endif
