#include "memory/heap.h"

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <cstring>

#include "memory/error.h"

namespace th {
namespace {

std::atomic<int64_t> live_bytes{0};
std::atomic<int64_t> live_blocks{0};

struct Collector {
  void (*collect)(void*) = nullptr;
  void* data = nullptr;
};
thread_local Collector collector;

void* aligned_block(size_t bytes) {
  void* block = nullptr;
  return posix_memalign(&block, kAlignment, bytes) == 0 ? block : nullptr;
}

// Sizes are counted as the allocator rounds them, so that free needs no header of ours.
int64_t counted(void* block) { return static_cast<int64_t>(malloc_usable_size(block)); }

void* allocate_or_collect(size_t bytes) {
  void* block = aligned_block(bytes);
  if (!block && collector.collect) {
    collector.collect(collector.data);
    block = aligned_block(bytes);
  }
  return block;
}

}  // namespace

HeapUsage heap_usage() noexcept { return {live_bytes.load(), live_blocks.load()}; }

void heap_account(int64_t bytes, int64_t blocks) noexcept {
  live_bytes.fetch_add(bytes, std::memory_order_relaxed);
  live_blocks.fetch_add(blocks, std::memory_order_relaxed);
}

void* heap_allocate(size_t bytes) {
  if (bytes == 0) return nullptr;
  void* block = bytes > PTRDIFF_MAX ? nullptr : allocate_or_collect(bytes);
  if (!block) {
    fail("out of memory: %zu bytes asked for, %lld in use", bytes,
         static_cast<long long>(live_bytes.load()));
  }
  heap_account(counted(block), 1);
  return block;
}

void* heap_reallocate(void* block, size_t bytes) {
  if (!block) return heap_allocate(bytes);
  if (bytes == 0) {
    heap_free(block);
    return nullptr;
  }
  // realloc keeps only malloc's alignment; move the block where that is not enough.
  int64_t before = counted(block);
  void* moved = bytes > PTRDIFF_MAX ? nullptr : aligned_block(bytes);
  if (!moved) {
    void* fresh = heap_allocate(bytes);
    std::memcpy(fresh, block, bytes < static_cast<size_t>(before) ? bytes : before);
    heap_free(block);
    return fresh;
  }
  std::memcpy(moved, block, bytes < static_cast<size_t>(before) ? bytes : before);
  heap_account(counted(moved) - before, 0);
  std::free(block);
  return moved;
}

void heap_free(void* block) noexcept {
  if (!block) return;
  heap_account(-counted(block), -1);
  std::free(block);
}

void set_collector(void (*collect)(void*), void* data) noexcept { collector = {collect, data}; }

}  // namespace th

extern "C" {

static void* default_malloc(void*, ptrdiff_t size) { return th::heap_allocate(size); }
static void* default_realloc(void*, void* block, ptrdiff_t size) {
  return th::heap_reallocate(block, size);
}
static void default_free(void*, void* block) { th::heap_free(block); }

THAllocator THDefaultAllocator = {default_malloc, default_realloc, default_free};
}
