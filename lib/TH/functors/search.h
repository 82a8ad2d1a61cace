#ifndef TH_FUNCTORS_SEARCH_H
#define TH_FUNCTORS_SEARCH_H

#include "functors/sort_key.h"

namespace th {
namespace {

// Returns how many of n sorted elements, step bytes apart, are less than x or, if right, not
// greater.
template <class T>
TH_HD int64_t elements_before(const char* sorted, int64_t n, int64_t step, T x, bool right) {
  auto key = SortKey<T>::key(x);
  int64_t low = 0, high = n;
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    auto other = SortKey<T>::key(*reinterpret_cast<const T*>(sorted + middle * step));
    if (right ? other <= key : other < key) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

}  // namespace
}  // namespace th

#endif
