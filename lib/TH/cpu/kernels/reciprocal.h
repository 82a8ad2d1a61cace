#ifndef TH_CPU_KERNELS_RECIPROCAL_H
#define TH_CPU_KERNELS_RECIPROCAL_H

// Division of integers by products with reciprocals.

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "functors/functors.h"

namespace th {
namespace {

// Processors divide integers one at a time, but reals in SIMD registers. Below 2^53, and in float
// below 2^24, the rounding error of a quotient is smaller than its distance from the next integer.
template <class T>
using RealOf = std::conditional_t<sizeof(T) <= 2, float, double>;

// The floor of a number that fits into T. Compilers do not vectorize std::floor for 64 bits.
template <class T>
T whole_floor(RealOf<T> x) {
  if constexpr (sizeof(T) < 8) return static_cast<T>(std::floor(x));
  const T whole = static_cast<T>(x);
  return functor::minus(whole, static_cast<T>(static_cast<RealOf<T>>(whole) > x));
}

// The same divisor for many elements. The product with its reciprocal replaces the quotient. With
// 0.5 more or less, a quotient is at least 0.5 / divisor from an integer. The rounding error of the
// product is smaller, if elements of 64 bits are below 2^50.
template <class T>
struct Reciprocal {
  T divisor;
  RealOf<T> factor, half;
  explicit Reciprocal(T d)
      : divisor(d),
        factor(1 / static_cast<RealOf<T>>(d)),
        half(std::copysign(RealOf<T>(0.5), static_cast<RealOf<T>>(d))) {}
  T truncated(T a) const {
    const auto x = static_cast<RealOf<T>>(a);
    return static_cast<T>((x + std::copysign(RealOf<T>(0.5), x)) * factor);
  }
  T floored(T a) const { return whole_floor<T>((static_cast<RealOf<T>>(a) + half) * factor); }
  T rest(T a, T quotient) const { return functor::minus(a, functor::times(quotient, divisor)); }
  operator T() const { return divisor; }
  const Reciprocal& operator[](int64_t) const { return *this; }
};

// The same for bytes, in integers of 16 bits, of which a register has more than reals. The factor
// is 2^16 / divisor, rounded up, so factor * divisor exceeds 2^16 by less than the divisor. As
// 255 * 254 < 2^16, quotients are exact. For divisor 1 the factor becomes 0, and `whole` keeps all
// bits.
template <>
struct Reciprocal<uint8_t> {
  uint8_t divisor;
  uint16_t factor, whole;
  explicit Reciprocal(uint8_t d)
      : divisor(d),
        factor(static_cast<uint16_t>(d ? (0xffff + d) / d : 0)),
        whole(d == 1 ? 0xff : 0) {}
  uint8_t floored(uint8_t a) const {
    const auto high = static_cast<uint16_t>((uint32_t{a} * factor) >> 16);
    return static_cast<uint8_t>(high + (a & whole));
  }
  uint8_t truncated(uint8_t a) const { return floored(a); }
  uint8_t rest(uint8_t a, uint8_t quotient) const {
    return static_cast<uint8_t>(a - quotient * divisor);
  }
  operator uint8_t() const { return divisor; }
  const Reciprocal& operator[](int64_t) const { return *this; }
};

}  // namespace
}  // namespace th

#endif
