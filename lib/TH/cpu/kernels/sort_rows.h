#ifndef TH_CPU_KERNELS_SORT_ROWS_H
#define TH_CPU_KERNELS_SORT_ROWS_H

// Sorting of rows. Elements are mapped to unsigned keys of the same order, packed with their index
// in the row.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <type_traits>
#include <utility>

#include "backend/sort_call.h"
#include "cpu/kernels/distinct_keys.h"
#include "cpu/kernels/positions.h"
#include "cpu/kernels/sort_bytes.h"
#include "cpu/kernels/sort_few.h"
#include "cpu/kernels/sort_keys.h"
#include "cpu/kernels/sort_narrow.h"
#include "cpu/kernels/sort_network.h"
#include "cpu/key_sort.h"
#include "cpu/loops.h"
#include "cpu/parallel.h"
#include "cpu/workspace.h"

namespace th {
namespace {

// Rows up to kInsertion are sorted by insertion; from kRadix on, 8- and 16-bit keys by radix sort.
constexpr int64_t kInsertion = 40;
constexpr int64_t kRadix = 256;
// Few positions of rows of at least kLong elements are selected by sampling.
constexpr int64_t kLong = 512;
// Rows of at least kCounted elements are sorted by counting if a sample of kCountedSamples elements
// has at most kSampledDistinct different ones.
constexpr int64_t kCounted = 4096;
constexpr int64_t kCountedSamples = 128;
constexpr int64_t kSampledDistinct = 112;
// Rows of 64-bit elements up to this length are sorted by 64-bit integers.
constexpr int64_t kMostNarrow = int64_t{1} << 32;
// At least kFewestTogether rows of at most kLongestTogether elements are sorted together. With
// 64-bit SIMD comparisons this is faster as long as the rows fit into the caches.
constexpr int64_t kFewestTogether = 3;
#ifdef __AVX2__
constexpr int64_t kLongestTogether = 1024;
#else
constexpr int64_t kLongestTogether = 64;
#endif

// Radix sort of n packed keys, of which only the lowest Bytes bytes of the key are used. The result
// is in keys. The sort is stable, so the indices are not compared.
template <class Pack, int Bytes>
void sort_by_digits(typename Pack::Type* keys, typename Pack::Type* other, int64_t n) {
  int64_t count[Bytes][256] = {};
  for (int64_t i = 0; i < n; ++i) {
    uint64_t key = Pack::key(keys[i]);
    for (int digit = 0; digit < Bytes; ++digit) ++count[digit][key >> (8 * digit) & 255];
  }
  auto* from = keys;
  auto* to = other;
  for (int digit = 0; digit < Bytes; ++digit) {
    int64_t start = 0;
    for (int64_t& c : count[digit]) start += std::exchange(c, start);
    for (int64_t i = 0; i < n; ++i) {
      to[count[digit][Pack::key(from[i]) >> (8 * digit) & 255]++] = from[i];
    }
    std::swap(from, to);
  }
  if (from != keys) std::copy(from, from + n, keys);
}

// A type local to this file, so that templates instantiated with it are not shared between
// instruction sets.
template <class Pack>
struct Less {
  bool operator()(const typename Pack::Type& a, const typename Pack::Type& b) const {
    return Pack::less(a, b);
  }
};

template <class Pack>
void sort_by_insertion(typename Pack::Type* keys, int64_t n) {
  for (int64_t i = 1; i < n; ++i) {
    auto key = keys[i];
    int64_t j = i;
    for (; j > 0 && Pack::less(key, keys[j - 1]); --j) keys[j] = keys[j - 1];
    keys[j] = key;
  }
}

// Returns true if keys are sorted, or reversed and now sorted. Fails fast otherwise.
template <class Pack>
bool put_in_order(typename Pack::Type* keys, int64_t n) {
  int64_t up = 1, down = 1;
  while (up < n && Pack::less(keys[up - 1], keys[up])) ++up;
  if (up == n) return true;
  while (down < n && Pack::less(keys[down], keys[down - 1])) ++down;
  if (down < n) return false;
  std::reverse(keys, keys + n);
  return true;
}

// Selection by sampling: the elements at some positions of the sorted order are among those between
// two elements of a sorted sample.
constexpr int64_t kMostSamples = 1024;
inline int64_t samples_of(int64_t n) { return std::min(n / 16, kMostSamples); }

// Returns true if few positions of many are needed.
inline bool is_by_sample(int64_t n, int64_t count) { return n >= kLong && count <= n / 4; }

// The positions in a sorted sample of `size` of n elements, between which positions first ...
// first + count - 1 of all elements are. If the elements are in a random order, the probability
// that they are not is less than 1 / 300.
struct SampleRange {
  int64_t low, high;  // -1 and size: no limit

