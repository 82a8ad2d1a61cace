#ifndef TH_CPU_KERNELS_SORT_KEYS_H
#define TH_CPU_KERNELS_SORT_KEYS_H

// Sort keys packed with the element's index into one integer. Packed keys are distinct, so every
// sorting method is stable.

#include <cstdint>
#include <type_traits>

#include "functors/sort_key.h"
#include "hwy/base.h"

namespace th {
namespace {

// The key in the upper half, the index in the lower half, of 32 or 64 bits each.
struct Pack64 {
  using Type = uint64_t;
  static constexpr uint64_t kIndexLimit = uint64_t(1) << 32;
  static Type pack(uint64_t key, uint64_t index) { return key << 32 | index; }
  static uint64_t key(Type packed) { return packed >> 32; }
  static int64_t index(Type packed) { return static_cast<int64_t>(packed & 0xffffffffu); }
  static bool less(Type a, Type b) { return a < b; }
};
struct Pack128 {
  using Type = hwy::uint128_t;
  static constexpr uint64_t kIndexLimit = uint64_t(1) << 63;
  static Type pack(uint64_t key, uint64_t index) {
    Type packed;
    packed.lo = index;
    packed.hi = key;
    return packed;
  }
  static uint64_t key(const Type& packed) { return packed.hi; }
  static int64_t index(const Type& packed) { return static_cast<int64_t>(packed.lo); }
  // Branch-free, since the result is unpredictable.
  static bool less(const Type& a, const Type& b) {
    return (a.hi < b.hi) | ((a.hi == b.hi) & (a.lo < b.lo));
  }
};

// Writes the keys of n elements, which are step apart. Returns true if all elements can be restored
// from their keys.
template <class T>
inline bool read_keys(const T* in, int64_t step, int64_t n, typename SortKey<T>::Key flip,
                      typename SortKey<T>::Key* keys) {
  using Key = typename SortKey<T>::Key;
  const auto read = [=](auto one_or_step) {
    // It has the width of the keys, so that the loop is vectorized.
    Key inexact = 0;
    for (int64_t i = 0; i < n; ++i) {
      const T x = in[i * one_or_step];
      inexact = static_cast<Key>(inexact | !SortKey<T>::is_exact(x));
      keys[i] = static_cast<Key>(SortKey<T>::key(x) ^ flip);
    }
    return inexact == 0;
  };
  return step == 1 ? read(std::integral_constant<int64_t, 1>()) : read(step);
}

}  // namespace
}  // namespace th

#endif
