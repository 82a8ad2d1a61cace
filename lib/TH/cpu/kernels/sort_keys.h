#ifndef TH_CPU_KERNELS_SORT_KEYS_H
#define TH_CPU_KERNELS_SORT_KEYS_H

// Sort keys packed with the element's index into one integer. Packed keys are distinct, so every
// sorting method is stable.

#include <cstdint>

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

}  // namespace
}  // namespace th

#endif
