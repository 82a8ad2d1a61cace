#include "soft/soft_memory.h"

#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

#include "simt/shim/sanitizer.h"
#include "soft/soft_device.h"

namespace th {
namespace {

constexpr size_t kBlockAlignment = 256;

// Capacities are rounded up in steps of an eighth of their power of two, so that freed blocks fit
// requests of similar size.
size_t capacity_for(size_t bytes) {
  size_t step = kBlockAlignment;
  while (step * 16 <= bytes) step *= 2;
  return (bytes + step - 1) / step * step;
}

}  // namespace

SoftMemory::~SoftMemory() {
  for (const auto& entry : blocks_) {
    unpoison(entry.first, entry.second.capacity);
    std::free(entry.first);
  }
}

void* SoftMemory::allocate(size_t bytes) {
  if (bytes > static_cast<size_t>(soft_memory())) return nullptr;
  const size_t capacity = capacity_for(bytes);
  const auto more = static_cast<int64_t>(capacity);
  Block*& list = cache_[capacity];
  Block* block = list;
  if (block) {
    list = block->next;
    cached_ -= more;
  } else {
    if (in_use_ + released_ + cached_ + more > soft_memory()) return nullptr;
    std::unique_ptr<void, void (*)(void*)> address(std::aligned_alloc(kBlockAlignment, capacity),
                                                   std::free);
    if (!address) return nullptr;
    block = &blocks_[address.get()];
    block->address = address.release();
    block->capacity = capacity;
    poison(block->address, capacity);
  }
  block->bytes = bytes;
  block->next = nullptr;
  block->cached = false;
  in_use_ += more;
  if (accessible_) unpoison(block->address, bytes);
  return block->address;
}

void SoftMemory::release(void* block, uint64_t position) noexcept {
  Block& released = blocks_.find(block)->second;
  released.position = position;
  released.next = nullptr;
  (last_released_ ? last_released_->next : first_released_) = &released;
  last_released_ = &released;
  in_use_ -= static_cast<int64_t>(released.capacity);
  released_ += static_cast<int64_t>(released.capacity);
}

void SoftMemory::retire(uint64_t position) noexcept {
  while (first_released_ && first_released_->position <= position) {
    Block& block = *first_released_;
    first_released_ = block.next;
    if (!first_released_) last_released_ = nullptr;
    poison(block.address, block.capacity);
    block.cached = true;
    block.next = std::exchange(cache_.find(block.capacity)->second, &block);
    released_ -= static_cast<int64_t>(block.capacity);
    cached_ += static_cast<int64_t>(block.capacity);
  }
}

void SoftMemory::empty_cache() noexcept {
  for (auto& entry : cache_) {
    while (const Block* block = entry.second) {
      void* const address = block->address;
      entry.second = block->next;
      unpoison(address, block->capacity);
      std::free(address);
      blocks_.erase(address);
    }
  }
  cached_ = 0;
}

void SoftMemory::fill(void* block) { std::memset(block, 0xA5, blocks_.at(block).bytes); }

void SoftMemory::set_accessible(bool accessible) noexcept {
  accessible_ = accessible;
  if (!kPoisons) return;
  for (const auto& entry : blocks_) {
    if (entry.second.cached) continue;
    if (accessible) {
      unpoison(entry.first, entry.second.bytes);
    } else {
      poison(entry.first, entry.second.bytes);
    }
  }
}

}  // namespace th
