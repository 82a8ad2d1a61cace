#ifndef TH_FUNCTORS_EXPONENTS_H
#define TH_FUNCTORS_EXPONENTS_H

// Functions of the exponents and the bits of numbers. They have no branches, so that loops over
// them are vectorized, and all instruction sets give the same results.

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "tensor/host_device.h"

namespace th {
namespace {
namespace functor {

// The layout of a binary floating-point number.
template <class T>
struct BinaryFormat {
  using Word = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;
  static constexpr int fraction = std::numeric_limits<T>::digits - 1;
  static constexpr int bias = std::numeric_limits<T>::max_exponent - 1;
};

template <class T>
TH_HD typename BinaryFormat<T>::Word word_of(T x) {
  typename BinaryFormat<T>::Word word;
  std::memcpy(&word, &x, sizeof(x));
  return word;
}
template <class T>
TH_HD T from_word(typename BinaryFormat<T>::Word word) {
  T x;
  std::memcpy(&x, &word, sizeof(x));
  return x;
}

// 2^n, which must be a normal number.
template <class T>
TH_HD T power_of_2(int n) {
  using Word = typename BinaryFormat<T>::Word;
  return from_word<T>(static_cast<Word>(n + BinaryFormat<T>::bias) << BinaryFormat<T>::fraction);
}

TH_HD int limited(int n, int least, int most) { return n < least ? least : n > most ? most : n; }

// x 2^n, rounded once.
TH_HD double times_power_of_2(double x, int n) {
  // 2^-969 leaves a normal number, unless the result is 0 anyway.
  for (int step = 0; step < 2; ++step) {
    const int part = n < -1022 ? -969 : n > 1023 ? 1023 : 0;
    x *= power_of_2<double>(part);
    n -= part;
  }
  return x * power_of_2<double>(limited(n, -1022, 1023));
}
TH_HD float times_power_of_2(float x, int n) {
  return static_cast<float>(static_cast<double>(x) * power_of_2<double>(limited(n, -400, 400)));
}

// The exponent that frexp returns: x = m 2^exponent, and 1/2 <= |m| < 1. 0 for 0, infinity and NaN.
template <class T>
TH_HD T exponent_of(T x) {
  constexpr int up = std::numeric_limits<T>::digits;
  const T size = std::fabs(x);
  const bool is_small = size < std::numeric_limits<T>::min();
  const auto word = word_of(is_small ? size * power_of_2<T>(up) : size);
  const auto exponent =
      static_cast<T>((word >> BinaryFormat<T>::fraction) - (BinaryFormat<T>::bias - 1));
  const T shifted = is_small ? exponent - up : exponent;
  return size > 0 && size < std::numeric_limits<T>::infinity() ? shifted : T(0);
}

// The next number after x towards y.
template <class T>
TH_HD T next_number(T x, T y) {
  using Word = typename BinaryFormat<T>::Word;
  using Unsigned = std::make_unsigned_t<Word>;  // -0 may wrap
  const Word step = (x < y) == (x > 0) ? 1 : -1;
  const auto next = from_word<T>(
      static_cast<Word>(static_cast<Unsigned>(word_of(x)) + static_cast<Unsigned>(step)));
  const T least = std::copysign(std::numeric_limits<T>::denorm_min(), y);
  const T moved = x == 0 ? least : next;
  return x != x || y != y ? x + y : x == y ? y : moved;
}

}  // namespace functor
}  // namespace
}  // namespace th

#endif
