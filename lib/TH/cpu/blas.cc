#include "cpu/blas.h"

#include <cblas.h>
#include <omp.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <climits>
#include <mutex>
#include <string>

#include "cpu/parallel.h"
#include "memory/error.h"

// OpenBLAS's own, which it exports, though not in a header.
extern "C" {
void* blas_memory_alloc(int place) __attribute__((weak));
void blas_memory_free(void* buffer) __attribute__((weak));
}

namespace th::blas {

namespace {

// openblas_set_num_threads also sets OpenMP's number for the calling thread.
bool pin() noexcept {
  int before = omp_get_max_threads();
  openblas_set_num_threads(1);
  omp_set_num_threads(before);
  return true;
}

// OpenBLAS wants a buffer for each product that is under way, keeps it afterwards, and where there
// is no memory tries for ever. So they are made here, before, as far as there is address space.
constexpr size_t kBufferBytes = size_t{130} << 20;
std::mutex buffers_mutex;
std::atomic<int> buffers_made{0}, buffers_claimed{0};

bool has_room() noexcept {
  void* room =
      mmap(nullptr, kBufferBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) return false;
  munmap(room, kBufferBytes);
  return true;
}

void make_buffers(int wanted) {
  constexpr int kMost = 256;
  wanted = std::min(wanted, kMost);
  if (buffers_made.load(std::memory_order_acquire) >= wanted) return;
  std::lock_guard<std::mutex> lock(buffers_mutex);
  void* buffers[kMost];
  int count = 0;
  // Those that were made come first.
  while (count < wanted && (count < buffers_made || has_room())) {
    buffers[count++] = blas_memory_alloc(0);
  }
  if (count > buffers_made) buffers_made = count;
  while (count > 0) blas_memory_free(buffers[--count]);
}

// Returns how many of the buffers wanted the caller may count on.
int claim_buffers(int wanted) {
  if (!blas_memory_alloc || !blas_memory_free) return wanted;
  int claimed = buffers_claimed += wanted;
  make_buffers(claimed);
  int lacking = std::max(claimed - buffers_made, 0);
  int given = std::max(wanted - lacking, 0);
  buffers_claimed -= wanted - given;
  if (given > 0) return given;
  fail("out of memory: OpenBLAS needs %zu MiB of address space for a product", kBufferBytes >> 20);
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

OneThread::OneThread(int threads) {
  static const bool pinned = pin();
  static_cast<void>(pinned);
  if (omp_in_parallel()) return;
  claimed_ = claim_buffers(threads);
  if (claimed_ < threads) team_ = limit_team(claimed_);
  if (openblas_get_num_threads() != 1) pin();
  // Newer versions ask OpenMP at each call.
  int n = omp_get_max_threads();
  if (n == 1) return;
  openmp_threads_ = n;
  omp_set_num_threads(1);
}

OneThread::~OneThread() {
  if (openmp_threads_) omp_set_num_threads(openmp_threads_);
  if (team_ >= 0) limit_team(team_);
  buffers_claimed -= claimed_;
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
