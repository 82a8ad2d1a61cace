#ifndef TH_OPS_SCALARS_H
#define TH_OPS_SCALARS_H

#include <limits>

#include "tensor/convert.h"

namespace th {

// The scalar in the type that elements of `type` are computed in.
inline Scalar in_type(Scalar s, DType type) {
  return dispatch(type, [&](auto zero) {
    using C = typename Numeric<decltype(zero)>::Compute;
    if constexpr (std::is_integral_v<C>) {
      return Scalar(static_cast<int64_t>(convert<C>(s)));
    } else {
      return Scalar(static_cast<double>(convert<C>(s)));
    }
  });
}

// Returns whether an element of the type can be the number. Floating-point types take any number.
inline bool holds(DType type, double number) {
  return dispatch(type, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_integral_v<T>) {
      constexpr auto lowest = static_cast<double>(std::numeric_limits<T>::lowest());
      constexpr double end = 2 * static_cast<double>(std::numeric_limits<T>::max() / 2 + 1);
      // In this order: the conversion of any other number is undefined.
      return number >= lowest && number < end &&
             static_cast<double>(static_cast<int64_t>(number)) == number;
    } else {
      return true;
    }
  });
}
inline bool holds(DType type, const Scalar& number) {
  return (number.integral && type == DType::Long) || holds(type, number.to_double());
}

}  // namespace th

#endif
