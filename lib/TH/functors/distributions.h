#ifndef TH_FUNCTORS_DISTRIBUTIONS_H
#define TH_FUNCTORS_DISTRIBUTIONS_H

// Formulas that convert random words to distributions, shared by all devices. Callers have checked
// the parameters.

#include <cmath>
#include <cstdint>

#include "tensor/host_device.h"

namespace th {
namespace {

constexpr double kPi = 3.14159265358979323846;

// Uniform on [0, 1).
TH_HD double unit_of(uint32_t word) { return word * (1.0 / 4294967296.0); }

TH_HD double uniform_of(double u, double a, double b) { return u * (b - a) + a; }

// Box and Muller (1958): two uniform values give two independent normal values, radius * cos(angle)
// and radius * sin(angle).
TH_HD double normal_radius(double u) { return std::sqrt(-2. * std::log(1. - u)); }
TH_HD double normal_angle(double u) { return 2. * kPi * u; }

TH_HD double log_of_rest(double u) { return std::log(1. - u); }
TH_HD double exponential_of_log(double logarithm, double lambda) {
  return -1. / lambda * logarithm;
}
TH_HD double exponential_of(double u, double lambda) {
  return exponential_of_log(log_of_rest(u), lambda);
}

TH_HD double cauchy_of(double u, double median, double sigma) {
  return median + sigma * std::tan(kPi * (u - 0.5));
}

TH_HD int64_t geometric_of(double u, double p) {
  // At most 32 log(2) / 2^-53, for the largest p < 1, so it fits into int64_t.
  return static_cast<int64_t>(std::log(1. - u) / std::log(p)) + 1;
}

// True if u <= p, but never for p = 0.
TH_HD bool bernoulli_of(double u, double p) { return u <= p && p > 0.; }
TH_HD bool is_probability(double p) { return p >= 0. && p <= 1.; }

// Uniform on first ... first + range - 1. range 0 means 2^64.
TH_HD int64_t integer_of(uint64_t bits, int64_t first, uint64_t range) {
  return static_cast<int64_t>(static_cast<uint64_t>(first) + (range ? bits % range : bits));
}

}  // namespace
}  // namespace th

#endif
