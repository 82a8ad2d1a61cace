#include "memory/heap.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "base/error.h"
#include "base/thread_end.h"
#include "memory/footprint.h"
#include "memory/heap_header.h"
#include "memory/spare.h"

namespace th {

struct Collector {
  void (*collect)(void*) = nullptr;
  void* data = nullptr;
  bool deferred = false;
  bool requested = false;  // while deferred
};

namespace {

// The bytes and blocks, and the bytes of devices, that one thread has allocated, minus those that
// it has freed. Single writer, so no atomic read-modify-write is needed; readers add up all
// threads. They are never freed: a later thread reuses those of a thread that has ended.
struct ThreadCounts {
  std::atomic<int64_t> bytes{0}, blocks{0}, device_bytes{0};
  std::atomic<bool> in_use{true};
  ThreadCounts* next = nullptr;
  void add(const HeapUsage& more) noexcept {
    raise(&bytes, more.bytes);
    raise(&blocks, more.blocks);
    raise(&device_bytes, more.device_bytes);
  }

 private:
  static void raise(std::atomic<int64_t>* count, int64_t more) noexcept {
    count->store(count->load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
  }
};
std::atomic<ThreadCounts*> all_counts{nullptr};
// Counts of threads that are ending, or that had no memory for their own.
std::atomic<int64_t> further_bytes{0}, further_blocks{0}, further_device_bytes{0};

__thread ThreadCounts* own_counts __attribute__((tls_model("initial-exec")));
__thread bool counts_released __attribute__((tls_model("initial-exec")));

void release_counts() {
  counts_released = true;
  if (own_counts) own_counts->in_use.store(false, std::memory_order_release);
  own_counts = nullptr;
}
thread_local ThreadEnd counts_end = {release_counts};

ThreadCounts* take_counts() {
  for (ThreadCounts* c = all_counts.load(std::memory_order_acquire); c; c = c->next) {
    if (!c->in_use.exchange(true, std::memory_order_acq_rel)) return c;
  }
  auto* made = new (std::nothrow) ThreadCounts;
  if (!made) return nullptr;
  made->next = all_counts.load(std::memory_order_relaxed);
  while (!all_counts.compare_exchange_weak(made->next, made, std::memory_order_acq_rel)) {
  }
  return made;
}

__attribute__((noinline)) void account_first(const HeapUsage& more) noexcept {
  if (!counts_released && at_thread_end(counts_end)) own_counts = take_counts();
  if (own_counts) {
    own_counts->add(more);
  } else {
    further_bytes.fetch_add(more.bytes, std::memory_order_relaxed);
    further_blocks.fetch_add(more.blocks, std::memory_order_relaxed);
    further_device_bytes.fetch_add(more.device_bytes, std::memory_order_relaxed);
  }
}

thread_local Collector collector;

constexpr size_t extra = sizeof(HeapHeader) + kAlignment - 1;

using RawAllocate = void* (*)(size_t bytes) noexcept;

void* aligned_block(size_t bytes, RawAllocate allocate) {
  if (bytes > PTRDIFF_MAX - extra) return nullptr;
  void* raw = allocate(bytes + extra);
  if (!raw) return nullptr;
  auto address = (reinterpret_cast<uintptr_t>(raw) + extra) / kAlignment * kAlignment;
  void* block = reinterpret_cast<void*>(address);
  header_of(block) = {nullptr, raw, bytes};
  return block;
}

// try_to_allocate, but throws if the last attempt fails.
template <class Allocate>
void* with_memory(size_t bytes, const Allocate& allocate) {
  void* block = try_to_allocate(allocate);
  if (!block) {
    fail("out of memory: %zu bytes requested, %lld in use", bytes, as_long(heap_usage().bytes));
  }
  return block;
}

void* counted_block(size_t bytes, RawAllocate allocate) {
  if (bytes == 0) return nullptr;
  void* block = with_memory(bytes, [&] { return aligned_block(bytes, allocate); });
  heap_account(static_cast<int64_t>(bytes), 1);
  return block;
}

}  // namespace

// Footprints grow in steps. The overhead is largest just above a step.
size_t heap_overhead() noexcept {
  size_t most = 0;
  for (size_t bytes = 1; bytes <= kAlignment; ++bytes) {
    most = std::max(most, recycled_footprint(bytes + extra) - bytes);
  }
  return most;
}

void require_spare(size_t bytes) {
  void* block = with_memory(bytes, [&] { return std::malloc(bytes); });
  asm volatile("" : : "r"(block) : "memory");  // keeps the compiler from removing both calls
  std::free(block);
}

HeapUsage heap_usage() noexcept {
  HeapUsage sum = {further_bytes.load(std::memory_order_relaxed),
                   further_blocks.load(std::memory_order_relaxed),
                   further_device_bytes.load(std::memory_order_relaxed)};
  for (ThreadCounts* c = all_counts.load(std::memory_order_acquire); c; c = c->next) {
    sum.bytes += c->bytes.load(std::memory_order_relaxed);
    sum.blocks += c->blocks.load(std::memory_order_relaxed);
    sum.device_bytes += c->device_bytes.load(std::memory_order_relaxed);
  }
  return sum;
}

void heap_account(int64_t bytes, int64_t blocks, int64_t device_bytes) noexcept {
  if (own_counts) {
    own_counts->add({bytes, blocks, device_bytes});
  } else {
    account_first({bytes, blocks, device_bytes});
  }
}

void* heap_allocate(size_t bytes) { return counted_block(bytes, recycle_allocate); }
void* heap_allocate_zeroed(size_t bytes) { return counted_block(bytes, recycle_allocate_zeroed); }

void* heap_reallocate(void* block, size_t bytes) {
  if (!block) return heap_allocate(bytes);
  if (bytes == 0) {
    heap_free(block);
    return nullptr;
  }
  // realloc keeps only malloc's alignment, so the block is moved here.
  size_t before = header_of(block).bytes;
  void* moved = nullptr;
  try {
    moved = heap_allocate(bytes);
  } catch (const Error&) {
    if (bytes > before) throw;
    return block;  // as realloc may do when it shrinks
  }
  std::memcpy(moved, block, bytes < before ? bytes : before);
  heap_free(block);
  return moved;
}

void heap_free(void* block) noexcept {
  if (!block) return;
  const HeapHeader header = header_of(block);
  heap_account(-static_cast<int64_t>(header.bytes), -1);
  recycle_free(header.raw, header.bytes + extra);
}

void collect_garbage() {
  if (collector.deferred) {
    collector.requested = true;
  } else if (collector.collect) {
    // If an error handler leaves by longjmp, later messages count from TH_INDEX_BASE, too.
    CountFrom counting(TH_INDEX_BASE);
    collector.collect(collector.data);
  }
}
void set_collector(void (*collect)(void*), void* data) noexcept {
  collector.collect = collect;
  collector.data = data;
}

DeferGC::DeferGC() noexcept
    : collector_(collector),
      deferred_before_(std::exchange(collector_.deferred, true)),
      requested_before_(std::exchange(collector_.requested, false)) {}
DeferGC::~DeferGC() {
  collector_.deferred = deferred_before_;
  collector_.requested = requested_before_;
}
bool DeferGC::requested() const noexcept { return collector_.requested; }

}  // namespace th
