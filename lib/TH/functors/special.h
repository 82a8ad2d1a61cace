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

// sin(pi x) / (pi x). The argument of sin is reduced exactly, so that integers give 0.
template <class T>
TH_HD T normalized_sinc(T x) {
  if (x == 0) return T(1);
  const T pi = static_cast<T>(3.14159265358979323846);
  const T size = std::fabs(x);
  const T rest = std::fmod(size, T(2));  // of NaN and infinity: NaN
  const T reduced = rest > T(1.5) ? rest - 2 : rest > T(0.5) ? 1 - rest : rest;
  return std::sin(pi * reduced) / (pi * size);
}

// x^-s and gamma(s), faster for the first derivatives of digamma.
TH_HD double negative_power(double x, double s) {
  if (s == 1) return 1 / x;
  if (s == 2) return 1 / (x * x);
  if (s == 3) return 1 / (x * x * x);
  return std::pow(x, -s);
}
TH_HD double gamma_of_integer(double s) { return s == 2 ? 1 : s == 3 ? 2 : std::tgamma(s); }

// The Hurwitz zeta function, the sum of (x + k)^-s over k >= 0, for an integer s > 1 and x > 0:
// nine terms, then the Euler-Maclaurin formula.
TH_HD double hurwitz_zeta(double s, double x) {
  double sum = 0;
  for (int k = 0; k < 9 || x <= 9; ++k) {
    sum += negative_power(x, s);
    x += 1;
  }
  const double last = negative_power(x, s);
  sum += negative_power(x, s - 1) / (s - 1) + last / 2;
  // Bernoulli numbers B(2k) / (2k)!
  constexpr double series[] = {1.0 / 12,
                               -1.0 / 720,
                               1.0 / 30240,
                               -1.0 / 1209600,
                               1.0 / 47900160,
                               -691.0 / 1307674368000.0,
                               1.0 / 74724249600.0,
                               -3617.0 / 10670622842880000.0};
  double factor = s, power = last / x;
  for (int k = 0; k < 8; ++k) {
    sum += series[k] * factor * power;
    factor *= (s + 2 * k + 1) * (s + 2 * k + 2);
    power /= x * x;
  }
  return sum;
}

// Derivative n >= 1 of digamma: (-1)^(n + 1) n! zeta(n + 1, x). For a negative x, the sum over all
// integers k of (x + k)^-s depends on the fraction of x alone.
TH_HD double polygamma_of(double n, double x) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  if (!(n >= 1) || n != std::floor(n) || x != x) return nan;
  const double s = n + 1, sign = std::fmod(n, 2) == 1 ? 1 : -1;
  double zeta;
  if (x > 0) {
    if (x > std::numeric_limits<double>::max()) return 0 * sign;
    zeta = hurwitz_zeta(s, x);
  } else {
    const double rest = x - std::floor(x);
    if (!(rest > 0)) return sign > 0 ? std::numeric_limits<double>::infinity() : nan;
    const double others = hurwitz_zeta(s, std::ceil(x) - x) - hurwitz_zeta(s, 1 - x);
    zeta = hurwitz_zeta(s, rest) + (sign > 0 ? others : -others);
  }
  return sign * gamma_of_integer(s) * zeta;
}

