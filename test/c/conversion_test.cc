// Copies between doubles and 64-bit integers against conversions of single elements.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "TH.h"

namespace {

// Values of both signs from 1 to 2^63, and their neighbours. The numbers of elements end in parts
// of SIMD vectors.
std::vector<int64_t> longs() {
  std::vector<int64_t> values = {0, INT64_MIN, INT64_MAX};
  for (int shift = 0; shift < 63; ++shift) {
    for (int64_t near = -3; near <= 3; ++near) {
      values.push_back((int64_t{1} << shift) + near);
      values.push_back(-(int64_t{1} << shift) + near);
    }
    values.push_back(INT64_MAX >> shift);
    values.push_back(0x5a5a5a5a5a5a5a5a >> shift);
  }
  return values;
}

std::vector<double> doubles() {
  std::vector<double> values = {0.0, -0.0, NAN, INFINITY, -INFINITY, 0.49999999999999994};
  for (int exponent = -2; exponent < 70; ++exponent) {
    for (double sign : {1.0, -1.0}) {
      const double power = std::ldexp(sign, exponent);
      values.insert(values.end(), {power, power + 0.5, power - 0.5, std::nextafter(power, 0),
                                   std::nextafter(power, 2 * power)});
    }
  }
  return values;
}

TEST(Conversion, LongsToTheNearestDoubles) {
  std::vector<int64_t> values = longs();
  for (size_t begin = 0; begin < 5; ++begin) {
    const auto n = static_cast<int64_t>(values.size() - begin);
    THLongTensor* from = THLongTensor_newWithSize1d(n);
    THDoubleTensor* to = THDoubleTensor_newWithSize1d(n);
    std::memcpy(THLongTensor_data(from), values.data() + begin, n * sizeof(int64_t));
    THDoubleTensor_copyLong(to, from);
    for (int64_t i = 0; i < n; ++i) {
      const int64_t value = values[begin + i];
      ASSERT_EQ(static_cast<double>(value), THDoubleTensor_data(to)[i]) << value;
    }
    THLongTensor_free(from);
    THDoubleTensor_free(to);
  }
}

TEST(Conversion, DoublesToLongsTowardZero) {
  std::vector<double> values = doubles();
  for (size_t begin = 0; begin < 5; ++begin) {
    const auto n = static_cast<int64_t>(values.size() - begin);
    THDoubleTensor* from = THDoubleTensor_newWithSize1d(n);
    THLongTensor* to = THLongTensor_newWithSize1d(n);
    std::memcpy(THDoubleTensor_data(from), values.data() + begin, n * sizeof(double));
    THLongTensor_copyDouble(to, from);
    for (int64_t i = 0; i < n; ++i) {
      const double value = values[begin + i];
      const bool fits = value >= -0x1p63 && value < 0x1p63;
      ASSERT_EQ(fits ? static_cast<int64_t>(value) : INT64_MIN, THLongTensor_data(to)[i]) << value;
    }
    THDoubleTensor_free(from);
    THLongTensor_free(to);
  }
}

}  // namespace
