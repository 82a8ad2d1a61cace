#ifndef TH_OPS_DISTRIBUTIONS_H
#define TH_OPS_DISTRIBUTIONS_H

// Checks of the parameters of distributions. `argument` is their position in the C function.

#include "base/error.h"
#include "functors/distributions.h"

namespace th {
namespace {

inline void check_deviation(double deviation, int argument) {
  if (!(deviation > 0.)) {
    fail_argument(argument, "standard deviation must be strictly positive, got %g", deviation);
  }
}
inline void check_lambda(double lambda, int argument) {
  if (!(lambda > 0.)) fail_argument(argument, "lambda must be strictly positive, got %g", lambda);
}
inline void check_geometric(double p, int argument) {
  if (!(p > 0. && p < 1.)) fail_argument(argument, "p must be > 0 and < 1, got %g", p);
}
inline void check_bernoulli(double p, int argument) {
  if (!is_probability(p)) fail_argument(argument, "p must be >= 0 and <= 1, got %g", p);
}

}  // namespace
}  // namespace th

#endif
