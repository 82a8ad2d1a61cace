// Linear algebra as C programs call it: LAPACK's routines on plain memory, and the functions of
// FloatTensors and DoubleTensors. Residuals in the units of LAPACK's own tests.

#include <gtest/gtest.h>
#include <pthread.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "TH.h"

namespace {

// The typed names, for both types.
#define THIS_TYPE(Name, T)                                              \
  struct Name {                                                         \
    using real = T;                                                     \
    using Tensor = TH##Name##Tensor;                                    \
    static constexpr auto new_ = &TH##Name##Tensor_new;                 \
    static constexpr auto sized = &TH##Name##Tensor_newWithSize2d;      \
    static constexpr auto free = &TH##Name##Tensor_free;                \
    static constexpr auto get = &TH##Name##Tensor_get2d;                \
    static constexpr auto set = &TH##Name##Tensor_set2d;                \
    static constexpr auto get1 = &TH##Name##Tensor_get1d;               \
    static constexpr auto get3 = &TH##Name##Tensor_get3d;               \
    static constexpr auto resize3 = &TH##Name##Tensor_resize3d;         \
    static constexpr auto gesv_of_tensors = &TH##Name##Tensor_gesv;     \
    static constexpr auto getri_of_tensors = &TH##Name##Tensor_getri;   \
    static constexpr auto gesvd2_of_tensors = &TH##Name##Tensor_gesvd2; \
    static constexpr auto btrifact = &TH##Name##Tensor_btrifact;        \
    static constexpr auto det = &TH##Name##Tensor_det;                  \
    static constexpr auto gesv = &TH##Name##Lapack_gesv;                \
    static constexpr auto trtrs = &TH##Name##Lapack_trtrs;              \
    static constexpr auto gels = &TH##Name##Lapack_gels;                \
    static constexpr auto syev = &TH##Name##Lapack_syev;                \
    static constexpr auto geev = &TH##Name##Lapack_geev;                \
    static constexpr auto gesvd = &TH##Name##Lapack_gesvd;              \
    static constexpr auto getrf = &TH##Name##Lapack_getrf;              \
    static constexpr auto getrs = &TH##Name##Lapack_getrs;              \
    static constexpr auto getri = &TH##Name##Lapack_getri;              \
    static constexpr auto potrf = &TH##Name##Lapack_potrf;              \
    static constexpr auto potri = &TH##Name##Lapack_potri;              \
    static constexpr auto potrs = &TH##Name##Lapack_potrs;              \
    static constexpr auto pstrf = &TH##Name##Lapack_pstrf;              \
    static constexpr auto geqrf = &TH##Name##Lapack_geqrf;              \
    static constexpr auto orgqr = &TH##Name##Lapack_orgqr;              \
    static constexpr auto ormqr = &TH##Name##Lapack_ormqr;              \
  };
THIS_TYPE(Float, float)
THIS_TYPE(Double, double)
#undef THIS_TYPE

template <class Api>
class Lapack : public testing::Test {
 protected:
  using real = typename Api::real;
  using Tensor = typename Api::Tensor;

  // A column-major matrix.
  struct Matrix {
    int rows, cols;
    std::vector<real> data;
    real& operator()(int i, int j) { return data[i + static_cast<size_t>(j) * rows]; }
    real operator()(int i, int j) const { return data[i + static_cast<size_t>(j) * rows]; }
  };

