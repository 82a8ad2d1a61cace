// How far transcendental functions of tensors are from the C library's long double ones, in units
// in the last place: at numbers of every size, at numbers of an interval where they are most used,
// and at all pairs of special values. TH_MATH_POINTS is how many numbers, for each function.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "TH.h"
#include "cpu/isa.h"

namespace {

using Real = long double;

int points() {
  const char* asked = std::getenv("TH_MATH_POINTS");
  return asked ? std::atoi(asked) : 4000;
}

template <class T>
struct Api;
#define API(T, Name)                                                             \
  template <>                                                                    \
  struct Api<T> {                                                                \
    using Tensor = TH##Name##Tensor;                                             \
    static Tensor* make(int64_t n) { return TH##Name##Tensor_newWithSize1d(n); } \
    static T* data(Tensor* t) { return TH##Name##Tensor_data(t); }               \
    static void free(Tensor* t) { TH##Name##Tensor_free(t); }                    \
  };
API(float, Float)
API(double, Double)

template <class T>
class Vector {
 public:
  explicit Vector(size_t n) : tensor_(Api<T>::make(static_cast<int64_t>(n))) {}
  ~Vector() { Api<T>::free(tensor_); }
  Vector(const Vector&) = delete;
  Vector& operator=(const Vector&) = delete;
  typename Api<T>::Tensor* tensor() { return tensor_; }
  T& operator[](size_t i) { return Api<T>::data(tensor_)[i]; }
  void set(const std::vector<T>& x) { std::memcpy(&(*this)[0], x.data(), x.size() * sizeof(T)); }

 private:
  typename Api<T>::Tensor* tensor_;
};

// Returns 0 if the result is exact as required (NaN, infinity, 0), and a large number if it is not.
template <class T>
double distance(T got, Real wanted) {
  using Limits = std::numeric_limits<T>;
  const double wrong = 1e9;
  const T rounded = static_cast<T>(wanted);
  if (std::isnan(rounded)) return std::isnan(got) ? 0 : wrong;
  if (std::isnan(got)) return wrong;
  if (std::isinf(rounded) || std::isinf(got)) {
    if (rounded == got) return 0;
    // Just below the largest number either will do.
    const bool edge = std::fabs(wanted) > Limits::max() * (1 - Real(4) * Limits::epsilon()) &&
                      std::fabs(got) > Limits::max() * (1 - 4 * Limits::epsilon());
    return edge && std::signbit(got) == std::signbit(rounded) ? 1 : wrong;
  }
  if (rounded == 0 && got == 0) return std::signbit(rounded) == std::signbit(got) ? 0 : wrong;
  const T size = std::fabs(rounded);
  const T unit =
      size < Limits::min() ? Limits::denorm_min() : std::ldexp(Limits::epsilon(), std::ilogb(size));
  return static_cast<double>(std::fabs(static_cast<Real>(got) - wanted) / unit);
}

template <class T>
std::vector<T> special_values() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> list;
  for (T x : {T(0),
              T(0.5),
              T(1),
              T(2),
              T(2.5),
              T(3),
              T(10),
              T(100),
              T(1000),
              T(1e9),
              T(16777217),
              std::nextafter(T(1), T(0)),
              std::nextafter(T(1), T(2)),
              Limits::min(),
              Limits::min() / 2,
              Limits::denorm_min(),
              Limits::max(),
              Limits::epsilon(),
              Limits::infinity(),
              Limits::quiet_NaN(),
              T(88.722839),
              T(103.97),
              T(709.78271289338),
              T(745.13),
              T(0.34657359),
              T(1.5707964),
              T(3.1415927)}) {
    list.push_back(x);
    list.push_back(-x);
  }
  return list;
}

template <class T>
struct Inputs {
  std::mt19937_64 random{20};
  T any() {
    uint64_t bits = random();
    T x;
    std::memcpy(&x, &bits, sizeof(x));
    return x;
  }
  T between(double low, double high) {
    return static_cast<T>(std::uniform_real_distribution<double>(low, high)(random));
  }
};

constexpr size_t kTogether = 1 << 14;

// Error bound of glibc's vector functions, which compute the functions that vector_math.h lacks.
constexpr double kGlibc = 4;
double own() { return th::isa() == th::Isa::baseline ? kGlibc : 2; }

template <class T>
using Unary = void (*)(typename Api<T>::Tensor*, typename Api<T>::Tensor*);
template <class T>
using Binary = void (*)(typename Api<T>::Tensor*, typename Api<T>::Tensor*,
                        typename Api<T>::Tensor*);

template <class T>
struct Worst {
  double units = 0;
  T x = 0, y = 0, got = 0;
  void take(T x_, T y_, T got_, Real wanted) {
    const double d = distance(got_, wanted);
    if (d > units) *this = {d, x_, y_, got_};
  }
};

template <class T>
void report(const char* name, const Worst<T>& worst, double limit) {
  EXPECT_LE(worst.units, limit) << name << (sizeof(T) == 4 ? " float" : " double") << " of "
                                << std::hexfloat << worst.x << ", " << worst.y << " is "
                                << worst.got;
  if (std::getenv("TH_MATH_POINTS")) {
    std::printf("%-10s %-6s %.2f\n", name, sizeof(T) == 4 ? "float" : "double", worst.units);
  }
}

// fill(i, &x, &y) gives the operands.
template <class T, class Fill, class Compute, class Wanted>
void measure(size_t n, Worst<T>* worst, Fill fill, Compute compute, Wanted wanted) {
  std::vector<T> a(kTogether), b(kTogether);
  Vector<T> x(kTogether), y(kTogether), r(kTogether);
  for (size_t first = 0; first < n; first += kTogether) {
    for (size_t i = 0; i < kTogether; ++i) fill(first + i, &a[i], &b[i]);
    x.set(a);
    y.set(b);
    compute(r.tensor(), x.tensor(), y.tensor());
    const size_t m = n - first < kTogether ? n - first : kTogether;
    for (size_t i = 0; i < m; ++i) worst->take(a[i], b[i], r[i], wanted(a[i], b[i]));
  }
}

template <class T>
void unary(const char* name, Unary<T> f, Real (*reference)(Real), double low, double high,
           double limit) {
  Worst<T> worst;
  Inputs<T> inputs;
  const std::vector<T> special = special_values<T>();
  const auto n = static_cast<size_t>(points());
  auto compute = [&](auto* r, auto* x, auto*) { f(r, x); };
  auto wanted = [&](T x, T) { return reference(x); };
  measure(
      special.size(), &worst, [&](size_t i, T* x, T*) { *x = special[i % special.size()]; },
      compute, wanted);
  measure(
      n, &worst, [&](size_t i, T* x, T*) { *x = i % 2 ? inputs.any() : inputs.between(low, high); },
      compute, wanted);
  report(name, worst, limit);
}

template <class T>
void binary(const char* name, Binary<T> f, Real (*reference)(Real, Real), double low, double high,
            double limit) {
  Worst<T> worst;
  Inputs<T> inputs;
  const std::vector<T> special = special_values<T>();
  const size_t k = special.size();
  const auto n = static_cast<size_t>(points());
  auto compute = [&](auto* r, auto* x, auto* y) { f(r, x, y); };
  auto wanted = [&](T x, T y) { return reference(x, y); };
  measure(
      k * k, &worst,
      [&](size_t i, T* x, T* y) {
        *x = special[i / k % k];
        *y = special[i % k];
      },
      compute, wanted);
  measure(
      n, &worst,
      [&](size_t i, T* x, T* y) {
        *x = i % 2 ? inputs.any() : inputs.between(low, high);
        *y = i % 2 ? inputs.any() : inputs.between(low, high);
      },
      compute, wanted);
  report(name, worst, limit);
}

#define EACH(kind, name, reference, low, high, of_float, of_double)         \
  kind<float>(#name, THFloatTensor_##name, reference, low, high, of_float); \
  kind<double>(#name, THDoubleTensor_##name, reference, low, high, of_double)
#define UNARY(name, value, low, high, of_float, of_double) \
  EACH(                                                    \
      unary, name, [](Real x) -> Real { return value; }, low, high, of_float, of_double)
#define BINARY(name, value, low, high, of_float, of_double) \
  EACH(binary, name, ([](Real x, Real y) -> Real { return value; }), low, high, of_float, of_double)

// By atanh where the logarithm would cancel.
Real logit(Real x) {
  return x > 0.25 && x < 0.75 ? 2 * std::atanh(2 * x - 1) : std::log(x) - std::log1p(-x);
}

TEST(VectorMath, ExponentialsAndLogarithms) {
  UNARY(exp, std::exp(x), -104, 89, own(), own());
  UNARY(exp, std::exp(x), -105, -86, own(), own());
  UNARY(exp, std::exp(x), -746, -707, own(), own());
  UNARY(expm1, std::expm1(x), -5, 5, own(), own());
  UNARY(exp2, std::exp2(x), -10, 10, 2, 2);
  UNARY(exp2, std::exp2(x), -151, -120, 2, 2);
  UNARY(exp2, std::exp2(x), -1077, -1020, 2, 2);
  UNARY(sinh, std::sinh(x), -5, 5, own(), own());
  UNARY(cosh, std::cosh(x), -5, 5, own(), own());
  UNARY(tanh, std::tanh(x), -5, 5, own(), own());
  // A quotient of what glibc computes.
  const double sigmoids = own() == kGlibc ? kGlibc + 1 : own();
  UNARY(sigmoid, 1 / (1 + std::exp(-x)), -10, 10, sigmoids, sigmoids);
  UNARY(log, std::log(x), 0, 3, own(), own());
  UNARY(log1p, std::log1p(x), -1, 3, 2, 2);
  UNARY(log2, std::log2(x), 0, 3, own(), own());
  UNARY(log10, std::log10(x), 0, 3, own(), own());
  UNARY(atanh, std::atanh(x), -1, 1, 2, 2);
  UNARY(logit, logit(x), 0, 1, 2, 2);
  UNARY(logit, logit(x), 0.49, 0.51, 2, 2);
}

TEST(VectorMath, Trigonometry) {
  UNARY(sin, std::sin(x), -7, 7, own(), kGlibc);
  UNARY(cos, std::cos(x), -7, 7, own(), kGlibc);
  UNARY(tan, std::tan(x), -7, 7, own(), kGlibc);
  UNARY(asin, std::asin(x), -1, 1, own(), kGlibc);
  UNARY(acos, std::acos(x), -1, 1, own(), kGlibc);
  UNARY(atan, std::atan(x), -4, 4, own(), own());
  BINARY(atan2, std::atan2(x, y), -4, 4, own(), kGlibc);
}

TEST(VectorMath, PowersAndRoots) {
  BINARY(cpow, std::pow(x, y), 0, 9, own(), own());
  BINARY(hypot, std::hypot(x, y), -4, 4, own(), own());
  UNARY(rsqrt, 1 / std::sqrt(x), 0, 3, 2, 2);
  UNARY(sqrt, std::sqrt(x), 0, 3, 0.5, 0.5);
}

Real gelu(Real x) { return x < -200 ? -Real(0) : x / 2 * std::erfc(-x * std::sqrt(Real(0.5))); }
// A step of Newton's method from a bisection, by the smaller one of erf and erfc.
Real erfinv(Real x) {
  const Real size = std::fabs(x);
  if (!(size < 1)) return size == 1 ? x * std::numeric_limits<Real>::infinity() : NAN;
  if (size < 1e-9L) return x * std::sqrt(std::acos(Real(-1))) / 2;
  Real low = 0, high = 7;
  for (int k = 0; k < 50; ++k) {
    const Real middle = (low + high) / 2;
    (std::erfc(middle) > 1 - size ? low : high) = middle;
  }
  const Real slope = 2 / std::sqrt(std::acos(Real(-1))) * std::exp(-low * low);
  const Real rest = low < 0.5L ? size - std::erf(low) : std::erfc(low) - (1 - size);
  return std::copysign(low + rest / slope, x);
}
TEST(VectorMath, ErrorFunctions) {
  const bool in_vectors = own() != kGlibc;
  const double of_float = in_vectors ? 2.5 : 6.5, of_double = in_vectors ? 5.5 : 6.5;
  UNARY(erfinv, erfinv(x), -1, 1, of_float, of_double);
  UNARY(erfinv, erfinv(x), 0.99, 1, of_float, of_double);
  UNARY(erf, std::erf(x), -4, 4, own(), kGlibc);
  UNARY(erfc, std::erfc(x), -4, 9, own(), kGlibc);
  // The rounding error of x / sqrt(2) is that of the result times x * x.
  UNARY(gelu, gelu(x), -14, 5, own() == kGlibc ? 40 : 7.5, 1500);
}

// x is reduced exactly. Integers other than 0 give 0.
Real sinc(Real x) {
  if (x == 0 || std::isnan(x)) return x == 0 ? 1 : x;
  const Real turns = std::remainder(x, Real(2)), size = std::fabs(turns);
  const Real near = size > 0.5 ? std::copysign(1 - size, turns) : turns;
  const Real pi = 3.14159265358979323846264338L;
  return near == 0 ? 0 : std::sin(pi * near) / (pi * x);
}
// The power series of the modified Bessel function of the first kind.
Real bessel(Real x, int order) {
  if (!(std::fabs(x) < 800)) {
    const Real infinite = x * std::numeric_limits<Real>::infinity();
    return order == 0 ? std::fabs(infinite) : infinite;
  }
  Real term = order == 0 ? 1 : x / 2, sum = term;
  for (int k = 1; std::fabs(term) > std::fabs(sum) * 1e-21L; ++k) {
    term *= x * x / (4 * static_cast<Real>(k) * (k + order));
    sum += term;
  }
  return sum;
}
TEST(VectorMath, BesselFunctions) {
  for (const auto& [low, high] : {std::pair(-10, 10), std::pair(-30, 30), std::pair(-715, 715)}) {
    UNARY(i0, bessel(x, 0), low, high, 0.6, 6);
    UNARY(i1, bessel(x, 1), low, high, 0.6, 6);
  }
}
TEST(VectorMath, OtherFunctions) {
  UNARY(sinc, sinc(x), -5, 5, own(), own());
  UNARY(sinc, sinc(x), -0.1, 0.1, own(), own());
  UNARY(lgamma, std::lgamma(x), 0.5, 12, own(), kGlibc);
  UNARY(lgamma, std::lgamma(x), 0, 1e-3, own(), kGlibc);
  UNARY(lgamma, std::lgamma(x), 0.9999, 1.0001, own(), kGlibc);
  UNARY(lgamma, std::lgamma(x), 1.9999, 2.0001, own(), kGlibc);
}

template <class T>
bool same(T a, T b) {
  return std::memcmp(&a, &b, sizeof(a)) == 0 || (std::isnan(a) && std::isnan(b));
}

// ldexp, nextafter and the exponent of frexp have the bits of the C library's results.
template <class T>
void expect_exact(Binary<T> ldexp, Binary<T> nextafter, Unary<T> exponent_of) {
  const std::vector<T> special = special_values<T>();
  Inputs<T> inputs;
  const size_t n = special.size() * special.size() + static_cast<size_t>(points());
  Vector<T> x(n), y(n), power(n), scaled(n), next(n), exponent(n);
  for (size_t i = 0; i < n; ++i) {
    const bool is_special = i < special.size() * special.size();
    x[i] = is_special ? special[i / special.size()] : inputs.any();
    y[i] = is_special ? special[i % special.size()] : i % 2 ? x[i] * T(0.75) : inputs.any();
    power[i] = is_special ? y[i] : inputs.between(-2300, 2300) * T(i % 3 ? 1 : 0.1);
  }
  ldexp(scaled.tensor(), x.tensor(), power.tensor());
  nextafter(next.tensor(), x.tensor(), y.tensor());
  exponent_of(exponent.tensor(), x.tensor());
  for (size_t i = 0; i < n; ++i) {
    const double p = static_cast<double>(power[i]);
    const int shift = static_cast<int>(p > 1e5 ? 1e5 : p > -1e5 ? p : -1e5);
    int e;
    std::frexp(x[i], &e);
    if (!std::isfinite(x[i])) e = 0;
    EXPECT_TRUE(same(scaled[i], std::isnan(power[i]) ? power[i] : std::ldexp(x[i], shift)))
        << std::hexfloat << x[i] << " * 2^" << power[i] << " is " << scaled[i];
    EXPECT_TRUE(same(next[i], std::nextafter(x[i], y[i])))
        << std::hexfloat << "after " << x[i] << " towards " << y[i] << ": " << next[i];
    EXPECT_EQ(exponent[i], static_cast<T>(e)) << std::hexfloat << x[i];
  }
}
TEST(VectorMath, ExponentsAreExact) {
  expect_exact<float>(THFloatTensor_ldexp, THFloatTensor_nextafter, THFloatTensor_exponentOf);
  expect_exact<double>(THDoubleTensor_ldexp, THDoubleTensor_nextafter, THDoubleTensor_exponentOf);
}

// Blocks of exp with small results are computed in another way than those without. The result of an
// element must not depend on its block, also in place.
template <class T>
void expect_same_exp_alone(Unary<T> exp, double low, double high) {
  constexpr size_t kCount = 400;
  Inputs<T> inputs;
  Vector<T> x(kCount), r(kCount), one(1), alone(1);
  for (int kind = 0; kind < 3; ++kind) {
    for (size_t i = 0; i < kCount; ++i) {
      x[i] = inputs.between(low, high);
      if (kind > 0 && i % 3 == 0) x[i] = -std::numeric_limits<T>::infinity();
      if (kind > 1 && i % 5 == 0) x[i] = -std::numeric_limits<T>::quiet_NaN();
    }
    exp(r.tensor(), x.tensor());
    for (size_t i = 0; i < kCount; ++i) {
      one[0] = x[i];
      exp(alone.tensor(), one.tensor());
      EXPECT_TRUE(r[i] == alone[0] || (std::isnan(r[i]) && std::isnan(x[i]))) << x[i];
    }
    exp(x.tensor(), x.tensor());
    for (size_t i = 0; i < kCount; ++i) EXPECT_TRUE(x[i] == r[i] || std::isnan(r[i]));
  }
}
TEST(VectorMath, ExpDoesNotDependOnTheBlock) {
  expect_same_exp_alone<float>(THFloatTensor_exp, -110, -80);
  expect_same_exp_alone<float>(THFloatTensor_exp, -5, 5);
  expect_same_exp_alone<double>(THDoubleTensor_exp, -750, -700);
  expect_same_exp_alone<double>(THDoubleTensor_exp, -5, 5);
}

TEST(VectorMath, LogarithmsOfPowersAreIntegers) {
  constexpr int most = 127;
  Vector<float> x(most), r(most);
  for (int k = 0; k < most; ++k) x[static_cast<size_t>(k)] = std::ldexp(1.0f, k - 60);
  THFloatTensor_log2(r.tensor(), x.tensor());
  for (int k = 0; k < most; ++k) EXPECT_EQ(r[static_cast<size_t>(k)], k - 60);
  for (int k = 0; k <= 10; ++k) x[static_cast<size_t>(k)] = static_cast<float>(std::pow(10.0, k));
  THFloatTensor_log10(r.tensor(), x.tensor());
  for (int k = 0; k <= 10; ++k) EXPECT_EQ(r[static_cast<size_t>(k)], k);

  Vector<double> y(most), s(most);
  for (int k = 0; k < most; ++k) y[static_cast<size_t>(k)] = std::ldexp(1.0, 16 * (k - 63));
  THDoubleTensor_log2(s.tensor(), y.tensor());
  for (int k = 0; k < most; ++k) EXPECT_EQ(s[static_cast<size_t>(k)], 16 * (k - 63));
  for (int k = 0; k <= 22; ++k) y[static_cast<size_t>(k)] = std::pow(10.0, k);
  THDoubleTensor_log10(s.tensor(), y.tensor());
  for (int k = 0; k <= 22; ++k) EXPECT_EQ(s[static_cast<size_t>(k)], k);
}

// Calls cpow for all x[i]^y[i], which are numbers of type T.
template <class T, class Function>
void expect_exact_powers(Function cpow, const std::vector<T>& x, const std::vector<T>& y) {
  Vector<T> base(x.size()), exponent(x.size()), r(x.size());
  base.set(x);
  exponent.set(y);
  cpow(r.tensor(), base.tensor(), exponent.tensor());
  for (size_t i = 0; i < x.size(); ++i) {
    const Real power = std::pow(static_cast<Real>(x[i]), static_cast<Real>(y[i]));
    ASSERT_EQ(r[i], static_cast<T>(power)) << x[i] << " ^ " << y[i];
  }
}

template <class T, class Function>
void expect_exact_powers(Function cpow) {
  Inputs<T> inputs;
  std::vector<T> x, y;
  const auto add = [&](T base, T exponent) {
    const Real power = std::pow(static_cast<Real>(base), static_cast<Real>(exponent));
    if (static_cast<Real>(static_cast<T>(power)) != power) return;
    x.push_back(base);
    y.push_back(exponent);
  };
  for (int i = 0; i < points(); ++i) add(inputs.between(1, 100), 1);
  for (int base = 1; base < 3000; ++base) {
    for (int exponent = -20; exponent <= 60; ++exponent) add(T(base), T(exponent));
    add(T(base) * T(base), T(0.5));
    add(T(base) * T(base), T(1.5));
  }
  expect_exact_powers<T>(cpow, x, y);
}

TEST(VectorMath, RepresentablePowersAreExact) {
  // glibc's vector functions are not exact.
  if (th::isa() == th::Isa::baseline) GTEST_SKIP();
  expect_exact_powers<float>(THFloatTensor_cpow);
  expect_exact_powers<double>(THDoubleTensor_cpow);
}

}  // namespace
