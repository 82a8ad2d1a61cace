// Copies between doubles and 64-bit integers against conversions of single elements.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "core_tensors.h"
#include "ops/ops.h"

namespace th {
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

// Copies the values, and all but the first 1 to 4.
template <class To, class From>
void expect_copies(const std::vector<From>& values, To (*expected)(From)) {
  for (size_t begin = 0; begin < 5; ++begin) {
    const auto n = static_cast<int64_t>(values.size() - begin);
    TensorRef from = core::make(DTypeOf<From>::value, {n}),
              to = core::make(DTypeOf<To>::value, {n});
    std::memcpy(from->data_as<From>(Access::overwrite), values.data() + begin, n * sizeof(From));
    ops::copy(to.get(), from.get());
    const To* copied = to->data_as<To>(Access::read);
    for (int64_t i = 0; i < n; ++i) {
      ASSERT_EQ(expected(values[begin + i]), copied[i]) << values[begin + i];
    }
  }
}

TEST(Conversion, LongsToTheNearestDoubles) {
  expect_copies<double, int64_t>(longs(), [](int64_t x) { return static_cast<double>(x); });
}

TEST(Conversion, DoublesToLongsTowardZero) {
  expect_copies<int64_t, double>(doubles(), [](double x) {
    const bool fits = x >= -0x1p63 && x < 0x1p63;
    return fits ? static_cast<int64_t>(x) : INT64_MIN;
  });
}

}  // namespace
}  // namespace th
