#ifndef TH_FUNCTORS_SPECIAL_H
#define TH_FUNCTORS_SPECIAL_H

// Special functions that the C library lacks, for floating-point T.

#include <cmath>
#include <limits>

#include "tensor/host_device.h"

namespace th {
namespace {
namespace functor {

// c[0] + c[1] x + ... by Horner's rule.
template <class T, int N>
TH_HD T polynomial(const double (&c)[N], T x) {
  T sum = static_cast<T>(c[N - 1]);
  for (int k = N - 2; k >= 0; --k) sum = sum * x + static_cast<T>(c[k]);
  return sum;
}

// The inverse of erf, by the quantile of the normal distribution: M. J. Wichura, Algorithm AS 241,
// Applied Statistics 37 (1988), PPND16. The relative error is about 1e-16.
template <class T>
TH_HD T inverse_erf(T x) {
  constexpr double a[] = {3.3871328727963666080e0,  1.3314166789178437745e+2,
                          1.9715909503065514427e+3, 1.3731693765509461125e+4,
                          4.5921953931549871457e+4, 6.7265770927008700853e+4,
                          3.3430575583588128105e+4, 2.5090809287301226727e+3};
  constexpr double b[] = {1.0,
                          4.2313330701600911252e+1,
                          6.8718700749205790830e+2,
                          5.3941960214247511077e+3,
                          2.1213794301586595867e+4,
                          3.9307895800092710610e+4,
                          2.8729085735721942674e+4,
                          5.2264952788528545610e+3};
  constexpr double c[] = {1.42343711074968357734e0,  4.63033784615654529590e0,
                          5.76949722146069140550e0,  3.64784832476320460504e0,
                          1.27045825245236838258e0,  2.41780725177450611770e-1,
                          2.27238449892691845833e-2, 7.74545014278341407640e-4};
  constexpr double d[] = {1.0,
                          2.05319162663775882187e0,
                          1.67638483018380384940e0,
                          6.89767334985100004550e-1,
                          1.48103976427480074590e-1,
                          1.51986665636164571966e-2,
                          5.47593808499534494600e-4,
                          1.05075007164441684324e-9};
  constexpr double e[] = {6.65790464350110377720e0,  5.46378491116411436990e0,
                          1.78482653991729133580e0,  2.96560571828504891230e-1,
                          2.65321895265761230930e-2, 1.24266094738807843860e-3,
                          2.71155556874348757815e-5, 2.01033439929228813265e-7};
  constexpr double f[] = {1.0,
                          5.99832206555887937690e-1,
                          1.36929880922735805310e-1,
                          1.48753612908506148525e-2,
                          7.86869131145613259100e-4,
                          1.84631831751005468180e-5,
                          1.42151175831644588870e-7,
                          2.04426310338993978564e-15};
  const T root_half = static_cast<T>(0.70710678118654752440);
  const T q = x / 2;
  if (std::fabs(q) <= T(0.425)) {
    const T r = static_cast<T>(0.180625) - q * q;
    return root_half * q * polynomial(a, r) / polynomial(b, r);
  }
  const T tail = (1 - std::fabs(x)) / 2;
  if (!(tail > 0)) {
    if (tail == 0) return std::copysign(std::numeric_limits<T>::infinity(), x);
    return std::numeric_limits<T>::quiet_NaN();
  }
  T r = std::sqrt(-std::log(tail));
  T value;
  if (r <= 5) {
    r -= static_cast<T>(1.6);
    value = polynomial(c, r) / polynomial(d, r);
  } else {
    r -= 5;
    value = polynomial(e, r) / polynomial(f, r);
  }
  return std::copysign(root_half * value, x);
}

// The derivative of lgamma: reflection where x is negative, the recurrence up to 10, and from there
// the asymptotic series, whose coefficients are Bernoulli numbers B(2k) / 2k.
template <class T>
TH_HD T digamma_of(T x) {
  if (x == 0) return std::copysign(std::numeric_limits<T>::infinity(), -x);
  T value = 0;
  if (x < 0) {
    // The distance from the nearest integer is exact, and tan has the period pi.
    const T rest = x - std::rint(x);
    if (rest == 0) return std::numeric_limits<T>::quiet_NaN();
    const T pi = static_cast<T>(3.14159265358979323846);
    value = -pi / std::tan(pi * rest);
    x = 1 - x;
  }
  while (x < 10) {
    value -= 1 / x;
    x += 1;
  }
  constexpr double series[] = {1.0 / 12,  -1.0 / 120,     1.0 / 252, -1.0 / 240,
                               1.0 / 132, -691.0 / 32760, 1.0 / 12};
  const T y = 1 / (x * x);
  return value + std::log(x) - T(0.5) / x - y * polynomial(series, y);
}

}  // namespace functor
}  // namespace
}  // namespace th

#endif
