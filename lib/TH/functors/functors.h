#ifndef TH_FUNCTORS_FUNCTORS_H
#define TH_FUNCTORS_FUNCTORS_H

// The arithmetic of the element-wise operations, shared by all backends: the functors named in the
// rows of THOps.def. T is the compute type (float for the 16-bit types). A functor takes all
// arguments of its row, or only the elements of tensors; then its constructor gets the numbers.
// Arguments and results of type uint8_t are elements of a ByteTensor, for every T. The loops do not
// depend on the arithmetic.

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "functors/arithmetic.h"
#include "functors/exponents.h"
#include "functors/libmvec.h"
#include "functors/sample_slopes.h"
#include "functors/special.h"
#include "tensor/convert.h"
#include "tensor/host_device.h"

namespace th {
namespace {
namespace functor {

// A stateless functor with Result operator()(parameters).
struct NoValue {
  TH_HD explicit NoValue(const Scalar*) {}
};
#define TH_FUNCTOR(name, Result, parameters)  \
  template <class T>                          \
  struct name : NoValue {                     \
    using NoValue::NoValue;                   \
    TH_HD Result operator() parameters const; \
  };                                          \
  template <class T>                          \
  TH_HD Result name<T>::operator() parameters const
#define TH_FUNCTOR_1(name) TH_FUNCTOR(name, T, (T x))
#define TH_FUNCTOR_2(name) TH_FUNCTOR(name, T, (T a, T b))
#define TH_PREDICATE_2(name) TH_FUNCTOR(name, uint8_t, (T a, T b))
// A functor that stores the number of the row.
#define TH_FUNCTOR_SCALED(name, parameters)                                     \
  template <class T>                                                            \
  struct name {                                                                 \
    T value;                                                                    \
    TH_HD explicit name(const Scalar* values) : value(convert<T>(values[0])) {} \
    TH_HD T operator() parameters const;                                        \
  };                                                                            \
  template <class T>                                                            \
  TH_HD T name<T>::operator() parameters const

// ---- of one element
TH_FUNCTOR_1(abs) {
  if constexpr (std::is_floating_point_v<T>) return std::fabs(x);
  return x < 0 ? minus(T(0), x) : x;
}
TH_FUNCTOR_1(neg) {
  if constexpr (std::is_floating_point_v<T>) return -x;
  return minus(T(0), x);
}
TH_FUNCTOR_1(sign) { return x > 0 ? T(1) : x < 0 ? static_cast<T>(-1) : x == 0 ? T(0) : x; }
TH_FUNCTOR_1(square) { return times(x, x); }
TH_FUNCTOR_1(cube) { return times(times(x, x), x); }
TH_FUNCTOR_1(bitnot) { return static_cast<T>(~x); }
TH_FUNCTOR_1(cinv) { return T(1) / x; }
TH_FUNCTOR_1(sqrt) { return std::sqrt(x); }
TH_FUNCTOR_1(rootPower) {
  return x == -std::numeric_limits<T>::infinity() ? -x : std::sqrt(x) + T(0);
}
// Vector functions miss the exact root of some cubes. A step of Newton's method restores it.
TH_FUNCTOR_1(cbrt) {
  const T y = std::cbrt(x);
  const T better = y + (x / (y * y) - y) / 3;
  return y == 0 || !(std::fabs(y) <= std::numeric_limits<T>::max()) ? y : better;
}
TH_FUNCTOR_1(rsqrt) { return T(1) / std::sqrt(x); }
TH_FUNCTOR_1(exp) { return std::exp(x); }
TH_FUNCTOR_1(expm1) { return std::expm1(x); }
TH_FUNCTOR_1(log) { return std::log(x); }
TH_FUNCTOR_1(log1p) { return std::log1p(x); }
TH_FUNCTOR_1(exp2) { return std::exp2(x); }
#ifdef __CUDA_ARCH__
TH_FUNCTOR_1(log2) { return corrected_log2(x, std::log2(x)); }
TH_FUNCTOR_1(log10) { return static_cast<T>(whole_logarithm(std::log10(static_cast<double>(x)))); }
#else
TH_FUNCTOR_1(log2) { return std::log2(x); }
TH_FUNCTOR_1(log10) { return std::log10(x); }
#endif
TH_FUNCTOR_1(deg2rad) { return x * static_cast<T>(0.017453292519943295769); }
TH_FUNCTOR_1(rad2deg) { return x * static_cast<T>(57.295779513082320877); }
TH_FUNCTOR_1(sin) { return std::sin(x); }
TH_FUNCTOR_1(cos) { return std::cos(x); }
TH_FUNCTOR_1(tan) { return std::tan(x); }
TH_FUNCTOR_1(asin) { return std::asin(x); }
TH_FUNCTOR_1(acos) { return std::acos(x); }
TH_FUNCTOR_1(atan) { return std::atan(x); }
TH_FUNCTOR_1(sinh) { return std::sinh(x); }
TH_FUNCTOR_1(cosh) { return std::cosh(x); }
TH_FUNCTOR_1(tanh) { return std::tanh(x); }
TH_FUNCTOR_1(asinh) { return std::asinh(x); }
TH_FUNCTOR_1(acosh) { return std::acosh(x); }
TH_FUNCTOR_1(atanh) { return std::atanh(x); }
TH_FUNCTOR_1(sinc) { return normalized_sinc(x); }
// By e^-|x|, which does not overflow where the result is not 0.
TH_FUNCTOR_1(sigmoid) {
  const T e = std::exp(-std::fabs(x));
  return (x < 0 ? e : T(1)) / (T(1) + e);
}
// By atanh where the logarithm would cancel. Both functions are scalar, so that the bits do not
// depend on the layout.
TH_FUNCTOR_1(logit) {
  if (x > T(0.25) && x < T(0.75)) return 2 * std::atanh(2 * x - 1);
  return std::log2(x / (1 - x)) * static_cast<T>(0.69314718055994530942);
}
TH_FUNCTOR_1(erf) { return std::erf(x); }
TH_FUNCTOR_1(erfc) { return std::erfc(x); }
TH_FUNCTOR_1(erfinv) { return inverse_erf(x); }
TH_FUNCTOR_1(digamma) { return digamma_of(x); }
TH_FUNCTOR_1(i0) { return static_cast<T>(bessel_i<0>(static_cast<double>(x))); }
TH_FUNCTOR_1(i1) { return static_cast<T>(bessel_i<1>(static_cast<double>(x))); }
TH_FUNCTOR_1(relu) { return x < 0 ? T(0) : x; }
// By erfc, as 1 + erf loses the digits of the tail, which is 0 long before the limit. For a > 0,
// the derivative of log(erfc(a)) is about -2 a: it corrects the rounding error of a float.
TH_FUNCTOR_1(gelu) {
  const T limited = x < T(-40) ? T(-40) : x;
  const double exact = static_cast<double>(limited) * -0.70710678118654752440;
  const T a = static_cast<T>(exact);
  T factor = T(0.5) * limited;
  if constexpr (sizeof(T) == 4) {
    const T lost = static_cast<T>(exact - static_cast<double>(a));
    factor -= a > 0 ? factor * 2 * a * lost : T(0);
  }
  return factor * std::erfc(a);
}
TH_FUNCTOR_1(silu) {
  const T e = std::exp(-std::fabs(x));
  return x * (x < 0 ? e : T(1)) / (T(1) + e);
}
TH_FUNCTOR_1(softplus) { return std::log1p(std::exp(-std::fabs(x))) + (x > 0 ? x : T(0)); }
TH_FUNCTOR_1(lgamma) {
#ifdef __CUDA_ARCH__
  return ::lgamma(x);
#else
  // std::lgamma writes the global signgam; the reentrant form keeps threads apart.
  int sign;
  return static_cast<T>(::lgamma_r(x, &sign));
#endif
}
TH_FUNCTOR_1(ceil) {
  if constexpr (std::is_integral_v<T>) {
    return x;
  } else {
    return std::ceil(x);
  }
}
TH_FUNCTOR_1(floor) {
  if constexpr (std::is_integral_v<T>) {
    return x;
  } else {
    return std::floor(x);
  }
}
TH_FUNCTOR_1(round) {
  if constexpr (std::is_integral_v<T>) {
    return x;
  } else {
    // Rounds halves away from 0. The addend is the largest value below 0.5: with 0.5, values just
    // below a half and large odd integers would be rounded to the next integer.
    constexpr T half = sizeof(T) == 4 ? T(0.49999997f) : T(0.49999999999999994);
    return std::trunc(x + std::copysign(half, x));
  }
}
TH_FUNCTOR_1(trunc) {
  if constexpr (std::is_integral_v<T>) {
    return x;
  } else {
    return std::trunc(x);
  }
}
TH_FUNCTOR_1(frac) { return x - std::trunc(x); }
TH_FUNCTOR_1(exponentOf) { return exponent_of(x); }

// ---- of two elements, or an element and a number
TH_FUNCTOR_2(add) { return plus(a, b); }
TH_FUNCTOR_2(sub) { return minus(a, b); }
TH_FUNCTOR_2(cmul) { return times(a, b); }
TH_FUNCTOR_2(cdiv) { return quotient(a, b); }
TH_FUNCTOR_2(cpow) { return power(a, b); }
TH_FUNCTOR_2(cfmod) { return truncated_rest(a, b); }
TH_FUNCTOR_2(cremainder) { return floored_rest(a, b); }
TH_FUNCTOR_2(cremainderExact) { return exact_floored_rest(a, b); }
TH_FUNCTOR_2(leakyRelu) { return a > 0 ? a : a * b; }
TH_FUNCTOR_2(elu) { return a > 0 ? a : b * std::expm1(a); }
TH_FUNCTOR_2(clshift) { return shift_left(a, b); }
TH_FUNCTOR_2(crshift) { return shift_right(a, b); }
TH_FUNCTOR_2(cbitand) { return static_cast<T>(a & b); }
TH_FUNCTOR_2(cbitor) { return static_cast<T>(a | b); }
TH_FUNCTOR_2(cbitxor) { return static_cast<T>(a ^ b); }
TH_FUNCTOR_2(cmax) { return larger(a, b); }
TH_FUNCTOR_2(cmin) { return smaller(a, b); }
TH_FUNCTOR_2(fmax) { return a >= b || b != b ? a : b; }
TH_FUNCTOR_2(fmin) { return a <= b || b != b ? a : b; }
TH_FUNCTOR_2(floorDivide) { return floored_quotient(a, b); }
TH_FUNCTOR_2(gcd) { return static_cast<T>(common_divisor(a, b)); }
TH_FUNCTOR_2(lcm) {
  if (a == 0 || b == 0) return 0;
  const auto x = magnitude(a), y = magnitude(b);
  return static_cast<T>(times(static_cast<decltype(x)>(x / common_divisor(a, b)), y));
}
TH_FUNCTOR_2(copysign) { return std::copysign(a, b); }
TH_FUNCTOR_2(heaviside) { return a < 0 ? T(0) : a > 0 ? T(1) : a == 0 ? b : a; }
TH_FUNCTOR_2(nextafter) { return next_number(a, b); }
TH_FUNCTOR_2(ldexp) {
  // Larger exponents give 0 or infinity, too. NaN cannot become an integer.
  const T limit = 5000, exponent = b > limit ? limit : b > -limit ? b : -limit;
  const T result = times_power_of_2(a, static_cast<int>(exponent));
  return b == b ? result : b;
}
TH_FUNCTOR_2(xlogy) { return a == 0 && b == b ? T(0) : a * std::log(b); }
TH_FUNCTOR_2(igamma) {
  return static_cast<T>(incomplete_gamma(static_cast<double>(a), static_cast<double>(b), false));
}
TH_FUNCTOR_2(igammac) {
  return static_cast<T>(incomplete_gamma(static_cast<double>(a), static_cast<double>(b), true));
}
TH_FUNCTOR_2(gammaSlope) {
  return static_cast<T>(gamma_slope(static_cast<double>(a), static_cast<double>(b)));
}
TH_FUNCTOR_2(atan2) { return std::atan2(a, b); }
TH_FUNCTOR_2(hypot) { return std::hypot(a, b); }
TH_FUNCTOR_2(logaddexp) {
  // Equal infinities have no difference.
  T distance = a == b ? T(0) : std::fabs(a - b);
  return (a > b ? a : b) + std::log1p(std::exp(-distance)) + (a != a ? a : T(0));
}

// ---- comparisons
TH_PREDICATE_2(lt) { return a < b; }
TH_PREDICATE_2(le) { return a <= b; }
TH_PREDICATE_2(eq) { return a == b; }
TH_PREDICATE_2(ne) { return a != b; }
TH_FUNCTOR(isnan, uint8_t, (T x)) { return x != x; }
TH_FUNCTOR(isinf, uint8_t, (T x)) { return !is_finite(x) && x == x; }
TH_FUNCTOR(isfinite, uint8_t, (T x)) { return is_finite(x); }
TH_FUNCTOR(logicalNot, uint8_t, (T x)) { return x == 0; }
TH_PREDICATE_2(logicalAnd) { return a != 0 && b != 0; }
TH_PREDICATE_2(logicalOr) { return a != 0 || b != 0; }
TH_PREDICATE_2(logicalXor) { return (a != 0) != (b != 0); }
TH_FUNCTOR(signbit, uint8_t, (T x)) {
  if constexpr (std::is_integral_v<T>) {
    return x < 0;
  } else {
    return std::copysign(T(1), x) < 0;
  }
}

// ---- of three elements
TH_FUNCTOR(where, T, (uint8_t mask, T a, T b)) { return mask ? a : b; }
TH_FUNCTOR(lerpTensor, T, (T a, T b, T weight)) { return interpolated(a, b, weight); }

// ---- of elements, and made of a number
TH_FUNCTOR_SCALED(cadd, (T a, T b)) { return plus(a, times(value, b)); }
TH_FUNCTOR_SCALED(csub, (T a, T b)) { return minus(a, times(value, b)); }
TH_FUNCTOR_SCALED(lerp, (T a, T b)) { return interpolated(a, b, value); }
TH_FUNCTOR_SCALED(addcmul, (T t, T a, T b)) { return plus(t, times(times(value, a), b)); }
TH_FUNCTOR_SCALED(addcdiv, (T t, T a, T b)) { return plus(t, quotient(times(value, a), b)); }

template <class T>
struct betaSlope {
  bool by_second;
  TH_HD explicit betaSlope(const Scalar* v) : by_second(convert<double>(v[0]) == 2) {}
  TH_HD T operator()(T a, T b, T x) const {
    return static_cast<T>(beta_slope(static_cast<double>(a), static_cast<double>(b),
                                     static_cast<double>(x), by_second));
  }
};

template <class T>
struct polygamma {
  double order;
  TH_HD explicit polygamma(const Scalar* v) : order(convert<double>(v[0])) {}
  TH_HD T operator()(T x) const {
    if (order == 0) return digamma_of(x);
    return static_cast<T>(polygamma_of(order, static_cast<double>(x)));
  }
};

// Rounding to decimals. x is returned if its product overflows: it has no such decimals.
TH_FUNCTOR_SCALED(roundToFraction, (T x)) {
  const T rounded = round<T>(nullptr)(x * value) / value;
  return is_finite(rounded) ? rounded : x;
}
// A multiple of an infinite value is 0. By division in double: integers are divided slowly, and not
// in vectors.
template <class T>
struct roundToMultiple {
  using Value = std::conditional_t<std::is_integral_v<T>, uint64_t, T>;
  Value value;  // 0: no multiple but 0 is an integer of 64 bits
  double inverse = 0;
  TH_HD explicit roundToMultiple(const Scalar* v) {
    if constexpr (std::is_integral_v<T>) {
      const auto number = std::fabs(convert<double>(v[0]));
      value = number < 0x1p63 ? static_cast<uint64_t>(number) : 0;
      inverse = value == 0 ? 0 : 1 / static_cast<double>(value);
    } else {
      value = convert<T>(v[0]);
    }
  }
  TH_HD T operator()(T x) const {
    if constexpr (std::is_integral_v<T>) {
      // Each step divides what the rounding errors of the one before left.
      const uint64_t size = magnitude(x);
      const auto most = static_cast<uint64_t>(static_cast<double>(size) * inverse);
      auto rest = static_cast<int64_t>(size - most * value);
      const double few = std::floor(static_cast<double>(rest) * inverse);
      const auto step = static_cast<int64_t>(value);
      rest -= static_cast<int64_t>(few) * step;
      rest += rest < 0 ? step : 0;
      rest -= rest >= step ? step : 0;
      const auto left = static_cast<uint64_t>(rest);
      const uint64_t rounded = size - left + (left >= value - left ? value : 0);
      return static_cast<T>(x < 0 ? 0 - rounded : rounded);
    } else {
      const T rounded = round<T>(nullptr)(x / value) * (is_finite(value) ? value : T(0));
      return is_finite(rounded) ? rounded : x;
    }
  }
};

template <class T>
struct clamp {
  T low, high;
  TH_HD explicit clamp(const Scalar* v) : low(convert<T>(v[0])), high(convert<T>(v[1])) {}
  TH_HD T operator()(T x) const { return x < low ? low : x > high ? high : x; }
};

// Within relative * |b| + absolute of b, or the same infinity.
template <class T>
struct isclose {
  using Real = std::conditional_t<std::is_integral_v<T>, double, T>;
  Real relative, absolute;
  TH_HD explicit isclose(const Scalar* v)
      : relative(convert<Real>(v[0])), absolute(convert<Real>(v[1])) {}
  TH_HD uint8_t operator()(T a, T b) const {
    const Real x = static_cast<Real>(a), y = static_cast<Real>(b), size = std::fabs(y);
    return a == b || (is_finite(y) && std::fabs(x - y) <= absolute + relative * size);
  }
};

}  // namespace functor
}  // namespace
}  // namespace th

#endif
