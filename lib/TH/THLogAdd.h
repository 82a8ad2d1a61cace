#ifndef TH_LOG_ADD_INC
#define TH_LOG_ADD_INC

/* Sums and differences of numbers given by their logarithms. */

#include "THGeneral.h"

TH_API const double THLog2Pi;
TH_API const double THLogZero; /* represents log(0) */
TH_API const double THLogOne;

/* Returns log(exp(log_a) + exp(log_b)). NaN is an error. */
TH_API double THLogAdd(double log_a, double log_b);
/* Returns log(exp(log_a) - exp(log_b)). log_b > log_a and NaN are errors. */
TH_API double THLogSub(double log_a, double log_b);
TH_API double THLog1p(const double x);
/* Approximates exp(-x) for x >= 0 to about 5 digits. Returns 0 for x >= 13. */
TH_API double THExpMinusApprox(const double x);

#endif