  SampleRange(int64_t size, int64_t n, int64_t first, int64_t count) {
    const double whole = static_cast<double>(size), part = whole / static_cast<double>(n);
    const double from = static_cast<double>(first) * part;
    const double to = static_cast<double>(first + count) * part;
    const auto margin = [whole](double x) {
      return 4 + 3 * std::sqrt(std::max(x * (1 - x / whole), 0.0));
    };
    low = std::max(static_cast<int64_t>(std::floor(from - margin(from))), int64_t{-1});
    high = std::min(static_cast<int64_t>(to + margin(to)), size);
  }
};

// Keeps only the keys near positions first ... first + count - 1 of the sorted order. If these do
// not contain the range, keeps all keys. Returns how many smaller keys were dropped.
template <class Pack>
int64_t keep_near(typename Pack::Type* keys, int64_t* n, int64_t first, int64_t count) {
  const int64_t size = samples_of(*n);
  typename Pack::Type sample[kMostSamples];
  for (int64_t k = 0; k < size; ++k) sample[k] = keys[k * (*n / size)];
  sort_keys(sample, size);
  const SampleRange range(size, *n, first, count);
  const auto least = range.low < 0 ? Pack::pack(0, 0) : sample[range.low];
  const auto most = range.high < size ? sample[range.high] : Pack::pack(~uint64_t(0), ~uint64_t(0));
  int64_t below = 0, above = 0, remaining = 0;
  for (int64_t i = 0; i < *n; ++i) {
    below += Pack::less(keys[i], least);
    above += Pack::less(most, keys[i]);
  }
  if (below > first || *n - above < first + count) return 0;
  for (int64_t i = 0; i < *n; ++i) {
    const auto key = keys[i];
    keys[remaining] = key;
    remaining += !(Pack::less(key, least) || Pack::less(most, key));
  }
  *n = remaining;
  return below;
}

// Sorts the keys of positions first ... first + count - 1 of the sorted order and returns the first
// of them.
template <class Pack>
typename Pack::Type* sort_range(typename Pack::Type* keys, int64_t n, int64_t first,
                                int64_t count) {
  // Until many are kept, as of equal elements.
  for (int64_t before = 2 * n + 2; is_by_sample(n, count) && n < before / 2;) {
    before = n;
    first -= keep_near<Pack>(keys, &n, first, count);
  }
  if (first > 0) std::nth_element(keys, keys + first, keys + n, Less<Pack>());
  keys += first;
  n -= first;
  if (count < n) std::nth_element(keys, keys + count - 1, keys + n, Less<Pack>());
  if (count > 1) sort_keys(keys, count);
  return keys;
}

template <class T, class Pack>
class RowSorter {
 public:
  using Key = typename SortKey<T>::Key;
  using Packed = typename Pack::Type;
  static constexpr bool kHasDigits = sizeof(T) <= 2, kIsWide = sizeof(T) == 8;

  static bool has_digits(int64_t n, int64_t count) {
    return kHasDigits && n >= kRadix && !is_by_sample(n, count);
  }
  // Returns the number of packed keys that `rows` rows need. Rows sorted together need their keys
  // in lanes, and wide rows also the original keys.
  static int64_t capacity(const SortCall& call, int64_t rows) {
    const int64_t n = call.n;
    if (are_together(n, rows)) return kIsWide ? n + kTogether * n : kTogether * n;
    if (is_by_counting<T>(n, call.first + call.count)) return 0;
    return has_digits(n, call.count) ? 2 * n : n;
  }
  static bool are_together(int64_t n, int64_t rows) {
    return n <= kLongestTogether && rows >= kFewestTogether;
  }

  RowSorter(Packed* keys, const SortCall& call)
      : keys_(keys),
        flip_(call.descending ? static_cast<Key>(~Key(0)) : Key(0)),
        index_base_(call.index_base),
        first_(call.first),
        count_(call.count) {}

