#ifndef TH_CPU_KERNELS_DISTINCT_KEYS_H
#define TH_CPU_KERNELS_DISTINCT_KEYS_H

// A hash table of the distinct sort keys of a row, for rows with few of them.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "cpu/kernels/sort_keys.h"
#include "cpu/key_sort.h"

namespace th {
namespace {

constexpr int64_t kMostDistinct = 4096;

template <class T>
class DistinctKeys {
 public:
  using Key = typename SortKey<T>::Key;
  using Pack = std::conditional_t<(sizeof(T) <= 4), Pack64, Pack128>;

  // Bytes of memory that a table of at most `most` keys needs, a multiple of 64.
  static int64_t bytes(int64_t most) {
    const auto each = static_cast<int64_t>(sizeof(typename Pack::Type) + 3 * sizeof(int64_t));
    const auto of_slots = static_cast<int64_t>(sizeof(Slot)) << slot_bits(most);
    return (most * each + of_slots + 63) / 64 * 64;
  }

  // memory: aligned to 16 bytes.
  DistinctKeys(void* memory, int64_t most) : most_(most), shift_(kHashBits - slot_bits(most)) {
    order_ = static_cast<typename Pack::Type*>(memory);
    total_ = reinterpret_cast<int64_t*>(order_ + most);
    first_ = total_ + 2 * most;
    slots_ = reinterpret_cast<Slot*>(first_ + most);
    std::memset(slots_, 0, sizeof(Slot) << slot_bits(most));
  }

  // Calls put(i, number) for each element: the number of its key, from 0, in the order of the first
  // occurrences. Returns false if there are more than `most` keys, or if hashing does not separate
  // them. counts: whether total() is needed.
  template <bool counts, class Put>
  bool number(const T* in, int64_t step, int64_t n, Key flip, const Put& put) {
    constexpr int64_t block = 256;
    // Local copies, because for the compiler put() may change the members.
    const Slot* const slots = slots_;
    int64_t* const total = total_;
    const int64_t most = most_;
    const int shift = shift_;
    probes_ = 8 * n;
    for (int64_t i = 0; i < n; i += block) {
      const int64_t m = std::min(block, n - i);
      Key keys[block];
      are_exact_ &= read_keys(in + i * step, step, m, flip, keys);
      for (int64_t k = 0; k < m; ++k) {
        const Slot* slot = slots + hash(keys[k], shift);
        if (__builtin_expect(!slot->number || slot->key != keys[k], 0)) {
          slot = find(keys[k], i + k);
          if (!slot) return false;
        }
        const uint32_t number = slot->number - 1;
        put(i + k, number);
        // Equal elements that follow each other do not wait for the same counter.
        if (counts) ++total[k % 2 * most + number];
      }
    }
    return true;
  }

  // Sorts the keys. Afterwards rank(number) is the position of a key in this order.
  void sort() {
    sort_keys(order_, count_);
    // The ranks replace the hash table.
    rank_ = reinterpret_cast<int64_t*>(slots_);
    for (int64_t r = 0; r < count_; ++r) rank_[Pack::index(order_[r])] = r;
  }

  int64_t count() const { return count_; }
  // Returns true if all elements can be restored from their keys.
  bool are_exact() const { return are_exact_; }
  // Returns true if an element is NaN. The keys must be sorted, and not flipped.
  bool has_nan() const {
    return SortKey<T>::kReal && count_ > 0 && key(count_ - 1) == static_cast<Key>(~Key(0));
  }
  int64_t rank(int64_t number) const { return rank_[number]; }
  // The number of the key with this rank, the key, the number of its elements, and the first one.
  int64_t number_of(int64_t rank) const { return Pack::index(order_[rank]); }
  Key key(int64_t rank) const { return static_cast<Key>(Pack::key(order_[rank])); }
  int64_t total(int64_t rank) const {
    const int64_t number = number_of(rank);
    return total_[number] + total_[most_ + number];
  }
  int64_t first(int64_t rank) const { return first_[number_of(rank)]; }

 private:
  struct Slot {
    Key key;
    uint32_t number;  // from 1; 0: empty
  };
  using Hash = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
  static constexpr int kHashBits = 8 * sizeof(Hash);

  // At most half of the slots are used.
  static int slot_bits(int64_t most) {
    return 65 - __builtin_clzll(static_cast<uint64_t>(std::max<int64_t>(most, 2) - 1));
  }
  static Hash hash(Key key, int shift) {
    // 2^32 or 2^64 divided by the golden ratio.
    constexpr auto factor = static_cast<Hash>(sizeof(T) == 8 ? 0x9e3779b97f4a7c15u : 0x9e3779b9u);
    return static_cast<Hash>(static_cast<Hash>(key) * factor) >> shift;
  }

  // Returns the slot of the key of element i, or null.
  __attribute__((noinline)) Slot* find(Key key, int64_t i) {
    const auto last = (Hash(1) << (kHashBits - shift_)) - 1;
    for (Hash at = hash(key, shift_);; at = (at + 1) & last) {
      Slot& slot = slots_[at];
      if (slot.number && slot.key == key) return &slot;
      if (!slot.number) {
        if (count_ == most_) return nullptr;
        order_[count_] = Pack::pack(key, static_cast<uint64_t>(count_));
        total_[count_] = total_[most_ + count_] = 0;
        first_[count_] = i;
        slot = {key, static_cast<uint32_t>(++count_)};
        return &slot;
      }
      if (--probes_ < 0) return nullptr;
    }
  }

  typename Pack::Type* order_;
  int64_t *total_, *first_, *rank_ = nullptr;
  Slot* slots_;
  int64_t most_, count_ = 0, probes_ = 0;
  int shift_;
  bool are_exact_ = true;
};

}  // namespace
}  // namespace th

#endif
