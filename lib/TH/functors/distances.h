#ifndef TH_FUNCTORS_DISTANCES_H
#define TH_FUNCTORS_DISTANCES_H

// p-norms of differences of rows. A norm accumulates a few differences in the element type, in
// numbers or vectors V of them, and joins these sums in double. It has these members:
//   V accumulate(V sum, V difference).
//   double joined(double x, double y).
//   T root(T total). T is double or, if there is only one sum, the element type.
// kScales is true if powers of differences overflow or underflow.

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "tensor/host_device.h"

namespace th {
namespace {

// The differences that are accumulated before their sum is joined with others.
constexpr int64_t kJoinedDifferences = 32;

template <class V>
TH_HD V absolute(V x) {
  return x < 0 ? -x : x;  // NaN stays
}

struct SumOfSquares {
  static constexpr bool kScales = true;
  template <class V>
  TH_HD V accumulate(V sum, V difference) const {
    return sum + difference * difference;
  }
  TH_HD double joined(double x, double y) const { return x + y; }
  template <class T>
  TH_HD T root(T total) const {
    return std::sqrt(total);
  }
};

struct SquaredDistance : SumOfSquares {
  static constexpr bool kScales = false;
  template <class T>
  TH_HD T root(T total) const {
    return total;
  }
};

struct SumOfSizes {
  static constexpr bool kScales = false;
  template <class V>
  TH_HD V accumulate(V sum, V difference) const {
    return sum + absolute(difference);
  }
  TH_HD double joined(double x, double y) const { return x + y; }
  template <class T>
  TH_HD T root(T total) const {
    return total;
  }
};

// The first NaN stays.
struct LargestSize {
  static constexpr bool kScales = false;
  template <class V>
  TH_HD V accumulate(V most, V difference) const {
    const V size = absolute(difference);
    return ((size > most) | (size != size)) ? size : most;
  }
  TH_HD double joined(double x, double y) const { return y > x || y != y ? y : x; }
  template <class T>
  TH_HD T root(T total) const {
    return total;
  }
};

struct CountOfOthers {
  static constexpr bool kScales = false;
  template <class V>
  TH_HD V accumulate(V count, V difference) const {
    return difference != 0 ? count + 1 : count;
  }
  TH_HD double joined(double x, double y) const { return x + y; }
  template <class T>
  TH_HD T root(T total) const {
    return total;
  }
};

struct SumOfPowers {
  static constexpr bool kScales = true;
  double power;
  template <class V>
  TH_HD V accumulate(V sum, V difference) const {
    if constexpr (std::is_arithmetic_v<V>) {
      return sum + std::pow(absolute(difference), static_cast<V>(power));
    } else {
      for (size_t k = 0; k < sizeof(V) / sizeof(sum[0]); ++k) {
        sum[k] = accumulate(+sum[k], +difference[k]);
      }
      return sum;
    }
  }
  TH_HD double joined(double x, double y) const { return x + y; }
  template <class T>
  TH_HD T root(T total) const {
    return static_cast<T>(std::pow(static_cast<double>(total), 1 / power));
  }
};

// Returns true if the root of the sum of n powers is the distance, or NaN. Powers that are too
// small for T have lost digits, and powers that are too large are infinite. Without branches, for
// vectors.
template <class T, class Norm, class Total>
TH_HD bool is_ordinary(const Norm&, Total total, int64_t n) {
  const Total least = static_cast<Total>(std::numeric_limits<T>::min()) * static_cast<Total>(n);
  return !Norm::kScales || !((total < least) | (total > std::numeric_limits<Total>::max()));
}

// Returns the distance of n elements. Divides by the largest difference, so that no power overflows
// or underflows. The elements of y are `step` apart.
template <class T, class Norm>
TH_HD T scaled_distance(const Norm& norm, const T* x, const T* y, int64_t step, int64_t n) {
  const LargestSize largest;
  double most = 0, sum = 0;
  for (int64_t k = 0; k < n; ++k) {
    most = largest.accumulate(most, static_cast<double>(x[k] - y[k * step]));
  }
  if (!(most > 0 && most <= std::numeric_limits<double>::max())) return static_cast<T>(most);
  for (int64_t k = 0; k < n; ++k) {
    sum = norm.accumulate(sum, static_cast<double>(x[k] - y[k * step]) / most);
  }
  return static_cast<T>(most * norm.root(sum));
}

// Calls f(norm) with the norm for p >= 0. squared: its square, for p = 2.
template <class F>
void with_norm(double p, bool squared, const F& f) {
  if (squared) {
    f(SquaredDistance());
  } else if (p == 2) {
    f(SumOfSquares());
  } else if (p == 1) {
    f(SumOfSizes());
  } else if (p == 0) {
    f(CountOfOthers());
  } else if (p == std::numeric_limits<double>::infinity()) {
    f(LargestSize());
  } else {
    f(SumOfPowers{p});
  }
}

}  // namespace
}  // namespace th

#endif
