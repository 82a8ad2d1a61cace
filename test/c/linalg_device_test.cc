// Linear algebra on a device against the CPU's: results that are unique are compared, others are
// multiplied. Errors are the same, and nothing runs on the CPU.

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "base/error.h"
#include "on_soft_device.h"
#include "ops/operands.h"

namespace {

using namespace core;
namespace ops = th::ops;
using Tensors = std::vector<TensorRef>;
using Inputs = std::vector<Tensor*>;
using Operation = std::function<void(const Inputs& in, const Tensors& out)>;

// An operand, for as long as the call that it is given to.
struct Operand {
  Operand(const TensorRef& t) : tensor(t.get()) {}
  Tensor* tensor;
};
using Operands = std::vector<Operand>;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

class LinalgDevice : public OnSoftDevice {
 protected:
  // Results of these types, by the operation on the CPU and on the device.
  struct Results {
    Tensors here, there;
  };
  Results run(const Operands& in, const std::vector<DType>& types, const Operation& operation) {
    Results results;
    Tensors moved;
    Inputs here, there;
    for (const Operand& operand : in) {
      moved.push_back(sent(copy_of(*operand.tensor)));
      here.push_back(operand.tensor);
      there.push_back(moved.back().get());
    }
    for (DType type : types) {
      results.here.push_back(empty(type));
      results.there.push_back(empty(type));
    }
    operation(here, results.here);
    operation(there, results.there);
    for (const TensorRef& t : results.there) {
      if (t->numel() == 0) continue;
      EXPECT_TRUE(is_there(*t));
    }
    return results;
  }
  TensorRef copy_of(const Tensor& t) {
    TensorRef copy = make(t.dtype, shape(t), Layout::permuted);
    fill(*copy, [&](int64_t i) { return get(t, i); });
    return copy;
  }
  void compare(const std::string& what, const Operands& in, const std::vector<DType>& types,
               const Operation& operation) {
    const Results results = run(in, types, operation);
    for (size_t k = 0; k < types.size(); ++k) {
      expect_near(*results.there[k], *results.here[k], what + ", result " + std::to_string(k));
    }
  }
  void expect_near(const Tensor& got, const Tensor& wanted, const std::string& what) {
    ASSERT_EQ(shape(got), shape(wanted)) << what;
    const auto all_got = values(got), all_wanted = values(wanted);
    for (size_t i = 0; i < all_got.size(); ++i) {
      const double x = all_got[i], y = all_wanted[i];
      ASSERT_TRUE(x == y || (x != x && y != y) || std::fabs(x - y) <= tolerance(got.dtype, y))
          << what << ", element " << i << ": " << x << ", not " << y;
    }
  }
  static double tolerance(DType type, double value) {
    return (type == DType::Float ? 2e-4 : 1e-11) * std::max(1.0, std::fabs(value));
  }

