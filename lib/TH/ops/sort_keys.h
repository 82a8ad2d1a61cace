#ifndef TH_OPS_SORT_KEYS_H
#define TH_OPS_SORT_KEYS_H

// Sort keys: elements mapped to unsigned integers of the same order, packed with their index into
// one integer. Packed keys are all different, so that any sorting method is a stable one. Equal are
// 0 and -0, and all NaNs, which are the largest.

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "hwy/base.h"
#include "tensor/convert.h"

namespace th {

template <size_t Bytes>
struct UnsignedOf;
template <>
struct UnsignedOf<1> {
  using Type = uint8_t;
};
template <>
struct UnsignedOf<2> {
  using Type = uint16_t;
};
template <>
struct UnsignedOf<4> {
  using Type = uint32_t;
};
template <>
struct UnsignedOf<8> {
  using Type = uint64_t;
};

template <class T>
struct SortKey {
  using Key = typename UnsignedOf<sizeof(T)>::Type;
  static constexpr bool kReal = !std::is_integral_v<T>;
  static constexpr int kBits = 8 * sizeof(T);
  static constexpr Key kSign = static_cast<Key>(Key(1) << (kBits - 1));
  // The magnitude bits of infinity; above it are the NaNs.
  static constexpr Key kInfinity = std::is_same_v<T, Half>       ? static_cast<Key>(0x7c00)
                                   : std::is_same_v<T, BFloat16> ? static_cast<Key>(0x7f80)
                                   : sizeof(T) == 4              ? static_cast<Key>(0x7f800000u)
                                                    : static_cast<Key>(0x7ff0000000000000ull);

  static Key key(T x) {
    Key bits;
    std::memcpy(&bits, &x, sizeof bits);
    if constexpr (!kReal) {
      return std::is_signed_v<T> ? static_cast<Key>(bits ^ kSign) : bits;
    } else {
      Key magnitude = static_cast<Key>(bits & static_cast<Key>(~kSign));
      Key ordered = static_cast<Key>(bits & kSign ? kSign - magnitude : kSign + magnitude);
      return magnitude > kInfinity ? static_cast<Key>(~Key(0)) : ordered;
    }
  }
  // Whether x comes back from its key: neither -0 nor a NaN.
  static bool is_exact(T x) {
    if constexpr (!kReal) {
      return true;
    } else {
      Key bits;
      std::memcpy(&bits, &x, sizeof bits);
      return bits != kSign && static_cast<Key>(bits & static_cast<Key>(~kSign)) <= kInfinity;
    }
  }
  static T element(Key key) {
    Key bits;
    if constexpr (!kReal) {
      bits = std::is_signed_v<T> ? static_cast<Key>(key ^ kSign) : key;
    } else {
      bits = static_cast<Key>(key >= kSign ? key - kSign : (kSign - key) | kSign);
    }
    T x;
    std::memcpy(&x, &bits, sizeof x);
    return x;
  }
};

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
  static bool less(const Type& a, const Type& b) {
    return a.hi != b.hi ? a.hi < b.hi : a.lo < b.lo;
  }
};

}  // namespace th

#endif
