#ifndef TH_FUNCTORS_REDUCTION_H
#define TH_FUNCTORS_REDUCTION_H

// What elements are reduced to, and what is made of that, for every backend.

#include <cmath>
#include <cstdint>
#include <limits>

#include "tensor/host_device.h"

namespace th {

// What an accumulator becomes: int64 for integer elements, double for all others.
union Wide {
  double d;
  int64_t i;
};

// What some reductions keep beside their value.
union Auxiliary {
  int64_t index;  // of the value, from 0
  double moment;  // sum of squared differences from the mean
};

// One reduction with its result so far.
struct Partial {
  Wide value;
  Auxiliary aux;
};

// What n elements are reduced to. Those from nonzero on are for floating point only.
enum class Reducer : int {
  sum,
  prod,
  min,  // NaN where there is one
  max,
  nonzero,  // how many are not 0
  abs_sum,
  abs_min,
  abs_max,
  squares,    // sum of squares
  powers,     // sum of |x|^parameter
  deviation,  // sum of (x - parameter)^2
};
constexpr int kReducers = 11;

// What is made of it in the end; floating point only, but for none.
enum class Finish : int {
  none,
  mean,
  biased_variance,
  variance,
  biased_deviation,  // standard deviation
  deviation,
  square_root,
  root,  // of order parameter
};

namespace {

// The result of n elements.
TH_HD double finished(Finish finish, const Partial& p, int64_t n, double parameter) {
  auto count = static_cast<double>(n);
  // No element has no variance; one has no unbiased one, which is 0 / 0.
  double moment = n == 0 ? std::numeric_limits<double>::quiet_NaN() : p.aux.moment;
  switch (finish) {
    case Finish::none:
      break;
    case Finish::mean:
      return p.value.d / count;
    case Finish::biased_variance:
      return moment / count;
    case Finish::variance:
      return moment / (count - 1);
    case Finish::biased_deviation:
      return std::sqrt(moment / count);
    case Finish::deviation:
      return std::sqrt(moment / (count - 1));
    case Finish::square_root:
      return std::sqrt(p.value.d);
    case Finish::root:
      return std::pow(p.value.d, 1 / parameter);
  }
  return p.value.d;
}

}  // namespace
}  // namespace th

#endif
