#include "memory/recycle.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>

namespace th {
namespace {

// Sanitizers find errors by what happens to freed blocks, so under them blocks are really freed.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kRecycle = false;
#else
constexpr bool kRecycle = true;
#endif

struct FreeBlock {
  FreeBlock* next;
};

// ---- small blocks: lists of the thread, by multiples of 64 bytes

constexpr size_t kStep = 64;
constexpr int kMostKept = 4096;  // blocks in a list

struct SmallLists {
  FreeBlock* first[kSmallBlock / kStep];
  int count[kSmallBlock / kStep];
  // unused: nobody will empty the lists yet when the thread ends; closed: the thread is ending.
  enum class State : char { unused, open, closed } state;
};
thread_local SmallLists small_lists;

struct SmallListsEnd {
  ~SmallListsEnd() {
    small_lists.state = SmallLists::State::closed;
    for (FreeBlock*& list : small_lists.first) {
      while (list) {
        FreeBlock* next = list->next;
        std::free(list);
        list = next;
      }
    }
  }
};

void keep_small(void* block, size_t k) {
  small_lists.first[k] = new (block) FreeBlock{small_lists.first[k]};
  ++small_lists.count[k];
}

__attribute__((noinline)) void keep_first_small(void* block, size_t k) {
  thread_local SmallListsEnd end;
  small_lists.state = SmallLists::State::open;
  keep_small(block, k);
}

// ---- large blocks: lists shared by all threads, eight sizes to each doubling

constexpr int kFirstDoubling = 17;  // of kLargeBlock
constexpr int kDoublings = 14;      // blocks of 2 GB and more are not kept
constexpr int64_t kMostKeptBytes = int64_t{128} << 20;

struct LargeClass {
  int index;  // -1: not kept
  size_t bytes;
};

LargeClass large_class(size_t bytes) {
  int doubling = 63 - __builtin_clzll(bytes);
  size_t step = size_t{1} << (doubling - 3);
  size_t rounded = (bytes + step - 1) / step * step;
  doubling = 63 - __builtin_clzll(rounded);
  int eighth = static_cast<int>(rounded >> (doubling - 3) & 7);
  int index = (doubling - kFirstDoubling) * 8 + eighth;
  if (index >= kDoublings * 8) return {-1, bytes};
  return {index, rounded};
}

std::mutex large_mutex;
FreeBlock* large_lists[kDoublings * 8];
int64_t large_bytes = 0;

void release_large_lists() {
  for (FreeBlock*& list : large_lists) {
    while (list) {
      FreeBlock* next = list->next;
      std::free(list);
      list = next;
    }
  }
  large_bytes = 0;
}

// A block of a size's list, if there is one.
void* reuse_large(const LargeClass& size) {
  if (size.index >= 0) {
    std::lock_guard<std::mutex> lock(large_mutex);
    FreeBlock*& list = large_lists[size.index];
    if (list) {
      FreeBlock* block = list;
      list = block->next;
      large_bytes -= static_cast<int64_t>(size.bytes);
      return block;
    }
  }
  return nullptr;
}

void* allocate_large(size_t bytes) {
  LargeClass size = large_class(bytes);
  void* block = reuse_large(size);
  return block ? block : std::malloc(size.bytes);
}

void free_large(void* block, size_t bytes) {
  LargeClass size = large_class(bytes);
  auto rounded = static_cast<int64_t>(size.bytes);
  if (size.index < 0 || rounded > kMostKeptBytes) {
    std::free(block);
    return;
  }
  std::lock_guard<std::mutex> lock(large_mutex);
  // What is kept may be of sizes nobody asks for any more: start afresh.
  if (large_bytes + rounded > kMostKeptBytes) release_large_lists();
  large_lists[size.index] = new (block) FreeBlock{large_lists[size.index]};
  large_bytes += rounded;
}

}  // namespace

void* recycle_allocate(size_t bytes) noexcept {
  if (!kRecycle || bytes == 0) return std::malloc(bytes);
  if (bytes >= kLargeBlock) return allocate_large(bytes);
  if (bytes > kSmallBlock) return std::malloc(bytes);
  size_t k = (bytes - 1) / kStep;
  FreeBlock* block = small_lists.first[k];
  if (!block) return std::malloc((k + 1) * kStep);
  small_lists.first[k] = block->next;
  --small_lists.count[k];
  return block;
}

void* recycle_allocate_zeroed(size_t bytes) noexcept {
  void* block = nullptr;
  if (bytes < kLargeBlock) {
    block = recycle_allocate(bytes);
  } else {
    LargeClass size = kRecycle ? large_class(bytes) : LargeClass{-1, bytes};
    block = reuse_large(size);
    if (!block) return std::calloc(1, size.bytes);
  }
  return block ? std::memset(block, 0, bytes) : nullptr;
}

void recycle_free(void* block, size_t bytes) noexcept {
  if (!block) return;
  if (!kRecycle || bytes == 0) {
    std::free(block);
  } else if (bytes >= kLargeBlock) {
    free_large(block, bytes);
  } else if (bytes > kSmallBlock) {
    std::free(block);
  } else {
    size_t k = (bytes - 1) / kStep;
    if (small_lists.state == SmallLists::State::open && small_lists.count[k] < kMostKept) {
      keep_small(block, k);
    } else if (small_lists.state == SmallLists::State::unused) {
      keep_first_small(block, k);
    } else {
      std::free(block);
    }
  }
}

void recycle_release() noexcept {
  std::lock_guard<std::mutex> lock(large_mutex);
  release_large_lists();
}

void* Recycled::operator new(size_t bytes) {
  void* block = recycle_allocate(bytes);
  if (!block) throw std::bad_alloc();
  return block;
}

}  // namespace th
