#ifndef TH_CPU_KERNELS_VECTOR_SPECIAL_H
#define TH_CPU_KERNELS_VECTOR_SPECIAL_H

// Special functions of SIMD vectors, with the errors of those of vector_math.h.

#include "cpu/kernels/vector_math.h"
#include "functors/special.h"

#ifdef TH_HAVE_VECTORS

namespace th {
namespace {
namespace vector {

// ---- error functions of floats -----------------------------------------------------------------

// factor * erfc(a) for a >= 0: erfc(a) = e^(-a^2) (1 - u) p(u), u = (a - 3) / (a + 3).
// a^2 = square + lost. V is double where all bits of the float result must be accurate, else float.
template <class V>
inline V error_tail(V a, V square, V lost, V factor) {
  const V rest = 6 / (a + 3), one = all<V>(1);
  const Exponent<V> e = reduce_exponent(-square);
  V p = polynomial(1 - rest, 0.17900115129457209, -0.14723241440810761, 0.098371383083498756,
                   -0.051744334743468373, 0.01992151140316064, -0.0044733044060463042,
                   -0.0002044051322851125, 0.0005133880157028773, -8.0529470543440354e-05,
                   -5.4222225677830593e-05);
  p *= rest;
  if constexpr (kIsFloat<V>) p = fma(-lost, p, p);
  const V q = polynomial(e.r, 0.50000000956755475, 0.16666518308588157, 0.041666204230978068,
                         0.0083689533226924667, 0.0013950596381063177);
  return scale(fma(fma(q, e.r, one), e.r, one) * (p * factor), e.n);
}
constexpr double kMostOfTail = 10.2;  // erfc is 0 from there on
template <class V>
inline V error_tail(V a) {
  a = min(all<V>(Item<V>(kMostOfTail)), a);
  const V square = a * a;
  return error_tail(a, square, fma(a, a, -square), all<V>(1));
}
// x / 2 * erfc(-x / sqrt(2)), from half the square of x, which is exact.
inline F32 gelu(F32 x) {
  const F32 a = min(all<F32>(1.41421356f * static_cast<float>(kMostOfTail)), abs(x));
  const F32 square = a * a, half = all<F32>(0.5f);
  const F32 tail = error_tail(a * 0.707106781f, half * square, half * fma(a, a, -square), half * a);
  return x < 0 ? -tail : x - tail;
}
inline F32 erf(F32 x) {
  const F32 p = polynomial(x * x, 0.128379151f, -0.376125067f, 0.112819262f, -0.0267701875f,
                           0.00499793328f, -0.000601303938f);
  const F32 a = abs(x);
  return a < 0.92f ? fma(x, p, x) : with_sign(1 - error_tail(a), x);
}
inline F64 erfc_of_float(F64 x) {
  const F64 tail = error_tail(abs(x));
  return x < 0 ? 2 - tail : tail;
}
inline F32 erfc(F32 x) {
  const Doubles d = widen(x);
  return narrow({erfc_of_float(d.low), erfc_of_float(d.high)});
}

// ---- the inverse of erf -------------------------------------------------------------------------

// Computes the lanes selected by mask one by one.
template <class V>
__attribute__((noinline, cold)) V erfinv_of_lanes(Bits<V> mask, V x, V y) {
  for (size_t i = 0; i < kBytes / sizeof(Item<V>); ++i) {
    if (mask[i]) y[i] = static_cast<Item<V>>(functor::inverse_erf(static_cast<double>(x[i])));
  }
  return y;
}
// x (sqrt(pi) / 2 + w p), w = -log(1 - x^2) (after M. Giles, Approximating the erfinv function,
// 2010), up to w = 5, where |x| is 0.9966.
template <class V>
inline V erfinv(V x) {
  const V one = all<V>(1), w = -log((one - x) * (one + x)), t = w - Item<V>(2.5);
  V p;
  if constexpr (kIsFloat<V>) {
    p = polynomial(t, 0.246072974f, 0.000226924715f, -0.00176172515f, 0.000203594119f,
                   5.90068565e-06f, -4.34618029e-06f, 3.5321844e-07f, 4.5324e-08f,
                   -8.82048495e-09f);
  } else {
    p = polynomial(t, 0.24607297026321356, 0.00022692259238140771, -0.0017616961267057406,
                   0.00020359528755751658, 5.8619907128555525e-06, -4.343228123408135e-06,
                   3.7064341518008211e-07, 4.3232719308740975e-08, -1.1926371955412771e-08,
                   4.2608298205183235e-10, 1.924925780088317e-10, -2.9155169457424845e-11,
                   -7.8106516357166596e-13, 6.7736011938704249e-13, -5.6084089252256937e-14,
                   -8.0810460984081053e-15, 1.9630894847815883e-15, -1.8380682624516073e-17,
                   -3.3311027041473014e-17, 2.0103036777679005e-18, 2.1464248148661715e-19);
  }
  const V low = x * number<V>(-2.66232002e-8f, -3.8332932499128994e-17);
  const V sum = fma(x, number<V>(0.886226952f, 0.88622692545275801), fma(x * w, p, low));
  const V y = x == 0 ? x : sum;
  const Bits<V> far = w > 5;
  return __builtin_expect(any(far), 0) ? erfinv_of_lanes(far, x, y) : y;
}

// ---- sinc ---------------------------------------------------------------------------------------

// sin(pi x) / (pi x) = near / |x| (1 + near^2 p), where near is the distance of |x| from an even
// number, or from an odd one. The reduction is exact, so that integers give 0.
template <class V>
inline V sinc(V x) {
  const V a = abs(x), turns = a - 2 * round_even(a * Item<V>(0.5)), size = abs(turns);
  const V near = size > Item<V>(0.5) ? 1 - size : size, z = near * near;
  V p;
  if constexpr (kIsFloat<V>) {
    p = polynomial(z, -1.64493406f, 0.81174223f, -0.190748211f, 0.0261187141f, -0.0022390452f);
  } else {
    p = polynomial(z, -1.6449340668482264, 0.81174242528334184, -0.19075182412155908,
                   0.026147847806395685, -0.0023460809018731521, 0.00014842786904947655,
                   -6.9721627673904772e-06, 2.4508871883375929e-07);
  }
  const V part = near / a, r = with_sign(fma(part * z, p, part), turns);
  return x == 0 ? all<V>(1) : near == 0 ? V{} : r;
}

// ---- the logarithm of gamma, of floats ----------------------------------------------------------

// Computes the lanes selected by mask with the C library.
__attribute__((noinline, cold)) F32 lgamma_of_lanes(Bits<F32> mask, F32 x, F32 y) {
  int sign;
  for (size_t i = 0; i < kBytes / sizeof(float); ++i) {
    if (mask[i]) y[i] = static_cast<float>(::lgamma_r(static_cast<double>(x[i]), &sign));
  }
  return y;
}
// x: a float >= 0. Uses Stirling's series from 8 on. Below, the recurrence gamma(x) = (x - 1)
// gamma(x - 1) leads to an m from 1 to 2, and the polynomial is lgamma(m) without its zeros.
inline F64 lgamma_of_float(F64 x) {
  const F64 one = all<F64>(1);
  const Bits<F64> large = x >= 8, small = x < 1;
  F64 m = small ? x + 1 : x, product = small ? x : one;
  for (int k = 0; k < 6; ++k) {
    const Bits<F64> beyond = m >= 2;
    m = beyond ? m - 1 : m;
    product = beyond ? product * m : product;
  }
  const F64 logarithm = log(large ? x : product), t = m - 1.5, y = 1 / x, z = y * y;
  const F64 p = polynomial(t, 0.48312895049449256, -0.14595990210977039, 0.062911414210453889,
                           -0.031307997860176379, 0.01679649739045495, -0.0094363967844791237,
                           0.0054564759231563072, -0.0031164010097934928, 0.0018483114664291798,
                           -0.0015255219219984283, 0.00095991521578325594);
  const F64 rest = (m - 1) * (m - 2) * p + (small ? -logarithm : logarithm);
  const F64 series = polynomial(z, 1.0 / 12, -1.0 / 360, 1.0 / 1260);
  const F64 stirling = fma(x - 0.5, logarithm - 1, fma(series, y, all<F64>(0.41893853320467274)));
  return x == kInfinity<F64> ? x : large ? stirling : rest;
}
inline F32 lgamma(F32 x) {
  const Doubles d = widen(abs(x));
  const F32 y = narrow({lgamma_of_float(d.low), lgamma_of_float(d.high)});
  const Bits<F32> negative = x < 0;
  return __builtin_expect(any(negative), 0) ? lgamma_of_lanes(negative, x, y) : y;
}

// ---- Bessel functions ---------------------------------------------------------------------------

template <int N>
inline F64 polynomial(const double (&c)[N], F64 x) {
  F64 sum = all<F64>(c[N - 1]);
#pragma GCC unroll 32
  for (int k = N - 2; k >= 0; --k) sum = fma(sum, x, all<F64>(c[k]));
  return sum;
}
template <int order>
inline F64 bessel_i(F64 x) {
  const F64 a = abs(x), half = 0.5 * a, q = half * half;
  F64 y = functor::near_bessel<order>([=](const auto& c) { return polynomial(c, q); });
  if constexpr (order == 1) y *= half;
  const Bits<F64> far = a > 8;
  if (any(far)) {
    const F64 size = far ? min(all<F64>(750), a) : all<F64>(8), z = 16 / size - 1;
    const F64 rest = functor::far_bessel<order>([=](const auto& c) { return polynomial(c, z); });
    const Exponent<F64> e = reduce_exponent(size);
    const F64 one = all<F64>(1), exp = fma(fma(exponential_rest(e.r), e.r, one), e.r, one);
    y = far ? scale(exp * (rest / sqrt(size)), e.n) : y;
  }
  return order == 0 ? y : with_sign(y, x);
}
template <int order>
inline F32 bessel_i(F32 x) {
  const Doubles d = widen(x);
  return narrow({bessel_i<order>(d.low), bessel_i<order>(d.high)});
}

}  // namespace vector
}  // namespace
}  // namespace th

#endif
#endif
