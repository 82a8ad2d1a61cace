#ifndef TH_CPU_KERNELS_SORT_FEW_H
#define TH_CPU_KERNELS_SORT_FEW_H

// Selection of the few smallest elements of a row. The row is divided into columns, whose minima a
// vectorized loop computes. The k-th smallest minimum is a bound of the k smallest keys. Few other
// keys are below it.

#include <algorithm>

#include "cpu/kernels/sort_keys.h"

namespace th {
namespace {

constexpr int64_t kTested = 256;  // elements of which the keys are read at a time
constexpr int64_t kColumns = 32;
constexpr int64_t kMostSmallest = 16;
// In shorter rows a column has few elements, and then a large part of the keys is within the bound.
constexpr int64_t kFewestByMinima = 64, kFewestForEach = 16;
// Longer rows are read in parts at equal distances.
constexpr int64_t kMostTested = 32 * kTested;

// Returns true if the first `count` of n elements are selected by the minima of columns.
inline bool is_by_minima(int64_t n, int64_t count) {
  return count <= kMostSmallest && n >= std::max(kFewestByMinima, kFewestForEach * count);
}

// Returns a key that at least `count` keys do not exceed.
template <class T>
inline typename SortKey<T>::Key bound_of_smallest(const T* in, int64_t step, int64_t n,
                                                  typename SortKey<T>::Key flip, int64_t count) {
  using Key = typename SortKey<T>::Key;
  constexpr Key kMost = static_cast<Key>(~Key(0));
  alignas(64) Key keys[kTested], least[kColumns], rank[kColumns] = {};
  for (Key& key : least) key = kMost;
  const int64_t parts = std::min((n + kTested - 1) / kTested, kMostTested / kTested);
  for (int64_t part = 0; part < parts; ++part) {
    const int64_t begin = n <= kMostTested ? part * kTested : n / parts * part;
    const int64_t m = std::min(kTested, n - begin);
    read_keys(in + begin * step, step, m, flip, keys);
    const int64_t padded = (m + kColumns - 1) / kColumns * kColumns;
    for (int64_t i = m; i < padded; ++i) keys[i] = kMost;
    for (int64_t i = 0; i < padded; i += kColumns) {
      for (int64_t k = 0; k < kColumns; ++k) {
        least[k] = keys[i + k] < least[k] ? keys[i + k] : least[k];
      }
    }
  }
  for (int64_t i = 0; i < kColumns; ++i) {
    const Key other = least[i];
    for (int64_t k = 0; k < kColumns; ++k)
      rank[k] = static_cast<Key>(rank[k] + (other <= least[k]));
  }
  Key bound = kMost;
  for (int64_t k = 0; k < kColumns; ++k) {
    if (static_cast<int64_t>(rank[k]) >= count && least[k] < bound) bound = least[k];
  }
  return bound;
}

}  // namespace
}  // namespace th

#endif