  // The same error on both, which an operation reports when it is called.
  void expect_error(const Operands& in, size_t results, const Operation& operation,
                    const std::string& part) {
    std::string texts[2];
    for (int side = 0; side < 2; ++side) {
      Tensors operands, out;
      Inputs pointers;
      for (const Operand& operand : in) {
        operands.push_back(copy_of(*operand.tensor));
        if (side) operands.back() = sent(std::move(operands.back()));
        pointers.push_back(operands.back().get());
      }
      for (size_t k = 0; k < results; ++k) out.push_back(empty(in[0].tensor->dtype));
      try {
        operation(pointers, out);
      } catch (const th::Error& error) {
        texts[side] = error.what();
      }
    }
    EXPECT_EQ(texts[1], texts[0]);
    EXPECT_NE(texts[0].find(part), std::string::npos) << texts[0] << "; expected: " << part;
  }
};
INSTANTIATE_TEST_SUITE_P(Settings, LinalgDevice, testing::ValuesIn(kSettings), setting_name);

constexpr DType kTypes[] = {DType::Float, DType::Double};

double noise(int64_t i) { return std::sin(static_cast<double>(i * i + 3 * i + 1)); }

// Matrices whose diagonals are larger by this number.
TensorRef matrices(DType type, const Shape& size, double diagonal = 0, int seed = 0) {
  TensorRef t = make(type, size);
  const int64_t rows = size[size.size() - 2], cols = size[size.size() - 1];
  fill(*t, [&](int64_t i) {
    const bool is_diagonal = i % (rows * cols) / cols == i % cols;
    return noise(i + 100 * seed) + (is_diagonal ? diagonal : 0);
  });
  return t;
}

// Symmetric matrices, which are positive definite if the diagonal is large.
TensorRef symmetric(DType type, int64_t count, int64_t n, double diagonal = 0) {
  TensorRef t = make(type, {count, n, n});
  fill(*t, [&](int64_t i) {
    const int64_t row = i / n % n, col = i % n;
    return noise(i / (n * n) + 7 * (row + col) + row * col) + (row == col ? diagonal : 0);
  });
  return t;
}

using Numbers = std::vector<double>;
// The product of row-major matrices of m x k and k x n elements, one for each `k * n` of b.
Numbers product(const Numbers& a, const Numbers& b, int64_t m, int64_t k, int64_t n) {
  Numbers c(a.size() / static_cast<size_t>(k) * static_cast<size_t>(n));
  for (int64_t batch = 0; batch < static_cast<int64_t>(c.size()) / (m * n); ++batch) {
    for (int64_t i = 0; i < m; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        double sum = 0;
        for (int64_t p = 0; p < k; ++p) {
          sum += a[batch * m * k + i * k + p] * b[batch * k * n + p * n + j];
        }
        c[batch * m * n + i * n + j] = sum;
      }
    }
  }
  return c;
}
// rows, cols: those of the matrices of a.
Numbers transposed(const Numbers& a, int64_t rows, int64_t cols) {
  Numbers t(a.size());
  for (int64_t i = 0; i < static_cast<int64_t>(a.size()); ++i) {
    const int64_t batch = i / (rows * cols), row = i / cols % rows, col = i % cols;
    t[batch * rows * cols + col * rows + row] = a[i];
  }
  return t;
}
Numbers scaled_columns(Numbers a, const Numbers& by, int64_t rows, int64_t cols) {
  for (int64_t i = 0; i < static_cast<int64_t>(a.size()); ++i) {
    a[i] *= by[i / (rows * cols) * cols + i % cols];
  }
  return a;
}
void expect_numbers(const Numbers& got, const Numbers& wanted, DType type, const char* what) {
  ASSERT_EQ(got.size(), wanted.size()) << what;
  for (size_t i = 0; i < got.size(); ++i) {
    ASSERT_NEAR(got[i], wanted[i], type == DType::Float ? 1e-3 : 1e-11) << what << " " << i;
  }
}

// The columns of a are orthonormal.
void expect_orthonormal(const Numbers& a, int64_t rows, int64_t cols, DType type) {
  const Numbers inner = product(transposed(a, rows, cols), a, cols, rows, cols);
  for (int64_t i = 0; i < static_cast<int64_t>(inner.size()); ++i) {
    const double wanted = i / cols % cols == i % cols ? 1 : 0;
    ASSERT_NEAR(inner[static_cast<size_t>(i)], wanted, type == DType::Float ? 1e-4 : 1e-12);
  }
}

// list: pairs of a real and an imaginary part. Columns j and j + 1 of v are the parts of a complex
// eigenvector.
void expect_eigenvectors(const Numbers& a, const Numbers& list, const Numbers& v, int64_t n,
                         DType type) {
  const Numbers images = product(a, v, n, n, n);
  const double tolerance = type == DType::Float ? 1e-3 : 1e-11;
  for (int64_t k = 0; k < static_cast<int64_t>(list.size()) / (2 * n); ++k) {
    for (int64_t j = 0; j < n; ++j) {
      const double re = list[(k * n + j) * 2], im = list[(k * n + j) * 2 + 1];
      for (int64_t i = 0; i < n; ++i) {
        const int64_t at = k * n * n + i * n + j;
        // a (x + i y) = (re + i im) (x + i y), and j is the column of x, or of y if im < 0.
        double wanted = re * v[at];
        if (im > 0) wanted -= im * v[at + 1];
        if (im < 0) wanted -= im * v[at - 1];
        ASSERT_NEAR(images[at], wanted, tolerance) << "eigenvector " << j;
      }
    }
  }
}

