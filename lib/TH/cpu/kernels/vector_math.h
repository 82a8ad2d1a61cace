#ifndef TH_CPU_KERNELS_VECTOR_MATH_H
#define TH_CPU_KERNELS_VECTOR_MATH_H

// Transcendental functions of SIMD vectors: an (almost) exact argument reduction, then a minimax
// polynomial (scripts/fit-polynomials.py), without branches in the common case. Errors are at most
// 2 ULP, as test/c/vector_math_test.cc checks. Results of different instruction sets may differ by
// such errors.

#include "cpu/kernels/vectors.h"

#ifdef TH_HAVE_VECTORS

#include <cmath>

namespace th {
namespace {
namespace vector {

// ---- exponentials: e^x = 2^n e^r, |r| <= log(2) / 2 --------------------------------------------

template <class V>
struct Exponent {
  V n, r;
};
template <class V>
inline Exponent<V> reduce_exponent(V x) {
  // The addition rounds to an integer. |x| is below 2^20 in all uses.
  const V shift = number<V>(0x1.8p23f, 0x1.8p52);
  const V n = fma(x, number<V>(1.44269502f, 1.4426950408889634), shift) - shift;
  V r = fma(n, number<V>(-0.693145752f, -0.69314718055989033), x);
  r = fma(n, number<V>(-1.42860682e-06f, -5.4979230187083712e-14), r);
  return {n, r};
}
// (e^r - 1 - r) / r^2
template <class V>
inline V exponential_rest(V r) {
  if constexpr (kIsFloat<V>) {
    return polynomial(r, 0.5f, 0.16666542f, 0.0416662805f, 0.00836664438f, 0.00139465637f);
  } else {
    return polynomial(r, 0.50000000000000056, 0.16666666666666685, 0.041666666666572941,
                      0.0083333333333144716, 0.0013888888932616545, 0.0001984126990332892,
                      2.4801504144831616e-05, 2.7557227657904821e-06, 2.7626451703251684e-07,
                      2.5114574618784028e-08);
  }
}
// Instructions that return denormal numbers take some 100 cycles. So exp leaves lanes whose results
// are denormal or 0 unchanged. They are negative, unlike all results, and finish_exp replaces them.
template <class V>
inline V exp(V x) {
  const V least = number<V>(-87.3365478515625f, -708.39641853226408), one = all<V>(1);
  const Exponent<V> e = reduce_exponent(min_at_least(least, number<V>(90, 711), x));
  return scale_at_least(least, x, fma(fma(exponential_rest(e.r), e.r, one), e.r, one), e.n);
}
template <class V>
inline V denormal_exp(V x) {
  const V zero = {}, one = all<V>(1), step = number<V>(0x1p23f, 0x1p52);
  const Bits<V> is_denormal = (Bits<V>)x <= (Bits<V>)number<V>(-104, -746);
  const Exponent<V> e = reduce_exponent(is_denormal ? x : zero);
  // The number of smallest denormals, rounded to an integer, whose bits are those of the result.
  const V n = e.n + number<V>(149, 1074);
  const V count = scale(fma(fma(exponential_rest(e.r), e.r, one), e.r, one), n);
  return is_denormal ? (V)((Bits<V>)(count + step) - (Bits<V>)step) : max(zero, x);
}
// Finishes n results of exp. least_words: the minima of their 32-bit words as integers, as which
// negative numbers are ordered in reverse and below all others. The upper words of doubles decide.
template <class V>
inline void finish_exp(Item<V>* y, int64_t n, Words least_words) {
  const auto lowest = (Bits<V>)least_words;
  constexpr int64_t lanes = sizeof(V) / sizeof(Item<V>);
  // Clang's comparison of 64-bit lanes has another type than Bits, so that any would be ambiguous.
  if (__builtin_expect(!any((Bits<V>)(lowest < 0)), 1)) return;
  if (any((Bits<V>)(lowest <= (Bits<V>)number<V>(-104, -746)))) {
    for (int64_t i = 0; i < n; i += lanes) store(y + i, denormal_exp(load<V>(y + i)));
  } else {
    // All are 0, as masked weights of attention are. max keeps NaN.
    for (int64_t i = 0; i < n; i += lanes) store(y + i, max(V{}, load<V>(y + i)));
  }
}
template <class V>
inline V expm1(V x) {
  const Exponent<V> e = reduce_exponent(max(number<V>(-105, -746), min(number<V>(89, 710), x)));
  // Computes half of the result, which is finite whenever the result is.
  const V half = all<V>(0.5f), s = scale(half, e.n), sr = s * e.r;
  const V y = fma(sr * e.r, exponential_rest(e.r), fma(s, e.r, s - half));
  // Half of a subnormal number has fewer bits.
  return abs(x) < number<V>(0x1p-25f, 0x1p-54) ? x : y + y;
}

// e^r = even + odd, e^-r = even - odd. For x >= 0, stores sinh and cosh times 2^(1 - n).
template <class V>
struct Hyperbolic {
  V n, sinh, cosh;
};
template <class V>
inline Hyperbolic<V> hyperbolic(V x) {
  const Exponent<V> e = reduce_exponent(x);
  const V z = e.r * e.r;
  V odd, even;  // odd without factor r; even without term 1
  if constexpr (kIsFloat<V>) {
    odd = polynomial(z, 0.166666672f, 0.00833328906f, 0.000199050759f);
    even = z * polynomial(z, 0.5f, 0.0416662656f, 0.00139463332f);
  } else {
    odd = polynomial(z, 0.16666666666666666, 0.0083333333333333367, 0.00019841269841253088,
                     2.7557319265413372e-06, 2.5052056603045983e-08, 1.6090877773707707e-10);
    even = z * polynomial(z, 0.5, 0.041666666666666713, 0.0013888888888863751,
                          2.4801587363740424e-05, 2.7557241537248242e-07, 2.0924513922854301e-09);
  }
  odd = fma(e.r * z, odd, e.r);
  // 1 +- 2^-2n. n >= 0, and may be limited where the sum is 1 anyway.
  const V s = scale(all<V>(1), min(e.n, all<V>(40)) * Item<V>(-2));
  const V sum = 1 + s, difference = 1 - s;
  return {e.n, difference + fma(sum, odd, difference * even),
          sum + fma(difference, odd, sum * even)};
}
template <class V>
inline V sinh(V x) {
  const Hyperbolic<V> h = hyperbolic(min(number<V>(90, 711), abs(x)));
  return with_sign(scale(h.sinh, h.n - 1), x);
}
template <class V>
inline V cosh(V x) {
  const Hyperbolic<V> h = hyperbolic(min(number<V>(90, 711), abs(x)));
  return scale(h.cosh, h.n - 1);
}
template <class V>
inline V tanh(V x) {
  const V a = min(number<V>(10, 20), abs(x)), z = a * a;
  V p;
  if constexpr (kIsFloat<V>) {
    p = polynomial(z, -0.333333164f, 0.133324996f, -0.0538422801f, 0.0210272204f, -0.00620743074f);
  } else {
    p = polynomial(z, -0.33333333333333287, 0.13333333333324252, -0.053968253962354565,
                   0.021869488344815079, -0.0088632319169515798, 0.0035920850036348594,
                   -0.0014554969287841697, 0.00058825302021078959, -0.00023288842216055578,
                   8.2601757731304125e-05, -1.9049032613607188e-05);
  }
  // tanh(a) = 1 - 2 / (e^2a + 1), where the quotient is less than 1/2.
  const Exponent<V> e = reduce_exponent(a + a);
  const V one = all<V>(1), exp = fma(fma(exponential_rest(e.r), e.r, one), e.r, one);
  const V large = one - 2 / (scale(exp, e.n) + 1);
  return with_sign(a > Item<V>(0.56) ? large : fma(a * z, p, a), x);
}
// Uses e^-|x|, which cannot overflow.
template <class V>
inline V sigmoid(V x) {
  const Exponent<V> e = reduce_exponent(max(number<V>(-105, -746), minus_abs(x)));
  const V one = all<V>(1), s = scale(one, e.n), q = fma(e.r * e.r, exponential_rest(e.r), e.r);
  const V exp = fma(s, q, s), sum = 1 + exp, lost = exp - (sum - 1);
  const Bits<V> negative = x < 0;
  const V r = (negative ? exp : one) / sum;
  return fma(-r * lost, negative ? 1 - r : r, r);
}

// ---- logarithms: log(x) = k log(2) + f + t, for x = 2^k (1 + f) ---------------------------------

template <class V>
struct Logarithm {
  V k, f, t;
};
template <class V>
inline Logarithm<V> logarithm(V x) {
  if constexpr (kIsFloat<V>) {
    const Split<V> s = split(x, 2.f / 3);
    const V f = s.m - 1, z = f * f;
    const V p = polynomial(f, 0.333332241f, -0.249996886f, 0.200100437f, -0.166854665f,
                           0.140109137f, -0.121151187f, 0.139624804f, -0.131917089f);
    return {s.k, f, z * fma(f, p, all<V>(-0.5f))};
  } else {
    // log((1 + s) / (1 - s)) with s = f / (2 + f)
    const Split<V> x_split = split(x, 0.70710678118654752);
    const V f = x_split.m - 1, s = f / (2 + f), z = s * s, half = 0.5 * f * f;
    const V p = polynomial(z, 0.6666666666666734, 0.39999999999414337, 0.28571428742472477,
                           0.22222198563643672, 0.1818356486176062, 0.15314035898412609,
                           0.14796105287419947);
    return {x_split.k, f, fma(s, fma(z, p, half), -half)};
  }
}
template <class V>
inline V log_of(Logarithm<V> l) {
  const V low = fma(l.k, number<V>(1.42860682e-06f, 5.4979230187083712e-14), l.t);
  return fma(l.k, number<V>(0.693145752f, 0.69314718055989033), l.f + low);
}
template <class V>
inline V log(V x) {
  return log_of(logarithm(x));
}
// log((u + u_low) / (v + v_low)), where each low part is below an ULP of the other, and accurate
// near 1. NaN if the quotient is negative.
template <class V>
inline V log_of_quotient(V u, V u_low, V v, V v_low) {
  const V q = u / v, rest = fma(-q, v, u) + fma(-q, v_low, u_low);
  Logarithm<V> l = logarithm(q);
  // For 0 and infinity the rest is NaN.
  l.t += ((q > 0) & (q < kInfinity<V>)) ? rest / u : V{};
  return log_of(l);
}
template <class V>
inline V atanh(V x) {
  const V a = abs(x), one = all<V>(1), up = one + a, down = one - a;
  const V r = log_of_quotient(up, a - (up - one), down, (one - down) - a) * Item<V>(0.5);
  // Below the threshold atanh(x) rounds to x. The formula would lose bits of subnormal numbers.
  return a < number<V>(0x1p-13f, 0x1p-27) ? x : with_sign(r, x);
}
template <class V>
inline V logit(V x) {
  const V one = all<V>(1), down = one - x;
  return log_of_quotient(x, V{}, down, (one - down) - x);
}
template <class V>
inline V log2(V x) {
  const V high = number<V>(1.44269502f, 1.4426950408889634);
  const V low = number<V>(1.92596303e-08f, 2.0355273740931033e-17);
  const Logarithm<V> l = logarithm(x);
  return l.k + fma(l.f, high, fma(l.t, high, l.f * low));
}
template <class V>
inline V log10(V x) {
  const V high = number<V>(0.434294492f, 0.43429448190325182);
  const V low = number<V>(-1.010305e-08f, 1.0983196502167651e-17);
  const Logarithm<V> l = logarithm(x);
  const V rest = fma(l.k, number<V>(4.60503898e-06f, 3.6942390771589308e-13), l.f * low);
  return fma(l.k, number<V>(0.301025391f, 0.30102999566361177),
             fma(l.f, high, fma(l.t, high, rest)));
}

// ---- powers: x^y = 2^(y log2(x)), the logarithm as an unevaluated sum of two numbers -----------

template <class V>
struct Parts {
  V high, low;
};
// Requires that a's exponent is at least b's.
template <class V>
inline Parts<V> add_parts(V a, V b) {
  const V sum = a + b;
  return {sum, b - (sum - a)};
}
template <class V>
inline Parts<V> multiply_parts(V a, V b) {
  const V product = a * b;
  return {product, fma(a, b, -product)};
}
// log2(x) for positive x.
template <class V>
inline Parts<V> log2_parts(V x) {
  const Split<V> split_x = split(x, Item<V>(0.70710678118654752));
  const V f = split_x.m - 1;
  const Parts<V> d = add_parts(all<V>(1), split_x.m);
  const V s = f / d.high, z = s * s;
  const V s_low = fma(-s, d.low, fma(-s, d.high, f)) * near_reciprocal(d.high);
  Parts<V> log2;
  if constexpr (kIsFloat<V>) {
    const V p = polynomial(z, 0.961796701f, 0.577082872f, 0.411706239f, 0.3402206f);
    const V first = all<V>(2.88539004f);
    const Parts<V> line = multiply_parts(s, first);
    const Parts<V> curve = multiply_parts(s, fma(z, p, all<V>(3.85192607e-08f)));
    log2 = add_parts(line.high, curve.high);
    log2.low += fma(s_low, fma(first, z, first), line.low) +
                fma(s * fma(s, s, -z), all<V>(0.96f), curve.low);
  } else {
    const V p = short_polynomial(z, 0.40000000000002256, 0.28571428570099267, 0.22222222519974272,
                                 0.1818178436283964, 0.15386757520977323, 0.13256813465478293,
                                 0.13196367438593959);
    // 2/3 s^3 as a sum of two numbers, too.
    const V z_low = fma(s, s, -z) + 2 * s * s_low;
    Parts<V> cube = multiply_parts(s, z);
    cube.low += fma(s, z_low, s_low * z);
    Parts<V> second = multiply_parts(cube.high, all<V>(0.66666666666666663));
    second.low += fma(cube.high, all<V>(3.7007434154171883e-17), cube.low * 0.66666666666666663);
    Parts<V> log = add_parts(s + s, second.high);
    log.low += fma(cube.high * z, p, 2 * s_low + second.low);
    log2 = multiply_parts(log.high, all<V>(1.4426950408889634));
    log2.low += fma(log.low, all<V>(1.4426950408889634), log.high * 2.0355273740931033e-17);
  }
  const Parts<V> sum = add_parts(split_x.k, log2.high);
  return add_parts(sum.high, sum.low + log2.low);
}
// (2^r - 1 - r log(2)) / r^2 for |r| <= 1/2
template <class V>
inline V power_rest(V r) {
  if constexpr (kIsFloat<V>) {
    return short_polynomial(r, 0.240226507f, 0.055503279f, 0.00961800385f, 0.00134002964f,
                            0.000154763315f);
  } else {
    return short_polynomial(r, 0.24022650695910072, 0.055504108664821701, 0.009618129107628496,
                            0.0013333558146390418, 0.00015403530393341108, 1.5252733856257728e-05,
                            1.3215486833077663e-06, 1.0178051200380696e-07, 7.0548882363419702e-09,
                            4.4566750753280038e-10, 2.5741834992750146e-11);
  }
}
template <class V>
inline V log_of_2() {
  return number<V>(0.693147182f, 0.69314718055994529);
}
// 2^(high + low). All errors before the last rounding are below half an ULP, so that powers that
// are floating-point numbers, such as x^1 and 7^2, are exact.
template <class V>
inline V power_of_parts(V high, V low) {
  const V r = high + low, line = fma(high, log_of_2<V>(), all<V>(1));
  V rest = fma(low, log_of_2<V>(), fma(high, log_of_2<V>(), 1 - line));
  if constexpr (!kIsFloat<V>) rest = fma(high, all<V>(2.3190468138462996e-17), rest);
  return line + fma(r * r, power_rest(r), rest);
}
// pow(x, y) if x is not positive, if x, y or the power is not finite, or if the power is near 0.
// power: |x|^y, or 0 or infinity if the limit of its logarithm implies that.
template <class V>
__attribute__((noinline, cold)) V special_power(V x, V y, V log2, V power) {
  const V zero = {}, infinity = all<V>(kInfinity<V>), magnitude = abs(x);
  const Bits<V> up = y > 0;
  V r = abs(log2) < number<V>(200, 1200) ? power : log2 > 0 ? infinity : zero;
  r = magnitude == infinity ? (up ? infinity : zero) : r;
  r = magnitude == 0 ? (up ? zero : infinity) : r;
  r = magnitude == 1 ? all<V>(1) : r;
  const V half = y * Item<V>(0.5);
  const Bits<V> integral = round_even(y) == y, odd = integral & (round_even(half) != half);
  const Bits<V> negative = with_sign(all<V>(1), x) < 0;
  r = ((x < 0) & (magnitude < infinity) & ~integral) ? all<V>(kNaN<V>) : r;
  r = (negative & odd & (abs(y) < infinity)) ? -r : r;
  r = ((x != x) | (y != y)) ? x + y : r;
  return ((y == 0) | (x == 1)) ? all<V>(1) : r;
}
template <class V>
inline V pow(V x, V y) {
  const Parts<V> log2 = log2_parts(abs(x));
  const Parts<V> p = multiply_parts(y, log2.high);
  const V n = round_even(p.high);
  const V power = scale(power_of_parts(p.high - n, fma(y, log2.low, p.low)), n);
  const Bits<V> common = (x > 0) & (x < kInfinity<V>)&(abs(p.high) < number<V>(200, 1200));
  return __builtin_expect(any(~common), 0) ? special_power(x, y, p.high, power) : power;
}

template <class V>
inline V exp2(V x) {
  const V limit = number<V>(200, 1200), limited = max(-limit, min(limit, x));
  const V n = round_even(limited), r = limited - n;
  return scale(fma(fma(power_rest(r), r, log_of_2<V>()), r, all<V>(1)), n);
}

// ---- inverse trigonometric functions ------------------------------------------------------------

// Uses tan(u - pi/4) = (tan(u) - 1) / (tan(u) + 1) and tan(u - pi/2) = -1 / tan(u).
template <class V>
inline V atan(V x) {
  const V a = abs(x), one = all<V>(1);
  const Bits<V> middle = a > Item<V>(0.5), large = a > 2;
  const V up = large ? -one : middle ? a - 1 : a, down = large ? a : middle ? a + 1 : one;
  const V t = up / down, z = t * t;
  V p;
  if constexpr (kIsFloat<V>) {
    p = polynomial(z, -0.333333284f, 0.199994981f, -0.142722338f, 0.109422095f, -0.079884775f,
                   0.0387823172f);
  } else {
    p = polynomial(z, -0.33333333333332993, 0.19999999999905269, -0.14285714276557562,
                   0.11111110666443012, -0.090908964014881202, 0.076920761820180983,
                   -0.066638321387670674, 0.058584346219527815, -0.051225696893413844,
                   0.041879877631670434, -0.027457339067067457, 0.0101316165760539);
  }
  const V r = fma(t * z, p, t);
  const V quarter = number<V>(0.785398185f, 0.78539816339744828);
  const V quarter_low = number<V>(-2.18556942e-08f, 3.061616997868383e-17);
  const V high = large ? quarter + quarter : quarter;
  const V low = large ? quarter_low + quarter_low : quarter_low;
  return with_sign(middle ? high + (r + low) : r, x);
}
// atan(t) for |t| <= 1
inline F32 small_atan(F32 t) {
  const F32 z = t * t;
  const F32 p =
      polynomial(z, -0.333333015f, 0.199986383f, -0.142652452f, 0.109575756f, -0.084194541f,
                 0.058234442f, -0.0314555801f, 0.0110643683f, -0.00182719564f);
  return fma(t * z, p, t);
}
inline F32 atan2(F32 y, F32 x) {
  const F32 a = abs(y), b = abs(x), zero = {}, one = all<F32>(1);
  const Bits<F32> steep = a > b, left = with_sign(one, x) < 0;
  F32 t = (steep ? -b : a) / (steep ? a : b);
  t = a == b ? (a == 0 ? zero : one) : t;
  const F32 r = small_atan(t);
  const F32 high = steep ? all<F32>(1.57079637f) : left ? all<F32>(3.14159274f) : zero;
  const F32 low = steep ? all<F32>(-4.37113883e-08f) : left ? all<F32>(-8.74227766e-08f) : zero;
  return with_sign(abs(high + (low + (left ? -r : r))), y);
}
// asin(s) for small s, and for s = sqrt((1 - a) / 2); twice the latter is acos(a).
template <class V>
struct Arc {
  Bits<V> large;
  V r;
};
inline Arc<F32> arc(F32 a) {
  const Bits<F32> large = a > 0.55f;
  const F32 z = large ? 0.5f - 0.5f * a : a * a, s = large ? sqrt(z) : a;
  const F32 p = polynomial(z, 0.166666403f, 0.0750164166f, 0.0443089381f, 0.0334560014f,
                           0.00854217727f, 0.045331616f);
  return {large, fma(s * z, p, s)};
}
inline F32 asin(F32 x) {
  const Arc<F32> c = arc(abs(x));
  return with_sign(c.large ? 1.57079637f - (2 * c.r + 4.37113883e-08f) : c.r, x);
}
inline F32 acos(F32 x) {
  const Arc<F32> c = arc(abs(x));
  const F32 r = with_sign(c.r, x), twice = c.r + c.r;
  const F32 outer = x < 0 ? 3.14159274f - (twice + 8.74227766e-08f) : twice;
  return c.large ? outer : 1.57079637f - (r + 4.37113883e-08f);
}

// ---- tangent of floats

// Computes the lanes selected by mask with the C library.
__attribute__((noinline, cold)) F32 tan_of_lanes(Bits<F32> mask, F32 x, F32 y) {
  for (size_t i = 0; i < kBytes / sizeof(float); ++i) {
    if (mask[i]) y[i] = static_cast<float>(std::tan(static_cast<double>(x[i])));
  }
  return y;
}
// x = n pi / 2 + r + low, with pi / 2 split into three parts. Exact enough unless n is large or x
// is closer to a multiple of pi / 2 than n times the second part.
inline F32 tan(F32 x) {
  const F32 n = round_even(x * 0.636619772f);
  const F32 near = fma(n, all<F32>(-1.57079637f), x), second = all<F32>(4.37113883e-08f);
  const F32 r = fma(n, second, near), z = r * r;
  const F32 low = fma(n, all<F32>(1.71512451e-15f), fma(n, second, near - r));
  const F32 p = polynomial(z, 0.333333492f, 0.133326471f, 0.0540616624f, 0.0212732591f,
                           0.010858722f, 6.07767324e-05f, 0.00439033238f);
  const F32 t = r + fma(r * z, p, low), half = n * 0.5f, one = all<F32>(1);
  const Bits<F32> odd = round_even(half) != half;
  F32 y = (odd ? -one : t) / (odd ? t : one);
  y = x == 0 ? x : y;
  const Bits<F32> rare = ~(abs(x) < 20000) | ((abs(near) < 0.001f) & (n != 0));
  return __builtin_expect(any(rare), 0) ? tan_of_lanes(rare, x, y) : y;
}

// ---- other functions ----------------------------------------------------------------------------

template <class V>
inline V hypot(V x, V y) {
  const V a = abs(x), b = abs(y), most = max(a, b), one = all<V>(1);
  const Bits<V> large = most > number<V>(0x1p60f, 0x1p500);
  const Bits<V> small = most < number<V>(0x1p-60f, 0x1p-450);
  const V down = number<V>(0x1p-70f, 0x1p-600), up = number<V>(0x1p90f, 0x1p700);
  const V by = large ? down : small ? up : one;
  const V back = large ? 1 / down : small ? 1 / up : one;
  const V u = a * by, v = b * by;
  const V r = sqrt(fma(u, u, v * v)) * back;
  return ((a == kInfinity<V>) | (b == kInfinity<V>)) ? all<V>(kInfinity<V>) : r;
}
#ifdef __AVX512F__
template <class V>
inline V rsqrt(V x) {
  const V y = near_rsqrt(x), e = fma(-x * y, y, all<V>(1));
  // (1 - e)^(-1/2) - 1, divided by e
  V p;
  if constexpr (kIsFloat<V>) {
    p = polynomial(e, 0.5f, 0.375f);
  } else {
    p = polynomial(e, 0.5, 0.375, 0.3125);
  }
  return ((x > 0) & (x < kInfinity<V>)) ? fma(y * e, p, y) : y;
}
#endif

}  // namespace vector
}  // namespace
}  // namespace th

#endif
#endif
