// Loops over matrices that are not in LAPACK.

#include "cpu/linalg_batch.h"

namespace th::linalg {

namespace {

// Calls f(column, first row, end row) for the part of each column in the triangle, or (beside)
// outside of it.
template <class F>
void for_columns(const Matrices& a, Part part, bool beside, const F& f) {
  for (int j = 0; j < a.cols; ++j) {
    int diagonal = std::min(j, a.rows), below = std::min(j + 1, a.rows);
    if (part == Part::all) {
      f(j, 0, a.rows);
    } else if (part == Part::upper) {
      beside ? f(j, below, a.rows) : f(j, 0, below);
    } else {
      beside ? f(j, 0, diagonal) : f(j, diagonal, a.rows);
    }
  }
}

}  // namespace

int64_t find_not_finite(const Matrices& a, Part part, int64_t first) {
  int64_t found = -1;
  for_type(a.dtype, [&](auto zero) {
    using T = decltype(zero);
    for (int64_t k = first; k < a.count && found < 0; ++k) {
      const T* data = matrix<T>(a, k);
      for_columns(a, part, false, [&](int j, int begin, int end) {
        const T* column = data + static_cast<int64_t>(j) * a.ld;
        // x * 0 is 0 if x is finite, else NaN.
        T sum = 0;
        for (int i = begin; i < end; ++i) sum += column[i] * T(0);
        if (sum != 0) found = k;
      });
    }
  });
  return found;
}

void clear(const Matrices& a) {
  for_type(a.dtype, [&](auto zero) {
    using T = decltype(zero);
    for (int64_t k = 0; k < a.count; ++k) {
      for (int64_t j = 0; j < a.cols; ++j) std::fill_n(matrix<T>(a, k) + j * a.ld, a.rows, T(0));
    }
  });
}

void fill_identity(const Matrices& a) {
  for_type(a.dtype, [&](auto zero) {
    using T = decltype(zero);
    for (int64_t k = 0; k < a.count; ++k) {
      for (int j = 0; j < a.cols; ++j) {
        T* column = matrix<T>(a, k) + static_cast<int64_t>(j) * a.ld;
        std::fill(column, column + a.rows, T(0));
        if (j < a.rows) column[j] = 1;
      }
    }
  });
}

void clear_outside(const Matrices& a, Part part) {
  for_type(a.dtype, [&](auto zero) {
    using T = decltype(zero);
    for (int64_t k = 0; k < a.count; ++k) {
      for_columns(a, part, true, [&](int j, int begin, int end) {
        T* column = matrix<T>(a, k) + static_cast<int64_t>(j) * a.ld;
        std::fill(column + begin, column + end, T(0));
      });
    }
  });
}

void mirror(const Matrices& a, Part part) {
  for_type(a.dtype, [&](auto zero) {
    using T = decltype(zero);
    int64_t ld = a.ld;
    for (int64_t k = 0; k < a.count; ++k) {
      T* data = matrix<T>(a, k);
      for_columns(a, part, true, [&](int j, int begin, int end) {
        for (int i = begin; i < end; ++i) data[i + j * ld] = data[j + i * ld];
      });
    }
  });
}

int64_t find_wrong_pivot(const int* pivots, const Matrices& lu) {
  const int* end = pivots + lu.count * lu.rows;
  const int* found = std::find_if(pivots, end, [&](int p) { return p < 1 || p > lu.rows; });
  return found == end ? -1 : found - pivots;
}

void find_zero_pivots(const Matrices& lu, int* info) {
  for_type(lu.dtype, [&](auto zero) {
    using T = decltype(zero);
    for (int64_t k = 0; k < lu.count; ++k) {
      info[k] = 0;
      for (int64_t i = lu.rows - 1; i >= 0; --i) {
        if (matrix<T>(lu, k)[i + i * lu.ld] == 0) info[k] = static_cast<int>(i) + 1;
      }
    }
  });
}

void column_squares(const Matrices& b, int first, char* sums) {
  for_type(b.dtype, [&](auto zero) {
    using T = decltype(zero);
    for (int64_t k = 0; k < b.count; ++k) {
      for (int j = 0; j < b.cols; ++j) {
        const T* column = matrix<T>(b, k) + static_cast<int64_t>(j) * b.ld;
        double sum = 0;
        for (int i = first; i < b.rows; ++i) sum += static_cast<double>(column[i]) * column[i];
        items<T>(sums)[k * b.cols + j] = static_cast<T>(sum);
      }
    }
  });
}

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

}  // namespace th::linalg
