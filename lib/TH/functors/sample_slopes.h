#ifndef TH_FUNCTORS_SAMPLE_SLOPES_H
#define TH_FUNCTORS_SAMPLE_SLOPES_H

// The derivatives of a random number x by the parameter p of its distribution, at a constant
// probability F(p, x): -(dF / dp) / (dF / dx). Figurnov, Mohamed and Mnih, Implicit
// reparameterization gradients (2018). The series and continued fractions are those of the
// incomplete functions, differentiated term by term. Relative errors are about 1e-13, and 1e-8 for
// parameters above kLarge.

#include "functors/special.h"

namespace th {
namespace {
namespace functor {

// Above it the distributions are normal in all digits that matter, and the series are long.
constexpr double kLarge = 1e8;

// A continued fraction 1 / (1 + c[1] / (1 + c[2] / ...)), or with other denominators, by Lentz's
// method, and its derivative by a parameter.
struct Fraction {
  double value, slope, c = 1e300, c_slope = 0, d, d_slope;

  // The first denominator, and its derivative.
  TH_HD Fraction(double first, double first_slope) {
    d = 1 / first;
    d_slope = -first_slope * d * d;
    value = d;
    slope = d_slope;
  }
  // Adds a numerator and a denominator. Returns false if the last digits do not change.
  TH_HD bool add(double above, double above_slope, double below, double below_slope) {
    d_slope = above_slope * d + above * d_slope + below_slope;
    d = 1 / (above * d + below);
    d_slope *= -d * d;
    c_slope = below_slope + above_slope / c - above * c_slope / (c * c);
    c = below + above / c;
    const double step = c * d, step_slope = c_slope * d + c * d_slope;
    slope = slope * step + value * step_slope;
    value *= step;
    return std::fabs(step - 1) > 1e-16 || std::fabs(step_slope) * value > std::fabs(slope) * 1e-16;
  }
};

// The slope of a gamma distributed number x with scale 1, by its shape a.
TH_HD double gamma_slope(double a, double x) {
  if (!(a > 0) || !(x >= 0)) return std::numeric_limits<double>::quiet_NaN();
  if (x == 0) return 0;
  if (a > kLarge) {
    // Wilson and Hilferty (1931): the cube root of x / a is normally distributed.
    const double root = std::cbrt(x / a);
    return root * root * (1.5 - root / 2 + 1 / (6 * a));
  }
  const double most = 100 + 20 * std::sqrt(a);
  if (x < a + 1) {
    double term = 1, sum = 1, harmonic = 0, slope = 0;
    for (double k = 1; k < most && term > sum * 1e-17; ++k) {
      term *= x / (a + k);
      harmonic += 1 / (a + k);
      sum += term;
      slope -= term * harmonic;
    }
    return -x / a * (sum * (std::log(x) - digamma_of(a + 1)) + slope);
  }
  Fraction fraction(x + 1 - a, -1);
  double below = x + 1 - a;
  for (double k = 1; k < most; ++k) {
    below += 2;
    if (!fraction.add(-k * (k - a), k, below, -1)) break;
  }
  return x * (fraction.slope + fraction.value * (std::log(x) - digamma_of(a)));
}

// The slope of a beta distributed number x, by its parameter a, or by b. y: 1 - x. x is not large.
TH_HD double lower_beta_slope(double a, double b, double x, double y, bool by_second) {
  const double most = 100 + 20 * std::sqrt(a > b ? a : b);
  const double d_a = by_second ? 0 : 1, d_b = by_second ? 1 : 0;
  Fraction fraction(1, 0);
  double above = -(a + b) * x / (a + 1);
  double above_slope = by_second ? -x / (a + 1) : (b - 1) * x / ((a + 1) * (a + 1));
  fraction.add(above, above_slope, 1, 0);
  for (double m = 1; m < most; ++m) {
    const double p = a + 2 * m, u = x / ((p - 1) * p), v = x / (p * (p + 1));
    above = m * (b - m) * u;
    above_slope = d_b * m * u - d_a * above * (1 / (p - 1) + 1 / p);
    const bool changes = fraction.add(above, above_slope, 1, 0);
    above = -(a + m) * (a + b + m) * v;
    above_slope = -(a + m) * v - d_a * ((a + b + m) * v + above * (1 / p + 1 / (p + 1)));
    if (!fraction.add(above, above_slope, 1, 0) && !changes) break;
  }
  const double log_slope =
      by_second ? std::log(y) - digamma_of(b) : std::log(x) - digamma_of(a + 1);
  return -x * y / a * (fraction.value * (log_slope + digamma_of(a + b)) + fraction.slope);
}
// By the mean and the standard deviation of the normal distribution with the same moments.
TH_HD double large_beta_slope(double a, double b, double x, bool by_second) {
  const double sum = a + b, mean = a / sum, p = by_second ? b : a;
  const double mean_slope = by_second ? -mean / sum : b / sum / sum;
  const double log_deviation_slope = 0.5 * (1 / p - 2 / sum - 1 / (sum + 1));
  return mean_slope + (x - mean) * log_deviation_slope;
}
TH_HD double beta_slope(double a, double b, double x, bool by_second) {
  if (!(a > 0) || !(b > 0) || !(x >= 0 && x <= 1)) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  if (x == 0 || x == 1) return 0;
  if (a > kLarge && b > kLarge) return large_beta_slope(a, b, x, by_second);
  // 1 - x is beta distributed with the parameters exchanged.
  if (x < (a + 1) / (a + b + 2)) return lower_beta_slope(a, b, x, 1 - x, by_second);
  return -lower_beta_slope(b, a, 1 - x, x, !by_second);
}

}  // namespace functor
}  // namespace
}  // namespace th

#endif
