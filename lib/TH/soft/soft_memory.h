#ifndef TH_SOFT_SOFT_MEMORY_H
#define TH_SOFT_SOFT_MEMORY_H

// The memory of one software device: blocks with a limit on their sum, and a cache of released
// ones. Under AddressSanitizer only the device's own work may touch them.

#include <cstddef>
#include <cstdint>
#include <map>
#include <unordered_map>

namespace th {

class SoftMemory {
 public:
  SoftMemory() = default;
  ~SoftMemory();
  SoftMemory(const SoftMemory&) = delete;
  SoftMemory& operator=(const SoftMemory&) = delete;

  // Returns nullptr if the device has no memory left. Throws std::bad_alloc if the host has none
  // for the block's record. The contents are undefined; fill() makes them so.
  void* allocate(size_t bytes);
  // The caller no longer uses the block. Work before `position` of the queue may still use it.
  void release(void* block, uint64_t position) noexcept;
  // All work before `position` has run: blocks released by then go into the cache.
  void retire(uint64_t position) noexcept;
  void empty_cache() noexcept;

  // Bytes of blocks in use, of released blocks that are not retired, and of cached blocks.
  int64_t in_use() const { return in_use_; }
  int64_t released() const { return released_; }
  int64_t cached() const { return cached_; }

  // Fills a block with bytes that expose reads of uninitialized memory.
  void fill(void* block);
  void set_accessible(bool accessible) noexcept;

 private:
  // A block from its allocation until empty_cache(). release() and retire() only relink it, because
  // they must not fail.
  struct Block {
    void* address;
    size_t bytes;       // as requested
    size_t capacity;    // as allocated
    uint64_t position;  // of the queue at its release
    Block* next;        // in the list of released blocks, or of cached blocks of this capacity
    bool cached;
  };

  std::unordered_map<void*, Block> blocks_;
  std::map<size_t, Block*> cache_;   // by capacity; has an entry for the capacity of each block
  Block* first_released_ = nullptr;  // in the order of their positions
  Block* last_released_ = nullptr;
  int64_t in_use_ = 0, released_ = 0, cached_ = 0;
  bool accessible_ = false;
};

}  // namespace th

#endif
