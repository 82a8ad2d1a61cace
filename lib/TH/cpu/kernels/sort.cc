// Sorting rows: elements become unsigned keys of the same order, packed with their numbers in the
// row.

#include <algorithm>
#include <cstring>
#include <utility>

#include "cpu/backend.h"
#include "cpu/kernels/sort_keys.h"
#include "cpu/key_sort.h"
#include "cpu/loops.h"
#include "cpu/parallel.h"
#include "cpu/workspace.h"

namespace th {
namespace {

// Rows up to this length are sorted by insertion; from kRadix on, 8- and 16-bit keys by digits.
constexpr int64_t kInsertion = 40;
constexpr int64_t kRadix = 256;
// In rows from kLong on, a range that ends before 1 / kLeastPart of them is looked for among the
// least elements.
constexpr int64_t kLong = 8192;
constexpr int64_t kLeastPart = 16;

// The row's elements as they are in memory; steps in elements.
template <class T>
struct Row {
  const T* in;
  int64_t in_step;
  T* values;
  int64_t value_step;
  int64_t* indices;
  int64_t index_step;
  int64_t n;
};

// Sorts n packed keys of which the digits of Bytes bytes from the key's lowest on are set; the
// result is in keys. Stable, so the indices need not be looked at.
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
    int64_t place = 0;
    for (int64_t& c : count[digit]) place += std::exchange(c, place);
    for (int64_t i = 0; i < n; ++i) {
      to[count[digit][Pack::key(from[i]) >> (8 * digit) & 255]++] = from[i];
    }
    std::swap(from, to);
  }
  if (from != keys) std::copy(from, from + n, keys);
}

// A type of this file, so that what the library makes of it stays in this file, too.
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

// Whether keys are in order as they are, or now that they were turned around. Ends soon where they
// are neither.
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

// Puts those keys in order that are from first on when all are; what is before is no larger, what
// is behind no smaller.
template <class Pack>
void sort_range(typename Pack::Type* keys, int64_t n, int64_t first, int64_t count) {
  if (first > 0) std::nth_element(keys, keys + first, keys + n, Less<Pack>());
  keys += first;
  n -= first;
  if (count < n) std::nth_element(keys, keys + count - 1, keys + n, Less<Pack>());
  sort_keys(keys, count);
}

template <class T, class Pack>
class RowSorter {
 public:
  using Key = typename SortKey<T>::Key;
  using Packed = typename Pack::Type;
  static constexpr bool kHasDigits = sizeof(T) <= 2;

  // Packed keys that a row of n elements needs room for.
  static int64_t room(int64_t n) { return kHasDigits && n >= kRadix ? 2 * n : n; }

  RowSorter(Packed* keys, const SortCall& call)
      : keys_(keys),
        flip_(call.descending ? static_cast<Key>(~Key(0)) : Key(0)),
        index_base_(call.index_base),
        first_(call.first),
        count_(call.count) {}

  void sort(const Row<T>& row) const {
    bool exact = true;
    if (row.n >= kLong && (first_ + count_) * kLeastPart <= row.n) {
      int64_t kept = pack_least(row, first_ + count_, &exact);
      sort_range<Pack>(keys_, kept, first_, count_);
      return unpack(row, exact);
    }
    pack(row, 0, row.n, &exact, [keys = keys_](int64_t i, Packed key) { keys[i] = key; });
    if (row.n <= kInsertion) {
      sort_by_insertion<Pack>(keys_, row.n);
    } else if (count_ == row.n && put_in_order<Pack>(keys_, row.n)) {
      // Sorted data is common.
    } else if (kHasDigits && row.n >= kRadix) {
      sort_by_digits<Pack, kHasDigits ? sizeof(T) : 1>(keys_, keys_ + row.n, row.n);
    } else if (count_ < row.n) {
      sort_range<Pack>(keys_, row.n, first_, count_);
    } else {
      sort_keys(keys_, row.n);
    }
    unpack(row, exact);
  }

 private:
  // f(i, packed key) for elements [begin, end); exact stays true where all come back from their
  // keys.
  template <class F>
  void pack(const Row<T>& row, int64_t begin, int64_t end, bool* exact, const F& f) const {
    // In locals: as far as the compiler knows, the keys written may be the members.
    const T* in = row.in;
    const int64_t step = row.in_step;
    const Key flip = flip_;
    bool all = *exact;
    for (int64_t i = begin; i < end; ++i) {
      T x = in[i * step];
      all &= SortKey<T>::is_exact(x);
      f(i, Pack::pack(static_cast<Key>(SortKey<T>::key(x) ^ flip), static_cast<uint64_t>(i)));
    }
    *exact = all;
  }

