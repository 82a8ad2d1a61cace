#ifndef TH_FUNCTORS_REDUCERS_H
#define TH_FUNCTORS_REDUCERS_H

// The reducers, shared by all backends. For elements T with compute type C:
//   A                    accumulator type
//   init()               value for no elements
//   map(x, parameter)    value for element x
//   combine(a, b)        combines two values
//   kCombination         the same for values of type double or int64_t
// If Each is true, each reduction has its own parameter.

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "tensor/convert.h"
#include "tensor/host_device.h"

namespace th {
namespace {

template <class T>
using Compute = typename Numeric<T>::Compute;
// Unsigned, because sums and products of integers wrap.
template <class T>
using WideOf = std::conditional_t<std::is_integral_v<T>, uint64_t, double>;

enum class Combination : int { sum, product, smallest, largest };

template <class A>
TH_HD A magnitude(A x) {
  return std::fabs(x);  // of -0, too
}

template <class T>
struct Adding {
  using C = Compute<T>;
  using A = WideOf<T>;
  static constexpr Combination kCombination = Combination::sum;
  static constexpr bool Each = false;
  static constexpr TH_HD A init() { return 0; }
  static TH_HD A combine(A a, A b) { return a + b; }
};

template <class T>
struct Sum : Adding<T> {
  static TH_HD WideOf<T> map(Compute<T> x, double) { return static_cast<WideOf<T>>(x); }
};
template <class T>
struct NonZero : Adding<T> {
  static TH_HD double map(Compute<T> x, double) { return x != 0 ? 1.0 : 0.0; }
};
template <class T>
struct AbsSum : Adding<T> {
  static TH_HD double map(Compute<T> x, double) { return magnitude<double>(x); }
};
template <class T>
struct Squares : Adding<T> {
  static TH_HD double map(Compute<T> x, double) { return static_cast<double>(x) * x; }
};
template <class T>
struct Powers : Adding<T> {
  static TH_HD double map(Compute<T> x, double p) {
    const double a = magnitude<double>(x);
    if (p == 3) return a * a * a;
    if (p == 4) return (a * a) * (a * a);
    return std::pow(a, p);
  }
};
template <class T>
struct Huber : Adding<T> {
  static TH_HD double map(Compute<T> x, double limit) {
    const double a = magnitude<double>(x), small = a > limit ? limit : a;
    return small * (a - small / 2);
  }
};
template <class T>
struct Deviation : Adding<T> {
  static constexpr bool Each = true;
  static TH_HD double map(Compute<T> x, double mean) { return (x - mean) * (x - mean); }
};

template <class T>
struct Prod {
  using C = Compute<T>;
  using A = WideOf<T>;
  static constexpr Combination kCombination = Combination::product;
  static constexpr bool Each = false;
  static constexpr TH_HD A init() { return 1; }
  static TH_HD A combine(A a, A b) { return a * b; }
  static TH_HD A map(C x, double) { return static_cast<A>(x); }
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
  static constexpr Combination kCombination = Combination::smallest;
  static constexpr bool Each = false;
  static constexpr TH_HD A init() { return Extremes<C>::highest; }
  // Two steps, of which the first is a single instruction. A NaN in a is kept, because no
  // comparison with NaN is true.
  static TH_HD A combine(A a, A b) {
    A c = b < a ? b : a;
    return b != b ? b : c;
  }
  static TH_HD A map(C x, double) { return x; }
};
template <class T>
struct Max {
  using C = Compute<T>;
  using A = C;
  static constexpr Combination kCombination = Combination::largest;
  static constexpr bool Each = false;
  static constexpr TH_HD A init() { return Extremes<C>::lowest; }
  static TH_HD A combine(A a, A b) {
    A c = b > a ? b : a;
    return b != b ? b : c;
  }
  static TH_HD A map(C x, double) { return x; }
};
template <class T>
struct AbsMin : Min<T> {
  static TH_HD Compute<T> map(Compute<T> x, double) { return magnitude(x); }
};
template <class T>
struct AbsMax : Max<T> {
  static constexpr TH_HD Compute<T> init() { return 0; }
  static TH_HD Compute<T> map(Compute<T> x, double) { return magnitude(x); }
};

}  // namespace
}  // namespace th

#endif
