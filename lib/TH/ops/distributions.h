#ifndef TH_OPS_DISTRIBUTIONS_H
#define TH_OPS_DISTRIBUTIONS_H

// From uniform values to other distributions: the formulas, and what they demand of their
// parameters, numbered as arguments of the C function that is called.

#include <cmath>
#include <cstdint>

#include "memory/error.h"

namespace th {
namespace {

constexpr double kPi = 3.14159265358979323846;

inline double unit_of(uint32_t word) { return word * (1.0 / 4294967296.0); }

// The radius of a pair of normal values (Box and Muller 1958); the angle is 2 pi times another u.
inline double normal_radius(double u) { return std::sqrt(-2. * std::log(1. - u)); }

inline double exponential_of(double u, double lambda) { return -1. / lambda * std::log(1. - u); }

inline double cauchy_of(double u, double median, double sigma) {
  return median + sigma * std::tan(kPi * (u - 0.5));
}

inline int64_t geometric_of(double u, double p) {
  // At most 32 log(2) / 2^-53, for the p next to 1: it fits.
  return static_cast<int64_t>(std::log(1. - u) / std::log(p)) + 1;
}

// Up to and including p, but never for p = 0.
inline bool bernoulli_of(double u, double p) { return u <= p && p > 0.; }

inline void check_deviation(double deviation, int argument) {
  if (!(deviation > 0.)) {
    fail_argument(argument, "standard deviation must be strictly positive, got %g", deviation);
  }
}
inline void check_lambda(double lambda, int argument) {
  if (!(lambda > 0.)) fail_argument(argument, "lambda must be strictly positive, got %g", lambda);
}
inline void check_geometric(double p, int argument) {
  if (!(p > 0. && p < 1.)) fail_argument(argument, "p must be > 0 and < 1, got %g", p);
}
inline void check_bernoulli(double p, int argument) {
  if (!(p >= 0. && p <= 1.)) fail_argument(argument, "p must be >= 0 and <= 1, got %g", p);
}

}  // namespace
}  // namespace th

#endif
