#ifndef TH_CPU_KERNELS_VECTOR_FUNCTORS_H
#define TH_CPU_KERNELS_VECTOR_FUNCTORS_H

// The functors for which vector_math.h and vector_special.h have vector functions. They were
// selected by measurement; the others use glibc's vector functions.

#include "cpu/kernels/vector_special.h"
#include "functors/functors.h"

namespace th {
namespace {

// run: the vector function. If has_rest, it leaves some lanes to finish, which gets all results and
// the minima of their words.
template <class F>
struct InVectors {
  static constexpr bool exists = false, has_rest = false;
};

#ifdef TH_HAVE_VECTORS
#define TH_IN_VECTORS(name, condition, parameters, value)                            \
  template <class T>                                                                 \
  struct InVectors<functor::name<T>> {                                               \
    static constexpr bool exists = std::is_floating_point_v<T> && (condition);       \
    static constexpr bool has_rest = false;                                          \
    using V = vector::Of<std::conditional_t<std::is_floating_point_v<T>, T, float>>; \
    static V run parameters { return value; }                                        \
  };
#define TH_IN_VECTORS_1(name, value) TH_IN_VECTORS(name, true, (V x), value)
#define TH_IN_VECTORS_2(name, value) TH_IN_VECTORS(name, true, (V a, V b), value)
#define TH_FLOATS_IN_VECTORS(name, parameters, value) \
  TH_IN_VECTORS(name, sizeof(T) == 4, parameters, value)

template <class T>
struct InVectors<functor::exp<T>> {
  static constexpr bool exists = std::is_floating_point_v<T>, has_rest = exists;
  using V = vector::Of<std::conditional_t<exists, T, float>>;
  static V run(V x) { return vector::exp(x); }
  static void finish(T* y, int64_t n, vector::Words lowest) { vector::finish_exp<V>(y, n, lowest); }
};
TH_IN_VECTORS_1(expm1, vector::expm1(x))
TH_IN_VECTORS_1(exp2, vector::exp2(x))
TH_IN_VECTORS_1(log, vector::log(x))
TH_IN_VECTORS_1(log2, vector::log2(x))
TH_IN_VECTORS_1(log10, vector::log10(x))
TH_IN_VECTORS_1(sinh, vector::sinh(x))
TH_IN_VECTORS_1(cosh, vector::cosh(x))
TH_IN_VECTORS_1(tanh, vector::tanh(x))
TH_IN_VECTORS_1(atanh, vector::atanh(x))
TH_IN_VECTORS_1(sigmoid, vector::sigmoid(x))
TH_IN_VECTORS_1(logit, vector::logit(x))
TH_IN_VECTORS_1(silu, x* vector::sigmoid(x))
TH_IN_VECTORS_1(atan, vector::atan(x))
TH_IN_VECTORS_1(erfinv, vector::erfinv(x))
TH_FLOATS_IN_VECTORS(erf, (V x), vector::erf(x))
TH_FLOATS_IN_VECTORS(erfc, (V x), vector::erfc(x))
TH_FLOATS_IN_VECTORS(gelu, (V x), vector::gelu(x))
TH_FLOATS_IN_VECTORS(tan, (V x), vector::tan(x))
TH_FLOATS_IN_VECTORS(asin, (V x), vector::asin(x))
TH_FLOATS_IN_VECTORS(acos, (V x), vector::acos(x))
TH_FLOATS_IN_VECTORS(lgamma, (V x), vector::lgamma(x))
TH_FLOATS_IN_VECTORS(atan2, (V a, V b), vector::atan2(a, b))
TH_IN_VECTORS_2(cpow, vector::pow(a, b))
TH_IN_VECTORS_2(elu, a > 0 ? a : b * vector::expm1(a))
TH_IN_VECTORS_2(hypot, vector::hypot(a, b))
TH_IN_VECTORS_1(sinc, vector::sinc(x))
TH_IN_VECTORS_1(i0, vector::bessel_i<0>(x))
TH_IN_VECTORS_1(i1, vector::bessel_i<1>(x))
#ifdef __AVX512F__
TH_IN_VECTORS_1(rsqrt, vector::rsqrt(x))
#endif

#undef TH_IN_VECTORS
#undef TH_IN_VECTORS_1
#undef TH_IN_VECTORS_2
#undef TH_FLOATS_IN_VECTORS
#endif

}  // namespace
}  // namespace th

#endif
