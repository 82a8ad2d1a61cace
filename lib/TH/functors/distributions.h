#ifndef TH_FUNCTORS_DISTRIBUTIONS_H
#define TH_FUNCTORS_DISTRIBUTIONS_H

// From random words to the distributions: the formulas, once for every device. Parameters were
// checked by the caller.

#include <cmath>
#include <cstdint>

#include "tensor/host_device.h"

namespace th {
namespace {

constexpr double kPi = 3.14159265358979323846;

// Uniform on [0, 1).
TH_HD double unit_of(uint32_t word) { return word * (1.0 / 4294967296.0); }

TH_HD double uniform_of(double u, double a, double b) { return u * (b - a) + a; }

// Two independent normal values from two uniform ones (Box and Muller 1958) are the radius times
// the angle's cosine and sine.
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
  // At most 32 log(2) / 2^-53, for the p next to 1: it fits.
  return static_cast<int64_t>(std::log(1. - u) / std::log(p)) + 1;
}

// Up to and including p, but never for p = 0.
TH_HD bool bernoulli_of(double u, double p) { return u <= p && p > 0.; }
TH_HD bool is_probability(double p) { return p >= 0. && p <= 1.; }

// Uniform on first ... first + range - 1; range 0 stands for 2^64.
TH_HD int64_t integer_of(uint64_t bits, int64_t first, uint64_t range) {
  return static_cast<int64_t>(static_cast<uint64_t>(first) + (range ? bits % range : bits));
}

}  // namespace
}  // namespace th

#endif
