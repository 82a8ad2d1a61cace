#include "memory/large_blocks.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <new>
#include <utility>

#include "memory/free_ranges.h"

namespace th {
namespace {

// A large page takes a seventh of the time of the small pages that it replaces, because it takes
// one page fault.
constexpr size_t kLargePage = size_t{2} << 20;
// Blocks from this size on have a mapping of their own and whole large pages. Smaller ones share
// chunks of memory.
constexpr size_t kMappedBlock = size_t{8} << 20;
constexpr size_t kChunk = 4 * kMappedBlock;
// The least limit.
constexpr int64_t kMostKept = int64_t{128} << 20;

// There are eight sizes of smaller blocks for each doubling.
constexpr int kLeastDoubling = 14;  // log2 of kLargeBlock
constexpr int kClasses = 8 * (23 - kLeastDoubling) + 1;

size_t round_up(size_t bytes, size_t multiple) {
  return (bytes + multiple - 1) / multiple * multiple;
}

size_t in_pages(size_t bytes) {
  static const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return round_up(bytes, page);
}

struct SizeClass {
  int index;     // -1: none
  size_t bytes;  // whole pages
};

SizeClass size_class(size_t bytes) {
  if (bytes >= kMappedBlock) return {-1, round_up(bytes, kLargePage)};
  int doubling = 63 - __builtin_clzll(bytes);
  const size_t rounded = round_up(bytes, size_t{1} << (doubling - 3));
  doubling = 63 - __builtin_clzll(rounded);
  const auto eighth = static_cast<int>(rounded >> (doubling - 3) & 7);
  return {8 * (doubling - kLeastDoubling) + eighth, in_pages(rounded)};
}

// Returns a mapping at a multiple of kLargePage, or nullptr. The system places a mapping below the
// last one, so it is the addresses in front that are returned: then the two may be joined.
char* map(size_t bytes) {
  void* mapping =
      mmap(nullptr, bytes + kLargePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED) return nullptr;
  auto* begin = static_cast<char*>(mapping);
  const size_t before = kLargePage - reinterpret_cast<uintptr_t>(mapping) % kLargePage;
  char* block = begin + before;
  munmap(begin, before);
  if (before < kLargePage) munmap(block + bytes, kLargePage - before);
#ifdef MADV_HUGEPAGE
  madvise(block, bytes, MADV_HUGEPAGE);
#endif
  return block;
}

// munmap fails if the process would have too many mappings.
void unmap(char* begin, size_t bytes) {
  if (munmap(begin, bytes) != 0) madvise(begin, bytes, MADV_DONTNEED);
}

struct KeptBlock {
  KeptBlock* next;
  size_t bytes;
};

class LargeBlocks {
 public:
  char* allocate(size_t bytes, int64_t* fresh) {
    *fresh = 0;
    if (bytes > PTRDIFF_MAX / 2) return nullptr;
    const SizeClass size = size_class(bytes);
    std::lock_guard<std::mutex> lock(mutex_);
    char* block = take_kept(size);
    if (block) {
      kept_ -= static_cast<int64_t>(size.bytes);
    } else {
      // The kept memory is in pieces that are too small. It must not add to the new block.
      const auto more = static_cast<int64_t>(size.bytes);
      if (limit_ > 0) release(in_use_ + kept_ + more - limit_);
      block = size.index < 0 ? map(size.bytes) : take_from_chunk(size.bytes);
      if (!block) return nullptr;
      *fresh = more;
    }
    in_use_ += static_cast<int64_t>(size.bytes);
    return block;
  }

  void free(char* block, size_t bytes) {
    const SizeClass size = size_class(bytes);
    std::lock_guard<std::mutex> lock(mutex_);
    in_use_ -= static_cast<int64_t>(size.bytes);
    kept_ += static_cast<int64_t>(size.bytes);
    if (size.index >= 0) {
      lists_[size.index] = new (block) KeptBlock{lists_[size.index], size.bytes};
    } else {
      keep(block, size.bytes);
    }
    release(kept_ - most_kept());
  }

