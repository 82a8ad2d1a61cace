#ifndef TH_MATH_INC
#define TH_MATH_INC

/* Functions of numbers that math.h does not have. */

#include <math.h>

/* 1 / (1 + e^-x) */
static inline double TH_sigmoid(double x) { return 1.0 / (1.0 + exp(-x)); }
static inline float TH_sigmoidf(float x) { return 1.0f / (1.0f + expf(-x)); }
/* x without its integral part; the sign is that of x. */
static inline double TH_frac(double x) { return x - trunc(x); }
static inline float TH_fracf(float x) { return x - truncf(x); }
static inline double TH_rsqrt(double x) { return 1.0 / sqrt(x); }
static inline float TH_rsqrtf(float x) { return 1.0f / sqrtf(x); }
/* a + weight * (b - a) */
static inline double TH_lerp(double a, double b, double weight) { return a + weight * (b - a); }
static inline float TH_lerpf(float a, float b, float weight) { return a + weight * (b - a); }

#endif
