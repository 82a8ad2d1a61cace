// The corrections of CUDA's functions, which kernels make, with results that are wrong in the last
// places.

#include <gtest/gtest.h>

#include <cmath>

#include "functors/functors.h"

namespace {

using th::functor::whole_logarithm;
using th::functor::whole_power;

// x moved by this many units in the last place.
double moved(double x, int units) {
  for (; units > 0; --units) x = std::nextafter(x, INFINITY);
  for (; units < 0; ++units) x = std::nextafter(x, -INFINITY);
  return x;
}

TEST(DeviceArithmetic, LogarithmsOfPowersAreWhole) {
  for (int k = -323; k <= 308; ++k) {
    for (int units = -1; units <= 1; ++units) {
      EXPECT_EQ(whole_logarithm(k == 0 ? 0 : moved(k, units)), k);
    }
  }
  for (double x : {0.5, 2.9999, 1e-300, -7.25, double(INFINITY), -double(INFINITY)}) {
    EXPECT_EQ(whole_logarithm(x), x);
  }
  EXPECT_TRUE(std::isnan(whole_logarithm(NAN)));
  EXPECT_EQ(whole_logarithm(moved(3, 8)), moved(3, 8));
}

TEST(DeviceArithmetic, Log2OfPowersIsWhole) {
  using th::functor::corrected_log2;
  for (int k = -149; k <= 127; ++k) {
    const float power = std::ldexp(1.f, k), next = std::nextafter(power, INFINITY);
    const auto exact = static_cast<float>(k);
    for (float result :
         {exact, std::nextafter(exact, INFINITY), std::nextafter(exact, -INFINITY)}) {
      EXPECT_EQ(corrected_log2(power, result), exact);
      // The number after 2^-149, the least one, is 2^-148.
      if (k > -149) {
        EXPECT_EQ(corrected_log2(next, result), result);
      }
    }
    EXPECT_TRUE(std::isnan(corrected_log2(-power, NAN)));
  }
  EXPECT_EQ(corrected_log2(0.f, -INFINITY), -INFINITY);
  EXPECT_EQ(corrected_log2(INFINITY, INFINITY), INFINITY);
  EXPECT_TRUE(std::isnan(corrected_log2(NAN, NAN)));
  EXPECT_EQ(corrected_log2(0.125, moved(-3, 1)), -3);
}

TEST(DeviceArithmetic, PowersOfWholeNumbersAreWhole) {
  for (int k = 0; k <= 15; ++k) {
    const double exact = std::pow(10., k);
    for (int units = -2; units <= 2; ++units) {
      EXPECT_EQ(whole_power(10, k, moved(exact, units)), exact);
      EXPECT_EQ(whole_power(-10, k, moved(k % 2 ? -exact : exact, units)), k % 2 ? -exact : exact);
    }
  }
  const double root = std::sqrt(2.);
  EXPECT_EQ(whole_power(2, 0.5, root), root);
  EXPECT_EQ(whole_power(10, -2, 0.01), 0.01);
  EXPECT_EQ(whole_power(3, 60, moved(std::pow(3., 60), 1)), moved(std::pow(3., 60), 1));
  EXPECT_TRUE(std::isnan(whole_power(0, 1, NAN)));
  EXPECT_EQ(th::functor::device_power(10.f, 7.f), 1e7f);
  EXPECT_EQ(th::functor::device_power(2.f, 0.5f), std::pow(2.f, 0.5f));
  EXPECT_EQ(th::functor::device_power(10., 15.), 1e15);
}

}  // namespace
