#ifndef TH_CPU_KERNELS_VECTORS_H
#define TH_CPU_KERNELS_VECTORS_H

// The widest SIMD vectors of float and double with fused multiply-add, and the operations that
// vector_math.h needs beyond the operators. Comparisons give 0 or -1 in each lane, for use in `mask
// ? a : b`.

#if defined(__AVX512F__) || (defined(__AVX2__) && defined(__FMA__))
#define TH_HAVE_VECTORS 1

#include <immintrin.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

namespace th {
namespace {
namespace vector {

#ifdef __AVX512F__
constexpr int kBytes = 64;
#else
constexpr int kBytes = 32;
#endif
template <class T>
struct Types;
template <>
struct Types<float> {
  typedef float V __attribute__((vector_size(kBytes)));
  typedef int32_t I __attribute__((vector_size(kBytes)));
  typedef uint32_t U __attribute__((vector_size(kBytes)));
};
template <>
struct Types<double> {
  typedef double V __attribute__((vector_size(kBytes)));
  typedef int64_t I __attribute__((vector_size(kBytes)));
  typedef uint64_t U __attribute__((vector_size(kBytes)));
};
using F32 = Types<float>::V;
using F64 = Types<double>::V;
using Words = Types<float>::I;
template <class T>
using Of = typename Types<T>::V;
template <class V>
using Item = std::decay_t<decltype(std::declval<V&>()[0])>;
template <class V>
using Bits = typename Types<Item<V>>::I;
template <class V>
constexpr bool kIsFloat = sizeof(Item<V>) == 4;
template <class V>
constexpr Item<V> kInfinity = std::numeric_limits<Item<V>>::infinity();
template <class V>
constexpr Item<V> kNaN = std::numeric_limits<Item<V>>::quiet_NaN();

template <class V>
inline V load(const Item<V>* p) {
  V v;
  std::memcpy(&v, p, sizeof(v));
  return v;
}
template <class V>
inline void store(Item<V>* p, V v) {
  std::memcpy(p, &v, sizeof(v));
}
template <class V>
inline V all(Item<V> value) {
  return value - V{};
}
// A constant of the lane type.
template <class V>
inline V number(float of_float, double of_double) {
  if constexpr (kIsFloat<V>) {
    return all<V>(of_float);
  } else {
    return all<V>(of_double);
  }
}

#ifdef __AVX512F__
#define TH_VECTOR_1(name, ps, pd)         \
  inline F32 name(F32 x) { return (ps); } \
  inline F64 name(F64 x) { return (pd); }
// Masked forms with full masks, because GCC warns about undefined lanes of the others.
TH_VECTOR_1(round_even, _mm512_maskz_roundscale_ps(0xffff, x, 8),
            _mm512_maskz_roundscale_pd(0xff, x, 8))
TH_VECTOR_1(sqrt, _mm512_maskz_sqrt_ps(0xffff, x), _mm512_maskz_sqrt_pd(0xff, x))
// Approximations with 14 bits.
TH_VECTOR_1(near_rsqrt, _mm512_maskz_rsqrt14_ps(0xffff, x), _mm512_maskz_rsqrt14_pd(0xff, x))
TH_VECTOR_1(near_reciprocal, _mm512_maskz_rcp14_ps(0xffff, x), _mm512_maskz_rcp14_pd(0xff, x))
inline F32 fma(F32 a, F32 b, F32 c) { return _mm512_fmadd_ps(a, b, c); }
inline F64 fma(F64 a, F64 b, F64 c) { return _mm512_fmadd_pd(a, b, c); }
// min and max return a if b is NaN.
inline F32 min(F32 b, F32 a) { return _mm512_maskz_min_ps(0xffff, b, a); }
inline F64 min(F64 b, F64 a) { return _mm512_maskz_min_pd(0xff, b, a); }
inline F32 max(F32 b, F32 a) { return _mm512_maskz_max_ps(0xffff, b, a); }
inline F64 max(F64 b, F64 a) { return _mm512_maskz_max_pd(0xff, b, a); }
inline bool any(Types<float>::I m) { return _mm512_test_epi32_mask((__m512i)m, (__m512i)m) != 0; }
inline bool any(Types<double>::I m) { return _mm512_test_epi64_mask((__m512i)m, (__m512i)m) != 0; }
// x * 2^n for integral n, also if the result is subnormal, infinite or 0.
inline F32 scale(F32 x, F32 n) { return _mm512_maskz_scalef_ps(0xffff, x, n); }
inline F64 scale(F64 x, F64 n) { return _mm512_maskz_scalef_pd(0xff, x, n); }
// Where x >= least or x is NaN: min(most, x), else 0; and scale(y, n), else x.
inline F32 min_at_least(F32 least, F32 most, F32 x) {
  return _mm512_maskz_min_ps(_mm512_cmp_ps_mask(x, least, _CMP_NLT_US), most, x);
}
inline F64 min_at_least(F64 least, F64 most, F64 x) {
  return _mm512_maskz_min_pd(_mm512_cmp_pd_mask(x, least, _CMP_NLT_US), most, x);
}
inline F32 scale_at_least(F32 least, F32 x, F32 y, F32 n) {
  return _mm512_mask_scalef_ps(x, _mm512_cmp_ps_mask(x, least, _CMP_NLT_US), y, n);
}
inline F64 scale_at_least(F64 least, F64 x, F64 y, F64 n) {
  return _mm512_mask_scalef_pd(x, _mm512_cmp_pd_mask(x, least, _CMP_NLT_US), y, n);
}
#else
#define TH_VECTOR_1(name, ps, pd)         \
  inline F32 name(F32 x) { return (ps); } \
  inline F64 name(F64 x) { return (pd); }
TH_VECTOR_1(round_even, _mm256_round_ps(x, 8), _mm256_round_pd(x, 8))
TH_VECTOR_1(sqrt, _mm256_sqrt_ps(x), _mm256_sqrt_pd(x))
// 11 bits for float, full precision for double.
TH_VECTOR_1(near_reciprocal, _mm256_rcp_ps(x), 1 / x)
inline F32 fma(F32 a, F32 b, F32 c) { return _mm256_fmadd_ps(a, b, c); }
inline F64 fma(F64 a, F64 b, F64 c) { return _mm256_fmadd_pd(a, b, c); }
inline F32 min(F32 b, F32 a) { return _mm256_min_ps(b, a); }
inline F64 min(F64 b, F64 a) { return _mm256_min_pd(b, a); }
inline F32 max(F32 b, F32 a) { return _mm256_max_ps(b, a); }
inline F64 max(F64 b, F64 a) { return _mm256_max_pd(b, a); }
inline bool any(Types<float>::I m) { return !_mm256_testz_si256((__m256i)m, (__m256i)m); }
inline bool any(Types<double>::I m) { return !_mm256_testz_si256((__m256i)m, (__m256i)m); }
// 2^n, if that is a normal number.
template <class V>
inline V power_of_2(V n) {
  // The lowest bits of the sum contain n plus the exponent bias.
  const V sum = n + number<V>(0x1.8p23f + 127, 0x1.8p52 + 1023);
  return (V)((Bits<V>)sum << (kIsFloat<V> ? 23 : 52));
}
template <class V>
inline V scale(V x, V n) {
  const V limit = number<V>(252, 2044);
  n = max(-limit, min(limit, n));
  const V half = round_even(n * 0.5f);
  return x * power_of_2(half) * power_of_2(n - half);
}
template <class V>
inline V min_at_least(V least, V most, V x) {
  return x < least ? V{} : min(most, x);
}
template <class V>
inline V scale_at_least(V least, V x, V y, V n) {
  return x < least ? x : scale(y, n);
}
#endif
#undef TH_VECTOR_1

template <class V>
inline V abs(V x) {
  return (V)((Bits<V>)x & std::numeric_limits<Item<Bits<V>>>::max());
}
template <class V>
inline V minus_abs(V x) {
  return (V)((Bits<V>)x | std::numeric_limits<Item<Bits<V>>>::min());
}
// magnitude (>= 0) with the sign of x.
template <class V>
inline V with_sign(V magnitude, V x) {
  return (V)((Bits<V>)magnitude | ((Bits<V>)x & std::numeric_limits<Item<Bits<V>>>::min()));
}
// x = 2^k m with m in [low, 2 low), for x > 0 and 1/2 < low < 1. k is -infinity for 0, infinity for
// infinity, and NaN for negative x.
template <class V>
struct Split {
  V k, m;
};
template <class V>
inline Split<V> split(V x, Item<V> low) {
#ifdef __AVX512F__
  V k, m;
  if constexpr (kIsFloat<V>) {
    k = _mm512_maskz_getexp_ps(0xffff, x);
    m = _mm512_maskz_getmant_ps(0xffff, x, _MM_MANT_NORM_1_2, _MM_MANT_SIGN_nan);
  } else {
    k = _mm512_maskz_getexp_pd(0xff, x);
    m = _mm512_maskz_getmant_pd(0xff, x, _MM_MANT_NORM_1_2, _MM_MANT_SIGN_nan);
  }
  const Bits<V> large = m >= 2 * low;
  return {large ? k + 1 : k, large ? m * Item<V>(0.5) : m};
#else
  using T = Item<V>;
  constexpr int fraction = kIsFloat<V> ? 23 : 52;
  const T normal = std::numeric_limits<T>::min();
  const Bits<V> small = x < normal;
  const T up = kIsFloat<V> ? T(0x1p25) : T(0x1p54);
  const Bits<V> bits = (Bits<V>)(small ? x * up : x);
  const Bits<V> base = (Bits<V>)all<V>(T(1)), from = base - (Bits<V>)all<V>(low);
  // The biased exponent of x / low.
  const auto exponent = (Bits<V>)((typename Types<T>::U)(bits + from) >> fraction);
  const V m = (V)(bits - (exponent << fraction) + base);
  const V magic = number<V>(0x1p23f, 0x1p52);
  V k = (V)((Bits<V>)magic | exponent) - (magic + number<V>(127, 1023));
  k = small ? k - number<V>(25, 54) : k;
  k = x == 0 ? all<V>(-kInfinity<V>) : x == kInfinity<V> ? all<V>(kInfinity<V>) : k;
  return {x >= 0 ? k : all<V>(kNaN<V>), m};
#endif
}

// The lanes of a float vector as doubles.
struct Doubles {
  F64 low, high;
};
inline Doubles widen(F32 x) {
  float lane[kBytes / sizeof(float)];
  store(lane, x);
#ifdef __AVX512F__
  return {_mm512_maskz_cvtps_pd(0xff, _mm256_loadu_ps(lane)),
          _mm512_maskz_cvtps_pd(0xff, _mm256_loadu_ps(lane + 8))};
#else
  return {_mm256_cvtps_pd(_mm_loadu_ps(lane)), _mm256_cvtps_pd(_mm_loadu_ps(lane + 4))};
#endif
}
inline F32 narrow(Doubles d) {
  float lane[kBytes / sizeof(float)];
#ifdef __AVX512F__
  _mm256_storeu_ps(lane, _mm512_maskz_cvtpd_ps(0xff, d.low));
  _mm256_storeu_ps(lane + 8, _mm512_maskz_cvtpd_ps(0xff, d.high));
#else
  _mm_storeu_ps(lane, _mm256_cvtpd_ps(d.low));
  _mm_storeu_ps(lane + 4, _mm256_cvtpd_ps(d.high));
#endif
  return load<F32>(lane);
}

inline float sum_of_lanes(F32 x) {
#ifdef __AVX512F__
  const __m256 eight =
      _mm512_maskz_extractf32x8_ps(0xff, x, 0) + _mm512_maskz_extractf32x8_ps(0xff, x, 1);
#else
  const __m256 eight = x;
#endif
  const __m128 four = _mm256_castps256_ps128(eight) + _mm256_extractf128_ps(eight, 1);
  const __m128 two = four + _mm_movehl_ps(four, four);
  return two[0] + two[1];
}

// c0 + c1 x + c2 x^2 ..., by Horner's rule.
template <class V>
inline V polynomial(V, Item<V> c) {
  return all<V>(c);
}
template <class V, class... C>
inline V polynomial(V x, Item<V> c0, C... c) {
  return fma(polynomial(x, static_cast<Item<V>>(c)...), x, all<V>(c0));
}

// The same with separate even and odd terms: more instructions, but a shorter dependency chain.
template <class V, class... C>
inline V short_polynomial(V x, C... c) {
  constexpr int n = sizeof...(C);
  const Item<V> terms[] = {c...};
  const V z = x * x;
  V last[2] = {all<V>(terms[n - 1]), all<V>(terms[n - 2])};
  for (int k = n - 3; k >= 0; --k) {
    V& sum = last[(n - 1 - k) % 2];
    sum = fma(sum, z, all<V>(terms[k]));
  }
  return fma(last[n % 2], x, last[(n - 1) % 2]);
}

}  // namespace vector
}  // namespace
}  // namespace th

#endif
#endif
