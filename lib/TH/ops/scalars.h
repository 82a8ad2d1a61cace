#ifndef TH_OPS_SCALARS_H
#define TH_OPS_SCALARS_H

#include "tensor/convert.h"

namespace th {

// The scalar as an element, whatever it was given as.
inline Scalar in_type(Scalar s, DType type) {
  return dispatch(type, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_integral_v<T>) {
      return Scalar(static_cast<int64_t>(convert<T>(s)));
    } else {
      return Scalar(static_cast<double>(load(convert<T>(s))));
    }
  });
}

}  // namespace th

#endif