  bool release_all() {
    std::lock_guard<std::mutex> lock(mutex_);
    if (chunk_ != chunk_end_) unmap(chunk_, static_cast<size_t>(chunk_end_ - chunk_));
    chunk_ = chunk_end_ = nullptr;
    const bool any = kept_ > 0;
    release(kept_);
    return any;
  }

  void set_limit(int64_t bytes) {
    std::lock_guard<std::mutex> lock(mutex_);
    limit_ = std::max(bytes, kMostKept);
    release(kept_ - most_kept());
  }

  int64_t kept() {
    std::lock_guard<std::mutex> lock(mutex_);
    return kept_;
  }

 private:
  int64_t most_kept() const {
    if (limit_ > 0) return std::max(limit_ - in_use_, int64_t{0});
    return std::max(kMostKept, in_use_ / 2);
  }

  // A block of the same size was used last, so it may be in the CPU cache. It is taken first.
  char* take_kept(SizeClass size) {
    if (size.index >= 0 && lists_[size.index]) {
      KeptBlock* block = lists_[size.index];
      lists_[size.index] = block->next;
      return reinterpret_cast<char*>(block);
    }
    char* block = ranges_.take(size.bytes);
    if (!block && empty_lists()) block = ranges_.take(size.bytes);
    return block;
  }

  // Makes ranges of the blocks in the lists. Returns true if there were any.
  bool empty_lists() {
    bool any = false;
    for (KeptBlock*& list : lists_) {
      while (KeptBlock* block = list) {
        any = true;
        list = block->next;
        keep(reinterpret_cast<char*>(block), block->bytes);
      }
    }
    return any;
  }

  void keep(char* begin, size_t bytes) {
    if (ranges_.add(begin, bytes)) return;
    unmap(begin, bytes);
    kept_ -= static_cast<int64_t>(bytes);
  }

  // Returns at least `bytes` of the kept memory to the system, or all of it.
  void release(int64_t bytes) {
    if (bytes <= 0) return;
    const int64_t rest = std::max(kept_ - bytes, int64_t{0});
    empty_lists();
    while (kept_ > rest) {
      const auto most = round_up(static_cast<size_t>(kept_ - rest), kLargePage);
      const auto [size, begin] = ranges_.take_from_largest(most);
      unmap(begin, size);
      kept_ -= static_cast<int64_t>(size);
    }
  }

  // Blocks follow one another.
  char* take_from_chunk(size_t bytes) {
    if (static_cast<size_t>(chunk_end_ - chunk_) < bytes) {
      char* chunk = map(kChunk);
      if (!chunk) return map(bytes);
      if (chunk_ != chunk_end_) unmap(chunk_, static_cast<size_t>(chunk_end_ - chunk_));
      chunk_ = chunk;
      chunk_end_ = chunk + kChunk;
    }
    return std::exchange(chunk_, chunk_ + bytes);
  }

  std::mutex mutex_;
  KeptBlock* lists_[kClasses] = {};
  FreeRanges ranges_;
  char *chunk_ = nullptr, *chunk_end_ = nullptr;  // the unused rest
  int64_t kept_ = 0, in_use_ = 0;
  int64_t limit_ = 0;  // of in_use_ + kept_; 0: none
};

// Never destroyed: destructors of other libraries may free blocks later.
LargeBlocks& blocks() {
  alignas(LargeBlocks) static unsigned char memory[sizeof(LargeBlocks)];
  static auto* made = new (memory) LargeBlocks;
  return *made;
}

}  // namespace

void* large_allocate(size_t bytes, int64_t* fresh) noexcept {
  return blocks().allocate(bytes, fresh);
}
void large_free(void* block, size_t bytes) noexcept {
  blocks().free(static_cast<char*>(block), bytes);
}
bool large_release() noexcept { return blocks().release_all(); }
void large_set_limit(int64_t bytes) noexcept { blocks().set_limit(bytes); }
int64_t large_kept() noexcept { return blocks().kept(); }

}  // namespace th