  // The `most` least keys, and some others, of a much longer row: from time to time the largest
  // that can still be among them is found anew, and what is above it is not kept. Returns how many.
  int64_t pack_least(const Row<T>& row, int64_t most, bool* exact) const {
    const int64_t room = std::max(kLong / 2, 4 * most), step = kLong / 8;
    Packed* const keys = keys_;
    Packed limit = Pack::pack(~uint64_t(0), ~uint64_t(0));
    int64_t kept = 0;
    for (int64_t i = 0; i < row.n; i += step) {
      if (kept + step > room) {
        std::nth_element(keys, keys + most - 1, keys + kept, Less<Pack>());
        limit = keys[most - 1];
        kept = most;
      }
      int64_t count = kept;
      pack(row, i, std::min(row.n, i + step), exact, [&](int64_t, Packed key) {
        keys[count] = key;
        count += Pack::less(key, limit);
      });
      kept = count;
    }
    return kept;
  }

  void unpack(const Row<T>& row, bool exact) const {
    if (!exact) take_originals(row);
    if (exact) {
      unpack_keys(row, [flip = flip_](Key key) { return SortKey<T>::element(key ^ flip); });
    } else {
      unpack_keys(row, [](Key bits) {
        T x;
        std::memcpy(&x, &bits, sizeof x);
        return x;
      });
    }
  }

  // Elements are element(key).
  template <class F>
  void unpack_keys(const Row<T>& row, const F& element) const {
    const Packed* keys = keys_ + first_;
    T* values = row.values;
    int64_t* indices = row.indices;
    const int64_t n = count_, base = index_base_;
    const int64_t value_step = row.value_step, index_step = row.index_step;
    for (int64_t i = 0; i < n; ++i) {
      values[i * value_step] = element(static_cast<Key>(Pack::key(keys[i])));
      indices[i * index_step] = Pack::index(keys[i]) + base;
    }
  }

  // Puts the elements' own bits in place of their keys, before values, which may be the elements
  // themselves, are written.
  void take_originals(const Row<T>& row) const {
    for (int64_t i = first_; i < first_ + count_; ++i) {
      Key bits;
      std::memcpy(&bits, row.in + Pack::index(keys_[i]) * row.in_step, sizeof bits);
      keys_[i] = Pack::pack(bits, static_cast<uint64_t>(Pack::index(keys_[i])));
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
  // Each worker has its own room; all of it is there before the first row is sorted.
  int64_t count = call.plan.numel;
  int64_t least = std::max<int64_t>(1, Grain::costly / call.n);
  int64_t workers = std::min<int64_t>(num_threads(), std::max<int64_t>(1, count / least));
  int64_t room = (Sorter::room(call.n) + 7) / 8 * 8;
  Workspace<typename Pack::Type> workspace(workers * room);
  parallel_for(workers, 1, [&](int64_t begin, int64_t end) {
    for (int64_t worker = begin; worker < end; ++worker) {
      Sorter sorter(workspace.data() + worker * room, call);
      for_each_run(
          call.plan, count * worker / workers, count * (worker + 1) / workers,
          [&](char* const* data, const int64_t* next, int64_t m) {
            for (int64_t k = 0; k < m; ++k) {
              sorter.sort({reinterpret_cast<const T*>(data[2] + k * next[2]), call.in_step / item,
                           reinterpret_cast<T*>(data[0] + k * next[0]), call.value_step / item,
                           reinterpret_cast<int64_t*>(data[1] + k * next[1]),
                           call.index_step / index_item, call.n});
            }
          });
    }
  });
}

}  // namespace

namespace baseline {
void run_sort(const SortCall& call);
}

namespace TH_ISA {

void run_sort(const SortCall& call) {
  dispatch(call.dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (sizeof(T) <= 4) {
      if (static_cast<uint64_t>(call.n) <= Pack64::kIndexLimit) return sort_rows<T, Pack64>(call);
#ifdef __AVX2__
      // So long rows are too rare to be compiled for more than once.
      return baseline::run_sort(call);
#endif
    }
    sort_rows<T, Pack128>(call);
  });
}

}  // namespace TH_ISA
}  // namespace th
