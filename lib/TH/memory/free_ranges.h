#ifndef TH_MEMORY_FREE_RANGES_H
#define TH_MEMORY_FREE_RANGES_H

// Free ranges of addresses. Neighbours are joined, so that a range may serve a larger block than
// those that were freed. Not thread-safe. The ranges themselves are neither read nor written.

#include <cstddef>
#include <map>
#include <set>
#include <utility>

namespace th {

class FreeRanges {
 public:
  // Adds a range that overlaps no other one. Returns false, and adds nothing, if memory runs out.
  bool add(char* begin, size_t bytes) noexcept;
  // Removes the first `bytes` of the smallest range of at least that size, and returns them.
  // Returns nullptr if all ranges are smaller. Needs no memory.
  char* take(size_t bytes) noexcept;
  // Removes the last bytes of the largest range, at most `most`, and returns their number and
  // begin; 0 if there is no range. Needs no memory.
  std::pair<size_t, char*> take_from_largest(size_t most) noexcept;

 private:
  using Sizes = std::set<std::pair<size_t, char*>>;
  // Changes the range at `position`, or removes it if `bytes` is 0. No other one begins at `begin`.
  void change(Sizes::iterator position, char* begin, size_t bytes) noexcept;

  std::map<char*, size_t> by_begin_;
  Sizes by_size_;
};

}  // namespace th

#endif