TEST_P(LinalgDevice, Systems) {
  for (DType type : kTypes) {
    for (int64_t n : {1, 5, 40, 70}) {
      const TensorRef a = matrices(type, {n, n}, 9), b = matrices(type, {n, 3}, 0, 1);
      const TensorRef batch = matrices(type, {3, n, n}, 9), sides = matrices(type, {3, n, 2}, 0, 2);
      compare("gesv", {b, a}, {type, type}, [](const Inputs& in, const Tensors& out) {
        ops::gesv(out[0].get(), out[1].get(), in[0], in[1]);
      });
      const TensorRef vectors = matrices(type, {3, n}, 0, 3);
      for (const TensorRef* right : {&b, &vectors, &sides}) {
        const TensorRef& left = right == &b ? a : batch;
        compare("solve", {left, *right}, {type}, [](const Inputs& in, const Tensors& out) {
          ops::solve(out[0].get(), in[0], in[1]);
        });
      }
      for (const char* options : {"UNN", "UTU", "LNU", "LTN"}) {
        compare(options, {sides, batch}, {type, type}, [&](const Inputs& in, const Tensors& out) {
          ops::trtrs(out[0].get(), out[1].get(), in[0], in[1], options[0], options[1], options[2]);
        });
      }
      for (char uplo : {'U', 'L'}) {
        compare("potrs", {sides, batch}, {type}, [&](const Inputs& in, const Tensors& out) {
          ops::potrs(out[0].get(), in[0], in[1], uplo);
        });
      }
      for (bool pivot : {true, false}) {
        compare("btrifact", {batch, sides}, {type, DType::Int, DType::Int, type},
                [&](const Inputs& in, const Tensors& out) {
                  ops::btrifact(out[0].get(), out[1].get(), out[2].get(), pivot, in[0]);
                  ops::btrisolve(out[3].get(), in[1], out[0].get(), out[1].get());
                });
      }
    }
  }
}

TEST_P(LinalgDevice, LeastSquares) {
  for (DType type : kTypes) {
    for (const Shape& size : {Shape{7, 3}, Shape{3, 7}, Shape{4, 4}, Shape{1, 5}, Shape{50, 20}}) {
      const TensorRef a = matrices(type, size, 4), b = matrices(type, {size[0], 2}, 0, 1);
      const TensorRef batch = matrices(type, {2, size[0], size[1]}, 4);
      compare("gels", {b, a}, {type}, [&](const Inputs& in, const Tensors& out) {
        TensorRef factors = empty(type);
        ops::gels(out[0].get(), factors.get(), in[0], in[1]);
      });
      for (double rcond : {-1.0, 0.0, 0.5}) {
        compare("lstsq", {batch, b}, {type, type, DType::Long, type},
                [&](const Inputs& in, const Tensors& out) {
                  ops::lstsq(out[0].get(), out[1].get(), out[2].get(), out[3].get(), in[0], in[1],
                             rcond);
                });
      }
      TensorRef flat = make(type, size);
      fill(*flat, [](int64_t) { return 0.5; });
      compare("lstsq of rank 1", {flat, b}, {type, type, DType::Long},
              [&](const Inputs& in, const Tensors& out) {
                TensorRef singular = empty(type);
                ops::lstsq(out[0].get(), out[1].get(), out[2].get(), singular.get(), in[0], in[1],
                           -1);
              });
      fill(*flat, [](int64_t) { return -0.0; });
      compare("gels of zeros", {b, flat}, {type, type}, [](const Inputs& in, const Tensors& out) {
        ops::gels(out[0].get(), out[1].get(), in[0], in[1]);
      });
    }
  }
}

