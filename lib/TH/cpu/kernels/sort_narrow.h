#ifndef TH_CPU_KERNELS_SORT_NARROW_H
#define TH_CPU_KERNELS_SORT_NARROW_H

// Sorts rows of 64-bit elements by 64-bit integers, which hold the index and the leading bits of
// the key, starting with the first bit in which any two keys differ. Keys that differ only in other
// bits are sorted at the end.

#include <cstdint>
#include <cstring>

#include "functors/sort_key.h"

namespace th {
namespace {

// The row's elements in memory. Steps are in elements.
template <class T>
struct SortRow {
  const T* in;
  int64_t in_step;
  T* values;
  int64_t value_step;
  int64_t* indices;
  int64_t index_step;
  int64_t n;
};

template <class T>
class NarrowRow {
 public:
  // key has space for n keys. narrow has space for n integers, step apart, which the caller sorts
  // between take and write.
  NarrowRow(uint64_t* key, uint64_t* narrow, int64_t step, uint64_t flip)
      : key_(key), narrow_(narrow), step_(step), flip_(flip) {}

  // Returns true if the row is already sorted.
  static bool is_sorted(const SortRow<T>& row, uint64_t flip) {
    uint64_t last = 0;
    for (int64_t i = 0; i < row.n; ++i) {
      const uint64_t key = SortKey<T>::key(row.in[i * row.in_step]) ^ flip;
      if (key < last) return false;
      last = key;
    }
    return true;
  }

  __attribute__((noinline)) void take(const SortRow<T>& row) {
    const T* in = row.in;
    const int64_t n = row.n, in_step = row.in_step, step = step_;
    const uint64_t flip = flip_, first = SortKey<T>::key(in[0]) ^ flip;
    uint64_t* const keys = key_;
    uint64_t differ = 0;
    bool exact = true;
    for (int64_t i = 0; i < n; ++i) {
      const T x = in[i * in_step];
      const uint64_t key = SortKey<T>::key(x) ^ flip;
      exact &= SortKey<T>::is_exact(x);
      keys[i] = key;
      differ |= key ^ first;
    }
    exact_ = exact;
    const int skipped = differ ? __builtin_clzll(differ) : 0;
    index_ = n > 1 ? ~uint64_t{0} >> __builtin_clzll(static_cast<uint64_t>(n - 1)) : 0;
    has_other_bits_ = (differ << skipped & index_) != 0;
    const uint64_t leading = ~index_;
    uint64_t* const narrow = narrow_;
    for (int64_t i = 0; i < n; ++i) {
      narrow[i * step] = (keys[i] << skipped & leading) | static_cast<uint64_t>(i);
    }
  }

  // Writes elements [first, first + count). Returns false, and writes nothing, if this would take
  // too long.
  __attribute__((noinline)) bool write(const SortRow<T>& row, int64_t first, int64_t count,
                                       int64_t index_base) {
    if (has_other_bits_ && !sort_by_other_bits(row.n)) return false;
    const int64_t n = row.n, step = step_;
    const uint64_t flip = flip_, index = index_;
    const bool exact = exact_;
    uint64_t* const keys = key_;
    if (!exact) {
      for (int64_t i = 0; i < n; ++i) std::memcpy(keys + i, row.in + i * row.in_step, sizeof(T));
    }
    const uint64_t* const narrow = narrow_ + first * step;
    T* const values = row.values;
    int64_t* const indices = row.indices;
    for (int64_t i = 0; i < count; ++i) {
      const uint64_t from = narrow[i * step] & index, bits = keys[from];
      T x;
      std::memcpy(&x, &bits, sizeof(x));
      values[i * row.value_step] = exact ? SortKey<T>::element(bits ^ flip) : x;
      indices[i * row.index_step] = static_cast<int64_t>(from) + index_base;
    }
    return true;
  }

 private:
  // Insertion sort, for keys with equal leading bits.
  bool sort_by_other_bits(int64_t n) {
    int64_t moves = n;
    uint64_t* const narrow = narrow_;
    const int64_t step = step_;
    auto key_of = [&](uint64_t x) { return key_[x & index_]; };
    for (int64_t i = 1; i < n; ++i) {
      const uint64_t x = narrow[i * step];
      int64_t j = i;
      for (; j > 0; --j) {
        const uint64_t y = narrow[(j - 1) * step];
        if ((x ^ y) & ~index_ || key_of(y) <= key_of(x)) break;
        if (--moves < 0) return false;
        narrow[j * step] = y;
      }
      narrow[j * step] = x;
    }
    return true;
  }

  uint64_t* key_;
  uint64_t* narrow_;
  int64_t step_;
  uint64_t flip_;
  uint64_t index_ = 0;
  bool exact_ = true, has_other_bits_ = false;
};

}  // namespace
}  // namespace th

#endif
