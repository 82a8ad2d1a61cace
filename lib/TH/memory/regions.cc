#include "memory/regions.h"

#include <pthread.h>
#include <sys/mman.h>

#include <map>
#include <mutex>
#include <new>

namespace th {

void* map_large_pages(size_t bytes) noexcept {
  if (bytes > PTRDIFF_MAX - kLargePage) return nullptr;
  void* mapping =
      mmap(nullptr, bytes + kLargePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED) return nullptr;
  auto* begin = static_cast<char*>(mapping);
  size_t before = (kLargePage - reinterpret_cast<uintptr_t>(mapping) % kLargePage) % kLargePage;
  char* block = begin + before;
  if (before > 0) munmap(begin, before);
  if (before < kLargePage) munmap(block + bytes, kLargePage - before);
#ifdef MADV_HUGEPAGE
  madvise(block, bytes, MADV_HUGEPAGE);
#endif
  return block;
}

namespace {

struct ReturnedBlock {
  ReturnedBlock* next;
};

struct Region {
  char* begin = nullptr;
  size_t block_bytes = 0;
  int size_class = 0;
  size_t unused = 0;  // bytes at the end that no block has used
  size_t used_blocks = 0;
  ReturnedBlock* returned = nullptr;
  // The list of the regions of this class with free blocks.
  Region *next = nullptr, *previous = nullptr;

  bool is_full() const { return !returned && unused < block_bytes; }
};

std::mutex regions_mutex;
Region* with_free_blocks[kRegionClasses];
// By address. Never destroyed, because threads return blocks after static objects are destroyed. In
// static memory, because blocks are returned also if memory has run out.
using Regions = std::map<uintptr_t, Region>;
Regions& all_regions() noexcept {
  alignas(Regions) static char memory[sizeof(Regions)];
  static auto* const regions = new (memory) Regions;
  return *regions;
}

void link(Region* region) {
  Region*& first = with_free_blocks[region->size_class];
  region->next = first;
  region->previous = nullptr;
  if (first) first->previous = region;
  first = region;
}

void unlink(Region* region) {
  (region->previous ? region->previous->next : with_free_blocks[region->size_class]) = region->next;
  if (region->next) region->next->previous = region->previous;
}

// The child process of a fork gets the mutex unlocked, although another thread may hold it.
void keep_usable_after_fork() {
  static const int registered = pthread_atfork(
      [] { regions_mutex.lock(); }, [] { regions_mutex.unlock(); }, [] { regions_mutex.unlock(); });
  (void)registered;
}

Region* new_region(int size_class, size_t bytes) {
  keep_usable_after_fork();
  void* begin = map_large_pages(kLargePage);
  if (!begin) return nullptr;
  try {
    Region& region = all_regions()[reinterpret_cast<uintptr_t>(begin)];
    region.begin = static_cast<char*>(begin);
    region.block_bytes = bytes;
    region.size_class = size_class;
    region.unused = kLargePage;
    link(&region);
    return &region;
  } catch (const std::bad_alloc&) {
    munmap(begin, kLargePage);
    return nullptr;
  }
}

}  // namespace

void* region_take(int size_class, size_t bytes) noexcept {
  std::lock_guard<std::mutex> lock(regions_mutex);
  Region* region = with_free_blocks[size_class];
  if (!region) region = new_region(size_class, bytes);
  if (!region) return nullptr;
  void* block = region->returned;
  if (block) {
    region->returned = region->returned->next;
  } else {
    block = region->begin + (kLargePage - region->unused);
    region->unused -= bytes;
  }
  ++region->used_blocks;
  if (region->is_full()) unlink(region);
  return block;
}

bool region_give(void* block) noexcept {
  std::lock_guard<std::mutex> lock(regions_mutex);
  auto& regions = all_regions();
  const auto found = regions.find(reinterpret_cast<uintptr_t>(block) / kLargePage * kLargePage);
  if (found == regions.end()) return false;
  Region& region = found->second;
  if (region.is_full()) link(&region);
  region.returned = new (block) ReturnedBlock{region.returned};
  if (--region.used_blocks == 0) {
    unlink(&region);
    munmap(region.begin, kLargePage);
    regions.erase(found);
  }
  return true;
}

int64_t region_bytes() noexcept {
  std::lock_guard<std::mutex> lock(regions_mutex);
  return static_cast<int64_t>(all_regions().size() * kLargePage);
}

}  // namespace th
