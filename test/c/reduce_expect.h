#ifndef TEST_REDUCE_EXPECT_H
#define TEST_REDUCE_EXPECT_H

// Expected results of reductions and scans whose intermediate results are rounded.

#include <algorithm>
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "core_tensors.h"

namespace core {

inline double near_one(int64_t i) { return i % 1009 == 3 ? 3 : 1; }

inline double rounding(DType type) {
  return type == DType::Half       ? 1e-3
         : type == DType::BFloat16 ? 1e-2
         : type == DType::Float    ? 1e-6
                                   : 1e-12;
}

inline void expect_near(double expected, double got, DType type, const std::string& what) {
  if (std::isnan(expected)) {
    EXPECT_TRUE(std::isnan(got)) << what << " gave " << got;
  } else if (th::is_integral(type) || std::isinf(expected)) {
    EXPECT_EQ(expected, got) << what;
  } else {
    EXPECT_NEAR(expected, got, rounding(type) * std::max(1.0, std::fabs(expected))) << what;
  }
}

inline std::string label(const char* name, const Tensor& t, int dim) {
  return std::string(name) + " of " + th::name(t.dtype) + " " + th::shape_text(t) + " stride " +
         std::to_string(t.stride[0]) + " along " + std::to_string(dim);
}

// Returns x converted to the element type and back.
template <class X>
double held(DType type, X x) {
  return th::dispatch(type, [&](auto zero) {
    return static_cast<double>(th::load(th::convert<decltype(zero)>(x)));
  });
}

}  // namespace core

#endif
