// Eigenvalues and singular values.

#include "cpu/linalg_batch.h"

namespace th::linalg {
namespace {

// Values: a.rows for each matrix, ascending. The vectors replace a.
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

// Values of each matrix: all real parts, then all imaginary parts. If v.data is null, no vectors
// are computed.
void eigen(const Matrices& a, char* values, const Matrices& v, int* info) {
  for_type(a.dtype, [&](auto zero) {
    using T = decltype(zero);
    lapack::OneThread one(1);
    int n = a.rows;
    T none = 0;
    for (int64_t k = 0; k < a.count; ++k) {
      T* own = items<T>(values, k * 2 * n);
      info[k] = with_work<T>([&](T* work, int size) {
        return lapack::geev('N', v.data ? 'V' : 'N', n, matrix<T>(a, k), a.ld, own, own + n, &none,
                            1, v.data ? matrix<T>(v, k) : &none, v.data ? v.ld : 1, work, size);
      });
    }
  });
}

// Counts the values of each matrix that exceed limit, and rcond times the largest value.
void count_above(DType dtype, const char* values, int64_t count, int n, double limit, double rcond,
                 int64_t* above) {
  for_type(dtype, [&](auto zero) {
    using T = decltype(zero);
    for (int64_t k = 0; k < count; ++k) {
      const T* list = reinterpret_cast<const T*>(values) + k * n;
      double least = std::max(limit, n > 0 ? rcond * static_cast<double>(list[0]) : 0);
      above[k] = std::count_if(list, list + n, [&](T value) { return value > least; });
    }
  });
}

// r = v * diag(1 / s) * u' for u and vt. Values up to rcond times the largest contribute 0.
void multiply_pseudoinverse(const Matrices& u, const char* values, const Matrices& vt, double rcond,
                            const Matrices& r) {
  for_type(u.dtype, [&](auto zero) {
    using T = decltype(zero);
    blas::OneThread one(1);
    for (int64_t k = 0; k < u.count; ++k) {
      const T* list = reinterpret_cast<const T*>(values) + k * u.cols;
      for (int j = 0; j < u.cols; ++j) {
        bool counts = list[j] > 0 && list[j] > rcond * static_cast<double>(list[0]);
        T* column = matrix<T>(u, k) + static_cast<int64_t>(j) * u.ld;
        for (int i = 0; i < u.rows; ++i) column[i] = counts ? column[i] / list[j] : T(0);
      }
      if (r.rows == 0 || r.cols == 0) continue;
      blas::gemm(r.rows, r.cols, u.cols, T(1), {matrix<const T>(vt, k), vt.ld, true},
                 {matrix<const T>(u, k), u.ld, true}, T(0), {matrix<T>(r, k), r.ld, false});
    }
  });
}

}  // namespace

void svd(const Matrices& a, bool all, const Matrices& u, char* values, const Matrices& vt,
         int* info, bool slow) {
  for_type(a.dtype, [&](auto zero) {
    using T = decltype(zero);
    lapack::OneThread one(1);
    const TallCopy<T> copy(a);
    const int m = copy.rows(), n = copy.cols(), left_cols = all ? m : n;
    const char job = !u.data ? 'N' : all ? 'A' : 'S';
    // For the transpose a' = left * s * right: u = right' and vt = left'.
    const bool transposed = u.data && copy.is_transposed();
    Workspace<T> left_space(transposed ? static_cast<int64_t>(m) * left_cols : 0);
    Workspace<T> right_space(transposed ? static_cast<int64_t>(n) * n : 0);
    Workspace<int> integer_work(8 * static_cast<int64_t>(std::max(n, 1)));
    if (u.data && !has_divide_and_conquer(n)) slow = true;
    T none = 0;
    for (int64_t k = 0; k < a.count; ++k) {
      T* own_values = items<T>(values, k * n);
      T *left = &none, *right = &none;
      int left_ld = 1, right_ld = 1;
      if (transposed) {
        left = left_space.data(), right = right_space.data();
        left_ld = m, right_ld = n;
      } else if (u.data) {
        left = matrix<T>(u, k), right = matrix<T>(vt, k);
        left_ld = u.ld, right_ld = vt.ld;
      }
      if (!slow) {
        copy.load(k);
        info[k] = with_work<T>([&](T* work, int size) {
          return lapack::gesdd(job, m, n, copy.data(), copy.ld(), own_values, left, left_ld, right,
                               right_ld, work, size, integer_work.data());
        });
      }
      if (slow || info[k] > 0) {
        copy.load(k);
        info[k] = with_work<T>([&](T* work, int size) {
          return lapack::gesvd(job, job, m, n, copy.data(), copy.ld(), own_values, left, left_ld,
                               right, right_ld, work, size);
        });
      }
      if (transposed) {
        transpose(n, n, right, n, matrix<T>(u, k), u.ld);
        transpose(m, left_cols, left, m, matrix<T>(vt, k), vt.ld);
      }
    }
  });
}

}  // namespace th::linalg

namespace th {

void run_eigen(const EigenCall& call) {
  const Matrices& a = call.a;
  std::fill_n(call.info, a.count, 0);
  if (!linalg::all_finite(a, 1, call.info, call.part)) return;
  if (call.part != Part::all) {
    linalg::eigen_symmetric(a, call.vectors, static_cast<char>(call.part), call.values, call.info);
  } else if (a.rows > 0) {
    Matrices v = call.v;
    if (!call.vectors) v.data = nullptr;
    linalg::eigen(a, call.values, v, call.info);
  }
  linalg::check_accepted(a.count, call.info);
}

void run_svd(const SvdCall& call) {
  const Matrices& a = call.a;
  const int n = std::min(a.rows, a.cols);
  std::fill_n(call.info, a.count, 0);
  if (!linalg::all_finite(a, 1, call.info)) return;
  if (n > 0) {
    linalg::svd(a, call.all, call.u, call.values, call.vt, call.info);
    linalg::check_accepted(a.count, call.info);
  } else {
    if (call.u.data) linalg::fill_identity(call.u);
    if (call.vt.data) linalg::fill_identity(call.vt);
  }
  if (call.ranks) {
    linalg::count_above(a.dtype, call.values, a.count, n, call.limit, call.rcond, call.ranks);
  }
  if (call.inverse.data && n > 0) {
    linalg::multiply_pseudoinverse(call.u, call.values, call.vt, call.rcond, call.inverse);
  }
}

}  // namespace th