  void sort(const SortRow<T>& row) const {
    if constexpr (sizeof(T) == 1) {
      if (is_by_counting<T>(row.n, first_ + count_)) {
        return sort_bytes(row, flip_, first_, count_, index_base_);
      }
    }
    if constexpr (!kHasDigits) {
      if (row.n >= kCounted && count_ == row.n && sort_by_counting(row)) return;
    }
    if constexpr (kIsWide) {
      if (row.n > kInsertion && row.n <= kMostNarrow && count_ == row.n && sort_narrow(row)) return;
    }
    int64_t first = 0;
    bool exact = true;
    if (is_by_minima(row.n, first_ + count_)) {
      const Key most = bound_of_smallest(row.in, row.in_step, row.n, flip_, first_ + count_);
      int64_t kept = pack_between(row, 0, most, &first, &exact);
      if (kept > kInsertion) kept = drop_ties(kept, most, first_ + count_);
      if (kept > kInsertion) {
        return unpack(row, exact, sort_range<Pack>(keys_, kept, first_, count_), 1);
      }
      sort_by_insertion<Pack>(keys_, kept);
      return unpack(row, exact, keys_ + first_, 1);
    }
    if (is_by_sample(row.n, count_)) {
      const int64_t kept = pack_near(row, &first, &exact);
      if (kept >= 0) return unpack(row, exact, sort_range<Pack>(keys_, kept, first, count_), 1);
    }
    exact = pack_row(row, keys_, 1);
    Packed* range = keys_ + first_;
    if (row.n <= kInsertion) {
      sort_by_insertion<Pack>(keys_, row.n);
    } else if (count_ == row.n && put_in_order<Pack>(keys_, row.n)) {
      // Sorted data is common.
    } else if (has_digits(row.n, count_)) {
      sort_by_digits<Pack, kHasDigits ? sizeof(T) : 1>(keys_, keys_ + row.n, row.n);
    } else if (count_ < row.n) {
      range = sort_range<Pack>(keys_, row.n, first_, count_);
    } else {
      sort_keys(keys_, row.n);
    }
    unpack(row, exact, range, 1);
  }

  // Sorts up to kTogether rows of the same length.
  void sort_together(const SortRow<T>* rows, int64_t count) const {
    const int64_t n = rows[0].n;
    if constexpr (kIsWide) {
      auto* const lanes = reinterpret_cast<uint64_t*>(keys_ + n);
      std::optional<NarrowRow<T>> narrow[kTogether];
      for (int64_t k = 0; k < count; ++k) {
        narrow[k].emplace(lanes + kTogether * n + k * n, lanes + k, kTogether, flip_);
        narrow[k]->take(rows[k]);
      }
      th::sort_together(lanes, n);
      for (int64_t k = 0; k < count; ++k) {
        if (!narrow[k]->write(rows[k], first_, count_, index_base_)) sort(rows[k]);
      }
    } else if constexpr (std::is_same_v<Pack, Pack64>) {  // for Pack128 the rows are too long
      bool exact[kTogether];
      for (int64_t k = 0; k < count; ++k) exact[k] = pack_row(rows[k], keys_ + k, kTogether);
      th::sort_together(keys_, n);
      for (int64_t k = 0; k < count; ++k)
        unpack(rows[k], exact[k], keys_ + k + first_ * kTogether, kTogether);
    }
  }

 private:
  // Sorts a row with few distinct elements, all of which can be restored from their keys. Returns
  // false, and writes nothing, if it is no such row.
  bool sort_by_counting(const SortRow<T>& row) const {
    auto* const numbers = reinterpret_cast<uint16_t*>(keys_);
    // The keys need less than the rest of the buffer.
    void* const memory = numbers + (row.n + 31) / 32 * 32;
    const int64_t apart = row.n / kCountedSamples * row.in_step;
    const auto keep = [numbers](int64_t i, uint32_t number) {
      numbers[i] = static_cast<uint16_t>(number);
    };
    DistinctKeys<T> sample(memory, kSampledDistinct);
    if (!sample.template number<true>(row.in, apart, kCountedSamples, flip_, keep)) return false;
    DistinctKeys<T> distinct(memory, std::min(row.n / 32, kMostDistinct));
    if (!distinct.template number<true>(row.in, row.in_step, row.n, flip_, keep)) return false;
    if (!distinct.are_exact()) return false;
    distinct.sort();
    int64_t next[kMostDistinct], start = 0;
    for (int64_t r = 0; r < distinct.count(); ++r) {
      next[distinct.number_of(r)] = start;
      const T x = SortKey<T>::element(static_cast<Key>(distinct.key(r) ^ flip_));
      const int64_t end = start + distinct.total(r);
      // The elements have been read, so they may share memory with the values.
      for (; start < end; ++start) row.values[start * row.value_step] = x;
    }
    for (int64_t i = 0; i < row.n; ++i) {
      row.indices[next[numbers[i]]++ * row.index_step] = i + index_base_;
    }
    return true;
  }

