#ifndef TH_SOFT_SOFT_MEMORY_H
#define TH_SOFT_SOFT_MEMORY_H

// The memory of one software device: blocks with a limit on their sum, and a cache of released
// ones. Under AddressSanitizer nobody but the device's own work may touch them.

#include <cstddef>
#include <cstdint>
#include <map>
#include <unordered_map>

namespace th {

class SoftMemory {
 public:
  // nullptr: there is no more. The block's content is not defined; fill() makes it so.
  void* allocate(size_t bytes);
  // The caller has no more use for the block; it stays as it is for work in progress.
  void release(void* block);
  // No work uses the released block any more: it goes into the cache.
  void retire(void* block);
  void empty_cache();

  // Bytes that blocks in use take, that wait to be retired, and that are cached.
  int64_t in_use() const { return in_use_; }
  int64_t released() const { return released_; }
  int64_t cached() const { return cached_; }

  // What programs take for data when they read memory that nobody has written.
  void fill(void* block);
  void set_accessible(bool accessible);

 private:
  struct Block {
    size_t bytes;     // asked for
    size_t capacity;  // taken
    bool released;
  };

  std::unordered_map<void*, Block> blocks_;
  std::multimap<size_t, void*> cache_;  // by capacity
  int64_t in_use_ = 0, released_ = 0, cached_ = 0;
  bool accessible_ = false;
};

}  // namespace th

#endif
