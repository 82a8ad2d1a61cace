// Products of Half and BFloat16 matrices against sums in double, with every instruction set
// (TENSOR_ISA), layout and number of threads.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "cpu/bfloat16_product.h"
#include "cpu/isa.h"
#include "cpu/parallel.h"
#include "cpu/product.h"
#include "tensor/convert.h"

namespace {

using th::DType;

struct Sizes {
  int64_t batches, m, n, k;
};

// A product of random matrices. Bits of layout: a, b and c are column-major.
template <class T>
class Product {
 public:
  Product(Sizes sizes, int layout, bool sum, double alpha, double beta)
      : size_(sizes), sum_(sum), alpha_(alpha), beta_(beta) {
    const auto [batches, m, n, k] = size_;
    std::mt19937 random(static_cast<unsigned>(m * n * k + layout));
    std::uniform_real_distribution<float> uniform(-1, 1);
    auto fill = [&](std::vector<T>* v, int64_t count) {
      v->resize(static_cast<size_t>(count));
      for (T& x : *v) x = th::convert<T>(uniform(random));
    };
    fill(&a_, batches * m * k);
    fill(&b_, batches * k * n);
    fill(&c_, (sum ? 1 : batches) * m * n);
    call_ = {th::DTypeOf<T>::value,
             batches,
             m,
             n,
             k,
             sum,
             false,
             th::Scalar(alpha),
             th::Scalar(beta),
             factor(&a_, m, k, layout & 1),
             factor(&b_, k, n, layout & 2),
             factor(&c_, m, n, layout & 4)};
  }

  std::vector<T>& a() { return a_; }
  std::vector<T>& b() { return b_; }

  std::vector<double> result() {
    const std::vector<T> before = c_;
    th::multiply(call_);
    std::vector<double> values;
    for (T x : c_) values.push_back(th::load(x));
    c_ = before;
    return values;
  }

  // Compares with sums in double: one rounding to T, and rounding errors of a sum in float.
  void check() {
    const auto [batches, m, n, k] = size_;
    const std::vector<double> got = result();
    const double unit = std::is_same<T, THHalf>::value ? 0x1p-11 : 0x1p-8;
    for (int64_t batch = 0; batch < (sum_ ? 1 : batches); ++batch) {
      for (int64_t i = 0; i < m; ++i) {
        for (int64_t j = 0; j < n; ++j) {
          double total = 0, size = 0;
          for (int64_t q = batch; q < (sum_ ? batches : batch + 1); ++q) {
            for (int64_t l = 0; l < k; ++l) {
              const double term = at(call_.a, a_, q, i, l) * at(call_.b, b_, q, l, j);
              total += term;
              size += std::fabs(term);
            }
          }
          total *= alpha_;
          if (beta_ != 0) total += beta_ * at(call_.c, c_, batch, i, j);
          const auto place = static_cast<size_t>(offset(call_.c, batch, i, j));
          ASSERT_NEAR(got[place], total, unit * std::fabs(total) + 2e-6 * size + 1e-7)
              << batches << " x " << m << " x " << n << " x " << k << " at " << i << ", " << j;
        }
      }
    }
  }

 private:
  static th::Factor factor(std::vector<T>* v, int64_t rows, int64_t cols, bool by_columns) {
    char* data = reinterpret_cast<char*>(v->data());
    if (by_columns && rows > 1 && cols > 1) return {data, rows * cols, 1, rows};
    return {data, rows * cols, cols, 1};
  }
  static int64_t offset(const th::Factor& f, int64_t batch, int64_t i, int64_t j) {
    return batch * f.batch + i * f.row + j * f.col;
  }
  static double at(const th::Factor& f, const std::vector<T>& v, int64_t batch, int64_t i,
                   int64_t j) {
    return th::load(v[static_cast<size_t>(offset(f, batch, i, j))]);
  }

