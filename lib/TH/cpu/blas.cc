#include "cpu/blas.h"

#include <omp.h>

#include <algorithm>
#include <climits>
#include <cstddef>
#include <mutex>

#include "base/error.h"
#include "cpu/blas_library.h"
#include "cpu/parallel.h"
#include "memory/spare.h"

namespace th::blas {

namespace {

// OpenBLAS's function for the number of threads also sets OpenMP's number for the calling thread.
void pin(Library* library) noexcept {
  if (!library->set_threads) return;
  int before = omp_get_max_threads();
  library->set_threads(1);
  omp_set_num_threads(before);
}

// OpenBLAS needs a buffer for each product in progress and keeps it. If it cannot allocate one, it
// retries forever. So buffers are allocated here, as long as there is address space. Other
// libraries need less, but end the process if memory has run out.
constexpr size_t kBufferBytes = size_t{130} << 20, kOthersBytes = size_t{32} << 20;
std::mutex buffers_mutex;

size_t bytes_of_buffer(const Library& library) {
  return library.make_buffer ? kBufferBytes : kOthersBytes;
}

void make_buffers(Library* library, int needed) {
  constexpr int kMost = 256;
  needed = std::min(needed, kMost);
  if (library->buffers_made.load(std::memory_order_acquire) >= needed) return;
  std::lock_guard<std::mutex> lock(buffers_mutex);
  void* buffers[kMost];
  int count = 0;
  // The library returns existing buffers first.
  while (count < needed &&
         (count < library->buffers_made || has_address_space(bytes_of_buffer(*library)))) {
    buffers[count++] = library->make_buffer ? library->make_buffer(0) : nullptr;
  }
  if (count > library->buffers_made) library->buffers_made = count;
  while (library->make_buffer && count > 0) library->free_buffer(buffers[--count]);
}

// Reserves up to `needed` buffers for the caller and returns their number.
int claim_buffers(Library* library, int needed) {
  int claimed = library->buffers_claimed += needed;
  make_buffers(library, claimed);
  int lacking = std::max(claimed - library->buffers_made, 0);
  int available = std::max(needed - lacking, 0);
  library->buffers_claimed -= needed - available;
  if (available > 0) return available;
  fail("out of memory: %s needs %zu MiB of address space for a product", library->name.c_str(),
       bytes_of_buffer(*library) >> 20);
}

int checked(int64_t n) {
  if (n > INT_MAX) {
    fail("BLAS: a dimension or stride of %lld is too large", as_long(n));
  }
  return static_cast<int>(n);
}

// Longer sums are divided into parts.
constexpr int64_t kLongest = int64_t{1} << 30;

template <class T>
void gemm_by(Routine routine, int64_t m, int64_t n, int64_t k, T alpha, Matrix<const T> a,
             Matrix<const T> b, T beta, Matrix<T> c) {
  // Fortran's matrices are column-major. For a row-major result, compute the transposed product.
  if (c.by_rows) {
    std::swap(a, b);
    std::swap(m, n);
    a.by_rows = !a.by_rows;
    b.by_rows = !b.by_rows;
  }
  using Function =
      void (*)(const char*, const char*, const int*, const int*, const int*, const T*, const T*,
               const int*, const T*, const int*, const T*, T*, const int*, size_t, size_t);
  auto call = reinterpret_cast<Function>(routine);
  const int rows = checked(m), cols = checked(n), lda = checked(a.ld), ldb = checked(b.ld),
            ldc = checked(c.ld);
  const char *transa = a.by_rows ? "T" : "N", *transb = b.by_rows ? "T" : "N";
  const T one = 1;
  int64_t done = 0;
  do {
    int part = static_cast<int>(std::min(k - done, kLongest));
    call(transa, transb, &rows, &cols, &part, &alpha, a.data, &lda, b.data, &ldb,
         done ? &one : &beta, c.data, &ldc, 1, 1);
    done += part;
    a.data += a.by_rows ? part : part * a.ld;
    b.data += b.by_rows ? part * b.ld : part;
  } while (done < k);
}

template <class T>
void gemv_by(Routine routine, int64_t m, int64_t n, T alpha, Matrix<const T> a, const T* x,
             int64_t x_stride, T beta, T* y, int64_t y_stride) {
  using Function = void (*)(const char*, const int*, const int*, const T*, const T*, const int*,
                            const T*, const int*, const T*, T*, const int*, size_t);
  auto call = reinterpret_cast<Function>(routine);
  const int size = checked(m), lda = checked(a.ld), incx = checked(x_stride),
            incy = checked(y_stride);
  // Some versions multiply y by 0, which keeps NaNs, and some return early if n is 0.
  if (beta == 0) {
    for (int64_t i = 0; i < m; ++i) y[i * y_stride] = 0;
  }
  const T one = 1;
  int64_t done = 0;
  while (done < n) {
    int rows = size, cols = static_cast<int>(std::min(n - done, kLongest));
    int64_t part = cols;
    if (a.by_rows) std::swap(rows, cols);
    call(a.by_rows ? "T" : "N", &rows, &cols, &alpha, a.data, &lda, x, &incx, done ? &one : &beta,
         y, &incy, 1);
    done += part;
    a.data += a.by_rows ? part : part * a.ld;
    x += part * x_stride;
  }
}

}  // namespace

// OpenBLAS's AVX-512 kernels for small products copy the last rows of a factor, less than a
// register of each column, into memory whose allocation they do not check.
size_t unchecked_bytes(int64_t m, int64_t n, int64_t k) noexcept {
  constexpr double kMostWork = 1e6;
  constexpr size_t kRegister = 64;
  const double work = static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  return work > kMostWork ? 0 : kRegister * static_cast<size_t>(k);
}

OneThread::OneThread(int threads, size_t unchecked)
    : OneThread(threads, unchecked, blas_library()) {}

OneThread::OneThread(int threads, size_t unchecked, Library& library) : library_(library) {
  if (in_parallel()) return;
  if (library.make_buffer && unchecked > 0) require_spare(unchecked);
  claimed_ = claim_buffers(&library, threads);
  if (claimed_ < threads) team_ = limit_team(claimed_);
  if (library.get_threads && library.get_threads() != 1) pin(&library);
  // Newer versions use OpenMP's number of threads in each call.
  int n = omp_get_max_threads();
  if (n == 1) return;
  openmp_threads_ = n;
  omp_set_num_threads(1);
}

OneThread::~OneThread() {
  if (openmp_threads_) omp_set_num_threads(openmp_threads_);
  if (team_ >= 0) limit_team(team_);
  library_.buffers_claimed -= claimed_;
}

void set_num_threads(int n) {
  for (int k = 0; Library* library = loaded_library(k); ++k) pin(library);
  omp_set_num_threads(n);
}

void gemm(int64_t m, int64_t n, int64_t k, float alpha, Matrix<const float> a,
          Matrix<const float> b, float beta, Matrix<float> c) {
  gemm_by(blas_routines().sgemm, m, n, k, alpha, a, b, beta, c);
}
void gemm(int64_t m, int64_t n, int64_t k, double alpha, Matrix<const double> a,
          Matrix<const double> b, double beta, Matrix<double> c) {
  gemm_by(blas_routines().dgemm, m, n, k, alpha, a, b, beta, c);
}
void gemv(int64_t m, int64_t n, float alpha, Matrix<const float> a, const float* x,
          int64_t x_stride, float beta, float* y, int64_t y_stride) {
  gemv_by(blas_routines().sgemv, m, n, alpha, a, x, x_stride, beta, y, y_stride);
}
void gemv(int64_t m, int64_t n, double alpha, Matrix<const double> a, const double* x,
          int64_t x_stride, double beta, double* y, int64_t y_stride) {
  gemv_by(blas_routines().dgemv, m, n, alpha, a, x, x_stride, beta, y, y_stride);
}

}  // namespace th::blas
