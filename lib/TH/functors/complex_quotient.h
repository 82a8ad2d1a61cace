#ifndef TH_FUNCTORS_COMPLEX_QUOTIENT_H
#define TH_FUNCTORS_COMPLEX_QUOTIENT_H

// Quotients of complex numbers, shared by all backends.

#include <cmath>
#include <limits>

#include "tensor/host_device.h"

namespace th {
namespace {

template <class T>
struct Complex {
  T re, im;
};

template <class T>
TH_HD T larger_part(Complex<T> x) {
  const T re = std::fabs(x.re), im = std::fabs(x.im);
  return re > im ? re : im;
}

// Returns true if no intermediate result of plain_quotient overflows, and none is too small.
template <class T>
TH_HD bool is_plain(Complex<T> a, Complex<T> b) {
  constexpr T most = sizeof(T) == 4 ? T(0x1p60f) : T(0x1p500), least = 1 / most;
  const T up = larger_part(a), down = larger_part(b);
  return (up < most) & ((up > least) | (up == 0)) & (down < most) & (down > least);
}

// Source: Smith, Algorithm 116: Complex division (1962).
template <class T>
TH_HD Complex<T> plain_quotient(Complex<T> a, Complex<T> b) {
  const bool exchange = std::fabs(b.im) > std::fabs(b.re);
  const T p = exchange ? b.im : b.re, q = exchange ? b.re : b.im;
  const T u = exchange ? a.im : a.re, v = exchange ? a.re : a.im;
  const T ratio = q / p, divisor = p + q * ratio;
  const T im = (v - u * ratio) / divisor;
  return {(u + v * ratio) / divisor, exchange ? -im : im};
}

template <class T>
TH_HD bool is_infinite(T x) {
  return std::fabs(x) == std::numeric_limits<T>::infinity();
}
// 1 for an infinite part and 0 for a finite one, with its sign.
template <class T>
TH_HD Complex<T> directions(Complex<T> x) {
  return {std::copysign(is_infinite(x.re) ? T(1) : T(0), x.re),
          std::copysign(is_infinite(x.im) ? T(1) : T(0), x.im)};
}

// The quotient of any numbers. The results for infinities and zeros are those of annex G of the C
// standard.
template <class T>
TH_HD Complex<T> complex_quotient(Complex<T> a, Complex<T> b) {
  constexpr T infinity = std::numeric_limits<T>::infinity();
  const auto product = [](Complex<T> x, Complex<T> y, T factor) {
    return Complex<T>{factor * (x.re * y.re + x.im * y.im), factor * (x.im * y.re - x.re * y.im)};
  };
  const bool has_nan = a.re != a.re || a.im != a.im || b.re != b.re || b.im != b.im;
  const bool is_zero = b.re == 0 && b.im == 0;
  if (is_zero && (a.re == a.re || a.im == a.im)) {
    const T large = std::copysign(infinity, b.re);
    return {large * a.re, large * a.im};
  }
  const bool up = is_infinite(a.re) || is_infinite(a.im);
  const bool down = is_infinite(b.re) || is_infinite(b.im);
  if (up && !down && b.re == b.re && b.im == b.im) return product(directions(a), b, infinity);
  if (down && !up && a.re == a.re && a.im == a.im) {
    return product(Complex<T>{a.re / 4, a.im / 4}, directions(b), T(0));
  }
  if (up || down || has_nan || is_zero) return plain_quotient(a, b);
  // Only extreme numerators are scaled: the smaller part of others may be near 0.
  constexpr bool narrow = sizeof(T) == 4;
  constexpr T most = std::numeric_limits<T>::max() / 16, least = narrow ? T(0x1p-60f) : T(0x1p-500);
  const int up_by = larger_part(a) > most ? 4 : larger_part(a) < least ? (narrow ? -64 : -504) : 0;
  int down_by = 0;
  (void)std::frexp(larger_part(b), &down_by);
  const auto scaled = [](Complex<T> x, int places) {
    return Complex<T>{std::ldexp(x.re, places), std::ldexp(x.im, places)};
  };
  return scaled(plain_quotient(scaled(a, -up_by), scaled(b, -down_by)), up_by - down_by);
}

}  // namespace
}  // namespace th

#endif
