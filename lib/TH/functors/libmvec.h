#ifndef TH_FUNCTORS_LIBMVEC_H
#define TH_FUNCTORS_LIBMVEC_H

// The functions of which glibc has vector versions.

#ifdef TH_HAVE_LIBMVEC
// With this attribute, loops over these functions call glibc's vector versions. log2 and log10 stay
// scalar, because their results for powers of 2 and 10 must be integers.
#define TH_VECTOR_MATH_1(function)                                           \
  __attribute__((__simd__("notinbranch"))) double function(double) noexcept; \
  __attribute__((__simd__("notinbranch"))) float function##f(float) noexcept;
#define TH_VECTOR_MATH_2(function)                                                   \
  __attribute__((__simd__("notinbranch"))) double function(double, double) noexcept; \
  __attribute__((__simd__("notinbranch"))) float function##f(float, float) noexcept;
extern "C" {
TH_VECTOR_MATH_1(exp)
TH_VECTOR_MATH_1(expm1)
TH_VECTOR_MATH_1(log)
TH_VECTOR_MATH_1(log1p)
TH_VECTOR_MATH_1(sin)
TH_VECTOR_MATH_1(cos)
TH_VECTOR_MATH_1(tan)
TH_VECTOR_MATH_1(asin)
TH_VECTOR_MATH_1(acos)
TH_VECTOR_MATH_1(atan)
TH_VECTOR_MATH_1(sinh)
TH_VECTOR_MATH_1(cosh)
TH_VECTOR_MATH_1(tanh)
TH_VECTOR_MATH_1(asinh)
TH_VECTOR_MATH_1(acosh)
TH_VECTOR_MATH_1(cbrt)
TH_VECTOR_MATH_1(erf)
TH_VECTOR_MATH_1(erfc)
TH_VECTOR_MATH_2(pow)
TH_VECTOR_MATH_2(atan2)
}
#undef TH_VECTOR_MATH_1
#undef TH_VECTOR_MATH_2
#endif

#endif
