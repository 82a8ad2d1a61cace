#ifndef TH_FUNCTORS_CONDITION_H
#define TH_FUNCTORS_CONDITION_H

// Conditions that input values must satisfy, shared by all backends.

#include <cstdint>
#include <type_traits>

#include "THGeneral.h"
#include "tensor/host_device.h"

namespace th {

enum class Condition : int {
  divisor,       // integers: not 0
  exponent,      // integers: not negative
  index,         // within a dimension of size `limit`: see position_of
  class_number,  // TH_INDEX_BASE to the last of `limit`, or the number `also`
  mask,          // 0 or 1
  probability,   // 0 to 1
};

// Converts an index of a dimension to a position from 0. Indices count from TH_INDEX_BASE, or from
// the end if negative. If the index is out of range, so is the result.
TH_HD int64_t position_of(int64_t index, int64_t size) {
  return index < 0 ? index + size : index - TH_INDEX_BASE;
}

namespace condition {

// is_bad(x, limit, also) returns true if x violates the condition; kHas: it applies to elements of
// type T.
struct Divisor {
  template <class T>
  static constexpr bool kHas = std::is_integral_v<T>;
  template <class T>
  static TH_HD bool is_bad(T x, int64_t, int64_t) {
    return x == 0;
  }
};
struct Exponent {
  template <class T>
  static constexpr bool kHas = std::is_integral_v<T>;
  template <class T>
  static TH_HD bool is_bad(T x, int64_t, int64_t) {
    return x < 0;
  }
};
struct Index {
  template <class T>
  static constexpr bool kHas = std::is_same_v<T, int64_t>;
  static TH_HD bool is_bad(int64_t x, int64_t limit, int64_t) {
    return static_cast<uint64_t>(position_of(x, limit)) >= static_cast<uint64_t>(limit);
  }
};
// Negative numbers do not count from the end, because they often mark elements to ignore.
struct ClassNumber : Index {
  static TH_HD bool is_bad(int64_t x, int64_t limit, int64_t also) {
    return x != also && static_cast<uint64_t>(x) - TH_INDEX_BASE >= static_cast<uint64_t>(limit);
  }
};
struct Mask {
  template <class T>
  static constexpr bool kHas = std::is_same_v<T, uint8_t>;
  static TH_HD bool is_bad(uint8_t x, int64_t, int64_t) { return x > 1; }
};
struct Probability {
  template <class T>
  static constexpr bool kHas = std::is_floating_point_v<T>;
  template <class T>
  static TH_HD bool is_bad(T x, int64_t, int64_t) {
    return !(x >= 0 && x <= 1);
  }
};

}  // namespace condition

// Calls f with the struct of the condition, such as condition::Divisor().
template <class F>
void dispatch(Condition condition, const F& f) {
  switch (condition) {
    case Condition::divisor:
      return f(condition::Divisor());
    case Condition::exponent:
      return f(condition::Exponent());
    case Condition::index:
      return f(condition::Index());
    case Condition::class_number:
      return f(condition::ClassNumber());
    case Condition::mask:
      return f(condition::Mask());
    case Condition::probability:
      return f(condition::Probability());
  }
}

}  // namespace th

#endif
