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
    const auto known = sizes_.find(size);
    if (known != sizes_.end() && !known->second.free.empty()) {
      Blocks& free = known->second.free;
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
    ++sizes_[size].blocks;
  } catch (...) {
    blocks_.erase(block);
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
  const auto size = sizes_.find(released->bytes);
  Blocks& free = size->second.free;
  released->released = ++releases_;
  in_use_ -= released->bytes;
  kept_ += released->bytes;
  free.splice(free.end(), used_, released);
  if (released->bytes > most_) {
    give_back_front(size);  // the only free block of its size
  } else {
    while (kept_ > most_) give_back_oldest();
  }
  return true;
}

void BlockCache::give_back_front(Sizes::iterator size) noexcept {
  Blocks& free = size->second.free;
  kept_ -= free.front().bytes;
  source_.give_back(free.front().address);
  blocks_.erase(free.front().address);
  free.pop_front();
  if (--size->second.blocks == 0) sizes_.erase(size);
}

void BlockCache::give_back_oldest() noexcept {
  auto oldest = sizes_.end();
  for (auto size = sizes_.begin(); size != sizes_.end(); ++size) {
    const Blocks& free = size->second.free;
    if (free.empty()) continue;
    if (oldest == sizes_.end() || free.front().released < oldest->second.free.front().released) {
      oldest = size;
    }
  }
  give_back_front(oldest);
}

void BlockCache::empty() noexcept {
  std::lock_guard<std::mutex> lock(mutex_);
  for (auto size = sizes_.begin(); size != sizes_.end();) {
    const auto next = std::next(size);
    for (size_t n = size->second.free.size(); n > 0; --n) give_back_front(size);
    size = next;
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

size_t BlockCache::sizes() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return sizes_.size();
}

}  // namespace th