  bool sort_narrow(const SortRow<T>& row) const {
    const int64_t n = row.n;
    if (NarrowRow<T>::is_sorted(row, flip_)) {
      for (int64_t i = 0; i < n; ++i) {
        row.values[i * row.value_step] = row.in[i * row.in_step];
        row.indices[i * row.index_step] = i + index_base_;
      }
      return true;
    }
    auto* const keys = reinterpret_cast<uint64_t*>(keys_);
    NarrowRow<T> narrow(keys, keys + n, 1, flip_);
    narrow.take(row);
    if (!put_in_order<Pack64>(keys + n, n)) sort_keys(keys + n, n);
    return narrow.write(row, 0, n, index_base_);
  }

  // Calls f(i, packed key) for elements [begin, end). Sets *exact to false if an element cannot be
  // restored from its key.
  template <class F>
  void pack(const SortRow<T>& row, int64_t begin, int64_t end, bool* exact, const F& f) const {
    // Local copies, because for the compiler the keys written may alias the members.
    const T* in = row.in;
    const int64_t step = row.in_step;
    const Key flip = flip_;
    bool all = *exact;
    for (int64_t i = begin; i < end; ++i) {
      T x = in[i * step];
      // The loop is not vectorized, so a branch that is seldom taken is faster than &=.
      if (!SortKey<T>::is_exact(x)) all = false;
      f(i, Pack::pack(static_cast<Key>(SortKey<T>::key(x) ^ flip), static_cast<uint64_t>(i)));
    }
    *exact = all;
  }

  // Writes keys that are step apart.
  __attribute__((noinline)) bool pack_row(const SortRow<T>& row, Packed* keys, int64_t step) const {
    bool exact = true;
    pack(row, 0, row.n, &exact, [=](int64_t i, Packed key) { keys[i * step] = key; });
    return exact;
  }

  // Packs only the keys near the range, whose position among them is written to *first. Returns
  // their number, or -1 if they do not contain the range.
  int64_t pack_near(const SortRow<T>& row, int64_t* first, bool* exact) const {
    const int64_t n = row.n, size = samples_of(n);
    Packed sample[kMostSamples];
    for (int64_t k = 0; k < size; ++k) {
      const T x = row.in[k * (n / size) * row.in_step];
      sample[k] = Pack::pack(static_cast<Key>(SortKey<T>::key(x) ^ flip_), 0);
    }
    sort_keys(sample, size);
    const SampleRange range(size, n, first_, count_);
    const auto least = static_cast<Key>(range.low < 0 ? 0 : Pack::key(sample[range.low]));
    const auto most =
        static_cast<Key>(range.high < size ? Pack::key(sample[range.high]) : ~uint64_t(0));
    const int64_t kept = pack_between(row, least, most, first, exact);
    return *first >= 0 && *first + count_ <= kept ? kept : -1;
  }

  // Packs only the keys from `least` to `most`. Returns their number, and writes the position of
  // the range among them to *first.
  int64_t pack_between(const SortRow<T>& row, Key least, Key most, int64_t* first,
                       bool* exact) const {
    const int64_t n = row.n;
    int64_t below = 0, kept = 0;
    for (int64_t i = 0; i < n; i += kTested) {
      const int64_t m = std::min(kTested, n - i);
      const T* in = row.in + i * row.in_step;
      Key keys[kTested];
      uint8_t marks[kTested];
      int32_t positions[kTested + kPositionsAtOnce];
      read_keys(in, row.in_step, m, flip_, keys);
      below += mark(keys, m, least, most, marks);
      const int64_t count = positions_of(marks, m, positions);
      for (int64_t k = 0; k < count; ++k) {
        const int32_t at = positions[k];
        *exact &= SortKey<T>::is_exact(in[at * row.in_step]);
        keys_[kept + k] = Pack::pack(keys[at], static_cast<uint64_t>(i + at));
      }
      kept += count;
    }
    *first = first_ - below;
    return kept;
  }

  // Drops keys that are equal to `most` and not among the `count` smallest. No key is larger. n:
  // the number of packed keys. Returns the number of keys that remain.
  int64_t drop_ties(int64_t n, Key most, int64_t count) const {
    int64_t below = 0, kept = 0;
    for (int64_t i = 0; i < n; ++i) below += Pack::key(keys_[i]) < most;
    int64_t ties = count - below;
    for (int64_t i = 0; i < n; ++i) {
      const Packed packed = keys_[i];
      const bool is_tie = Pack::key(packed) == most;
      keys_[kept] = packed;
      kept += !is_tie | (ties > 0);
      ties -= is_tie;
    }
    return kept;
  }

