#include "memory/recycle.h"

#include <sys/mman.h>

#include <algorithm>
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
// Of the thread's own memory, as both ends of every small object look here.
__thread SmallLists small_lists __attribute__((tls_model("initial-exec")));

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
constexpr int kDoublings = 20;      // blocks of 128 GB and more are not kept
// Kept at most, or half of what is in use, if that is more.
constexpr int64_t kMostKeptBytes = int64_t{128} << 20;

// From here on blocks are mapped by themselves, at the start of a large page: these take a
// five-hundredth of the faults and of the look-ups of addresses.
constexpr size_t kMappedBlock = size_t{4} << 20;
constexpr size_t kLargePage = size_t{2} << 20;

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
  if (index >= kDoublings * 8) return {-1, (bytes + kLargePage - 1) / kLargePage * kLargePage};
  return {index, rounded};
}

void* map_block(size_t bytes) {
  if (bytes > PTRDIFF_MAX - kLargePage) return nullptr;
  void* room =
      mmap(nullptr, bytes + kLargePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) return nullptr;
  auto* begin = static_cast<char*>(room);
  size_t before = (kLargePage - reinterpret_cast<uintptr_t>(room) % kLargePage) % kLargePage;
  char* block = begin + before;
  if (before > 0) munmap(begin, before);
  if (before < kLargePage) munmap(block + bytes, kLargePage - before);
#ifdef MADV_HUGEPAGE
  madvise(block, bytes, MADV_HUGEPAGE);
#endif
  return block;
}

void* new_large(size_t bytes, bool zeroed) {
  if (bytes >= kMappedBlock) return map_block(bytes);
  return zeroed ? std::calloc(1, bytes) : std::malloc(bytes);
}

void delete_large(void* block, size_t bytes) {
  if (bytes >= kMappedBlock) {
    munmap(block, bytes);
  } else {
    std::free(block);
  }
}

std::mutex large_mutex;
FreeBlock* large_lists[kDoublings * 8];
int64_t large_kept = 0;
int64_t large_in_use = 0;

void release_large_lists() {
  for (FreeBlock*& list : large_lists) {
    while (list) {
      FreeBlock* next = list->next;
      // The lists are in the order of their sizes.
      auto k = static_cast<size_t>(&list - large_lists);
      delete_large(list, (8 + k % 8) << (kFirstDoubling - 3 + k / 8));
      list = next;
    }
  }
  large_kept = 0;
}

// *recycled: not as the system gives it, which is zeros where they are asked for.
void* allocate_large(size_t bytes, bool zeroed, bool* recycled) {
  LargeClass size = large_class(bytes);
  auto rounded = static_cast<int64_t>(size.bytes);
  {
    std::lock_guard<std::mutex> lock(large_mutex);
    if (size.index >= 0 && large_lists[size.index]) {
      FreeBlock* block = large_lists[size.index];
      large_lists[size.index] = block->next;
      large_kept -= rounded;
      large_in_use += rounded;
      *recycled = true;
      return block;
    }
  }
  *recycled = false;
  void* block = new_large(size.bytes, zeroed);
  if (block) {
    std::lock_guard<std::mutex> lock(large_mutex);
    large_in_use += rounded;
  }
  return block;
}

void free_large(void* block, size_t bytes) {
  LargeClass size = large_class(bytes);
  auto rounded = static_cast<int64_t>(size.bytes);
  std::lock_guard<std::mutex> lock(large_mutex);
  large_in_use -= rounded;
  const int64_t most = std::max(kMostKeptBytes, large_in_use / 2);
  // What is kept may be of sizes nobody asks for any more: start afresh.
  if (large_kept + rounded > most) release_large_lists();
  if (size.index < 0 || rounded > most) {
    delete_large(block, size.bytes);
    return;
  }
  large_lists[size.index] = new (block) FreeBlock{large_lists[size.index]};
  large_kept += rounded;
}

}  // namespace

void* recycle_allocate(size_t bytes) noexcept {
  if (!kRecycle || bytes == 0) return std::malloc(bytes);
  if (bytes >= kLargeBlock) {
    bool recycled;
    return allocate_large(bytes, false, &recycled);
  }
  if (bytes > kSmallBlock) return std::malloc(bytes);
  size_t k = (bytes - 1) / kStep;
  FreeBlock* block = small_lists.first[k];
  if (!block) return std::malloc((k + 1) * kStep);
  small_lists.first[k] = block->next;
  // The next one to be handed out: after a collection they are in no cache any more.
  __builtin_prefetch(block->next, 1);
  --small_lists.count[k];
  return block;
}

void* recycle_allocate_zeroed(size_t bytes) noexcept {
  bool used = true;
  void* block = nullptr;
  if (bytes < kLargeBlock) {
    block = recycle_allocate(bytes);
  } else if (kRecycle) {
    block = allocate_large(bytes, true, &used);
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

bool recycle_release() noexcept {
  std::lock_guard<std::mutex> lock(large_mutex);
  const bool any = large_kept > 0;
  release_large_lists();
  return any;
}

int64_t recycle_kept() noexcept {
  std::lock_guard<std::mutex> lock(large_mutex);
  return large_kept;
}

void* Recycled::operator new(size_t bytes) {
  void* block = recycle_allocate(bytes);
  if (!block) throw std::bad_alloc();
  return block;
}

}  // namespace th