  Sizes size_;
  bool sum_;
  double alpha_, beta_;
  std::vector<T> a_, b_, c_;
  th::ProductCall call_;
};

const Sizes kSizes[] = {{1, 2, 2, 1},    {1, 3, 5, 2},    {3, 16, 16, 32}, {1, 17, 33, 31},
                        {2, 40, 31, 65}, {1, 96, 70, 33}, {1, 5, 130, 70}, {1, 64, 3, 1100}};

template <class T>
void check_all() {
  for (const Sizes& size : kSizes) {
    for (int layout = 0; layout < 8; ++layout) {
      Product<T>(size, layout, false, 1, 0).check();
      Product<T>(size, layout, layout % 2 == 0, 0.5, 2).check();
    }
  }
}

TEST(ReducedProduct, BFloat16IsASumInFloat) { check_all<THBFloat16>(); }
TEST(ReducedProduct, HalfIsASumInFloat) { check_all<THHalf>(); }

// Panels of a in parts of the depth, read where they are or packed.
TEST(ReducedProduct, PanelsInParts) {
  Product<THBFloat16>({1, 48, 33, 544}, 0, false, 1, 0).check();
  Product<THBFloat16>({1, 34, 140, 544}, 0, false, 1, 0).check();
  Product<THHalf>({1, 34, 140, 544}, 0, false, 1, 0).check();
}

TEST(ReducedProduct, VectorsAreReadInEveryLayout) {
  for (int layout = 0; layout < 2; ++layout) {
    for (int64_t k : {1, 7, 40, 1500}) {
      Product<THBFloat16>({2, 37, 1, k}, layout, false, 1, 0.5).check();
      Product<THBFloat16>({1, 1, 45, k}, 2 * layout, false, 2, 0).check();
      Product<THHalf>({2, 37, 1, k}, layout, false, 1, 0.5).check();
      Product<THHalf>({1, 1, 1045, k}, 2 * layout, false, 2, 0).check();
    }
  }
}

// A narrow last block, which has the depth and less than the memory of the others, packed at once
// and in parts. A guard follows the memory.
template <class T>
void check_narrow_block(int64_t depth) {
  const th::BFloat16Product kernel = th::bfloat16_product(th::DTypeOf<T>::value);
  if (!kernel) return;
  constexpr int64_t kM = 40, kN = 104, kGuard = 1 << 20;
  const th::BFloat16Sizes sizes =
      th::bfloat16_sizes(64, 160, depth, std::is_same_v<T, THHalf> ? 2 : 1, 1);
  std::vector<T> a(kM * depth), b(depth * kN), c(kM * kN);
  std::vector<char> memory(static_cast<size_t>(sizes.bytes() + kGuard + 64), 42);
  const auto address = reinterpret_cast<uintptr_t>(memory.data());
  char* block = memory.data() + (64 - address % 64) % 64;
  kernel({kM, kN, depth, th::Scalar(1.0), th::Scalar(0.0), reinterpret_cast<char*>(a.data()), depth,
          1, reinterpret_cast<char*>(b.data()), kN, 1, reinterpret_cast<char*>(c.data()), kN, 1},
         {1, 0, 0}, sizes.depth, block);
  for (int64_t k = sizes.bytes(); k < sizes.bytes() + kGuard; ++k) ASSERT_EQ(block[k], 42) << k;
}
TEST(ReducedProduct, NarrowBlocksStayInTheirMemory) {
  for (int64_t depth : {700, 8192}) {
    check_narrow_block<THBFloat16>(depth);
    check_narrow_block<THHalf>(depth);
  }
  Product<THBFloat16>({1, 64, 264, 2048}, 0, false, 1, 0).check();
  Product<THHalf>({1, 64, 264, 2048}, 0, false, 1, 0).check();
}

template <class T>
void check_threads(const Sizes& size) {
  const int before = th::num_threads();
  Product<T> product(size, 2, false, 1, 1);
  th::set_num_threads(1);
  const std::vector<double> one = product.result();
  th::set_num_threads(3);
  EXPECT_EQ(product.result(), one);
  th::set_num_threads(before);
}
TEST(ReducedProduct, DoesNotDependOnTheNumberOfThreads) {
  for (const Sizes& size :
       {Sizes{1, 300, 200, 700}, Sizes{5, 40, 30, 64}, Sizes{1, 1000, 1, 900}}) {
    check_threads<THBFloat16>(size);
  }
  check_threads<THHalf>({1, 40, 600, 2100});
}

template <class T>
void check_special_values() {
  Product<T> product({1, 20, 20, 40}, 0, false, 1, 0);
  const std::vector<double> finite = product.result();
  product.a()[2 * 40 + 3] = th::convert<T>(std::numeric_limits<float>::quiet_NaN());
  product.a()[5 * 40 + 7] = th::convert<T>(std::numeric_limits<float>::infinity());
  for (int64_t j = 0; j < 20; ++j) product.b()[static_cast<size_t>(7 * 20 + j)] = th::convert<T>(1);
  const std::vector<double> got = product.result();
  for (size_t i = 0; i < got.size(); ++i) {
    if (i / 20 == 2) {
      EXPECT_TRUE(std::isnan(got[i])) << i;
    } else if (i / 20 == 5) {
      EXPECT_EQ(got[i], std::numeric_limits<double>::infinity()) << i;
    } else {
      EXPECT_TRUE(std::isfinite(got[i])) << i;
    }
  }
  EXPECT_TRUE(std::isfinite(finite[5 * 20]));
}
TEST(ReducedProduct, NaNAndInfinityStayInTheirRows) {
  check_special_values<THBFloat16>();
  check_special_values<THHalf>();
}

TEST(ReducedProduct, InstructionsAreThoseOfTheInstructionSet) {
  EXPECT_EQ(th::bfloat16_product(DType::BFloat16) != nullptr, th::isa() >= th::Isa::avx512bf16);
  EXPECT_EQ(th::bfloat16_product(DType::Half) != nullptr, th::isa() == th::Isa::amx);
}

}  // namespace
