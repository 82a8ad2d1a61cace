#ifndef TH_SIMT_SHIM_SIMT_FUNCTIONS_H
#define TH_SIMT_SHIM_SIMT_FUNCTIONS_H

// CUDA's functions on numbers and memory. Atomic ones are plain: threads take turns only where they
// wait. Those that CUDA has not for a type are missing here, too.

#include <cmath>
#include <cstdint>
#include <type_traits>

namespace th::simt {

// Integers wrap.
template <class T>
T wrapping_sum(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
  } else {
    return a + b;
  }
}

template <class T>
T exchange(T* place, T value) {
  T old = *place;
  *place = value;
  return old;
}

template <class To, class From>
To bit_cast(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  __builtin_memcpy(&to, &from, sizeof(To));
  return to;
}

}  // namespace th::simt

#define TH_SIMT_ATOMIC(name, type, result) \
  inline type name(type* place, type value) { return th::simt::exchange<type>(place, result); }
#define TH_SIMT_ATOMICS(X, name, result) \
  X(name, int, result)                   \
  X(name, unsigned, result) X(name, long long, result) X(name, unsigned long long, result)

TH_SIMT_ATOMIC(atomicAdd, int, th::simt::wrapping_sum(*place, value))
TH_SIMT_ATOMIC(atomicAdd, unsigned, *place + value)
TH_SIMT_ATOMIC(atomicAdd, unsigned long long, *place + value)
TH_SIMT_ATOMIC(atomicAdd, float, *place + value)
TH_SIMT_ATOMIC(atomicAdd, double, *place + value)
TH_SIMT_ATOMIC(atomicSub, int, th::simt::wrapping_sum(*place, th::simt::wrapping_sum(~value, 1)))
TH_SIMT_ATOMIC(atomicSub, unsigned, *place - value)
TH_SIMT_ATOMIC(atomicExch, int, value)
TH_SIMT_ATOMIC(atomicExch, unsigned, value)
TH_SIMT_ATOMIC(atomicExch, unsigned long long, value)
TH_SIMT_ATOMIC(atomicExch, float, value)
TH_SIMT_ATOMIC(atomicInc, unsigned, *place >= value ? 0 : *place + 1)
TH_SIMT_ATOMIC(atomicDec, unsigned, *place == 0 || *place > value ? value : *place - 1)
TH_SIMT_ATOMICS(TH_SIMT_ATOMIC, atomicMax, *place < value ? value : *place)
TH_SIMT_ATOMICS(TH_SIMT_ATOMIC, atomicMin, value < *place ? value : *place)
TH_SIMT_ATOMICS(TH_SIMT_ATOMIC, atomicAnd, *place& value)
TH_SIMT_ATOMICS(TH_SIMT_ATOMIC, atomicOr, *place | value)
TH_SIMT_ATOMICS(TH_SIMT_ATOMIC, atomicXor, *place ^ value)
#undef TH_SIMT_ATOMICS
#undef TH_SIMT_ATOMIC

#define TH_SIMT_CAS(type)                                                 \
  inline type atomicCAS(type* place, type compare, type value) {          \
    return th::simt::exchange(place, *place == compare ? value : *place); \
  }
TH_SIMT_CAS(int)
TH_SIMT_CAS(unsigned)
TH_SIMT_CAS(unsigned short)
TH_SIMT_CAS(unsigned long long)
#undef TH_SIMT_CAS

#define TH_SIMT_MIN_MAX(type)                               \
  inline type min(type a, type b) { return b < a ? b : a; } \
  inline type max(type a, type b) { return a < b ? b : a; }
TH_SIMT_MIN_MAX(int)
TH_SIMT_MIN_MAX(unsigned)
TH_SIMT_MIN_MAX(long)
TH_SIMT_MIN_MAX(unsigned long)
TH_SIMT_MIN_MAX(long long)
TH_SIMT_MIN_MAX(unsigned long long)
#undef TH_SIMT_MIN_MAX
// Of a NaN and a number, the number, as fminf and its kin have it.
inline float min(float a, float b) { return fminf(a, b); }
inline float max(float a, float b) { return fmaxf(a, b); }
inline double min(double a, double b) { return fmin(a, b); }
inline double max(double a, double b) { return fmax(a, b); }
inline double min(float a, double b) { return fmin(a, b); }
inline double max(float a, double b) { return fmax(a, b); }
inline double min(double a, float b) { return fmin(a, b); }
inline double max(double a, float b) { return fmax(a, b); }

inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(x)); }
inline int __clzll(long long x) {
  return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x));
}
inline unsigned __brev(unsigned x) {
  unsigned reversed = 0;
  for (int bit = 0; bit < 32; ++bit) reversed |= (x >> bit & 1u) << (31 - bit);
  return reversed;
}
inline unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>(static_cast<uint64_t>(a) * b >> 32);
}
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<unsigned long long>(static_cast<Wide>(a) * b >> 64);
}

inline int __float_as_int(float x) { return th::simt::bit_cast<int>(x); }
inline unsigned __float_as_uint(float x) { return th::simt::bit_cast<unsigned>(x); }
inline float __int_as_float(int x) { return th::simt::bit_cast<float>(x); }
inline float __uint_as_float(unsigned x) { return th::simt::bit_cast<float>(x); }
inline long long __double_as_longlong(double x) { return th::simt::bit_cast<long long>(x); }
inline double __longlong_as_double(long long x) { return th::simt::bit_cast<double>(x); }
inline float rsqrtf(float x) { return 1 / sqrtf(x); }
inline double rsqrt(double x) { return 1 / sqrt(x); }
inline float rsqrt(float x) { return rsqrtf(x); }

template <class T>
T __ldg(const T* place) {
  return *place;
}

#endif