  // Marks the keys from `least` to `most`. Returns the number of smaller ones.
  static int64_t mark(const Key* keys, int64_t n, Key least, Key most, uint8_t* marks) {
    int32_t below = 0;
    for (int64_t i = 0; i < n; ++i) marks[i] = (keys[i] >= least) & (keys[i] <= most);
    for (int64_t i = 0; i < n; ++i) below += keys[i] < least;
    return below;
  }

  // Writes the elements of the range, whose keys are step apart.
  __attribute__((noinline)) void unpack(const SortRow<T>& row, bool exact, Packed* keys,
                                        int64_t step) const {
    if (exact) {
      unpack_keys(row, keys, step,
                  [flip = flip_](Key key) { return SortKey<T>::element(key ^ flip); });
    } else {
      take_originals(row, keys, step);
      unpack_keys(row, keys, step, [](Key bits) {
        T x;
        std::memcpy(&x, &bits, sizeof x);
        return x;
      });
    }
  }

  // Writes element(key) for each key.
  template <class F>
  void unpack_keys(const SortRow<T>& row, const Packed* keys, int64_t step,
                   const F& element) const {
    T* values = row.values;
    int64_t* indices = row.indices;
    const int64_t n = count_, base = index_base_;
    const int64_t value_step = row.value_step, index_step = row.index_step;
    for (int64_t i = 0; i < n; ++i) {
      values[i * value_step] = element(static_cast<Key>(Pack::key(keys[i * step])));
      indices[i * index_step] = Pack::index(keys[i * step]) + base;
    }
  }

  // Replaces the keys by the original bits of the elements, before values, which may share memory
  // with the elements, are written.
  void take_originals(const SortRow<T>& row, Packed* keys, int64_t step) const {
    for (int64_t i = 0; i < count_; ++i) {
      Packed& key = keys[i * step];
      Key bits;
      std::memcpy(&bits, row.in + Pack::index(key) * row.in_step, sizeof bits);
      key = Pack::pack(bits, static_cast<uint64_t>(Pack::index(key)));
    }
  }

  Packed* keys_;
  Key flip_;
  int64_t index_base_, first_, count_;
};

template <class T, class Pack>
void sort_rows(const SortCall& call) {
  using Sorter = RowSorter<T, Pack>;
  constexpr int64_t item = sizeof(T), index_item = sizeof(int64_t);
  // Each worker has its own buffer. All buffers are allocated before the first row is sorted.
  int64_t count = call.plan.numel;
  int64_t least = std::max<int64_t>(1, Grain::costly / call.n);
  int64_t workers = std::min<int64_t>(num_threads(), std::max<int64_t>(1, count / least));
  const bool is_few =
      is_by_minima(call.n, call.first + call.count) || is_by_sample(call.n, call.count);
  int64_t capacity = (Sorter::capacity(call, count) + 7) / 8 * 8;
  Workspace<typename Pack::Type> workspace(workers * capacity);
  parallel_for(workers, 1, [&](int64_t begin, int64_t end) {
    for (int64_t worker = begin; worker < end; ++worker) {
      Sorter sorter(workspace.data() + worker * capacity, call);
      for_each_run(call.plan, count * worker / workers, count * (worker + 1) / workers,
                   [&](char* const* data, const int64_t* next, int64_t m) {
                     for (int64_t k = 0; k < m; k += kTogether) {
                       SortRow<T> rows[kTogether];
                       const int64_t some = std::min(m - k, kTogether);
                       for (int64_t j = 0; j < some; ++j) {
                         rows[j] = {reinterpret_cast<const T*>(data[2] + (k + j) * next[2]),
                                    call.in_step / item,
                                    reinterpret_cast<T*>(data[0] + (k + j) * next[0]),
                                    call.value_step / item,
                                    reinterpret_cast<int64_t*>(data[1] + (k + j) * next[1]),
                                    call.index_step / index_item,
                                    call.n};
                       }
                       if (Sorter::are_together(call.n, some) && !is_few) {
                         sorter.sort_together(rows, some);
                       } else {
                         for (int64_t j = 0; j < some; ++j) sorter.sort(rows[j]);
                       }
                     }
                   });
    }
  });
}

}  // namespace
}  // namespace th

#endif
