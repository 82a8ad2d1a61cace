// Elimination-based factorizations and solutions; least squares.

#include "cpu/linalg_batch.h"

namespace th::linalg {

namespace {

// LU factorization without pivoting. Like LAPACK's info, returns the position of the first zero
// pivot.
template <class T>
int eliminate(int n, T* a, int64_t ld) {
  int info = 0;
  for (int64_t p = 0; p < n; ++p) {
    T pivot = a[p + p * ld];
    if (pivot == 0) {
      if (!info) info = static_cast<int>(p) + 1;
      continue;
    }
    for (int64_t i = p + 1; i < n; ++i) a[i + p * ld] /= pivot;
    for (int64_t j = p + 1; j < n; ++j) {
      T factor = a[p + j * ld];
      for (int64_t i = p + 1; i < n; ++i) a[i + j * ld] -= a[i + p * ld] * factor;
    }
  }
  return info;
}

}  // namespace

void lu(const Matrices& a, bool pivot, int* pivots, int* info) {
  for_type(a.dtype, [&](auto zero) {
    using T = decltype(zero);
    for_matrices(a.count, cube(a), [&](int64_t k) {
      int* own = pivots + k * a.rows;
      if (pivot) {
        info[k] = lapack::getrf(a.rows, a.cols, matrix<T>(a, k), a.ld, own);
      } else {
        for (int i = 0; i < a.rows; ++i) own[i] = i + 1;
        info[k] = eliminate(a.rows, matrix<T>(a, k), a.ld);
      }
    });
  });
}

void lu_solve(const Matrices& lu, char trans, int* pivots, const Matrices& b) {
  for_type(lu.dtype, [&](auto zero) {
    using T = decltype(zero);
    double work = static_cast<double>(lu.rows) * lu.rows * b.cols;
    for_matrices(lu.count, work, [&](int64_t k) {
      lapack::getrs(trans, lu.rows, b.cols, matrix<T>(lu, k), lu.ld, pivots + k * lu.rows,
                    matrix<T>(b, k), b.ld);
    });
  });
}

void lu_invert(const Matrices& lu, int* pivots, int* info) {
  for_type(lu.dtype, [&](auto zero) {
    using T = decltype(zero);
    lapack::OneThread one(1);
    for (int64_t k = 0; k < lu.count; ++k) {
      info[k] = with_work<T>([&](T* work, int size) {
        return lapack::getri(lu.rows, matrix<T>(lu, k), lu.ld, pivots + k * lu.rows, work, size);
      });
    }
  });
}

void lu_determinant(const Matrices& lu, const int* pivots, const bool* finite,
                    const Determinants& results) {
  for_type(lu.dtype, [&](auto zero) {
    using T = decltype(zero);
    for (int64_t k = 0; k < lu.count; ++k) {
      // The product is kept as mantissa * 2^exponent to avoid overflow.
      double mantissa = finite[k] ? 1 : std::nan("");
      int64_t exponent = 0;
      for (int64_t i = 0; i < lu.rows; ++i) {
        int shift = 0;
        mantissa = std::frexp(mantissa * matrix<T>(lu, k)[i + i * lu.ld], &shift);
        exponent += shift;
        if (pivots[k * lu.rows + i] != i + 1) mantissa = -mantissa;
      }
      if (std::fabs(mantissa) < M_SQRT1_2) mantissa *= 2, --exponent;
      double logarithm =
          std::log(std::fabs(mantissa)) + M_LN2 * static_cast<double>(mantissa == 0 ? 0 : exponent);
      double sign = mantissa > 0 ? 1 : mantissa < 0 ? -1 : mantissa;
      int shift = static_cast<int>(std::clamp<int64_t>(exponent, -5000, 5000));
      if (results.sign) items<T>(results.sign)[k] = static_cast<T>(sign);
      if (results.logarithm) items<T>(results.logarithm)[k] = static_cast<T>(logarithm);
      if (results.value) items<T>(results.value)[k] = static_cast<T>(std::ldexp(mantissa, shift));
      if (results.value_logarithm) {
        items<T>(results.value_logarithm)[k] = static_cast<T>(sign < 0 ? std::nan("") : logarithm);
      }
    }
  });
}

void cholesky(const Matrices& a, char uplo, int* info) {
  for_type(a.dtype, [&](auto zero) {
    using T = decltype(zero);
    for_matrices(a.count, cube(a) / 2,
                 [&](int64_t k) { info[k] = lapack::potrf(uplo, a.rows, matrix<T>(a, k), a.ld); });
  });
}

void cholesky_invert(const Matrices& a, char uplo, int* info) {
  for_type(a.dtype, [&](auto zero) {
    using T = decltype(zero);
    lapack::OneThread one(1);
    for (int64_t k = 0; k < a.count; ++k) {
      info[k] = lapack::potri(uplo, a.rows, matrix<T>(a, k), a.ld);
    }
  });
}

int cholesky_pivoted(const Matrices& a, char uplo, double tolerance, int* pivots) {
  int rank = 0;
  for_type(a.dtype, [&](auto zero) {
    using T = decltype(zero);
    lapack::OneThread one(1);
    Workspace<T> work(2 * static_cast<int64_t>(a.rows));
    lapack::pstrf(uplo, a.rows, matrix<T>(a, 0), a.ld, pivots, &rank, static_cast<T>(tolerance),
                  work.data());
  });
  return rank;
}

void triangular_solve(const Matrices& a, char uplo, char trans, char diag, const Matrices& b,
                      int* info) {
  for_type(a.dtype, [&](auto zero) {
    using T = decltype(zero);
    lapack::OneThread one(1);
    for (int64_t k = 0; k < a.count; ++k) {
      info[k] = lapack::trtrs(uplo, trans, diag, a.rows, b.cols, matrix<T>(a, k), a.ld,
                              matrix<T>(b, k), b.ld);
    }
  });
}

void least_squares(const Matrices& a, const Matrices& b, int* info) {
  for_type(a.dtype, [&](auto zero) {
    using T = decltype(zero);
    lapack::OneThread one(1);
    for (int64_t k = 0; k < a.count; ++k) {
      info[k] = with_work<T>([&](T* work, int size) {
        return lapack::gels('N', a.rows, a.cols, b.cols, matrix<T>(a, k), a.ld, matrix<T>(b, k),
                            b.ld, work, size);
      });
    }
  });
}

void least_squares_by_svd(const Matrices& a, const Matrices& b, char* values, double rcond,
                          int64_t* rank, int* info) {
  for_type(a.dtype, [&](auto zero) {
    using T = decltype(zero);
    lapack::OneThread one(1);
    int n = std::min(a.rows, a.cols), own_rank = 0, integers = 0;
    auto solve = [&](int64_t k, T* work, int size, int* integer_work) {
      return lapack::gelsd(a.rows, a.cols, b.cols, matrix<T>(a, k), a.ld, matrix<T>(b, k), b.ld,
                           items<T>(values, k * n), static_cast<T>(rcond), &own_rank, work, size,
                           integer_work);
    };
    T optimal = 0;
    solve(0, &optimal, -1, &integers);
    int size = work_size(optimal);
    Workspace<T> work(size);
    Workspace<int> integer_work(std::max(1, integers));
    for (int64_t k = 0; k < a.count; ++k) {
      info[k] = solve(k, work.data(), size, integer_work.data());
      rank[k] = own_rank;
    }
  });
}

}  // namespace th::linalg
