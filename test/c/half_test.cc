// The 16-bit floating-point types against the definition of their formats.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "TH.h"

namespace {

// From the definition of binary16, independent of the library's bit operations.
double half_value(unsigned bits) {
  int sign = bits >> 15 ? -1 : 1;
  int exponent = bits >> 10 & 31;
  int fraction = bits & 1023;
  if (exponent == 31) return fraction ? NAN : sign * INFINITY;
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(1024 + fraction, exponent - 25);
}

TEST(Half, EveryValueWidensExactlyAndComesBack) {
  for (unsigned bits = 0; bits < 65536; ++bits) {
    THHalf h = {static_cast<unsigned short>(bits)};
    float f = TH_half2float(h);
    double expected = half_value(bits);
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(f)) << bits;
      EXPECT_TRUE(std::isnan(TH_half2float(TH_float2half(f)))) << bits;
      continue;
    }
    ASSERT_EQ(static_cast<double>(f), expected) << bits;
    ASSERT_EQ(std::signbit(f), std::signbit(expected)) << bits;
    ASSERT_EQ(TH_float2half(f).x, bits);
  }
}

TEST(Half, RoundsToNearestEven) {
  // Between each pair of neighbours: the middle goes to the even one, either side to the nearer.
  for (unsigned bits = 0; bits < 0x7bff; ++bits) {
    double low = half_value(bits), high = half_value(bits + 1);
    auto middle = static_cast<float>((low + high) / 2);
    EXPECT_EQ(TH_float2half(middle).x, bits & 1 ? bits + 1 : bits);
    EXPECT_EQ(TH_float2half(std::nextafterf(middle, -INFINITY)).x, bits);
    EXPECT_EQ(TH_float2half(std::nextafterf(middle, INFINITY)).x, bits + 1);
    EXPECT_EQ(TH_float2half(-std::nextafterf(middle, INFINITY)).x, (bits + 1) | 0x8000);
  }
  EXPECT_EQ(TH_float2half(65519.996f).x, 0x7bff);
  EXPECT_EQ(TH_float2half(65520.0f).x, 0x7c00);
  EXPECT_EQ(TH_float2half(1e10f).x, 0x7c00);
  EXPECT_EQ(TH_float2half(-INFINITY).x, 0xfc00);
  EXPECT_EQ(TH_float2half(1e-30f).x, 0);
}

TEST(BFloat16, IsTheUpperHalfOfAFloatRoundedToNearestEven) {
  for (unsigned bits = 0; bits < 65536; ++bits) {
    THBFloat16 b = {static_cast<unsigned short>(bits)};
    float f = TH_bfloat162float(b);
    if (std::isnan(f)) {
      EXPECT_TRUE(std::isnan(TH_bfloat162float(TH_float2bfloat16(f))));
      continue;
    }
    uint32_t word;
    std::memcpy(&word, &f, 4);
    ASSERT_EQ(word, bits << 16);
    ASSERT_EQ(TH_float2bfloat16(f).x, bits);
  }
  EXPECT_EQ(TH_float2bfloat16(1.00390625f).x, 0x3f80);  // half way, to even
  EXPECT_EQ(TH_float2bfloat16(1.01171875f).x, 0x3f82);  // half way, to even
  EXPECT_EQ(TH_float2bfloat16(1.00390637f).x, 0x3f81);
  EXPECT_EQ(TH_float2bfloat16(3.4e38f).x, 0x7f80);
}

TEST(Half, PointerFormsAgree) {
  float f = 1.5f, back = 0;
  unsigned short bits = 0;
  TH_float2halfbits(&f, &bits);
  TH_halfbits2float(&bits, &back);
  EXPECT_EQ(back, 1.5f);
}

}  // namespace
