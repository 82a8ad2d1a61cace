#ifndef TH_CPU_KERNELS_SORT_KEYS_H
#define TH_CPU_KERNELS_SORT_KEYS_H

// Sort keys packed with the index of their element into one integer. Packed keys are all different,
// so that any sorting method is a stable one.

#include <cstdint>

#include "functors/sort_key.h"
#include "hwy/base.h"

namespace th {
namespace {

// Key above, index below: 32 bits each, or 64.
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
  // Without a branch, as which it is cannot be predicted.
  static bool less(const Type& a, const Type& b) {
    return (a.hi < b.hi) | ((a.hi == b.hi) & (a.lo < b.lo));
  }
};

}  // namespace
}  // namespace th

#endif
