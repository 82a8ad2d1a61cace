#include "cuda/block_cache.h"

#include <iterator>

namespace th {

namespace {

// most: larger blocks are not kept, so they need not fit other requests.
size_t rounded(size_t bytes, size_t most) {
  size_t step = BlockCache::kUnit;
  while (bytes <= most && step <= bytes / 16) step *= 2;
  return bytes > SIZE_MAX - step ? bytes : (bytes + step - 1) / step * step;
}

}  // namespace

void* BlockCache::allocate(size_t bytes) {
  const size_t size = rounded(bytes > 0 ? bytes : 1, most_);
  {
    std::lock_guard<std::mutex> lock(mutex_);
    Blocks& free = free_[size];
    if (!free.empty()) {
      used_.splice(used_.end(), free, std::prev(free.end()));
      kept_ -= size;
      in_use_ += size;
      return used_.back().address;
    }
  }
  Blocks fresh;  // allocated before the block, so that no failure can lose it
  fresh.push_back({nullptr, size, 0});
  void* block = source_.take(size);
  if (!block) return nullptr;
  fresh.back().address = block;
  std::lock_guard<std::mutex> lock(mutex_);
  try {
    blocks_[block] = fresh.begin();
  } catch (...) {
    source_.give_back(block);
    throw;
  }
  used_.splice(used_.end(), fresh);
  in_use_ += size;
  return block;
}

bool BlockCache::release(void* block) noexcept {
  if (!block) return true;
  std::lock_guard<std::mutex> lock(mutex_);
  const auto entry = blocks_.find(block);
  if (entry == blocks_.end()) return false;
  const Blocks::iterator released = entry->second;
  Blocks& free = free_.find(released->bytes)->second;
  released->released = ++releases_;
  in_use_ -= released->bytes;
  kept_ += released->bytes;
  free.splice(free.end(), used_, released);
  if (released->bytes > most_) {
    give_back(free, released);
  } else {
    while (kept_ > most_) give_back_oldest();
  }
  return true;
}

void BlockCache::give_back(Blocks& kept, Blocks::iterator block) noexcept {
  kept_ -= block->bytes;
  source_.give_back(block->address);
  blocks_.erase(block->address);
  kept.erase(block);
}

void BlockCache::give_back_oldest() noexcept {
  Blocks* oldest = nullptr;
  for (auto& entry : free_) {
    Blocks& free = entry.second;
    if (!free.empty() && (!oldest || free.front().released < oldest->front().released)) {
      oldest = &free;
    }
  }
  give_back(*oldest, oldest->begin());
}

void BlockCache::empty() noexcept {
  std::lock_guard<std::mutex> lock(mutex_);
  for (auto& entry : free_) {
    while (!entry.second.empty()) give_back(entry.second, entry.second.begin());
  }
}

bool BlockCache::contains(const void* address) const {
  std::lock_guard<std::mutex> lock(mutex_);
  auto after = blocks_.upper_bound(address);
  if (after == blocks_.begin()) return false;
  const Block& block = *std::prev(after)->second;
  return static_cast<const char*>(address) < static_cast<const char*>(block.address) + block.bytes;
}

size_t BlockCache::in_use() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return in_use_;
}

size_t BlockCache::kept() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return kept_;
}

}  // namespace th