// The modified Bessel functions I of the first kind, of order 0 or 1. near_bessel and far_bessel
// return f(c), where c are the coefficients of a polynomial of y (scripts/fit-polynomials.py). Up
// to x = 8, it is I(x), for order 1 divided by x / 2, and y = (x / 2)^2. From there on, it is
// I(x) sqrt(x) / e^x, and y = 16 / x - 1.
template <int order, class F>
TH_HD auto near_bessel(const F& f) {
  if constexpr (order == 0) {
    constexpr double c[] = {1.0,
                            1.0,
                            0.24999999999999964,
                            0.027777777777778883,
                            0.0017361111111094513,
                            6.9444444445893237e-05,
                            1.9290123448750151e-06,
                            3.9367599191398351e-08,
                            6.1511865464177976e-10,
                            7.5940728994235571e-12,
                            7.5938649975423871e-14,
                            6.2779455592156857e-16,
                            4.3455887237757389e-18,
                            2.6397623409780049e-20,
                            1.1272147705022815e-22,
                            9.1987451577736599e-25};
    return f(c);
  } else {
    constexpr double c[] = {1.0,
                            0.49999999999999961,
                            0.083333333333335702,
                            0.0069444444444387993,
                            0.00034722222222904783,
                            1.1574074069237339e-05,
                            2.7557319442535302e-07,
                            4.9209491978863949e-09,
                            6.8346665658540389e-11,
                            7.5938503773253865e-13,
                            6.9058869319743647e-15,
                            5.2137370009626143e-17,
                            3.4357490008221337e-19,
                            1.5683327660600232e-21,
                            1.3901140127736782e-23};
    return f(c);
  }
}
template <int order, class F>
TH_HD auto far_bessel(const F& f) {
  if constexpr (order == 0) {
    constexpr double c[] = {
        0.4021765094450081,      0.0033605519836678718,   0.00013621607439055964,
        1.1143033789748849e-05,  1.4838476345652607e-06,  2.9735989757385255e-07,
        8.8720854067810365e-08,  3.9325277652271779e-08,  2.1561891338141908e-08,
        7.5591742166183077e-09,  -6.8276428586809308e-09, -1.3430220403094755e-08,
        -5.1052931063394171e-09, 7.6166703840419874e-09,  6.6935561091090595e-09,
        -3.6308849017376059e-09, -4.7455089469545887e-09, 1.6773259254094128e-09,
        2.3311562322613873e-09,  -6.9488310041944244e-10, -7.232003224989109e-10,
        2.0753159972334146e-10,  1.0516776541568305e-10,  -3.0766166795199113e-11};
    return f(c);
  } else {
    constexpr double c[] = {
        0.38939845902587233,     -0.0097495771932357474,  -0.00021923576383385535,
        -1.5038547199574781e-05, -1.8349101347971149e-06, -3.483856039526697e-07,
        -1.0001283472593266e-07, -4.3128817983403425e-08, -2.3374481168203567e-08,
        -8.4303335679432743e-09, 6.7381175181403685e-09,  1.4045417107907981e-08,
        5.9594058420336147e-09,  -7.6735776371486589e-09, -7.8481637610659944e-09,
        3.4831440539567685e-09,  6.1717982458244394e-09,  -1.5063262365779494e-09,
        -3.712625227815504e-09,  5.7991005623874159e-10,  1.6251221033605012e-09,
        -1.6146302696935244e-10, -4.5099914387726678e-10, 2.2445914220603684e-11,
        5.8548635923566103e-11};
    return f(c);
  }
}
template <int order>
TH_HD double bessel_i(double x) {
  const double size = std::fabs(x);
  double value;
  if (size > 720) {
    value = std::numeric_limits<double>::infinity();
  } else if (size > 8) {
    // Two factors: e^x overflows earlier than the result.
    const double root = std::exp(size / 2);
    const double y = 16 / size - 1;
    const double rest = far_bessel<order>([=](const auto& c) { return polynomial(c, y); });
    value = root * (rest / std::sqrt(size)) * root;
  } else {
    const double half = size / 2;
    value = near_bessel<order>([=](const auto& c) { return polynomial(c, half * half); });
    value *= order == 0 ? 1 : half;
  }
  return order == 0 ? value : std::copysign(value, x);
}

// x^a e^-x / gamma(a + 1). For a large a by Stirling's series, because the exponent a log(x) - x -
// log(gamma(a + 1)) would lose digits.
TH_HD double gamma_density(double a, double x) {
  if (a < 10) return std::exp(a * std::log(x) - x) / std::tgamma(a + 1);
  const double difference = (x - a) / a;
  const double exponent = std::fabs(difference) < 0.5 ? std::log1p(difference) - difference
                                                      : std::log(x / a) - difference;
  const double y = 1 / (a * a);
  const double rest = 1.0 / 1680 - y * (1.0 / 1188 - y * (691.0 / 360360 - y / 156));
  const double stirling = (1.0 / 12 - y * (1.0 / 360 - y * (1.0 / 1260 - y * rest))) / a;
  return std::exp(a * exponent - stirling) / std::sqrt(6.28318530717958647692 * a);
}