TEST_P(LinalgDevice, InversesAndFactors) {
  for (DType type : kTypes) {
    for (int64_t n : {1, 6, 33}) {
      const TensorRef a = matrices(type, {3, n, n}, 9), positive = symmetric(type, 3, n, 2.0 * n);
      compare("getri", {a}, {type},
              [](const Inputs& in, const Tensors& out) { ops::getri(out[0].get(), in[0]); });
      for (char uplo : {'U', 'L'}) {
        compare("potrf, potri", {positive}, {type, type},
                [&](const Inputs& in, const Tensors& out) {
                  ops::potrf(out[0].get(), in[0], uplo);
                  ops::potri(out[1].get(), out[0].get(), uplo);
                });
        compare("cholesky", {positive}, {type}, [&](const Inputs& in, const Tensors& out) {
          ops::cholesky(out[0].get(), in[0], uplo == 'U');
        });
      }
      compare("determinants", {a}, {type, type, type, type},
              [](const Inputs& in, const Tensors& out) {
                ops::det(out[0].get(), in[0]);
                ops::logdet(out[1].get(), in[0]);
                ops::slogdet(out[2].get(), out[3].get(), in[0]);
              });
    }
    TensorRef special = matrices(type, {4, 2, 2}, 3);
    const double elements[] = {1, 2, 2, 4, kNaN, 1, 1, 1, 0, 1, 1, 0, 1e30, 0, 0, 1e30};
    fill(*special, [&](int64_t i) { return elements[i]; });
    compare("special determinants", {special}, {type, type, type, type},
            [](const Inputs& in, const Tensors& out) {
              ops::det(out[0].get(), in[0]);
              ops::logdet(out[1].get(), in[0]);
              ops::slogdet(out[2].get(), out[3].get(), in[0]);
            });
  }
}

TEST_P(LinalgDevice, SingularValues) {
  for (DType type : kTypes) {
    for (const Shape& size :
         {Shape{6, 4}, Shape{3, 8}, Shape{5, 5}, Shape{2, 7, 3}, Shape{2, 3, 7}, Shape{40, 36}}) {
      const TensorRef a = matrices(type, size, 2);
      compare("values", {a}, {type, DType::Long, type}, [](const Inputs& in, const Tensors& out) {
        ops::svdvals(out[0].get(), in[0]);
        ops::matrixRank(out[1].get(), in[0], 0.5, -1);
        ops::pinverse(out[2].get(), in[0], -1);
      });
      const int64_t m = size[size.size() - 2], n = size.back(), k = std::min(m, n);
      for (char job : {'S', 'A'}) {
        const Results results =
            run({a}, {type, type, type}, [&](const Inputs& in, const Tensors& out) {
              ops::gesvd(out[0].get(), out[1].get(), out[2].get(), in[0], job);
            });
        for (size_t r = 0; r < 3; ++r) {
          ASSERT_EQ(shape(*results.there[r]), shape(*results.here[r]));
        }
        expect_near(*results.there[1], *results.here[1], "singular values");
        const Numbers u = values(*results.there[0]), v = values(*results.there[2]);
        const int64_t u_cols = job == 'A' ? m : k, v_cols = job == 'A' ? n : k;
        expect_orthonormal(u, m, u_cols, type);
        expect_orthonormal(v, n, v_cols, type);
        // v' a' u is diagonal.
        const Numbers inner = product(transposed(u, m, u_cols),
                                      product(values(*a), v, m, n, v_cols), u_cols, m, v_cols);
        const Numbers s = values(*results.there[1]);
        for (int64_t i = 0; i < static_cast<int64_t>(inner.size()); ++i) {
          const int64_t batch = i / (u_cols * v_cols), row = i / v_cols % u_cols, col = i % v_cols;
          const double wanted = row == col && row < k ? s[batch * k + row] : 0;
          ASSERT_NEAR(inner[i], wanted, type == DType::Float ? 1e-3 : 1e-11);
        }
      }
    }
  }
}

