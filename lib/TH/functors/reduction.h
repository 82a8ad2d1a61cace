#ifndef TH_FUNCTORS_REDUCTION_H
#define TH_FUNCTORS_REDUCTION_H

// Reductions and the functions applied to their results, shared by all backends.

#include <cmath>
#include <cstdint>
#include <limits>

#include "tensor/host_device.h"

namespace th {

// An accumulated value: int64 for integer element types, double for all others.
union Wide {
  double d;
  int64_t i;
};

// The second result of some reductions.
union Auxiliary {
  int64_t index;  // of the value, from 0
  double moment;  // sum of squared differences from the mean
};

// The partial result of a reduction.
struct Partial {
  Wide value;
  Auxiliary aux;
};

enum class Reducer : int {
#define TH_REDUCER(name, ...) name,
#include "functors/reducers.def"
};
constexpr int kReducers = 0
#define TH_REDUCER(...) +1
#include "functors/reducers.def"
    ;

// Functions applied to the result of a reduction. All except none are for floating-point types
// only.
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
// Returns true if finish needs Partial::aux.moment.
constexpr bool needs_moment(Finish finish) {
  return finish >= Finish::biased_variance && finish <= Finish::deviation;
}

namespace {

// Applies finish to the result of n elements.
TH_HD double finished(Finish finish, const Partial& p, int64_t n, double parameter) {
  auto count = static_cast<double>(n);
  // The variance of no elements is NaN. The unbiased variance of one element is 0 / 0 = NaN.
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