  Matrix zeros(int rows, int cols) {
    return {rows, cols, std::vector<real>(static_cast<size_t>(rows) * cols)};
  }
  Matrix random(int rows, int cols, real diagonal = 0) {
    Matrix m = zeros(rows, cols);
    for (real& x : m.data) x = static_cast<real>(engine_() % 2001) / 1000 - 1;
    for (int i = 0; i < std::min(rows, cols); ++i) m(i, i) += diagonal;
    return m;
  }
  Matrix product(const Matrix& a, const Matrix& b, bool a_turned = false, bool b_turned = false) {
    int m = a_turned ? a.cols : a.rows, k = a_turned ? a.rows : a.cols;
    int n = b_turned ? b.rows : b.cols;
    Matrix c = zeros(m, n);
    for (int i = 0; i < m; ++i) {
      for (int j = 0; j < n; ++j) {
        double sum = 0;
        for (int p = 0; p < k; ++p) {
          sum += static_cast<double>(a_turned ? a(p, i) : a(i, p)) * (b_turned ? b(j, p) : b(p, j));
        }
        c(i, j) = static_cast<real>(sum);
      }
    }
    return c;
  }
  Matrix identity(int n) {
    Matrix m = zeros(n, n);
    for (int i = 0; i < n; ++i) m(i, i) = 1;
    return m;
  }
  Matrix triangle(const Matrix& a, bool upper) {
    Matrix m = a;
    for (int i = 0; i < a.rows; ++i) {
      for (int j = 0; j < a.cols; ++j) {
        if (upper ? i > j : i < j) m(i, j) = 0;
      }
    }
    return m;
  }
  double norm(const Matrix& a) {
    double largest = 0;
    for (int j = 0; j < a.cols; ++j) {
      double sum = 0;
      for (int i = 0; i < a.rows; ++i) sum += std::fabs(a(i, j));
      largest = std::max(largest, sum);
    }
    return largest;
  }
  void expect_near(const Matrix& got, const Matrix& want, double scale, const char* what) {
    ASSERT_EQ(got.data.size(), want.data.size()) << what;
    Matrix left = got;
    for (size_t i = 0; i < left.data.size(); ++i) left.data[i] -= want.data[i];
    double unit = std::numeric_limits<real>::epsilon() * std::max(got.rows, got.cols) * scale;
    EXPECT_LT(norm(left), 30 * unit) << what;
  }

  // Calls call(work, lwork) as LAPACK requires: first a query of the size.
  template <class Call>
  void with_work(const Call& call) {
    real size = 0;
    call(&size, -1);
    ASSERT_GE(size, 1);
    std::vector<real> work(static_cast<size_t>(size) + 1);
    call(work.data(), static_cast<int>(size));
  }

  Tensor* tensor_of(const Matrix& m) {
    Tensor* t = Api::sized(m.rows, m.cols);
    for (int i = 0; i < m.rows; ++i) {
      for (int j = 0; j < m.cols; ++j) Api::set(t, i, j, m(i, j));
    }
    return t;
  }
  Matrix matrix_of(Tensor* t) {
    Matrix m = zeros(static_cast<int>(t->size[0]), static_cast<int>(t->size[1]));
    for (int i = 0; i < m.rows; ++i) {
      for (int j = 0; j < m.cols; ++j) m(i, j) = Api::get(t, i, j);
    }
    return m;
  }

  template <class F>
  std::string message_of(const F& f) {
    char text[512] = "";
    auto call = [](void* data) { (*static_cast<const F*>(data))(); };
    int failed = THTry(call, const_cast<F*>(&f), text, sizeof(text));
    EXPECT_EQ(failed, text[0] ? -1 : 0);
    return text;
  }

