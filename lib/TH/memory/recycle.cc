#include "memory/recycle.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "base/thread_end.h"
#include "memory/footprint.h"
#include "memory/large_blocks.h"

namespace th {
namespace {

// Sanitizers detect errors by tracking freed blocks, so nothing is kept under them.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kRecycle = false;
#else
constexpr bool kRecycle = true;
#endif

struct FreeBlock {
  FreeBlock* next;
};

// ---- blocks of a thread: multiples of 64 up to kSmallBlock, then eight sizes per power of two

constexpr size_t kStep = 64;
constexpr int kSmallClasses = kSmallBlock / kStep;
constexpr int kFirstMedium = 9;     // log2 of kSmallBlock
constexpr int kFirstDoubling = 14;  // log2 of kLargeBlock
constexpr int kOwnClasses = kSmallClasses + 8 * (kFirstDoubling - kFirstMedium);
// Limit of the unused bytes of one thread. recycle_expect raises it.
std::atomic<int64_t> most_kept_by_thread{int64_t{32} << 20};

struct BlockClass {
  int index;  // -1: not kept
  size_t bytes;
};

// Inline, because creating and freeing any small object calls it.
__attribute__((always_inline)) inline BlockClass own_class(size_t bytes) {
  const size_t last = bytes - 1;
  if (bytes <= kSmallBlock) return {static_cast<int>(last / kStep), (last / kStep + 1) * kStep};
  const int doubling = 63 - __builtin_clzll(last);
  const size_t eighth = last >> (doubling - 3);  // from 8 to 15
  return {kSmallClasses + 8 * (doubling - kFirstMedium - 1) + static_cast<int>(eighth),
          (eighth + 1) << (doubling - 3)};
}

struct OwnLists {
  FreeBlock* first[kOwnClasses] = {};
  int64_t bytes[kOwnClasses] = {};
  int64_t bytes_kept = 0;

  __attribute__((noinline)) void release(int but) {
    for (int k = 0; k < kOwnClasses; ++k) {
      if (k == but) continue;
      FreeBlock* block = std::exchange(first[k], nullptr);
      while (block) std::free(std::exchange(block, block->next));
      bytes_kept -= std::exchange(bytes[k], 0);
    }
  }
  // If the kept blocks are mostly of other sizes, releases those and returns true.
  bool release_other_sizes(int index) {
    if (bytes_kept - bytes[index] < most_kept_by_thread.load(std::memory_order_relaxed) / 2) {
      return false;
    }
    release(index);
    return true;
  }
};
// Initial-exec thread-local variables, because creating and freeing any small object reads them.
// Libraries that are loaded late have little space for such variables.
__thread OwnLists* own_lists __attribute__((tls_model("initial-exec")));
__thread bool own_lists_released __attribute__((tls_model("initial-exec")));
__thread int64_t fresh_bytes __attribute__((tls_model("initial-exec")));

void release_own_lists() {
  own_lists_released = true;
  if (OwnLists* lists = std::exchange(own_lists, nullptr)) {
    lists->release(-1);
    delete lists;
  }
}
thread_local ThreadEnd own_lists_end = {release_own_lists};

std::atomic<bool (*)() noexcept> release_others{nullptr};

// Returns null if the thread is ending, because then nothing would free the lists, or if memory has
// run out.
__attribute__((noinline)) OwnLists* open_own_lists() {
  if (own_lists_released || !at_thread_end(own_lists_end)) return nullptr;
  own_lists = new (std::nothrow) OwnLists;
  return own_lists;
}

void* allocate_own(size_t bytes) {
  const BlockClass size = own_class(bytes);
  OwnLists* own = own_lists;
  FreeBlock* block = own ? own->first[size.index] : nullptr;
  if (!block) {
    fresh_bytes += static_cast<int64_t>(size.bytes);
    return std::malloc(size.bytes);
  }
  own->first[size.index] = block->next;
  // Prefetch the next block to be returned: after a collection it is not in the cache.
  __builtin_prefetch(block->next, 1);
  own->bytes[size.index] -= static_cast<int64_t>(size.bytes);
  own->bytes_kept -= static_cast<int64_t>(size.bytes);
  return block;
}

void free_own(void* block, size_t bytes) {
  OwnLists* own = own_lists ? own_lists : open_own_lists();
  const BlockClass size = own_class(bytes);
  const auto more = static_cast<int64_t>(size.bytes);
  if (!own || (own->bytes_kept + more > most_kept_by_thread.load(std::memory_order_relaxed) &&
               !own->release_other_sizes(size.index))) {
    std::free(block);
    return;
  }
  own->first[size.index] = new (block) FreeBlock{own->first[size.index]};
  own->bytes[size.index] += more;
  own->bytes_kept += more;
}

void* allocate_large(size_t bytes, bool* recycled) {
  int64_t fresh = 0;
  void* block = large_allocate(bytes, &fresh);
  fresh_bytes += fresh;
  *recycled = fresh == 0;
  return block;
}

}  // namespace

size_t recycled_footprint(size_t bytes) noexcept {
  // malloc puts one word before each block and aligns blocks to two words.
  constexpr size_t kWord = sizeof(size_t);
  const size_t block = kRecycle ? own_class(bytes).bytes : bytes;
  return (block + kWord + 2 * kWord - 1) / (2 * kWord) * (2 * kWord);
}

void* recycle_allocate(size_t bytes) noexcept {
  if (!kRecycle || bytes == 0) return std::malloc(bytes);
  if (bytes >= kLargeBlock) {
    bool recycled;
    return allocate_large(bytes, &recycled);
  }
  return allocate_own(bytes);
}

void* recycle_allocate_zeroed(size_t bytes) noexcept {
  bool used = true;
  void* block = nullptr;
  if (bytes < kLargeBlock) {
    block = recycle_allocate(bytes);
  } else if (kRecycle) {
    block = allocate_large(bytes, &used);
  } else {
    return std::calloc(1, bytes);
  }
  return block && used ? std::memset(block, 0, bytes) : block;
}

void recycle_free(void* block, size_t bytes) noexcept {
  if (!block) return;
  if (!kRecycle || bytes == 0) {
    std::free(block);
  } else if (bytes >= kLargeBlock) {
    large_free(block, bytes);
  } else {
    free_own(block, bytes);
  }
}

bool recycle_release() noexcept {
  const bool own = own_lists && own_lists->bytes_kept > 0;
  if (own) own_lists->release(-1);
  const auto release = release_others.load();
  const bool others = release && release();
  return large_release() || own || others;
}

void recycle_also(bool (*release)() noexcept) noexcept { release_others.store(release); }

void recycle_expect(int64_t live, int64_t growth) noexcept {
  // Blocks are up to a quarter larger than the bytes that are counted, and the last block before a
  // collection may exceed the growth.
  growth += growth / 4;
  most_kept_by_thread.store(growth, std::memory_order_relaxed);
  // The garbage of a cycle is in blocks of both kinds.
  const int64_t own = own_lists ? own_lists->bytes_kept : 0;
  large_set_limit(std::max(live + live / 4 + growth - own, int64_t{1}));
}

int64_t recycle_kept() noexcept { return large_kept(); }

int64_t recycle_fresh() noexcept { return fresh_bytes; }

void* Recycled::operator new(size_t bytes) {
  void* block = recycle_allocate(bytes);
  if (!block) throw std::bad_alloc();
  return block;
}

}  // namespace th
