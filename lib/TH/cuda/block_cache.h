#ifndef TH_CUDA_BLOCK_CACHE_H
#define TH_CUDA_BLOCK_CACHE_H

// Keeps freed blocks of memory for reuse, where allocating takes long. It does not depend on CUDA,
// so that its tests run everywhere.

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <mutex>

namespace th {

// Allocates the blocks of a cache.
class BlockSource {
 public:
  virtual ~BlockSource() = default;
  // Returns null if there is no memory left. May throw.
  virtual void* take(size_t bytes) = 0;
  virtual void give_back(void* block) noexcept = 0;
};

// All functions may be called from any thread.
class BlockCache {
 public:
  // Keeps at most `most` bytes: those that were freed last. Larger blocks are not kept.
  BlockCache(BlockSource& source, size_t most) : source_(source), most_(most) {}
  BlockCache(const BlockCache&) = delete;
  BlockCache& operator=(const BlockCache&) = delete;

  // Returns a block of at least `bytes` bytes, null if the source has none. Sizes are rounded up to
  // eight for each doubling, at least to kUnit, so that a block fits requests of similar size.
  void* allocate(size_t bytes);
  // Ignores null. Returns false if the block is not of the cache.
  bool release(void* block) noexcept;
  // Gives the kept blocks back to the source.
  void empty() noexcept;
  // Returns true if the address is in a block of the cache.
  bool contains(const void* address) const;

  size_t in_use() const;
  size_t kept() const;
  // The number of different sizes of the blocks.
  size_t sizes() const;

  static constexpr size_t kUnit = 512;

 private:
  struct Block {
    void* address;
    size_t bytes;
    uint64_t released;  // number of the release
  };
  using Blocks = std::list<Block>;
  // The blocks of a size.
  struct Size {
    Blocks free;        // the newest at the end
    size_t blocks = 0;  // the number of all, also of those in use
  };
  using Sizes = std::map<size_t, Size>;

  // Gives the oldest free block of a size back, and forgets the size if that was its last block.
  void give_back_front(Sizes::iterator size) noexcept;
  void give_back_oldest() noexcept;

  BlockSource& source_;
  const size_t most_;
  mutable std::mutex mutex_;
  // Blocks move between lists without allocating memory, so that a release cannot fail.
  Blocks used_;
  Sizes sizes_;                                     // of all blocks
  std::map<const void*, Blocks::iterator> blocks_;  // all, by address
  size_t in_use_ = 0, kept_ = 0;
  uint64_t releases_ = 0;
};

}  // namespace th

#endif
