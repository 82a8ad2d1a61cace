// THVector and THBlas against loops, for every arithmetic type.

#include <gtest/gtest.h>

#include <cmath>

#include "soft_devices.h"

namespace th {
namespace {

template <class T>
struct Functions;
#define TEST_FUNCTIONS(Type, real)                        \
  template <>                                             \
  struct Functions<real> {                                \
    static constexpr auto fill = TH##Type##Vector_fill;   \
    static constexpr auto vcopy = TH##Type##Vector_copy;  \
    static constexpr auto cadd = TH##Type##Vector_cadd;   \
    static constexpr auto adds = TH##Type##Vector_adds;   \
    static constexpr auto cmul = TH##Type##Vector_cmul;   \
    static constexpr auto muls = TH##Type##Vector_muls;   \
    static constexpr auto cdiv = TH##Type##Vector_cdiv;   \
    static constexpr auto divs = TH##Type##Vector_divs;   \
    static constexpr auto old_add = TH##Type##Vector_add; \
    static constexpr auto diff = TH##Type##Vector_diff;   \
    static constexpr auto scale = TH##Type##Vector_scale; \
    static constexpr auto old_mul = TH##Type##Vector_mul; \
    static constexpr auto swap = TH##Type##Blas_swap;     \
    static constexpr auto scal = TH##Type##Blas_scal;     \
    static constexpr auto copy = TH##Type##Blas_copy;     \
    static constexpr auto axpy = TH##Type##Blas_axpy;     \
    static constexpr auto dot = TH##Type##Blas_dot;       \
    static constexpr auto gemv = TH##Type##Blas_gemv;     \
    static constexpr auto ger = TH##Type##Blas_ger;       \
    static constexpr auto gemm = TH##Type##Blas_gemm;     \
  };
TEST_FUNCTIONS(Byte, unsigned char)
TEST_FUNCTIONS(Char, char)
TEST_FUNCTIONS(Short, short)
TEST_FUNCTIONS(Int, int)
TEST_FUNCTIONS(Long, int64_t)
TEST_FUNCTIONS(Float, float)
TEST_FUNCTIONS(Double, double)

// Small numbers, so that floating point is exact and integers are compared as they wrap.
template <class T>
std::vector<T> numbers(size_t n, int seed) {
  std::vector<T> v(n);
  for (size_t i = 0; i < n; ++i) v[i] = static_cast<T>((i * 7 + seed * 5) % 13 + 1);
  return v;
}

template <class T>
T wrapped(double x) {
  return std::is_integral_v<T> ? static_cast<T>(static_cast<int64_t>(x)) : static_cast<T>(x);
}

template <class T>
class VectorBlas : public testing::Test {};
using Types = testing::Types<unsigned char, char, short, int, int64_t, float, double>;
TYPED_TEST_SUITE(VectorBlas, Types);

TYPED_TEST(VectorBlas, VectorsAreAsLoops) {
  using T = TypeParam;
  using F = Functions<T>;
  for (ptrdiff_t n : {0, 1, 3, 16, 17, 37, 512, 513}) {
    std::vector<T> x = numbers<T>(n, 1), y = numbers<T>(n, 2), z(n);
    auto expect = [&](const char* what, auto value) {
      for (ptrdiff_t i = 0; i < n; ++i) {
        ASSERT_EQ(z[i], wrapped<T>(value(static_cast<double>(x[i]), static_cast<double>(y[i]))))
            << what << " of " << n << " at " << i;
      }
    };
    auto cut = [](double q) { return std::is_integral_v<T> ? std::trunc(q) : static_cast<T>(q); };
    F::fill(z.data(), 5, n);
    expect("fill", [](double, double) { return 5; });
    F::vcopy(z.data(), x.data(), n);
    expect("copy", [](double a, double) { return a; });
    F::cadd(z.data(), x.data(), y.data(), 3, n);
    expect("cadd", [](double a, double b) { return a + 3 * b; });
    F::vcopy(z.data(), x.data(), n);
    F::old_add(z.data(), y.data(), 3, n);
    expect("add", [](double a, double b) { return a + 3 * b; });
    F::diff(z.data(), x.data(), y.data(), n);
    expect("diff", [](double a, double b) { return a - b; });
    F::vcopy(z.data(), x.data(), n);
    F::scale(z.data(), 3, n);
    expect("scale", [](double a, double) { return 3 * a; });
    F::old_mul(z.data(), y.data(), n);
    expect("mul", [](double a, double b) { return 3 * a * b; });
    F::adds(z.data(), x.data(), 4, n);
    expect("adds", [](double a, double) { return a + 4; });
    F::cmul(z.data(), x.data(), y.data(), n);
    expect("cmul", [](double a, double b) { return a * b; });
    F::muls(z.data(), x.data(), 6, n);
    expect("muls", [](double a, double) { return a * 6; });
    F::cdiv(z.data(), x.data(), y.data(), n);
    expect("cdiv", [&](double a, double b) { return cut(static_cast<T>(a) / static_cast<T>(b)); });
    F::divs(z.data(), x.data(), 4, n);
    expect("divs", [&](double a, double) { return cut(static_cast<T>(a) / static_cast<T>(4)); });
    z = x;
    F::cadd(z.data(), z.data(), y.data(), 1, n);
    expect("cadd in place", [](double a, double b) { return a + b; });
  }
  if constexpr (std::is_integral_v<T>) {
    T x[] = {1, 2}, y[] = {1, 0};
    std::string message = error_of([&] { F::cdiv(x, x, y, 2); });
    EXPECT_NE(message.find("division by zero"), std::string::npos) << message;
    EXPECT_NE(error_of([&] { F::divs(x, x, 0, 2); }), "");
    EXPECT_EQ(x[0], 1);
  }
}

// The increment of one element and the leading dimension of one line have no effect.
TYPED_TEST(VectorBlas, StepsOfOneElementMayBeAnyNumber) {
  using T = TypeParam;
  using F = Functions<T>;
  const int64_t step = int64_t{1} << 31;
  T a[] = {1, 2, 3}, x[] = {4, 5, 6}, z[3], y = 7;
  F::gemv('t', 3, 1, 1, a, step, x, 1, 0, &y, step);
  EXPECT_EQ(y, 32);
  F::gemm('t', 'n', 1, 1, 3, 1, a, step, x, step, 1, &y, step);
  EXPECT_EQ(y, 64);
  F::gemv('n', 3, 1, 1, a, step, x, step, 0, z, 1);
  EXPECT_EQ(z[2], 12);
  F::ger(3, 1, 1, z, 1, a, step, x, step);
  EXPECT_EQ(x[2], 18);
  EXPECT_EQ(F::dot(1, a, step, x, step), 8);
}

TYPED_TEST(VectorBlas, VectorsWithStepsAreAsLoops) {
  using T = TypeParam;
  using F = Functions<T>;
  for (int64_t n : {0, 1, 2, 9, 40}) {
    for (int64_t incx : {1, 2, 5}) {
      for (int64_t incy : {1, 3}) {
        std::vector<T> x0 = numbers<T>(n * incx + 1, 3), y0 = numbers<T>(n * incy + 1, 4);
        std::vector<T> x = x0, y = y0, expected = y0;
        T sum = 0;
        for (int64_t i = 0; i < n; ++i) {
          expected[i * incy] = static_cast<T>(y0[i * incy] + 3 * x0[i * incx]);
          sum = static_cast<T>(sum + x0[i * incx] * y0[i * incy]);
        }
        EXPECT_EQ(F::dot(n, x.data(), incx, y.data(), incy), sum);
        F::axpy(n, 3, x.data(), incx, y.data(), incy);
        EXPECT_EQ(y, expected);
        for (int64_t i = 0; i < n; ++i) expected[i * incy] = x0[i * incx];
        F::copy(n, x.data(), incx, y.data(), incy);
        EXPECT_EQ(y, expected);
        y = y0;
        F::swap(n, x.data(), incx, y.data(), incy);
        EXPECT_EQ(y, expected);
        F::swap(n, x.data(), incx, y.data(), incy);
        EXPECT_EQ(x, x0);
        F::scal(n, 2, x.data(), incx);
        for (int64_t i = 0; i < n; ++i) EXPECT_EQ(x[i * incx], static_cast<T>(2 * x0[i * incx]));
      }
    }
  }
}

TYPED_TEST(VectorBlas, ProductsOfMatricesAreAsLoops) {
  using T = TypeParam;
  using F = Functions<T>;
  for (int64_t m : {1, 2, 5, 17}) {
    for (int64_t n : {1, 3, 8}) {
      for (int64_t k : {0, 1, 4, 11}) {
        for (int form = 0; form < 16; ++form) {
          bool ta = form & 1, tb = form & 2;
          T beta = form & 4 ? T(2) : T(0);
          int64_t extra = form & 8 ? 3 : 0;
          int64_t lda = (ta ? k : m) + extra, ldb = (tb ? n : k) + extra, ldc = m + extra;
          if (lda == 0) lda = 1;
          if (ldb == 0) ldb = 1;
          std::vector<T> a = numbers<T>(lda * (ta ? m : k) + 1, 1);
          std::vector<T> b = numbers<T>(ldb * (tb ? k : n) + 1, 2), c = numbers<T>(ldc * n, 3);
          std::vector<T> expected = c;
          for (int64_t i = 0; i < m; ++i) {
            for (int64_t j = 0; j < n; ++j) {
              T sum = 0;
              for (int64_t l = 0; l < k; ++l) {
                T left = ta ? a[l + i * lda] : a[i + l * lda];
                T right = tb ? b[j + l * ldb] : b[l + j * ldb];
                sum = static_cast<T>(sum + left * right);
              }
              T& at = expected[i + j * ldc];
              at = static_cast<T>(beta * at + 2 * sum);
            }
          }
          F::gemm(ta ? 't' : 'n', tb ? 'T' : 'N', m, n, k, 2, a.data(), lda, b.data(), ldb, beta,
                  c.data(), ldc);
          ASSERT_EQ(c, expected) << m << " " << n << " " << k << " " << form;
        }
      }
    }
  }
}

TYPED_TEST(VectorBlas, ProductsWithVectorsAreAsLoops) {
  using T = TypeParam;
  using F = Functions<T>;
  for (int64_t m : {1, 2, 6, 20}) {
    for (int64_t n : {0, 1, 3, 9}) {
      for (int form = 0; form < 16; ++form) {
        bool t = form & 1;
        int64_t incx = form & 2 ? 2 : 1, incy = form & 4 ? 3 : 1, lda = m + (form & 8 ? 2 : 0);
        int64_t rows = t ? n : m, columns = t ? m : n;
        std::vector<T> a = numbers<T>(lda * n + 1, 1), x = numbers<T>(columns * incx + 1, 2);
        std::vector<T> y = numbers<T>(rows * incy + 1, 3), expected = y;
        for (int64_t i = 0; i < rows; ++i) {
          T sum = 0;
          for (int64_t j = 0; j < columns; ++j) {
            sum = static_cast<T>(sum + (t ? a[j + i * lda] : a[i + j * lda]) * x[j * incx]);
          }
          expected[i * incy] = static_cast<T>(3 * expected[i * incy] + sum);
        }
        F::gemv(t ? 't' : 'n', m, n, 1, a.data(), lda, x.data(), incx, 3, y.data(), incy);
        ASSERT_EQ(y, expected) << m << " " << n << " " << form;
        if (t) continue;
        std::vector<T> to = a;
        for (int64_t i = 0; i < m; ++i) {
          for (int64_t j = 0; j < n; ++j) {
            T& at = to[i + j * lda];
            at = static_cast<T>(at + 2 * y[i * incy] * x[j * incx]);
          }
        }
        F::ger(m, n, 2, y.data(), incy, x.data(), incx, a.data(), lda);
        ASSERT_EQ(a, to) << m << " " << n << " " << form;
      }
    }
  }
}

// Where BLAS has element i of a vector of n.
int64_t place(int64_t i, int64_t n, int64_t step) {
  return (step < 0 ? (1 - n) * step : 0) + i * step;
}

TYPED_TEST(VectorBlas, NegativeStepsGoBackwards) {
  using T = TypeParam;
  using F = Functions<T>;
  for (int64_t n : {1, 2, 7, 40}) {
    for (int64_t incx : {-1, -3, 0, 2}) {
      for (int64_t incy : {-1, -2, 1}) {
        auto at_x = [&](int64_t i) { return place(i, n, incx); };
        auto at_y = [&](int64_t i) { return place(i, n, incy); };
        const std::vector<T> x0 = numbers<T>(n * 3 + 1, 3), y0 = numbers<T>(n * 2 + 1, 4);
        std::vector<T> x = x0, y = y0, expected = y0;
        T sum = 0;
        for (int64_t i = 0; i < n; ++i) {
          expected[at_y(i)] = static_cast<T>(y0[at_y(i)] + 3 * x0[at_x(i)]);
          sum = static_cast<T>(sum + x0[at_x(i)] * y0[at_y(i)]);
        }
        EXPECT_EQ(F::dot(n, x.data(), incx, y.data(), incy), sum);
        F::axpy(n, 3, x.data(), incx, y.data(), incy);
        EXPECT_EQ(y, expected);
        for (int64_t i = 0; i < n; ++i) expected[at_y(i)] = x0[at_x(i)];
        F::copy(n, x.data(), incx, y.data(), incy);
        EXPECT_EQ(y, expected);
        if (incx == 0) continue;
        y = y0;
        F::swap(n, x.data(), incx, y.data(), incy);
        EXPECT_EQ(y, expected);
        F::swap(n, y.data(), incy, x.data(), incx);
        EXPECT_EQ(x, x0);
        const std::vector<T> a = numbers<T>(n * n, 5);
        std::vector<T> to = a;
        expected = y0;
        for (int64_t i = 0; i < n; ++i) {
          T row = 0;
          for (int64_t j = 0; j < n; ++j) {
            row = static_cast<T>(row + a[i + j * n] * x0[at_x(j)]);
            to[i + j * n] = static_cast<T>(to[i + j * n] + 2 * y0[at_y(i)] * x0[at_x(j)]);
          }
          expected[at_y(i)] = static_cast<T>(3 * y0[at_y(i)] + row);
        }
        std::vector<T> matrix = a;
        F::gemv('n', n, n, 1, matrix.data(), n, x.data(), incx, 3, y.data(), incy);
        EXPECT_EQ(y, expected);
        y = y0;
        F::ger(n, n, 2, y.data(), incy, x.data(), incx, matrix.data(), n);
        EXPECT_EQ(matrix, to);
      }
    }
    std::vector<T> x = numbers<T>(n, 3);
    const std::vector<T> before = x;
    F::scal(n, 2, x.data(), -1);
    EXPECT_EQ(x, before);
  }
  T x[] = {1, 2, 3}, one = 1;
  F::axpy(3, 2, x, 1, &one, 0);
  EXPECT_EQ(one, 13);
}

TEST(Blas, DoesNotReadWhatIsReplaced) {
  float a[] = {1, 2}, x[] = {3}, nan = std::nanf("");
  float y[] = {nan, nan}, c[] = {nan, nan};
  THFloatBlas_gemv('n', 2, 1, 1, a, 2, x, 1, 0, y, 1);
  EXPECT_EQ(y[1], 6);
  THFloatBlas_gemm('n', 'n', 2, 1, 0, 1, a, 2, x, 1, 0, c, 2);
  EXPECT_EQ(c[1], 0);
}

TEST(Blas, DoesNotReadOperandsWhoseFactorIs0) {
  float nan[] = {NAN, NAN}, y[] = {3, 5};
  const auto expect = [&](float first, float second) {
    EXPECT_EQ(y[0], first);
    EXPECT_EQ(y[1], second);
  };
  THFloatBlas_axpy(2, 0, nan, 1, y, 1);
  expect(3, 5);
  THFloatBlas_ger(2, 1, 0, nan, 1, nan, 1, y, 2);
  expect(3, 5);
  THFloatBlas_gemv('n', 2, 1, 0, nan, 2, nan, 1, 2, y, 1);
  expect(6, 10);
  THFloatBlas_gemm('n', 'n', 2, 1, 1, 0, nan, 2, nan, 1, 0.5f, y, 2);
  expect(3, 5);
  THFloatBlas_gemm('n', 'n', 1, 2, 1, 0, nan, 1, nan, 1, 1, y, 1);
  expect(3, 5);
}

TEST(Blas, RefusesWhatIsNoMatrix) {
  float a[4] = {1, 2, 3, 4};
  auto gemm = [&](char ta, int64_t ld) {
    return error_of([&] { THFloatBlas_gemm(ta, 'n', 2, 2, 2, 1, a, ld, a, 2, 0, a, 2); });
  };
  EXPECT_EQ(gemm('x', 2),
            "bad argument #1 (THFloatBlas_gemm: 'n', 't' or 'c' is expected, got "
            "'x')");
  EXPECT_EQ(gemm('n', 1),
            "bad argument #8 (THFloatBlas_gemm: leading dimension 1 is too small: at least 2 is "
            "expected)");
  EXPECT_NE(error_of([&] { THFloatBlas_gemv('n', 2, 2, 1, a, 2, a, 0, 0, a, 1); }), "");
}

}  // namespace
}  // namespace th
