#ifndef TH_FUNCTORS_DEVICE_ARITHMETIC_H
#define TH_FUNCTORS_DEVICE_ARITHMETIC_H

// Corrections of CUDA's functions, so that logarithms and powers of whole numbers are exact.

#include <cmath>

#include "tensor/host_device.h"

namespace th {
namespace {
namespace functor {

// CUDA's functions have errors of one or two units in the last place, so that log10(1000) could be
// less than 3. These correct such a result where the exact one is an integer.
// result: a logarithm.
TH_HD double whole_logarithm(double result) {
  const double whole = std::rint(result);
  return std::fabs(result - whole) <= 2.3e-16 * std::fabs(whole) ? whole : result;
}
// log2 of x, of which CUDA's function returns `result`. That of a power of two is its exponent.
TH_HD float corrected_log2(float x, float result) {
  int exponent;
  return std::frexp(x, &exponent) == 0.5f ? static_cast<float>(exponent - 1) : result;
}
TH_HD double corrected_log2(double, double result) { return whole_logarithm(result); }
// result: a to the power of b. Below 2^50 the error is less than a half.
TH_HD double whole_power(double a, double b, double result) {
  const bool is_whole = std::rint(a) == a && std::rint(b) == b && b >= 0;
  return is_whole && std::fabs(result) < 1125899906842624.0 ? std::rint(result) : result;
}
template <class T>
TH_HD T device_power(T a, T b) {
  if constexpr (sizeof(T) == 4) {
    if (std::rint(a) != a || std::rint(b) != b) return std::pow(a, b);
  }
  const double x = a, y = b;
  return static_cast<T>(whole_power(x, y, std::pow(x, y)));
}

}  // namespace functor
}  // namespace
}  // namespace th

#endif
