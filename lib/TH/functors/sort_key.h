#ifndef TH_FUNCTORS_SORT_KEY_H
#define TH_FUNCTORS_SORT_KEY_H

// Sort keys: map elements to unsigned integers of the same order, identically on all devices. 0 and
// -0 have equal keys. All NaNs have the same key, which is the largest.

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "tensor/convert.h"
#include "tensor/host_device.h"

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
  // The magnitude bits of infinity. Larger values are NaNs.
  static constexpr Key kInfinity = std::is_same_v<T, Half>       ? static_cast<Key>(0x7c00)
                                   : std::is_same_v<T, BFloat16> ? static_cast<Key>(0x7f80)
                                   : sizeof(T) == 4              ? static_cast<Key>(0x7f800000u)
                                                    : static_cast<Key>(0x7ff0000000000000ull);

  static TH_HD Key key(T x) {
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
  // Returns true if x can be restored from its key, which is false for -0 and NaN.
  static TH_HD bool is_exact(T x) {
    if constexpr (!kReal) {
      return true;
    } else {
      Key bits;
      std::memcpy(&bits, &x, sizeof bits);
      return (bits != kSign) & (static_cast<Key>(bits & static_cast<Key>(~kSign)) <= kInfinity);
    }
  }
  // Returns true if all elements with this key have the same bits.
  static TH_HD bool is_key_of_one(Key key) {
    return !kReal || (key != kSign && key != static_cast<Key>(~Key(0)));
  }
  static TH_HD T element(Key key) {
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

}  // namespace th

#endif
