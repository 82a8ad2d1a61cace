#include "memory/chunks.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <mutex>
#include <new>

namespace th {
namespace {

constexpr size_t kLargePage = size_t{2} << 20;

// The first page of a chunk, which is aligned to its size. Blocks follow one another. Freed ones
// are not reused before all are free: recycle.cc keeps what may be reused soon.
struct Chunk {
  size_t used;
  int blocks = 0;
  bool has_freed = false;
};
constexpr size_t kChunk = 2 * kMappedBlock;

size_t in_pages(size_t bytes) {
  static const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return (bytes + page - 1) / page * page;
}

// Returns pages to the system. Without MADV_NOHUGEPAGE it would fill the gaps of large pages again.
void release(Chunk* chunk, void* begin, size_t bytes) {
#ifdef MADV_NOHUGEPAGE
  if (!chunk->has_freed) madvise(chunk, kChunk, MADV_NOHUGEPAGE);
#endif
  chunk->has_freed = true;
  madvise(begin, bytes, MADV_DONTNEED);
}

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

char* end_of(Chunk* chunk) { return reinterpret_cast<char*>(chunk) + chunk->used; }

void* allocate_in_chunk(size_t bytes) {
  bytes = in_pages(bytes);
  std::lock_guard<std::mutex> lock(chunk_mutex);
  if (!current || current->used + bytes > kChunk) {
    char* mapping = map(kChunk, kChunk);
    if (!mapping) return nullptr;
    if (current && current->used < kChunk) {
      release(current, end_of(current), kChunk - current->used);
    }
    current = new (mapping) Chunk{in_pages(sizeof(Chunk))};
  }
  char* block = end_of(current);
  current->used += bytes;
  current->blocks++;
  return block;
}

void free_in_chunk(void* block, size_t bytes) {
  auto* chunk = reinterpret_cast<Chunk*>(reinterpret_cast<uintptr_t>(block) / kChunk * kChunk);
  std::lock_guard<std::mutex> lock(chunk_mutex);
  if (--chunk->blocks > 0) {
    release(chunk, block, in_pages(bytes));
    return;
  }
  if (chunk == current) current = nullptr;
  munmap(chunk, kChunk);
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
