// Orthogonal factorizations, eigenvalues and singular values.

#include "cpu/linalg_batch.h"

namespace th::linalg {

void qr(const Matrices& a, char* tau) {
  for_type(a.dtype, [&](auto zero) {
    using T = decltype(zero);
    lapack::OneThread one(1);
    with_work<T>([&](T* work, int size) {
      return lapack::geqrf(a.rows, a.cols, matrix<T>(a, 0), a.ld, items<T>(tau), work, size);
    });
  });
}

void make_q(const Matrices& a, int reflectors, char* tau) {
  for_type(a.dtype, [&](auto zero) {
    using T = decltype(zero);
    lapack::OneThread one(1);
    with_work<T>([&](T* work, int size) {
      return lapack::orgqr(a.rows, a.cols, reflectors, matrix<T>(a, 0), a.ld, items<T>(tau), work,
                           size);
    });
  });
}

void multiply_by_q(const Matrices& a, char side, char trans, int reflectors, char* tau,
                   const Matrices& c) {
  for_type(a.dtype, [&](auto zero) {
    using T = decltype(zero);
    lapack::OneThread one(1);
    with_work<T>([&](T* work, int size) {
      return lapack::ormqr(side, trans, c.rows, c.cols, reflectors, matrix<T>(a, 0), a.ld,
                           items<T>(tau), matrix<T>(c, 0), c.ld, work, size);
    });
  });
}

void eigen_symmetric(const Matrices& a, bool vectors, char uplo, char* values, int* info) {
  for_type(a.dtype, [&](auto zero) {
    using T = decltype(zero);
    lapack::OneThread one(1);
    int n = a.rows;
    char job = vectors ? 'V' : 'N';
    // Divide and conquer is faster; use it if its work space size fits into int.
    double most = 1 + 6.0 * n + 2.0 * n * n;
    for (int64_t k = 0; k < a.count; ++k) {
      T* own = items<T>(values, k * n);
      if (most < INT_MAX) {
        auto solve = [&](T* work, int size, int* integer_work, int integers) {
          return lapack::syevd(job, uplo, n, matrix<T>(a, k), a.ld, own, work, size, integer_work,
                               integers);
        };
        T optimal = 0;
        int integers = 0;
        solve(&optimal, -1, &integers, -1);
        int size = work_size(optimal);
        Workspace<T> work(size);
        Workspace<int> integer_work(std::max(1, integers));
        info[k] = solve(work.data(), size, integer_work.data(), integers);
      } else {
        info[k] = with_work<T>([&](T* work, int size) {
          return lapack::syev(job, uplo, n, matrix<T>(a, k), a.ld, own, work, size);
        });
      }
    }
  });
}

void eigen(const Matrices& a, char* values, const Matrices& v, int* info) {
  for_type(a.dtype, [&](auto zero) {
    using T = decltype(zero);
    lapack::OneThread one(1);
    int n = a.rows;
    T none = 0;
    *info = with_work<T>([&](T* work, int size) {
      return lapack::geev('N', v.data ? 'V' : 'N', n, matrix<T>(a, 0), a.ld, items<T>(values),
                          items<T>(values, n), &none, 1, v.data ? matrix<T>(v, 0) : &none,
                          v.data ? v.ld : 1, work, size);
    });
  });
}

void svd(const Matrices& a, bool all, const Matrices& u, char* values, const Matrices& vt,
         int* info, bool slow) {
  for_type(a.dtype, [&](auto zero) {
    using T = decltype(zero);
    lapack::OneThread one(1);
    int n = std::min(a.rows, a.cols);
    char job = !u.data ? 'N' : all ? 'A' : 'S';
    T none = 0;
    Workspace<int> integer_work(8 * static_cast<int64_t>(std::max(n, 1)));
    int64_t elements = static_cast<int64_t>(a.ld) * a.cols;
    Workspace<T> copy(std::max<int64_t>(elements, 1));
    for (int64_t k = 0; k < a.count; ++k) {
      T *own = matrix<T>(a, k), *own_values = items<T>(values, k * n);
      T* left = u.data ? matrix<T>(u, k) : &none;
      T* right = u.data ? matrix<T>(vt, k) : &none;
      int left_ld = u.data ? u.ld : 1, right_ld = u.data ? vt.ld : 1;
      std::copy(own, own + elements, copy.data());
      info[k] = with_work<T>([&](T* work, int size) {
        return lapack::gesdd(job, a.rows, a.cols, own, a.ld, own_values, left, left_ld, right,
                             right_ld, work, size, integer_work.data());
      });
      if (info[k] <= 0 && !slow) continue;
      std::copy(copy.data(), copy.data() + elements, own);
      info[k] = with_work<T>([&](T* work, int size) {
        return lapack::gesvd(job, job, a.rows, a.cols, own, a.ld, own_values, left, left_ld, right,
                             right_ld, work, size);
      });
    }
  });
}

}  // namespace th::linalg
