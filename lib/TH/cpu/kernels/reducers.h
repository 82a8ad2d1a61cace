#ifndef TH_CPU_KERNELS_REDUCERS_H
#define TH_CPU_KERNELS_REDUCERS_H

// The reducers. For elements T of compute type C:
//   A                       the accumulator
//   init()                  of no elements
//   step(a, x, parameter)   a with the element x
//   combine(a, b)           two accumulators
// Where Each is true the parameter is one for each reduction.

#include <cstdint>
#include <limits>
#include <type_traits>

#include "cpu/reduce_kernels.h"
#include "tensor/convert.h"

namespace th {
namespace {

template <class T>
using Compute = typename Numeric<T>::Compute;
// Unsigned, since sums and products of integers wrap.
template <class T>
using WideOf = std::conditional_t<std::is_integral_v<T>, uint64_t, double>;

template <class A>
inline A magnitude(A x) {
  return x < 0 ? -x : x;
}

template <class T, bool Each_ = false>
struct Adding {
  using C = Compute<T>;
  using A = WideOf<T>;
  static constexpr bool Each = Each_;
  static constexpr A init() { return 0; }
  static A combine(A a, A b) { return a + b; }
};

template <class T>
struct Sum : Adding<T> {
  using typename Adding<T>::A;
  using typename Adding<T>::C;
  static A step(A a, C x, double) { return a + static_cast<A>(x); }
};
template <class T>
struct NonZero : Adding<T> {
  using typename Adding<T>::A;
  using typename Adding<T>::C;
  static A step(A a, C x, double) { return a + (x != 0 ? A(1) : A(0)); }
};
template <class T>
struct AbsSum : Adding<T> {
  using typename Adding<T>::A;
  using typename Adding<T>::C;
  static A step(A a, C x, double) { return a + magnitude(static_cast<A>(x)); }
};
template <class T>
struct Squares : Adding<T> {
  using typename Adding<T>::A;
  using typename Adding<T>::C;
  static A step(A a, C x, double) { return a + static_cast<A>(x) * static_cast<A>(x); }
};
template <class T>
struct Powers : Adding<T> {
  using typename Adding<T>::A;
  using typename Adding<T>::C;
  static A step(A a, C x, double p) {
    return a + __builtin_pow(magnitude(static_cast<A>(x)), p);
  }
};
template <class T>
struct Deviation : Adding<T, true> {
  using A = double;
  using C = Compute<T>;
  static A step(A a, C x, double mean) {
    A difference = static_cast<A>(x) - mean;
    return a + difference * difference;
  }
};

template <class T>
struct Prod {
  using C = Compute<T>;
  using A = WideOf<T>;
  static constexpr bool Each = false;
  static constexpr A init() { return 1; }
  static A combine(A a, A b) { return a * b; }
  static A step(A a, C x, double) { return a * static_cast<A>(x); }
};

template <class C>
struct Extremes {
  static constexpr bool kReal = std::is_floating_point_v<C>;
  static constexpr C lowest =
      kReal ? -std::numeric_limits<C>::infinity() : std::numeric_limits<C>::lowest();
  static constexpr C highest =
      kReal ? std::numeric_limits<C>::infinity() : std::numeric_limits<C>::max();
};
template <class T>
struct Min {
  using C = Compute<T>;
  using A = C;
  static constexpr bool Each = false;
  static constexpr A init() { return Extremes<C>::highest; }
  // & and not &&: without branches. A NaN in a stays, as nothing compares less.
  static A combine(A a, A b) { return (b < a) | (b != b) ? b : a; }
  static A step(A a, C x, double) { return combine(a, x); }
};
template <class T>
struct Max {
  using C = Compute<T>;
  using A = C;
  static constexpr bool Each = false;
  static constexpr A init() { return Extremes<C>::lowest; }
  static A combine(A a, A b) { return (b > a) | (b != b) ? b : a; }
  static A step(A a, C x, double) { return combine(a, x); }
};
template <class T>
struct AbsMin : Min<T> {
  using typename Min<T>::A;
  static A step(A a, A x, double) { return Min<T>::combine(a, magnitude(x)); }
};
template <class T>
struct AbsMax : Max<T> {
  using typename Max<T>::A;
  static A step(A a, A x, double) { return Max<T>::combine(a, magnitude(x)); }
};

}  // namespace
}  // namespace th

#endif
