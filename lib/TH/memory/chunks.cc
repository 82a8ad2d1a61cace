#include "memory/chunks.h"

#include <sys/mman.h>

#include <cstdint>
#include <mutex>
#include <new>

namespace th {
namespace {

constexpr size_t kSmallPage = 4096, kLargePage = size_t{2} << 20;

// The start of a chunk, which is aligned to its size. Blocks follow one another and are not reused
// before all are free: recycle.cc keeps freed blocks.
struct alignas(64) Chunk {
  size_t used = sizeof(Chunk);
  int blocks = 0;
};
constexpr size_t kChunk = 2 * kMappedBlock;

std::mutex chunk_mutex;
Chunk* current = nullptr;

// Returns a mapping at a multiple of `alignment`, or nullptr.
char* map(size_t bytes, size_t alignment) {
  if (bytes > PTRDIFF_MAX - alignment) return nullptr;
  void* mapping =
      mmap(nullptr, bytes + alignment, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED) return nullptr;
  auto* begin = static_cast<char*>(mapping);
  const size_t before = (alignment - reinterpret_cast<uintptr_t>(mapping) % alignment) % alignment;
  char* block = begin + before;
  if (before > 0) munmap(begin, before);
  if (before < alignment) munmap(block + bytes, alignment - before);
#ifdef MADV_HUGEPAGE
  madvise(block, bytes, MADV_HUGEPAGE);
#endif
  return block;
}

void* allocate_in_chunk(size_t bytes) {
  std::lock_guard<std::mutex> lock(chunk_mutex);
  if (!current || current->used + bytes > kChunk) {
    char* mapping = map(kChunk, kChunk);
    if (!mapping) return nullptr;
    current = new (mapping) Chunk;
  }
  char* block = reinterpret_cast<char*>(current) + current->used;
  current->used += bytes;
  current->blocks++;
  return block;
}

void free_in_chunk(void* block, size_t bytes) {
  const auto begin = reinterpret_cast<uintptr_t>(block);
  auto* chunk = reinterpret_cast<Chunk*>(begin / kChunk * kChunk);
  std::lock_guard<std::mutex> lock(chunk_mutex);
  if (--chunk->blocks == 0) {
    if (chunk == current) current = nullptr;
    munmap(chunk, kChunk);
    return;
  }
  const uintptr_t first = (begin + kSmallPage - 1) / kSmallPage * kSmallPage;
  const uintptr_t end = (begin + bytes) / kSmallPage * kSmallPage;
  if (first < end) madvise(reinterpret_cast<void*>(first), end - first, MADV_DONTNEED);
}

}  // namespace

void* chunk_allocate(size_t bytes) noexcept {
  return bytes >= kMappedBlock ? map(bytes, kLargePage) : allocate_in_chunk(bytes);
}

void chunk_free(void* block, size_t bytes) noexcept {
  if (bytes >= kMappedBlock) {
    munmap(block, bytes);
  } else {
    free_in_chunk(block, bytes);
  }
}

}  // namespace th
