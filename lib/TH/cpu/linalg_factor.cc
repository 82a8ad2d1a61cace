// Factorizations, inverses and determinants.

#include <cfloat>

#include "cpu/linalg_batch.h"

namespace th::linalg {

void lu(const Matrices& a, bool pivot, int* pivots, int* info, int* exponents) {
  for_type(a.dtype, [&](auto zero) {
    using T = decltype(zero);
    const bool by_lapack = pivot && !is_small(a);
    const bool by_blocks = pivot && a.rows >= a.cols && has_blocks(linalg_kernels().lu, a);
    for (int64_t k = 0; k < a.count && exponents; ++k) {
      exponents[k] = by_blocks ? scale_matrix(a.rows, a.cols, elements<T>(a, k), true) : 0;
    }
    if (by_blocks) return linalg_kernels().lu[a.dtype](a, pivots, info);
    const int64_t copied = by_lapack ? int64_t{a.rows} * a.cols : 0;
    for_matrices_with<T>(copied, a.count, cube(a), [&](int64_t k, T* copy) {
      int* own = pivots + k * a.rows;
      const Elements<T> at = elements<T>(a, k);
      if (by_lapack) {
        copy_matrix(a.rows, a.cols, at.at, a.ld, copy, a.rows);
        info[k] = lapack::getrf(a.rows, a.cols, at.at, a.ld, own);
        // Otherwise LAPACK has multiplied by an infinite reciprocal, or sums have overflowed.
        if (has_usual_diagonal(std::min(a.rows, a.cols), at)) return;
        copy_matrix(a.rows, a.cols, copy, a.rows, at.at, a.ld);
        if (exponents) exponents[k] = scale_matrix(a.rows, a.cols, at, true);
      }
      for (int i = 0; i < a.rows && !pivot; ++i) own[i] = i + 1;
      info[k] = eliminate(a.rows, a.cols, at, pivot ? own : nullptr);
    });
  });
}

namespace {

void lu_invert(const Matrices& lu, int* pivots, int* info) {
  if (run_blocks(linalg_kernels().lu_inverse, lu, pivots)) return;
  for_type(lu.dtype, [&](auto zero) {
    using T = decltype(zero);
    if (is_small(lu)) {
      return for_matrices(lu.count, cube(lu), [&](int64_t k) {
        small_lu_inverse(lu.rows, elements<T>(lu, k), pivots + k * lu.rows);
      });
    }
    lapack::OneThread one(1);
    for (int64_t k = 0; k < lu.count; ++k) {
      info[k] = with_work<T>([&](T* work, int size) {
        return lapack::getri(lu.rows, matrix<T>(lu, k), lu.ld, pivots + k * lu.rows, work, size);
      });
    }
  });
}

// Replaces finite square matrices by their inverses.
void invert(const Matrices& a, int* info) {
  Workspace<int> pivots(a.count * a.rows), exponents(a.count);
  lu(a, true, pivots.data(), info, exponents.data());
  if (std::any_of(info, info + a.count, [](int i) { return i != 0; })) return;
  lu_invert(a, pivots.data(), info);
  for_type(a.dtype, [&](auto zero) {
    using T = decltype(zero);
    for (int64_t k = 0; k < a.count; ++k) {
      const Elements<T> inverse = elements<T>(a, k);
      const T factor = std::ldexp(T(1), exponents[k]);
      for (int j = 0; j < a.cols && exponents[k] != 0; ++j) {
        for (int i = 0; i < a.rows; ++i) inverse(i, j) *= factor;
      }
    }
  });
}

// Computes the results of a call from its factors. finite: which matrices were finite. exponents:
// those of lu().
void lu_determinant(const DeterminantCall& results, const int* pivots, const bool* finite,
                    const int* exponents) {
  const Matrices& lu = results.a;
  for_type(lu.dtype, [&](auto zero) {
    using T = decltype(zero);
    for (int64_t k = 0; k < lu.count; ++k) {
      // The product is kept as mantissa * 2^exponent to avoid overflow.
      double mantissa = finite[k] ? 1 : std::nan("");
      int64_t exponent = -int64_t{exponents[k]} * lu.rows;
      for (int64_t i = 0; i < lu.rows; ++i) {
        int places = 0;
        double pivot = matrix<T>(lu, k)[i + i * lu.ld];
        if (std::fabs(pivot) < 2 * DBL_MIN) {  // the product could be denormal, and lose digits
          pivot = std::frexp(pivot, &places);
          exponent += places;
        }
        mantissa = std::frexp(mantissa * pivot, &places);
        exponent += places;
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
  if (run_blocks(linalg_kernels().cholesky, a, uplo, info)) return;
  for_type(a.dtype, [&](auto zero) {
    using T = decltype(zero);
    for_matrices(a.count, cube(a) / 2, [&](int64_t k) {
      const Elements<T> own = elements<T>(a, k);
      info[k] = is_small(a) ? small_cholesky(a.rows, uplo == 'U' ? own.transposed() : own)
                            : lapack::potrf(uplo, a.rows, own.at, a.ld);
    });
  });
}

void cholesky_invert(const Matrices& a, char uplo, int* info) {
  if (run_blocks(linalg_kernels().cholesky_inverse, a, uplo, info)) return;
  for_type(a.dtype, [&](auto zero) {
    using T = decltype(zero);
    lapack::OneThread one(1);
    for (int64_t k = 0; k < a.count; ++k) {
      info[k] = lapack::potri(uplo, a.rows, matrix<T>(a, k), a.ld);
    }
  });
}

// Returns the rank of a single matrix.
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

void qr(const Matrices& a, char* tau, int* info) {
  for_type(a.dtype, [&](auto zero) {
    using T = decltype(zero);
    lapack::OneThread one(1);
    const int reflectors = std::min(a.rows, a.cols);
    // Only the first columns have reflectors. The others are multiplied by Q'.
    const int first = std::min(a.cols, std::max(a.rows, kMostColumns));
    for (int64_t k = 0; k < a.count; ++k) {
      T *own = matrix<T>(a, k), *own_tau = items<T>(tau, k * reflectors);
      info[k] = with_work<T>([&](T* work, int size) {
        return lapack::geqrf(a.rows, first, own, a.ld, own_tau, work, size);
      });
      if (info[k] || first == a.cols) continue;
      info[k] = apply_q('L', 'T', reflectors, own, a.ld, own_tau, a.rows, a.cols - first,
                        own + first * static_cast<int64_t>(a.ld), a.ld);
    }
  });
}

void make_q(const Matrices& a, int reflectors, char* tau, int* info) {
  for_type(a.dtype, [&](auto zero) {
    using T = decltype(zero);
    lapack::OneThread one(1);
    for (int64_t k = 0; k < a.count; ++k) {
      info[k] = with_work<T>([&](T* work, int size) {
        return lapack::orgqr(a.rows, a.cols, reflectors, matrix<T>(a, k), a.ld,
                             items<T>(tau, k * reflectors), work, size);
      });
    }
  });
}

void factor(const FactorCall& call) {
  const Matrices& a = call.a;
  const char uplo = static_cast<char>(call.part);
  switch (call.kind) {
    case Factorization::lu:
      return lu(a, true, call.pivots, call.info);
    case Factorization::lu_unpivoted:
      return lu(a, false, call.pivots, call.info);
    case Factorization::inverse:
      return invert(a, call.info);
    case Factorization::cholesky:
      cholesky(a, uplo, call.info);
      return clear_outside(a, call.part);
    case Factorization::cholesky_pivoted: {
      int rank = cholesky_pivoted(a, uplo, call.tolerance, call.pivots);
      if (rank < a.rows) *call.info = rank + 1;
      return clear_outside(a, call.part);
    }
    case Factorization::cholesky_inverse:
      cholesky_invert(a, uplo, call.info);
      return mirror(a, call.part);
    case Factorization::qr:
      return qr(a, call.tau, call.info);
    case Factorization::q:
      return make_q(a, call.reflectors, call.tau, call.info);
  }
}

}  // namespace
}  // namespace th::linalg

namespace th {

void run_factor(const FactorCall& call) {
  const Matrices& a = call.a;
  if (a.count == 0) return;  // tau has no memory
  std::fill_n(call.info, a.count, 0);
  if (!linalg::all_finite(a, 1, call.info, call.part)) return;
  if (call.kind == Factorization::q &&
      !linalg::all_finite(linalg::column(a, call.tau, call.reflectors), 3, call.info)) {
    return;
  }
  linalg::factor(call);
  linalg::check_accepted(a.count, call.info);
}

void run_determinant(const DeterminantCall& call) {
  const Matrices& a = call.a;
  Workspace<int> pivots(a.count * a.rows), info(a.count), exponents(a.count);
  Workspace<bool> finite(a.count);
  std::fill_n(finite.data(), a.count, true);
  for (int64_t k = 0; (k = linalg::find_not_finite(a, Part::all, k)) >= 0; ++k) {
    finite[k] = false;
    linalg::fill_identity(linalg::matrix_of(a, k));
  }
  linalg::lu(a, true, pivots.data(), info.data(), exponents.data());
  linalg::lu_determinant(call, pivots.data(), finite.data(), exponents.data());
}

}  // namespace th