TEST_P(LinalgDevice, Reflectors) {
  for (DType type : kTypes) {
    for (const Shape& size : {Shape{6, 4}, Shape{4, 6}, Shape{5, 5}, Shape{2, 30, 20}}) {
      const int64_t m = size[size.size() - 2], n = size.back(), k = std::min(m, n);
      const TensorRef a = matrices(type, size, 2);
      const Results qr = run({a}, {type, type}, [](const Inputs& in, const Tensors& out) {
        ops::qr(out[0].get(), out[1].get(), in[0]);
      });
      const Numbers q = values(*qr.there[0]), r = values(*qr.there[1]);
      expect_orthonormal(q, m, k, type);
      expect_numbers(product(q, r, m, k, n), values(*a), type, "q r");
      if (size.size() > 2) continue;
      const TensorRef sides[] = {matrices(type, {m, 3}, 0, 1), matrices(type, {3, m}, 0, 1)};
      const Results parts =
          run({a, sides[0], sides[1]}, {type, type, type, type, type, type, type},
              [](const Inputs& in, const Tensors& out) {
                auto at = [&](int i) { return out[static_cast<size_t>(i)].get(); };
                ops::geqrf(at(0), at(1), in[0]);
                ops::orgqr(at(2), at(0), at(1));
                ops::ormqr(at(3), at(0), at(1), in[1], 'L', 'N');
                ops::ormqr(at(4), at(0), at(1), at(3), 'L', 'T');
                ops::ormqr(at(5), at(0), at(1), in[2], 'R', 'N');
                ops::ormqr(at(6), at(0), at(1), at(5), 'R', 'T');
              });
      expect_orthonormal(values(*parts.there[2]), m, k, type);
      // The first k columns of c Q.
      const Numbers left = product(values(*sides[1]), values(*parts.there[2]), 3, m, k);
      const Numbers whole = values(*parts.there[5]);
      for (int64_t i = 0; i < 3 * k; ++i) {
        ASSERT_NEAR(whole[i / k * m + i % k], left[i], type == DType::Float ? 1e-3 : 1e-11);
      }
      expect_numbers(values(*parts.there[4]), values(*sides[0]), type, "Q' Q c");
      expect_numbers(values(*parts.there[6]), values(*sides[1]), type, "c Q Q'");
    }
  }
}

TEST_P(LinalgDevice, Eigenvalues) {
  for (DType type : kTypes) {
    for (int64_t n : {1, 4, 35}) {
      for (char uplo : {'U', 'L'}) {
        const TensorRef a = symmetric(type, 2, n);
        const Results results = run({a}, {type, type}, [&](const Inputs& in, const Tensors& out) {
          ops::eigh(out[0].get(), out[1].get(), in[0], uplo);
        });
        expect_near(*results.there[0], *results.here[0], "eigenvalues");
        const Numbers v = values(*results.there[1]);
        expect_orthonormal(v, n, n, type);
        expect_numbers(product(values(*a), v, n, n, n),
                       scaled_columns(v, values(*results.there[0]), n, n), type, "a v");
      }
      const TensorRef general = matrices(type, {2, n, n});
      const Results results =
          run({general}, {type, type}, [](const Inputs& in, const Tensors& out) {
            ops::geev(out[0].get(), out[1].get(), in[0], 'V');
          });
      expect_eigenvectors(values(*general), values(*results.there[0]), values(*results.there[1]), n,
                          type);
    }
  }
}

TEST_P(LinalgDevice, EmptyMatrices) {
  const DType type = DType::Double;
  for (const Shape& size : {Shape{0, 0}, Shape{0, 3, 3}, Shape{2, 0, 0}}) {
    compare("square", {make(type, size)}, {type, type, type, DType::Long, type, type},
            [](const Inputs& in, const Tensors& out) {
              auto at = [&](int i) { return out[static_cast<size_t>(i)].get(); };
              ops::getri(at(0), in[0]);
              ops::det(at(1), in[0]);
              ops::svdvals(at(2), in[0]);
              ops::matrixRank(at(3), in[0], -1, -1);
              ops::qr(at(4), at(5), in[0]);
            });
  }
  for (const Shape& size : {Shape{0, 3}, Shape{3, 0}}) {
    compare("flat", {make(type, size), matrices(type, {size[0], 2})},
            {type, type, type, type, type, type, DType::Long, type},
            [](const Inputs& in, const Tensors& out) {
              auto at = [&](int i) { return out[static_cast<size_t>(i)].get(); };
              ops::pinverse(at(0), in[0], -1);
              ops::gesvd(at(1), at(2), at(3), in[0], 'A');
              ops::lstsq(at(4), at(5), at(6), at(7), in[0], in[1], -1);
            });
  }
  compare("no right sides", {matrices(type, {3, 3}, 5), make(type, {3, 0})}, {type},
          [](const Inputs& in, const Tensors& out) { ops::solve(out[0].get(), in[0], in[1]); });
  compare("least squares without right sides", {matrices(type, {4, 3}, 5), make(type, {4, 0})},
          {type, type, DType::Long, type}, [](const Inputs& in, const Tensors& out) {
            ops::lstsq(out[0].get(), out[1].get(), out[2].get(), out[3].get(), in[0], in[1], -1);
          });
}

