#include "cpu/key_sort.h"

#include "hwy/contrib/sort/vqsort.h"

namespace th {

namespace {

template <class Key>
void sort(Key* keys, int64_t n) {
  // It works on the stack and allocates nothing.
  const hwy::Sorter sorter;
  sorter(keys, static_cast<size_t>(n), hwy::SortAscending());
}

}  // namespace

void sort_keys(uint32_t* keys, int64_t n) { sort(keys, n); }
void sort_keys(uint64_t* keys, int64_t n) { sort(keys, n); }
void sort_keys(hwy::uint128_t* keys, int64_t n) { sort(keys, n); }

}  // namespace th
