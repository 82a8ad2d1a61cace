#ifndef TH_OPS_BLOCK_COUNTS_H
#define TH_OPS_BLOCK_COUNTS_H

// For results as long as the number of elements that qualify: these are counted by blocks, so that
// each block knows where its results go.

#include <algorithm>
#include <cstdint>

#include "cpu/iterator.h"
#include "cpu/parallel.h"
#include "ops/buffer.h"

namespace th {
namespace {

constexpr int64_t kBlock = 32768;

// Calls f(block, begin, end) for the blocks of n elements, in parallel, or for all as one where
// what is written may be one place in memory.
template <class F>
void for_blocks(int64_t n, bool in_order, const F& f) {
  if (in_order) return f(int64_t{0}, int64_t{0}, n);
  parallel_for((n + kBlock - 1) / kBlock, 1, [&](int64_t first, int64_t last) {
    for (int64_t b = first; b < last; ++b) f(b, b * kBlock, std::min(n, (b + 1) * kBlock));
  });
}

// How many elements before each block, and in all, count(data, stride, n) counts.
class BlockCounts {
 public:
  template <class F>
  BlockCounts(const Iterator& elements, int operand, const F& count)
      : blocks_((elements.numel() + kBlock - 1) / kBlock), before_(blocks_ + 1) {
    for_blocks(elements.numel(), false, [&](int64_t b, int64_t begin, int64_t end) {
      int64_t counted = 0;
      elements.for_each_run(begin, end, [&](char* const* at, const int64_t* stride, int64_t n) {
        counted += count(at[operand], stride[operand], n);
      });
      before_[b] = counted;
    });
    int64_t sum = 0;
    for (int64_t b = 0; b < blocks_; ++b) {
      int64_t counted = before_[b];
      before_[b] = sum;
      sum += counted;
    }
    before_[blocks_] = sum;
  }
  int64_t before(int64_t block) const { return before_[block]; }
  // The same by the number of an element, the first of a block or the one after the last.
  int64_t before_element(int64_t element) const { return before_[(element + kBlock - 1) / kBlock]; }
  int64_t total() const { return before_[blocks_]; }

 private:
  int64_t blocks_;
  Buffer<int64_t> before_;
};

}  // namespace
}  // namespace th

#endif