TEST_P(LinalgDevice, Errors) {
  const DType type = DType::Double;
  TensorRef bad = matrices(type, {4, 3, 3}, 5), bad_sides = matrices(type, {4, 3, 2});
  put(*bad, 2 * 9 + 4, kNaN);
  put(*bad_sides, 7, std::numeric_limits<double>::infinity());
  const TensorRef good = matrices(type, {4, 3, 3}, 5), sides = matrices(type, {4, 3, 2});
  auto solve = [](const Inputs& in, const Tensors& out) { ops::solve(out[0].get(), in[0], in[1]); };
  // A is checked first.
  expect_error({bad, bad_sides}, 1, solve, "matrix 3 of A has an element that is NaN or infinite");
  expect_error({good, bad_sides}, 1, solve, "matrix 2 of B has an element that is NaN");
  TensorRef singular = matrices(type, {4, 3, 3}, 5);
  for (int64_t i = 0; i < 3; ++i) put(*singular, 9 + 3 * i, 0);
  expect_error({singular, sides}, 1, solve, "U(3,3) is 0, matrix 2 is singular");
  expect_error(
      {singular}, 1, [](const Inputs& in, const Tensors& out) { ops::getri(out[0].get(), in[0]); },
      "matrix 2 is singular");
  expect_error(
      {singular, sides}, 2,
      [](const Inputs& in, const Tensors& out) {
        ops::trtrs(out[0].get(), out[1].get(), in[1], in[0], 'L', 'N', 'N');
      },
      "A(1,1) is 0, matrix 2 is singular");
  expect_error(
      {symmetric(type, 2, 3, -5)}, 1,
      [](const Inputs& in, const Tensors& out) { ops::potrf(out[0].get(), in[0], 'U'); },
      "its leading minor of order 1 is not positive");
  TensorRef flat = make(type, {5, 3});
  fill(*flat, [](int64_t i) { return i % 3 == 2 ? 0 : noise(i); });
  expect_error(
      {flat, matrices(type, {5, 2})}, 2,
      [](const Inputs& in, const Tensors& out) {
        ops::gels(out[0].get(), out[1].get(), in[1], in[0]);
      },
      "R(3,3) is 0");
  TensorRef pivots = make(DType::Int, {4, 3});
  for (int wrong : {0, 4}) {
    fill(*pivots, [&](int64_t i) { return i == 7 ? wrong : 3; });
    expect_error(
        {good, sides, pivots}, 1,
        [](const Inputs& in, const Tensors& out) {
          ops::btrisolve(out[0].get(), in[1], in[0], in[2]);
        },
        "pivot 2 of matrix 3 is not the number of a row, 1 to 3");
  }
}

// An operand that is also the result is unchanged after an error.
TEST_P(LinalgDevice, ErrorsKeepTheRightSides) {
  const DType type = DType::Double;
  const TensorRef b = sent(matrices(type, {3, 2}, 0, 1)), wanted = matrices(type, {3, 2}, 0, 1);
  const TensorRef singular = sent(make(type, {3, 3}));
  ops::fill(singular.get(), 1);
  TensorRef lu = empty(type);
  EXPECT_THROW(ops::gesv(b.get(), lu.get(), b.get(), singular.get()), th::Error);
  expect_near(*b, *wanted, "the right sides");
}

}  // namespace
