#include "THLogAdd.h"

#include <algorithm>
#include <cmath>

#include "generic/guard.h"
#include "THSize.h"

extern "C" {

const double THLog2Pi = 1.83787706640934548356;
const double THLogZero = -DBL_MAX;
const double THLogOne = 0;

double THLog1p(const double x) { return std::log1p(x); }

double THLogAdd(double log_a, double log_b) {
  double larger = std::max(log_a, log_b), smaller = std::min(log_a, log_b);
  return th::guard([&] {
    if (std::isnan(log_a) || std::isnan(log_b)) {
      th::fail("logarithms are expected, got %g and %g", log_a, log_b);
    }
    if (larger == smaller) return larger <= THLogZero ? larger : larger + std::log(2.0);
    return larger + std::log1p(std::exp(smaller - larger));
  });
}

double THLogSub(double log_a, double log_b) {
  return th::guard([&] {
    if (!(log_a >= log_b)) {
      th::fail("a first logarithm at least as large as the second is expected, got %g and %g",
               log_a, log_b);
    }
    if (log_a == log_b) return THLogZero;
    return log_a + std::log1p(-std::exp(log_b - log_a));
  });
}

// exp(-x) = 1 / exp(x / 8)^8, with the first five terms of the series of exp(x / 8).
double THExpMinusApprox(const double x) {
  if (!(x < 13)) return 0;
  double y = x / 8;
  double series = 1 + y * (1 + y / 2 * (1 + y / 3 * (1 + y / 4)));
  series *= series;
  series *= series;
  return 1 / (series * series);
}

int THSize_isSameSizeAs(const int64_t* size_a, int64_t dims_a, const int64_t* size_b,
                        int64_t dims_b) {
  return dims_a == dims_b && std::equal(size_a, size_a + dims_a, size_b);
}

ptrdiff_t THSize_nElement(int64_t dims, int64_t* size) {
  ptrdiff_t n = dims > 0;
  for (int64_t d = 0; d < dims; ++d) n *= size[d];
  return n;
}
}
