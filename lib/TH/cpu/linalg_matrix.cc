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

template <class T>
bool is_finite(const T* x, const T* end) {
  // x * 0 is 0 if x is finite, else NaN. Independent sums are computed at the same time.
  constexpr int kSums = 64 / sizeof(T);
  T sums[kSums] = {}, sum = 0;
  for (; end - x >= kSums; x += kSums) {
#pragma GCC unroll 16
    for (int k = 0; k < kSums; ++k) sums[k] += x[k] * T(0);
  }
  for (; x < end; ++x) sum += *x * T(0);
  for (T each : sums) sum += each;
  return sum == 0;
}

}  // namespace

int64_t find_not_finite(const Matrices& a, Part part, int64_t first) {
  int64_t found = -1;
  for_type(a.dtype, [&](auto zero) {
    using T = decltype(zero);
    for (int64_t k = first; k < a.count && found < 0; ++k) {
      const T* data = matrix<T>(a, k);
      if (part == Part::all && a.ld == a.rows) {
        if (!is_finite(data, data + static_cast<int64_t>(a.rows) * a.cols)) found = k;
        continue;
      }
      for_columns(a, part, false, [&](int j, int begin, int end) {
        const T* column = data + static_cast<int64_t>(j) * a.ld;
        if (!is_finite(column + begin, column + end)) found = k;
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

}  // namespace th::linalg
