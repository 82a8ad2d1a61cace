#ifndef TH_FUNCTORS_ARITHMETIC_H
#define TH_FUNCTORS_ARITHMETIC_H

// Scalar arithmetic of the functors. Integers wrap; signed overflow would be undefined.

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "functors/device_arithmetic.h"
#include "functors/exponents.h"
#include "tensor/host_device.h"

namespace th {
namespace {
namespace functor {

template <class T>
using Wrapping = typename std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>,
                                             std::common_type<T>>::type;
// Small unsigned operands are promoted to int, where their product may overflow.
template <class T>
using Wide = std::conditional_t<std::is_integral_v<T> && (sizeof(T) < 4), uint32_t, Wrapping<T>>;

template <class T>
TH_HD T plus(T a, T b) {
  return static_cast<T>(static_cast<Wide<T>>(a) + static_cast<Wide<T>>(b));
}
template <class T>
TH_HD T minus(T a, T b) {
  return static_cast<T>(static_cast<Wide<T>>(a) - static_cast<Wide<T>>(b));
}
template <class T>
TH_HD T times(T a, T b) {
  return static_cast<T>(static_cast<Wide<T>>(a) * static_cast<Wide<T>>(b));
}
// Callers have checked integers' divisors for 0; the lowest value over -1 wraps.
template <class T>
TH_HD T quotient(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    if constexpr (std::is_signed_v<T>) {
      if (b == T(-1)) return minus(T(0), a);
    }
    return b == 0 ? T(0) : static_cast<T>(a / b);
  } else {
    return a / b;
  }
}
template <class T>
TH_HD T truncated_rest(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    if constexpr (std::is_signed_v<T>) {
      if (b == T(-1)) return 0;
    }
    return b == 0 ? T(0) : static_cast<T>(a % b);
  } else {
    return std::fmod(a, b);
  }
}
template <class T>
TH_HD T floored_rest(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    T rest = truncated_rest(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? static_cast<T>(rest + b) : rest;
  } else {
    return b == 0 ? std::numeric_limits<T>::quiet_NaN() : a - b * std::floor(a / b);
  }
}
// The same of floating-point numbers for every quotient. As in Python, remainders of an infinite b
// are a, or b if the signs differ.
template <class T>
TH_HD T exact_floored_rest(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return floored_rest(a, b);
  } else {
    const T rest = std::fmod(a, b);
    if (rest == 0) return std::copysign(T(0), b);
    return (rest < 0) != (b < 0) ? rest + b : rest;
  }
}
template <class T>
TH_HD T power(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    if (b < 0) return a == 1 ? T(1) : a == T(-1) ? (b % 2 ? T(-1) : T(1)) : T(0);
    T result = 1;
    for (; b > 0; b = static_cast<T>(b / 2)) {
      if (b % 2) result = times(result, a);
      a = times(a, a);
    }
    return result;
  } else {
#ifdef __CUDA_ARCH__
    return device_power(a, b);
#else
    return std::pow(a, b);
#endif
  }
}
template <class T>
TH_HD bool is_finite(T x) {
  if constexpr (std::is_integral_v<T>) {
    return true;
  } else {
    return std::fabs(x) < std::numeric_limits<T>::infinity();
  }
}
// a 2^bits, rounded once if bits is an integer. 2^bits may overflow where the product does not.
template <class T>
TH_HD T scaled_by_power_of_2(T a, T bits) {
  constexpr T kMost = 5000;
  const T limited = bits < -kMost ? -kMost : bits > kMost ? kMost : bits;
  const T whole = std::floor(limited);
  // glibc has exp2 as a scalar alone: in vectors pow differs from it in the last bits.
  return times_power_of_2(a * std::exp2(limited - whole),
                          limited == limited ? static_cast<int>(whole) : 0);
}
template <class T>
TH_HD T shift_left(T a, T bits) {
  if constexpr (std::is_integral_v<T>) {
    if (bits < 0 || static_cast<uint64_t>(bits) >= 8 * sizeof(T)) return 0;
    return static_cast<T>(static_cast<Wide<T>>(a) << bits);
  } else {
    return scaled_by_power_of_2(a, bits);
  }
}
template <class T>
TH_HD T shift_right(T a, T bits) {
  if constexpr (std::is_integral_v<T>) {
    if (bits < 0 || static_cast<uint64_t>(bits) >= 8 * sizeof(T)) return a < 0 ? T(-1) : T(0);
    return static_cast<T>(a >> bits);
  } else {
    return scaled_by_power_of_2(a, -bits);
  }
}
// The floor of a / b. Callers have checked integers' divisors for 0.
template <class T>
TH_HD T floored_quotient(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    const T rest = truncated_rest(a, b), q = quotient(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? static_cast<T>(q - 1) : q;
  } else {
    if (b == 0) return a / b;
    // By the exact remainder: a / b may round up to the next integer.
    const T rest = std::fmod(a, b);
    const T q = (a - rest) / b - (rest != 0 && (rest < 0) != (b < 0) ? T(1) : T(0));
    if (q == 0) return std::copysign(T(0), a / b);
    const T whole = std::floor(q);
    return q - whole > T(0.5) ? whole + 1 : whole;
  }
}
// The absolute value of an integer. That of the lowest value fits the unsigned type.
template <class T>
TH_HD std::make_unsigned_t<T> magnitude(T x) {
  using U = std::make_unsigned_t<T>;
  return x < 0 ? static_cast<U>(0 - static_cast<Wide<T>>(x)) : static_cast<U>(x);
}
template <class T>
TH_HD std::make_unsigned_t<T> common_divisor(T a, T b) {
  auto x = magnitude(a), y = magnitude(b);
  while (y != 0) {
    const auto rest = static_cast<decltype(y)>(x % y);
    x = y;
    y = rest;
  }
  return x;
}
template <class T>
TH_HD T larger(T a, T b) {
  return a >= b || a != a ? a : b;
}
template <class T>
TH_HD T smaller(T a, T b) {
  return a <= b || a != a ? a : b;
}

// From the nearer end, so that weight 1 gives b.
template <class T>
TH_HD T interpolated(T a, T b, T weight) {
  const T distance = b - a;
  return std::fabs(weight) < T(0.5) ? a + weight * distance : b - distance * (T(1) - weight);
}

}  // namespace functor
}  // namespace
}  // namespace th

#endif
