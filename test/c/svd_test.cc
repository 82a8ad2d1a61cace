// Singular values by both ways: where divide and conquer does not converge, which hardly a matrix
// makes it do, QR steps start from the matrix as it was.

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "cpu/lapack.h"
#include "cpu/linalg.h"

namespace {

using th::Matrices;

template <class T>
struct Block {
  std::vector<T> data;
  Matrices view;
  Block(th::DType type, int count, int rows, int cols)
      : data(static_cast<size_t>(count) * rows * cols),
        view{type, reinterpret_cast<char*>(data.data()), count, rows * cols, rows, cols, rows} {}
};

template <class T>
void compare(th::DType type, int rows, int cols, bool all, bool vectors, double tolerance) {
  constexpr int kCount = 3;
  const int k = std::min(rows, cols);
  Block<T> a(type, kCount, rows, cols);
  for (size_t i = 0; i < a.data.size(); ++i) a.data[i] = std::sin(static_cast<T>(i * i + 1));
  const std::vector<T> given = a.data;
  Block<T> u(type, kCount, rows, all ? rows : k), vt(type, kCount, all ? cols : k, cols);
  Matrices none = {};
  std::vector<T> values[2];
  for (bool slow : {false, true}) {
    a.data = given;
    values[slow].resize(kCount * k);
    int info[kCount];
    th::linalg::svd(a.view, all, vectors ? u.view : none,
                    reinterpret_cast<char*>(values[slow].data()), vectors ? vt.view : none, info,
                    slow);
    for (int m = 0; m < kCount; ++m) EXPECT_EQ(info[m], 0);
    if (!vectors) continue;
    for (int m = 0; m < kCount; ++m) {
      for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < cols; ++j) {
          double sum = 0;
          for (int p = 0; p < k; ++p) {
            sum += static_cast<double>(u.data[m * u.view.step + p * rows + i]) *
                   values[slow][m * k + p] * vt.data[m * vt.view.step + j * vt.view.rows + p];
          }
          EXPECT_NEAR(sum, given[m * a.view.step + j * rows + i], tolerance);
        }
      }
    }
  }
  for (int i = 0; i < kCount * k; ++i) EXPECT_NEAR(values[0][i], values[1][i], tolerance);
}

TEST(SingularValues, AreTheSameByBothWays) {
  const int shapes[][2] = {{1, 1}, {5, 5}, {9, 4}, {3, 30}, {40, 40}};
  for (const auto& shape : shapes) {
    for (int form = 0; form < 3; ++form) {
      compare<double>(th::DType::Double, shape[0], shape[1], form == 1, form < 2, 1e-12);
      compare<float>(th::DType::Float, shape[0], shape[1], form == 1, form < 2, 1e-4);
    }
  }
}

// gesdd computes the size of its work space as an int. The vectors of n singular values need more
// than 3 * n * n elements.
TEST(SingularValues, GetWorkSpacesThatLapackCanCount) {
  th::lapack::OneThread one(1);
  bool was_too_large = false;
  for (int n = 1000; n < 40000; n += 500) {
    double size = 0, none = 0;
    int integers = 0;
    th::lapack::gesdd('S', n, n, &none, n, &none, &none, n, &none, n, &size, -1, &integers);
    if (th::linalg::has_divide_and_conquer(n)) {
      EXPECT_GT(size, 3.0 * n * n) << n;
    } else {
      was_too_large = true;
    }
  }
  EXPECT_TRUE(was_too_large);
  EXPECT_TRUE(th::linalg::has_divide_and_conquer(20000));
}

}  // namespace
