#ifndef TH_TENSOR_CONVERT_H
#define TH_TENSOR_CONVERT_H

// Conversions between element types, identical on all devices and never undefined. A floating-point
// value that does not fit into an integer type becomes INT32_MIN or INT64_MIN, as on x86; narrower
// types keep its low bits. GPUs convert 16-bit floats by instructions of their own. They give the
// same bits, except for those of a NaN.

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "tensor/dtype.h"
#include "tensor/host_device.h"

namespace th {
namespace {

TH_HD float half_to_float(Half h) {
#ifdef __CUDA_ARCH__
  float widened;
  asm("cvt.f32.f16 %0, %1;" : "=f"(widened) : "h"(h.x));
  return widened;
#else
  // Adding 112 << 23 rebiases the exponent (multiplies by 2^112). Subnormals get one more exponent
  // step, which is subtracted again as a float, so that they are normalized. Infinities and NaNs
  // get another 112, which gives the float exponent 255.
  uint32_t magnitude = static_cast<uint32_t>(h.x & 0x7fff) << 13;
  uint32_t sign = static_cast<uint32_t>(h.x & 0x8000) << 16;
  uint32_t bits = magnitude + (112u << 23);
  uint32_t is_special = (h.x & 0x7c00) == 0x7c00 ? 112u << 23 : 0;
  uint32_t is_subnormal = (h.x & 0x7c00) == 0 ? 1u : 0u;
  bits += is_special;
  float value;
  bits += is_subnormal << 23;
  std::memcpy(&value, &bits, 4);
  const float smallest_normal = 6.103515625e-05f;
  float corrected = is_subnormal ? value - smallest_normal : value;
  uint32_t out;
  std::memcpy(&out, &corrected, 4);
  out |= sign;
  std::memcpy(&value, &out, 4);
  return value;
#endif
}

TH_HD Half float_to_half(float f) {
#ifdef __CUDA_ARCH__
  Half narrowed;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(narrowed.x) : "f"(f));
  return narrowed;
#else
  uint32_t bits;
  std::memcpy(&bits, &f, 4);
  uint32_t sign = (bits >> 16) & 0x8000u;
  uint32_t magnitude = bits & 0x7fffffffu;
  uint32_t rounded;
  if (magnitude >= 0x47800000u) {
    // Too large or infinite gives infinity; NaN gives a quiet NaN.
    rounded = magnitude > 0x7f800000u ? 0x7e00u : 0x7c00u;
  } else if (magnitude < 0x38800000u) {
    // Adding 0.5 aligns the last bit of the subnormal with the last bit of the float, so the
    // addition rounds to nearest even.
    float value;
    std::memcpy(&value, &magnitude, 4);
    value += 0.5f;
    std::memcpy(&rounded, &value, 4);
    rounded -= 0x3f000000u;
  } else {
    uint32_t odd = (magnitude >> 13) & 1u;
    rounded = (magnitude - (112u << 23) + 0xfffu + odd) >> 13;
  }
  return Half{static_cast<unsigned short>(sign | rounded)};
#endif
}

TH_HD float bfloat16_to_float(BFloat16 b) {
  uint32_t bits = static_cast<uint32_t>(b.x) << 16;
  float f;
  std::memcpy(&f, &bits, 4);
  return f;
}

TH_HD BFloat16 float_to_bfloat16(float f) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  BFloat16 narrowed;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(narrowed.x) : "f"(f));
  return narrowed;
#else
  uint32_t bits;
  std::memcpy(&bits, &f, 4);
  uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
  uint32_t quiet_nan = ((bits >> 16) & 0x8000u) | 0x7fc0u;
  return BFloat16{
      static_cast<unsigned short>((bits & 0x7fffffffu) > 0x7f800000u ? quiet_nan : rounded)};
#endif
}

template <class T>
struct IsReduced : std::false_type {};
template <>
struct IsReduced<Half> : std::true_type {};
template <>
struct IsReduced<BFloat16> : std::true_type {};

// Converts to the compute type of T: float for the 16-bit floats, else T.
template <class T>
TH_HD typename Numeric<T>::Compute load(T x) {
  if constexpr (std::is_same_v<T, Half>) {
    return half_to_float(x);
  } else if constexpr (std::is_same_v<T, BFloat16>) {
    return bfloat16_to_float(x);
  } else {
    return x;
  }
}

template <class To, class From>
TH_HD To convert(From x) {
  if constexpr (std::is_same_v<To, From>) {
    return x;
  } else if constexpr (IsReduced<From>::value) {
    return convert<To>(load(x));
  } else if constexpr (std::is_same_v<To, Half>) {
    return float_to_half(static_cast<float>(x));
  } else if constexpr (std::is_same_v<To, BFloat16>) {
    return float_to_bfloat16(static_cast<float>(x));
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    using Wide = std::conditional_t<sizeof(To) == 8, int64_t, int32_t>;
    constexpr From bound = sizeof(To) == 8 ? From(9223372036854775808.0) : From(2147483648.0);
    constexpr Wide lowest = sizeof(To) == 8 ? Wide(INT64_MIN) : Wide(INT32_MIN);
    // Truncating -2^31 - 1 < x < -2^31 would fit, too. Only double can hold such an x.
    return static_cast<To>(x >= -bound && x < bound ? static_cast<Wide>(x) : lowest);
  } else {
    return static_cast<To>(x);
  }
}

template <class T>
TH_HD T convert(Scalar s) {
  return s.integral ? convert<T>(s.i) : convert<T>(s.d);
}

}  // namespace
}  // namespace th

#endif