// log(gamma(1 + a)) for 0 <= a < 1. Near 0 by its power series, because 1 + a would lose digits.
// Source: Abramowitz and Stegun, 6.1.33.
TH_HD double log_gamma_1p(double a) {
  if (a > 1e-3) return std::log(std::tgamma(1 + a));
  return a *
         (-0.57721566490153286 +
          a * (0.82246703342411322 +
               a * (-0.40068563438653143 + a * (0.27058080842778454 - a * 0.20738555102867398))));
}

// Q(a, x) for 0 < a < 0.5 and x < a + 1, where 1 - P(a, x) would lose digits. P is
// x^a / gamma(1 + a) * (1 + a * sum) with the alternating power series `sum`.
TH_HD double upper_gamma_of_small(double a, double x) {
  const double log_factor = a * std::log(x) - log_gamma_1p(a);
  double term = 1, sum = 0;
  for (double k = 1; k < 50 && std::fabs(term) > 1e-18; ++k) {
    term *= -x / k;
    sum += term / (a + k);
  }
  return -std::expm1(log_factor) - std::exp(log_factor) * a * sum;
}

// The regularized incomplete gamma functions P(a, x), or Q(a, x) = 1 - P(a, x) if upper: the power
// series of P below a + 1, the continued fraction of Q above, each where it converges fast.
TH_HD double incomplete_gamma(double a, double x, bool upper) {
  const double infinity = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  if (!(a >= 0) || !(x >= 0) || (a == 0 && x == 0) || (a == infinity && x == infinity)) return nan;
  if (a == 0 || x == infinity) return upper ? 0 : 1;
  if (x == 0 || a == infinity) return upper ? 1 : 0;
  if (a > 1e12) {
    // The sums would be too long: two terms of Temme's expansion (1979). Where the result is not 0
    // or 1, the difference is so small that its powers are those of a short series.
    const double d = (x - a) / a;
    const double half_square = std::fabs(d) < 1e-3
                                   ? d * d * (1.0 / 2 - d * (1.0 / 3 - d * (1.0 / 4 - d / 5)))
                                   : d - std::log1p(d);
    const double z = std::sqrt(half_square * a);
    if (!(z < 40)) return (x < a) == upper ? 1 : 0;
    const double eta = std::copysign(std::sqrt(2 * half_square), d);
    const double second = std::exp(-z * z) / std::sqrt(2 * M_PI * a) * (eta / 12 - 1.0 / 3);
    return std::erfc((x < a) == upper ? -z : z) / 2 + (upper ? second : -second);
  }
  // Terms decrease after about sqrt(a) terms.
  const double most = 100 + 20 * std::sqrt(a);
  if (upper && a < 0.5 && x < a + 1) return upper_gamma_of_small(a, x);
  if (x < a + 1) {
    double term = 1, sum = 1;
    for (double k = 1; k < most && term > sum * 1e-17; ++k) {
      term *= x / (a + k);
      sum += term;
    }
    const double p = sum * gamma_density(a, x);
    return upper ? 1 - p : p;
  }
  // Lentz's method.
  const double tiny = 1e-300;
  double b = x + 1 - a, c = 1 / tiny, d = 1 / b, fraction = d;
  for (double k = 1; k < most; ++k) {
    const double factor = -k * (k - a);
    b += 2;
    d = factor * d + b;
    d = 1 / (std::fabs(d) < tiny ? tiny : d);
    c = b + factor / c;
    c = std::fabs(c) < tiny ? tiny : c;
    fraction *= d * c;
    if (std::fabs(d * c - 1) < 1e-16) break;
  }
  // gamma(a) is gamma(a + 1) / a.
  const double q = fraction * gamma_density(a, x) * a;
  return upper ? q : 1 - q;
}

}  // namespace functor
}  // namespace
}  // namespace th

#endif
