#include "memory/caller_blocks.h"

#include <cstdint>
#include <cstdlib>
#include <mutex>

#include "base/error.h"
#include "memory/heap.h"
#include "memory/heap_header.h"

namespace th {

namespace {

// A hash table of the recorded blocks, linked through their headers: recording a block allocates no
// memory. An untouched page of the table takes no memory either.
constexpr int kBucketBits = 16;
HeapHeader* buckets[1 << kBucketBits];
constexpr size_t kLocks = 64;
std::mutex locks[kLocks];

size_t bucket_of(const void* block) {
  const uint64_t line = reinterpret_cast<uintptr_t>(block) / kAlignment;
  return line * 0x9e3779b97f4a7c15u >> (64 - kBucketBits);
}

void record(void* block) noexcept {
  const size_t k = bucket_of(block);
  std::lock_guard<std::mutex> lock(locks[k % kLocks]);
  header_of(block).next = buckets[k];
  buckets[k] = &header_of(block);
}

// Returns true if the block was recorded. Reads only headers of recorded blocks.
bool erase(const void* block) noexcept {
  const size_t k = bucket_of(block);
  std::lock_guard<std::mutex> lock(locks[k % kLocks]);
  for (HeapHeader** at = &buckets[k]; *at; at = &(*at)->next) {
    if (*at + 1 != block) continue;
    *at = (*at)->next;
    return true;
  }
  return false;
}

void check_size(ptrdiff_t bytes) {
  if (bytes < 0) fail("invalid size of %td bytes", bytes);
}

}  // namespace

void* caller_allocate(ptrdiff_t bytes) {
  check_size(bytes);
  void* block = heap_allocate(bytes);
  if (block) record(block);
  return block;
}

void* caller_reallocate(void* block, ptrdiff_t bytes) {
  check_size(bytes);
  if (!block) return caller_allocate(bytes);
  if (bytes == 0) {
    caller_free(block);
    return nullptr;
  }
  if (!erase(block)) {
    void* grown = std::realloc(block, bytes);
    if (!grown) fail("out of memory: %td bytes requested", bytes);
    return grown;
  }
  try {
    void* moved = heap_reallocate(block, bytes);
    record(moved);
    return moved;
  } catch (...) {
    record(block);
    throw;
  }
}

void caller_free(void* block) noexcept {
  if (!block) return;
  if (erase(block)) {
    heap_free(block);
  } else {
    std::free(block);
  }
}

void give_to_caller(void* block) noexcept {
  if (block) record(block);
}

}  // namespace th
