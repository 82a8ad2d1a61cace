#include "soft/soft_memory.h"

#include <cstdlib>
#include <cstring>

#include "simt/shim/sanitizer.h"
#include "soft/soft_device.h"

namespace th {
namespace {

constexpr size_t kBlockAlignment = 256;

// Capacities come in steps of an eighth of their power of two, so that blocks fit those who ask
// for about as much.
size_t capacity_for(size_t bytes) {
  size_t step = kBlockAlignment;
  while (step * 16 <= bytes) step *= 2;
  return (bytes + step - 1) / step * step;
}

}  // namespace

void* SoftMemory::allocate(size_t bytes) {
  if (bytes > static_cast<size_t>(soft_memory())) return nullptr;
  size_t capacity = capacity_for(bytes);
  void* block = nullptr;
  auto kept = cache_.find(capacity);
  if (kept != cache_.end()) {
    block = kept->second;
    cache_.erase(kept);
    cached_ -= static_cast<int64_t>(capacity);
  } else {
    if (in_use_ + released_ + cached_ + static_cast<int64_t>(capacity) > soft_memory()) {
      return nullptr;
    }
    block = std::aligned_alloc(kBlockAlignment, capacity);
    if (!block) return nullptr;
    poison(block, capacity);
  }
  blocks_[block] = {bytes, capacity, false};
  in_use_ += static_cast<int64_t>(capacity);
  if (accessible_) unpoison(block, bytes);
  return block;
}

void SoftMemory::release(void* block) {
  Block& found = blocks_.at(block);
  found.released = true;
  in_use_ -= static_cast<int64_t>(found.capacity);
  released_ += static_cast<int64_t>(found.capacity);
}

void SoftMemory::retire(void* block) {
  auto found = blocks_.find(block);
  size_t capacity = found->second.capacity;
  poison(block, capacity);
  blocks_.erase(found);
  released_ -= static_cast<int64_t>(capacity);
  cached_ += static_cast<int64_t>(capacity);
  cache_.emplace(capacity, block);
}

void SoftMemory::empty_cache() {
  for (const auto& entry : cache_) {
    unpoison(entry.second, entry.first);
    std::free(entry.second);
  }
  cache_.clear();
  cached_ = 0;
}

void SoftMemory::fill(void* block) { std::memset(block, 0xA5, blocks_.at(block).bytes); }

void SoftMemory::set_accessible(bool accessible) {
  accessible_ = accessible;
  if (!kPoisons) return;
  for (const auto& entry : blocks_) {
    if (accessible) {
      unpoison(entry.first, entry.second.bytes);
    } else {
      poison(entry.first, entry.second.bytes);
    }
  }
}

}  // namespace th
