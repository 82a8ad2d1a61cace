#ifndef TH_FUNCTORS_QUANTIZE_H
#define TH_FUNCTORS_QUANTIZE_H

// Rounding to integers of 8 bits with a scale. C: float or double.

#include <cmath>
#include <cstdint>
#include <limits>

#include "tensor/host_device.h"

namespace th {
namespace {

constexpr int kLargestQuantized = 127;

// The scale of a row from its largest absolute value, which is NaN if the row has NaN.
template <class C>
TH_HD float scale_of(C largest) {
  const auto scale = static_cast<float>(largest / kLargestQuantized);
  return scale <= std::numeric_limits<float>::max() ? scale
                                                    : std::numeric_limits<float>::quiet_NaN();
}

// x / scale, rounded to nearest even; 0 if the scale is 0 or NaN.
template <class C>
TH_HD int8_t quantized(C x, float scale) {
  if (!(scale > 0)) return 0;
  const C q = std::rint(x / static_cast<C>(scale));
  // A subnormal scale has few bits, so that a quotient may be larger.
  const C limit = kLargestQuantized;
  return static_cast<int8_t>(q > limit ? limit : q < -limit ? -limit : q);
}

}  // namespace
}  // namespace th

#endif
