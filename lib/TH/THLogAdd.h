#ifndef TH_LOG_ADD_INC
#define TH_LOG_ADD_INC

/* Sums of numbers that are given by their logarithms. */

#include "THGeneral.h"

TH_API const double THLog2Pi;
TH_API const double THLogZero; /* stands for the logarithm of 0 */
TH_API const double THLogOne;

/* log(exp(log_a) + exp(log_b)) */
TH_API double THLogAdd(double log_a, double log_b);
/* log(exp(log_a) - exp(log_b)); log_b must not be above log_a. */
TH_API double THLogSub(double log_a, double log_b);
TH_API double THLog1p(const double x);
/* exp(-x) for x from 0 on, quick, to about 5 digits; 0 from 13 on. */
TH_API double THExpMinusApprox(const double x);

#endif
