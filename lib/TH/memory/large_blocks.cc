#include "memory/large_blocks.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <new>

#include "memory/free_ranges.h"

namespace th {
namespace {

// A large page takes a seventh of the time of the small pages that it replaces, because it takes
// one page fault. Mappings consist of whole large pages.
constexpr size_t kLargePage = size_t{2} << 20;
// New blocks from this size on are mapped by themselves, and freed ones are not in a list. Smaller
// ones are mapped in chunks.
constexpr int kMostDoubling = 23;
constexpr size_t kMappedBlock = size_t{1} << kMostDoubling;
constexpr size_t kChunk = 4 * kMappedBlock;
// The most that is kept without a limit, or half of the memory in use.
constexpr int64_t kMostKept = int64_t{128} << 20;

// There are eight sizes of blocks for each doubling, as far as they are whole pages.
constexpr int kLeastDoubling = 14;
static_assert(kLargeBlock == size_t{1} << kLeastDoubling, "the first list is of the smallest size");
constexpr int kClasses = 8 * (kMostDoubling - kLeastDoubling) + 1;

size_t round_down(size_t bytes, size_t multiple) { return bytes / multiple * multiple; }
size_t round_up(size_t bytes, size_t multiple) {
  return round_down(bytes + multiple - 1, multiple);
}
char* large_page_of(char* p) { return p - reinterpret_cast<uintptr_t>(p) % kLargePage; }

struct SizeClass {
  int index;     // of a list; -1: none
  size_t bytes;  // whole pages
};

SizeClass size_class(size_t bytes) {
  static const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const int last = 63 - __builtin_clzll(bytes);
  const size_t rounded = round_up(bytes, std::max(size_t{1} << (last - 3), page));
  // Whole large pages, so that neighbours can be joined.
  if (bytes >= kMappedBlock) return {-1, round_up(rounded, kLargePage)};
  const int doubling = 63 - __builtin_clzll(rounded);
  const auto eighth = static_cast<int>(rounded >> (doubling - 3) & 7);
  return {8 * (doubling - kLeastDoubling) + eighth, rounded};
}

// Returns a mapping of whole large pages, or nullptr. The system places a mapping below the last
// one, so it is the addresses in front that are returned: then the two may be joined.
char* map(size_t bytes) {
  void* mapping =
      mmap(nullptr, bytes + kLargePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED) return nullptr;
  auto* begin = static_cast<char*>(mapping);
  const size_t before = kLargePage - reinterpret_cast<uintptr_t>(mapping) % kLargePage;
  char* block = begin + before;
  munmap(begin, before);
  if (before < kLargePage) munmap(block + bytes, kLargePage - before);
  return block;
}

// Sets the preferred page size, large or small, of a range of whole large pages.
void prefer_large_pages(char* begin, size_t bytes, bool large) {
#ifdef MADV_HUGEPAGE
  if (bytes > 0) madvise(begin, bytes, large ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
#endif
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
    const auto more = static_cast<int64_t>(size.bytes);
    std::lock_guard<std::mutex> lock(mutex_);
    char* block = take_kept(size);
    if (block) {
      kept_ -= more;
    } else {
      // The kept memory is in pieces that are too small. It must not add to the new block.
      if (limit_ > 0) release(in_use_ + kept_ + more - limit_);
      block = take_cleared(size.bytes);
      if (!block) block = map_block(bytes, size.bytes);
      if (!block) return nullptr;
      *fresh = more;
    }
    in_use_ += more;
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
    const bool any = kept_ > 0;
    release(kept_);
    unmap();
    return any;
  }

  void set_limit(int64_t bytes) {
    std::lock_guard<std::mutex> lock(mutex_);
    limit_ = bytes;
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
    if (!block && kept_ >= static_cast<int64_t>(size.bytes) && empty_lists()) {
      block = ranges_.take(size.bytes);
    }
    return block;
  }

  char* take_cleared(size_t bytes) {
    char* block = cleared_.take(bytes);
    if (!block) return nullptr;
    char* first = large_page_of(block + kLargePage - 1);
    char* end = large_page_of(block + bytes);
    if (first < end) prefer_large_pages(first, static_cast<size_t>(end - first), true);
    return block;
  }

  // Maps a block, or a chunk that begins with it. `used` is the number of its bytes that will be
  // written. A large page beyond them would be cleared, and occupied, for nothing.
  char* map_block(size_t used, size_t bytes) {
    const bool in_chunk = bytes < kMappedBlock;
    size_t mapped = in_chunk ? kChunk : bytes;
    char* block = map(mapped);
    if (!block && in_chunk) block = map(mapped = round_up(bytes, kLargePage));
    if (!block) return nullptr;
    const size_t large = in_chunk ? mapped : round_down(used, kLargePage);
    prefer_large_pages(block, large, true);
    prefer_large_pages(block + large, mapped - large, false);
    if (mapped > bytes) cleared_.add(block + bytes, mapped - bytes);
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
    kept_ -= static_cast<int64_t>(bytes);
    clear(begin, bytes);
  }

  // Returns the pages of a range to the system, but not the addresses: each gap in the addresses
  // counts toward the system's limit of mappings. The system would fill the gaps of large pages
  // again. Returns false if the pages are locked.
  bool clear(char* begin, size_t bytes) {
    char* first = large_page_of(begin);
    char* end = large_page_of(begin + bytes + kLargePage - 1);
    prefer_large_pages(first, static_cast<size_t>(end - first), false);
    if (madvise(begin, bytes, MADV_DONTNEED) != 0) return false;
    cleared_.add(begin, bytes);  // if memory runs out, the addresses are lost
    return true;
  }

  // Returns at least `bytes` of the kept memory to the system, or all of it.
  void release(int64_t bytes) {
    if (bytes <= 0 || kept_ == 0) return;
    const int64_t rest = std::max(kept_ - bytes, int64_t{0});
    empty_lists();
    while (kept_ > rest) {
      const auto most = round_up(static_cast<size_t>(kept_ - rest), kLargePage);
      const auto [size, begin] = ranges_.take_from_largest(most);
      if (!clear(begin, size)) {
        ranges_.add(begin, size);
        break;
      }
      kept_ -= static_cast<int64_t>(size);
    }
    unmap();
  }

  // Returns the addresses of long cleared ranges. They are few, so that they leave few gaps.
  void unmap() {
    for (;;) {
      const auto [size, begin] = cleared_.take_from_largest(SIZE_MAX);
      if (size == 0) return;
      char *end = begin + size, *first = large_page_of(begin + kLargePage - 1);
      char* last = large_page_of(end);
      const bool is_long = size >= kMappedBlock;
      if (!is_long || munmap(first, static_cast<size_t>(last - first)) != 0) {
        cleared_.add(begin, size);
        return;
      }
      if (first > begin) cleared_.add(begin, static_cast<size_t>(first - begin));
      if (end > last) cleared_.add(last, static_cast<size_t>(end - last));
    }
  }

  std::mutex mutex_;
  KeptBlock* lists_[kClasses] = {};
  FreeRanges ranges_;   // the kept memory, with the blocks in lists_
  FreeRanges cleared_;  // mapped pages that are zeros when they are used next
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
