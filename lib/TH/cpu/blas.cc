#include "cpu/blas.h"

#include <cblas.h>
#include <omp.h>

#include <algorithm>
#include <climits>
#include <string>

#include "memory/error.h"

namespace th::blas {

namespace {

// openblas_set_num_threads also sets OpenMP's number for the calling thread.
bool pin() noexcept {
  int before = omp_get_max_threads();
  openblas_set_num_threads(1);
  omp_set_num_threads(before);
  return true;
}

int checked(int64_t n) {
  if (n > INT_MAX) {
    fail("BLAS: a dimension or stride of %lld is too large", static_cast<long long>(n));
  }
  return static_cast<int>(n);
}

// Longer sums are made of parts.
constexpr int64_t kLongest = int64_t{1} << 30;

template <class T, class Call>
void gemm_with(const Call& call, int64_t m, int64_t n, int64_t k, T alpha, Matrix<const T> a,
               Matrix<const T> b, T beta, Matrix<T> c) {
  CBLAS_TRANSPOSE transposed_a = a.by_rows == c.by_rows ? CblasNoTrans : CblasTrans;
  CBLAS_TRANSPOSE transposed_b = b.by_rows == c.by_rows ? CblasNoTrans : CblasTrans;
  int64_t done = 0;
  do {
    int64_t part = std::min(k - done, kLongest);
    call(c.by_rows ? CblasRowMajor : CblasColMajor, transposed_a, transposed_b, checked(m),
         checked(n), static_cast<int>(part), alpha, a.data, checked(a.ld), b.data, checked(b.ld),
         done ? T(1) : beta, c.data, checked(c.ld));
    done += part;
    a.data += a.by_rows ? part : part * a.ld;
    b.data += b.by_rows ? part * b.ld : part;
  } while (done < k);
}

template <class T, class Call>
void gemv_with(const Call& call, int64_t m, int64_t n, T alpha, Matrix<const T> a, const T* x,
               int64_t x_stride, T beta, T* y, int64_t y_stride) {
  // Some versions multiply y by 0, and some return before that where n is 0.
  if (beta == 0) {
    for (int64_t i = 0; i < m; ++i) y[i * y_stride] = 0;
  }
  int64_t done = 0;
  while (done < n) {
    int64_t part = std::min(n - done, kLongest);
    call(a.by_rows ? CblasRowMajor : CblasColMajor, CblasNoTrans, checked(m),
         static_cast<int>(part), alpha, a.data, checked(a.ld), x, checked(x_stride),
         done ? T(1) : beta, y, checked(y_stride));
    done += part;
    a.data += a.by_rows ? part : part * a.ld;
    x += part * x_stride;
  }
}

}  // namespace

OneThread::OneThread() noexcept : openmp_threads_(0) {
  static const bool pinned = pin();
  static_cast<void>(pinned);
  if (omp_in_parallel()) return;
  if (openblas_get_num_threads() != 1) pin();
  // Newer versions ask OpenMP at each call.
  int n = omp_get_max_threads();
  if (n == 1) return;
  openmp_threads_ = n;
  omp_set_num_threads(1);
}

OneThread::~OneThread() {
  if (openmp_threads_) omp_set_num_threads(openmp_threads_);
}

void set_num_threads(int n) {
  pin();
  omp_set_num_threads(n);
}

const char* description() {
  static const std::string text =
      std::string(openblas_get_config()) + ", kernels for " + openblas_get_corename();
  return text.c_str();
}

void gemm(int64_t m, int64_t n, int64_t k, float alpha, Matrix<const float> a,
          Matrix<const float> b, float beta, Matrix<float> c) {
  gemm_with<float>(cblas_sgemm, m, n, k, alpha, a, b, beta, c);
}
void gemm(int64_t m, int64_t n, int64_t k, double alpha, Matrix<const double> a,
          Matrix<const double> b, double beta, Matrix<double> c) {
  gemm_with<double>(cblas_dgemm, m, n, k, alpha, a, b, beta, c);
}
void gemv(int64_t m, int64_t n, float alpha, Matrix<const float> a, const float* x,
          int64_t x_stride, float beta, float* y, int64_t y_stride) {
  gemv_with<float>(cblas_sgemv, m, n, alpha, a, x, x_stride, beta, y, y_stride);
}
void gemv(int64_t m, int64_t n, double alpha, Matrix<const double> a, const double* x,
          int64_t x_stride, double beta, double* y, int64_t y_stride) {
  gemv_with<double>(cblas_dgemv, m, n, alpha, a, x, x_stride, beta, y, y_stride);
}

}  // namespace th::blas