 private:
  std::minstd_rand engine_{7};
};

using Types = testing::Types<Float, Double>;
TYPED_TEST_SUITE(Lapack, Types);

constexpr int kN = 23, kRight = 4;

TYPED_TEST(Lapack, SolvesByElimination) {
  auto a = this->random(kN, kN, 5), b = this->random(kN, kRight);
  double scale = this->norm(a) * 5;
  int pivots[kN], info = 1;
  auto factors = a, x = b;
  TypeParam::gesv(kN, kRight, factors.data.data(), kN, pivots, x.data.data(), kN, &info);
  ASSERT_EQ(info, 0);
  this->expect_near(this->product(a, x), b, scale, "gesv");

  factors = a;
  TypeParam::getrf(kN, kN, factors.data.data(), kN, pivots, &info);
  ASSERT_EQ(info, 0);
  x = b;
  TypeParam::getrs('T', kN, kRight, factors.data.data(), kN, pivots, x.data.data(), kN, &info);
  ASSERT_EQ(info, 0);
  this->expect_near(this->product(a, x, true), b, scale, "getrs");
  this->with_work([&](auto* work, int size) {
    TypeParam::getri(kN, factors.data.data(), kN, pivots, work, size, &info);
  });
  this->expect_near(this->product(a, factors), this->identity(kN), scale, "getri");

  auto triangle = this->triangle(a, true);
  x = b;
  TypeParam::trtrs('U', 'T', 'N', kN, kRight, triangle.data.data(), kN, x.data.data(), kN, &info);
  ASSERT_EQ(info, 0);
  this->expect_near(this->product(triangle, x, true), b, scale, "trtrs");
}

TYPED_TEST(Lapack, FactorsWhatIsPositiveDefinite) {
  auto half = this->random(kN, kN, 4), b = this->random(kN, kRight);
  auto a = this->product(half, half, false, true);
  double scale = this->norm(a) * 5;
  int info = 1;
  auto factor = a;
  TypeParam::potrf('L', kN, factor.data.data(), kN, &info);
  ASSERT_EQ(info, 0);
  auto lower = this->triangle(factor, false);
  this->expect_near(this->product(lower, lower, false, true), a, scale, "potrf");
  auto x = b;
  TypeParam::potrs('L', kN, kRight, factor.data.data(), kN, x.data.data(), kN, &info);
  this->expect_near(this->product(a, x), b, scale, "potrs");
  TypeParam::potri('L', kN, factor.data.data(), kN, &info);
  ASSERT_EQ(info, 0);
  for (int i = 0; i < kN; ++i) {
    for (int j = i + 1; j < kN; ++j) factor(i, j) = factor(j, i);
  }
  this->expect_near(this->product(a, factor), this->identity(kN), scale, "potri");

  factor = a;
  int order[kN], rank = 0;
  std::vector<typename TypeParam::real> work(2 * kN);
  TypeParam::pstrf('U', kN, factor.data.data(), kN, order, &rank, -1, work.data(), &info);
  ASSERT_EQ(info, 0);
  EXPECT_EQ(rank, kN);
  auto upper = this->triangle(factor, true), permuted = a;
  for (int i = 0; i < kN; ++i) {
    for (int j = 0; j < kN; ++j) permuted(i, j) = a(order[i] - 1, order[j] - 1);
  }
  this->expect_near(this->product(upper, upper, true), permuted, scale, "pstrf");
}

TYPED_TEST(Lapack, FactorsByReflections) {
  constexpr int rows = 31;
  auto a = this->random(rows, kN), b = this->random(rows, kRight);
  auto factors = a;
  std::vector<typename TypeParam::real> tau(kN);
  int info = 1;
  this->with_work([&](auto* work, int size) {
    TypeParam::geqrf(rows, kN, factors.data.data(), rows, tau.data(), work, size, &info);
  });
  ASSERT_EQ(info, 0);
  auto product = this->triangle(factors, true);
  this->with_work([&](auto* work, int size) {
    TypeParam::ormqr('L', 'N', rows, kN, kN, factors.data.data(), rows, tau.data(),
                     product.data.data(), rows, work, size, &info);
  });
  this->expect_near(product, a, this->norm(a), "ormqr");
  this->with_work([&](auto* work, int size) {
    TypeParam::orgqr(rows, kN, kN, factors.data.data(), rows, tau.data(), work, size, &info);
  });
  this->expect_near(this->product(factors, factors, true), this->identity(kN), 1, "orgqr");

  auto used = a, x = b;
  this->with_work([&](auto* work, int size) {
    TypeParam::gels('N', rows, kN, kRight, used.data.data(), rows, x.data.data(), rows, work, size,
                    &info);
  });
  ASSERT_EQ(info, 0);
  auto solution = this->zeros(kN, kRight);
  for (int i = 0; i < kN; ++i) {
    for (int j = 0; j < kRight; ++j) solution(i, j) = x(i, j);
  }
  // The residual is orthogonal to A.
  auto left = this->product(a, solution);
  for (size_t i = 0; i < left.data.size(); ++i) left.data[i] -= b.data[i];
  this->expect_near(this->product(a, left, true), this->zeros(kN, kRight),
                    this->norm(a) * this->norm(a) * 5, "gels");
}

TYPED_TEST(Lapack, FindsEigenvaluesAndSingularValues) {
  auto a = this->random(kN, kN);
  for (int i = 0; i < kN; ++i) {
    for (int j = 0; j < i; ++j) a(i, j) = a(j, i);
  }
  using real = typename TypeParam::real;
  std::vector<real> values(kN), imaginary(kN);
  auto vectors = a;
  int info = 1;
  this->with_work([&](auto* work, int size) {
    TypeParam::syev('V', 'U', kN, vectors.data.data(), kN, values.data(), work, size, &info);
  });
  ASSERT_EQ(info, 0);
  EXPECT_TRUE(std::is_sorted(values.begin(), values.end()));
  auto scaled = vectors;
  for (int j = 0; j < kN; ++j) {
    for (int i = 0; i < kN; ++i) scaled(i, j) *= values[j];
  }
  this->expect_near(this->product(scaled, vectors, false, true), a, this->norm(a), "syev");

  // The same by the routine for any matrix, in some order.
  auto used = a, right = this->zeros(kN, kN);
  std::vector<real> found(kN);
  real none = 0;
  this->with_work([&](auto* work, int size) {
    TypeParam::geev('N', 'V', kN, used.data.data(), kN, found.data(), imaginary.data(), &none, 1,
                    right.data.data(), kN, work, size, &info);
  });
  ASSERT_EQ(info, 0);
  std::sort(found.begin(), found.end());
  double unit = 30 * kN * std::numeric_limits<real>::epsilon() * this->norm(a);
  for (int i = 0; i < kN; ++i) {
    EXPECT_NEAR(found[i], values[i], unit);
    EXPECT_EQ(imaginary[i], 0);
  }

  constexpr int rows = 12;
  auto b = this->random(rows, kN), u = this->zeros(rows, rows), vt = this->zeros(rows, kN);
  used = b;
  this->with_work([&](auto* work, int size) {
    TypeParam::gesvd('S', 'S', rows, kN, used.data.data(), rows, values.data(), u.data.data(), rows,
                     vt.data.data(), rows, work, size, &info);
  });
  ASSERT_EQ(info, 0);
  for (int j = 0; j < rows; ++j) {
    for (int i = 0; i < rows; ++i) u(i, j) *= values[j];
  }
  this->expect_near(this->product(u, vt), b, this->norm(b), "gesvd");
}

TYPED_TEST(Lapack, ChecksInfo) {
  int info = 0;
  EXPECT_EQ(this->message_of([&] { THLapackCheck("%s fails at %d", "gesv", info); }), "");
  info = 3;
  EXPECT_EQ(this->message_of([&] { THLapackCheck("%s fails at %d", "gesv", info); })
                .find("gesv fails at 3"),
            0u);
  EXPECT_EQ(
      this->message_of([&] { THLapackCheck("%s: %d, %d", "gesv", info, info); }).find("gesv: 3, 3"),
      0u);
  info = -2;
  bool cleaned = false;
  std::string text = this->message_of([&] {
    THLapackCheckWithCleanup("%s fails at %d", THCleanup(cleaned = true;), "gesv", info);
  });
  EXPECT_EQ(text.find("Lapack Error in gesv : Illegal Argument 2"), 0u) << text;
  EXPECT_TRUE(cleaned);
}

TYPED_TEST(Lapack, TensorsWithoutOperandsAreTheirOwn) {
  auto a = this->random(5, 5, 3), b = this->random(5, 2);
  auto *ta = this->tensor_of(a), *tb = this->tensor_of(b), *x = TypeParam::new_(),
       *lu = TypeParam::new_();
  TypeParam::gesv_of_tensors(x, lu, tb, ta);
  EXPECT_EQ(x->stride[0], 1);
  EXPECT_EQ(x->stride[1], 5);
  EXPECT_EQ(lu->stride[0], 1);
  EXPECT_EQ(this->matrix_of(ta).data, a.data);
  EXPECT_EQ(this->matrix_of(tb).data, b.data);
  this->expect_near(this->product(a, this->matrix_of(x)), b, this->norm(a) * 5, "gesv");
  TypeParam::gesv_of_tensors(tb, ta, nullptr, nullptr);
  EXPECT_EQ(this->matrix_of(tb).data, this->matrix_of(x).data);
  EXPECT_EQ(this->matrix_of(ta).data, this->matrix_of(lu).data);
  EXPECT_EQ(tb->stride[1], 1);
  for (auto* t : {ta, tb, x, lu}) TypeParam::free(t);
}

TYPED_TEST(Lapack, TensorsAreAsTheyWereAfterAnError) {
  auto ones = this->zeros(3, 3);
  std::fill(ones.data.begin(), ones.data.end(), 1);
  auto *a = this->tensor_of(ones), *r = this->tensor_of(this->identity(2));
  std::string text = this->message_of([&] { TypeParam::getri_of_tensors(r, a); });
  EXPECT_NE(text.find("U(2,2) is 0, A is singular"), std::string::npos) << text;
  EXPECT_EQ(r->size[0], 2);
  EXPECT_EQ(this->matrix_of(r).data, this->identity(2).data);
  text = this->message_of([&] { TypeParam::gesv_of_tensors(r, r, a, a); });
  EXPECT_NE(text.find("different tensors"), std::string::npos) << text;

  // Without info, a singular matrix is an error; with info, it is reported there.
  auto* lu = TypeParam::new_();
  auto *pivots = THIntTensor_new(), *info = THIntTensor_new();
  TypeParam::resize3(a, 1, 3, 3);
  text = this->message_of([&] { TypeParam::btrifact(lu, pivots, nullptr, 1, a); });
  EXPECT_NE(text.find("U(2,2) is 0"), std::string::npos) << text;
  TypeParam::btrifact(lu, pivots, info, 1, a);
  EXPECT_EQ(THIntTensor_get1d(info, 0), 2);
  TypeParam::det(r, a);
  EXPECT_EQ(TypeParam::get1(r, 0), 0);
  for (auto* t : {a, r, lu}) TypeParam::free(t);
  THIntTensor_free(pivots);
  THIntTensor_free(info);
}

// Large matrices are factored by blocks of our own, which make the choices that LAPACK makes.
TYPED_TEST(Lapack, TensorsAreExchangedAsByLapack) {
  // A Hadamard matrix: all elements of the factors are powers of 2, most with equals.
  auto tied = this->zeros(64, 64);
  for (int i = 0; i < 64; ++i) {
    for (int j = 0; j < 64; ++j)
      tied(i, j) = __builtin_parity(static_cast<unsigned>(i & j)) ? -1 : 1;
  }
  auto singular = this->random(81, 81);
  for (int i = 0; i < 81; ++i) singular(i, 40) = singular(i, 77) = 0;
  auto sparse = this->random(64, 64);
  for (int i = 0; i < 64; ++i) {
    for (int j = 0; j < 64; ++j) sparse(i, j) = (i + 3 * j) % 64 < 2 ? sparse(i, j) : 0;
  }
  for (const auto& a : {this->random(48, 48), this->random(61, 61), this->random(200, 200), tied,
                        singular, sparse, this->zeros(50, 50)}) {
    const int n = a.rows;
    auto want = a;
    std::vector<int> order(static_cast<size_t>(n));
    int want_info = 0;
    TypeParam::getrf(n, n, want.data.data(), n, order.data(), &want_info);

    auto *t = this->tensor_of(a), *lu = TypeParam::new_();
    TypeParam::resize3(t, 1, n, n);
    auto *pivots = THIntTensor_new(), *info = THIntTensor_new();
    TypeParam::btrifact(lu, pivots, info, 1, t);
    EXPECT_EQ(THIntTensor_get1d(info, 0), want_info);
    auto lower = this->identity(n), upper = this->zeros(n, n);
    for (int i = 0; i < n; ++i) {
      EXPECT_EQ(THIntTensor_get2d(pivots, 0, i), order[static_cast<size_t>(i)]) << n << ", " << i;
      for (int j = 0; j < n; ++j) (i > j ? lower : upper)(i, j) = TypeParam::get3(lu, 0, i, j);
    }
    auto exchanged = a;
    for (int i = 0; i < n; ++i) {
      const int p = order[static_cast<size_t>(i)] - 1;
      for (int j = 0; j < n; ++j) std::swap(exchanged(i, j), exchanged(p, j));
    }
    this->expect_near(this->product(lower, upper), exchanged, this->norm(a) + 1, "btrifact");
    for (auto* each : {t, lu}) TypeParam::free(each);
    THIntTensor_free(pivots);
    THIntTensor_free(info);
  }
}

TYPED_TEST(Lapack, RefusesOptionsThatLapackHasNot) {
  auto *a = this->tensor_of(this->identity(3)), *u = TypeParam::new_(), *s = TypeParam::new_(),
       *v = TypeParam::new_(), *copy = TypeParam::new_();
  for (const char* option : {"", "x", static_cast<const char*>(nullptr)}) {
    std::string text =
        this->message_of([&] { TypeParam::gesvd2_of_tensors(u, s, v, copy, a, option); });
    EXPECT_NE(text.find("one of the letters AS"), std::string::npos) << text;
  }
  TypeParam::gesvd2_of_tensors(u, s, v, copy, a, "a");
  EXPECT_EQ(this->matrix_of(copy).data, this->identity(3).data);
  EXPECT_EQ(TypeParam::get1(s, 2), 1);
  for (auto* t : {a, u, s, v, copy}) TypeParam::free(t);
}

TYPED_TEST(Lapack, RunsOnSeveralThreadsAtOnce) {
  auto a = this->random(kN, kN, 5), b = this->random(kN, kRight);
  auto solve = [&] {
    auto factors = a, x = b;
    int pivots[kN], info = 0;
    TypeParam::gesv(kN, kRight, factors.data.data(), kN, pivots, x.data.data(), kN, &info);
    EXPECT_EQ(info, 0);
    return x;
  };
  const auto want = solve();
  std::vector<std::thread> threads;
  for (int k = 0; k < 4; ++k) {
    threads.emplace_back([&] {
      for (int round = 0; round < 20; ++round) EXPECT_EQ(solve().data, want.data);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// Functions of LAPACK expect matrices by columns, so most calls begin with such a copy.
TEST(SmallStacks, AreEnoughForTransposingCopies) {
  pthread_attr_t attributes;
  pthread_t thread;
  pthread_attr_init(&attributes);
  ASSERT_EQ(0, pthread_attr_setstacksize(&attributes, 64 * 1024));
  auto copy = [](void*) -> void* {
    THDoubleTensor *a = THDoubleTensor_newWithSize2d(100, 90), *b = THDoubleTensor_new();
    THDoubleTensor_fill(a, 1);
    THDoubleTensor_set2d(a, 70, 80, 5);
    THDoubleTensor* t = THDoubleTensor_newTranspose(a, 0, 1);
    THDoubleTensor_resizeAs(b, t);
    THDoubleTensor_copy(b, t);
    EXPECT_EQ(5, THDoubleTensor_get2d(b, 80, 70));
    EXPECT_EQ(9004, THDoubleTensor_sumall(b));
    for (auto* tensor : {a, b, t}) THDoubleTensor_free(tensor);
    return nullptr;
  };
  ASSERT_EQ(0, pthread_create(&thread, &attributes, copy, nullptr));
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

}  // namespace
