// Factorizations, inverses and solutions of batches of matrices by blocks.

#include "cpu/linalg_kernels.h"

#if defined(__AVX512F__)

#include <algorithm>

#include "cpu/kernels/factors.h"
#include "cpu/workspace.h"

namespace th {
namespace {

template <class T>
View<T> view(const Matrices& a, int64_t k) {
  return {reinterpret_cast<T*>(a.data) + k * a.step, 1, a.ld};
}

// Calls f(k, factors, work) for each matrix: with a matrix for each thread if there are enough of
// them, otherwise with the threads within each matrix. longest: the most rows or columns of a
// product. extra: the number of elements of work.
template <class T, class F>
void for_matrices(int64_t count, int64_t longest, double work, int64_t extra, const F& f) {
  constexpr double kEnough = 1 << 17, kLarge = 1 << 22;
  const int64_t grain = work >= kEnough ? 1 : static_cast<int64_t>(kEnough / std::max(work, 1.0));
  const bool within = count < num_threads() && work >= kLarge;
  const Team team(within ? num_threads() : count / grain);
  const int64_t bytes = panel_bytes(sizeof(T) == 4 ? DType::Float : DType::Double, longest);
  const Workspace<char> memory(team.size() * bytes);
  const Workspace<T> extras(team.size() * extra);
  const Factors<T> factors({team, memory.data(), bytes});
  auto run = [&](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k) f(k, factors, extras.data() + team.index() * extra);
  };
  within ? run(0, count) : parallel_for(count, grain, run);
}

double cube(const Matrices& a) { return static_cast<double>(a.rows) * a.rows * a.rows; }
double square(const Matrices& a, const Matrices& b) {
  return static_cast<double>(a.rows) * a.rows * b.cols;
}

template <class T>
void lu(const Matrices& a, int* pivots, int* info) {
  for_matrices<T>(a.count, a.rows, cube(a), 0, [&](int64_t k, const Factors<T>& factors, T*) {
    info[k] = factors.lu(a.rows, a.cols, view<T>(a, k), pivots + k * a.rows);
  });
}

template <class T>
void lu_inverse(const Matrices& lu, const int* pivots) {
  for_matrices<T>(lu.count, lu.rows, cube(lu), lu.rows * Factors<T>::kColumns,
                  [&](int64_t k, const Factors<T>& factors, T* work) {
                    factors.lu_inverse(lu.rows, view<T>(lu, k), pivots + k * lu.rows, work);
                  });
}

template <class T>
void lu_solve(const Matrices& lu, char trans, const int* pivots, const Matrices& b) {
  for_matrices<T>(lu.count, std::max(lu.rows, b.cols), square(lu, b), 0,
                  [&](int64_t k, const Factors<T>& factors, T*) {
                    const int n = lu.rows, sides = b.cols;
                    const View<T> a = view<T>(lu, k), x = view<T>(b, k);
                    const int* own = pivots + k * n;
                    if (trans == 'N') {
                      factors.exchange_rows(n, sides, own, x);
                      factors.blocks().solve(Triangle::lower, true, n, sides, a, x);
                      factors.blocks().solve(Triangle::upper, false, n, sides, a, x);
                    } else {
                      const View<T> t = a.transposed();
                      factors.blocks().solve(Triangle::lower, false, n, sides, t, x);
                      factors.blocks().solve(Triangle::upper, true, n, sides, t, x);
                      factors.exchange_rows(n, sides, own, x, true);
                    }
                  });
}

template <class T>
void triangular_solve(const Matrices& a, char uplo, char trans, char diag, const Matrices& b,
                      int* info) {
  for_matrices<T>(a.count, std::max(a.rows, b.cols), square(a, b), 0,
                  [&](int64_t k, const Factors<T>& factors, T*) {
                    View<T> own = view<T>(a, k);
                    for (int i = 0; i < a.rows && diag != 'U'; ++i) {
                      if (own(i, i) == 0) {
                        info[k] = i + 1;
                        return;
                      }
                    }
                    Triangle part = uplo == 'U' ? Triangle::upper : Triangle::lower;
                    if (trans != 'N') own = own.transposed(), part = transposed(part);
                    factors.blocks().solve(part, diag == 'U', a.rows, b.cols, own, view<T>(b, k));
                  });
}

template <class T>
View<T> lower_view(const Matrices& a, char uplo, int64_t k) {
  return uplo == 'U' ? view<T>(a, k).transposed() : view<T>(a, k);
}

template <class T>
void cholesky(const Matrices& a, char uplo, int* info) {
  for_matrices<T>(a.count, a.rows, cube(a), 0, [&](int64_t k, const Factors<T>& factors, T*) {
    info[k] = factors.cholesky(a.rows, lower_view<T>(a, uplo, k));
  });
}

template <class T>
void cholesky_inverse(const Matrices& a, char uplo, int* info) {
  for_matrices<T>(a.count, a.rows, cube(a), a.rows * Factors<T>::kColumns,
                  [&](int64_t k, const Factors<T>& factors, T* work) {
                    const View<T> own = lower_view<T>(a, uplo, k);
                    for (int i = 0; i < a.rows; ++i) {
                      if (own(i, i) == 0) {
                        info[k] = i + 1;
                        return;
                      }
                    }
                    factors.cholesky_inverse(a.rows, own, work);
                  });
}

}  // namespace

namespace TH_ISA {

extern const LinalgKernels linalg_kernels;
constexpr LinalgKernels linalg_kernels = {
    for_types<BlasTypes>([](auto zero) { return &lu<decltype(zero)>; }),
    for_types<BlasTypes>([](auto zero) { return &lu_inverse<decltype(zero)>; }),
    for_types<BlasTypes>([](auto zero) { return &lu_solve<decltype(zero)>; }),
    for_types<BlasTypes>([](auto zero) { return &triangular_solve<decltype(zero)>; }),
    for_types<BlasTypes>([](auto zero) { return &cholesky<decltype(zero)>; }),
    for_types<BlasTypes>([](auto zero) { return &cholesky_inverse<decltype(zero)>; })};

}  // namespace TH_ISA
}  // namespace th

#else

namespace th {
namespace TH_ISA {

extern const LinalgKernels linalg_kernels;
constexpr LinalgKernels linalg_kernels = {};

}  // namespace TH_ISA
}  // namespace th

#endif
