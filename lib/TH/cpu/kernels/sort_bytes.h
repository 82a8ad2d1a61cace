#ifndef TH_CPU_KERNELS_SORT_BYTES_H
#define TH_CPU_KERNELS_SORT_BYTES_H

// Sorting of long rows of bytes without working memory: the numbers of elements with each key give
// the positions of the values. The indices are written in a second pass. Packed keys, by which
// shorter rows are sorted faster, need 8 to 16 times the memory of the bytes.

#include <algorithm>

#include "cpu/kernels/positions.h"
#include "cpu/kernels/sort_few.h"
#include "cpu/kernels/sort_narrow.h"

namespace th {
namespace {

constexpr int64_t kFewestCounted = int64_t{1} << 24, kMostPacked = int64_t{1} << 28;

// Returns true if sort_bytes sorts rows of n elements, of which the first `count` are needed.
template <class T>
bool is_by_counting(int64_t n, int64_t count) {
  const bool is_packed = n <= kMostPacked && is_by_minima(n, count);
  return sizeof(T) == 1 && n >= kFewestCounted && !is_packed;
}

// Calls f(i, keys, n) for blocks of n keys of a row, until it returns false. i: the first element.
template <class T, class F>
void for_blocks_of_keys(const SortRow<T>& row, uint8_t flip, const F& f) {
  uint8_t keys[kTested];
  for (int64_t i = 0; i < row.n; i += kTested) {
    const int64_t n = std::min(kTested, row.n - i);
    read_keys(row.in + i * row.in_step, row.in_step, n, flip, keys);
    if (!f(i, keys, n)) return;
  }
}

// Writes positions first ... first + count - 1 of the sorted order.
template <class T>
void sort_bytes(const SortRow<T>& row, uint8_t flip, int64_t first, int64_t count,
                int64_t index_base) {
  // Several counters for each key, because equal keys may be next to each other.
  constexpr int kCounters = 4, kKeys = 256;
  int64_t counts[kCounters][kKeys] = {};
  for_blocks_of_keys(row, flip, [&](int64_t, const uint8_t* keys, int64_t n) {
    int64_t k = 0;
    for (; k + kCounters <= n; k += kCounters) {
      for (int j = 0; j < kCounters; ++j) ++counts[j][keys[k + j]];
    }
    for (; k < n; ++k) ++counts[0][keys[k]];
    return true;
  });
  // The positions of the first element with each key, from `first`.
  int64_t start[kKeys + 1] = {-first}, next[kKeys];
  for (int key = 0; key < kKeys; ++key) {
    next[key] = start[key];
    start[key + 1] = start[key];
    for (int k = 0; k < kCounters; ++k) start[key + 1] += counts[k][key];
  }
  int least = 0;
  while (least < kKeys - 1 && start[least + 1] <= 0) ++least;
  int most = least;
  while (most < kKeys - 1 && start[most + 1] < count) ++most;
  int64_t found = 0;
  for_blocks_of_keys(row, flip, [&](int64_t i, const uint8_t* keys, int64_t n) {
    uint8_t marks[kTested];
    int32_t positions[kTested + kPositionsAtOnce];
    for (int64_t k = 0; k < n; ++k) marks[k] = (keys[k] >= least) & (keys[k] <= most);
    const int64_t marked = positions_of(marks, n, positions);
    for (int64_t k = 0; k < marked; ++k) {
      const int64_t to = next[keys[positions[k]]]++;
      if (to < 0 || to >= count) continue;
      row.indices[to * row.index_step] = i + positions[k] + index_base;
      ++found;
    }
    return found < count;
  });
  // The elements have been read, so they may share memory with the values.
  for (int key = least; key <= most; ++key) {
    const T x = SortKey<T>::element(static_cast<uint8_t>(key ^ flip));
    const int64_t end = std::min(start[key + 1], count);
    for (int64_t to = std::max<int64_t>(start[key], 0); to < end; ++to) {
      row.values[to * row.value_step] = x;
    }
  }
}

}  // namespace
}  // namespace th

#endif
