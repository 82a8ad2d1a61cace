#ifndef TH_CPU_BLAS_H
#define TH_CPU_BLAS_H

#include <cstddef>
#include <cstdint>

namespace th::blas {

struct Library;

// Libraries divide products by the number of threads, so the order of additions depends on that
// number. With OpenBLAS 0.3.21, most gemm and gemv calls that it divides differ in the last bits
// between one thread and two. Results must not depend on the number of threads. So a library always
// runs on the calling thread, and callers divide the work into blocks that depend only on the
// shapes. While this guard exists, libraries use one thread. So do they in parts of a parallel_for.
class OneThread {
 public:
  static constexpr size_t kUnchecked = 64 << 10;  // enough for the products within LAPACK routines
  // For products of that many threads. Loads the BLAS library. Throws if there is none, or no
  // memory for it. unchecked: bytes that OpenBLAS allocates in a product without a check.
  explicit OneThread(int threads, size_t unchecked = kUnchecked);
  ~OneThread();
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 protected:
  OneThread(int threads, size_t unchecked, Library& library);

 private:
  Library& library_;
  int openmp_threads_ = 0;  // number to restore; 0: none
  int team_ = -1;           // limit of parallel_for to restore; -1: none
  int claimed_ = 0;         // number of reserved buffers
};

// Returns the bytes that OpenBLAS allocates unchecked in gemm of these sizes.
size_t unchecked_bytes(int64_t m, int64_t n, int64_t k) noexcept;

// Sets the number of threads of later OpenMP regions. Libraries keep using one thread.
void set_num_threads(int n);

// Element (i, j) is data[i * ld + j] if by_rows, else data[i + j * ld].
template <class T>
struct Matrix {
  T* data;
  int64_t ld;
  bool by_rows;
};

// c = beta * c + alpha * a * b, where a is m x k and b is k x n. If beta is 0, c is not read. m, n
// and the leading dimensions must fit into int (else th::Error); k is not limited. Callers must
// hold a OneThread, also for gemv.
void gemm(int64_t m, int64_t n, int64_t k, float alpha, Matrix<const float> a,
          Matrix<const float> b, float beta, Matrix<float> c);
void gemm(int64_t m, int64_t n, int64_t k, double alpha, Matrix<const double> a,
          Matrix<const double> b, double beta, Matrix<double> c);

// y = beta * y + alpha * a * x, where a is m x n. If beta is 0, y is not read. m, the leading
// dimension and the (positive) strides must fit into int; n is not limited.
void gemv(int64_t m, int64_t n, float alpha, Matrix<const float> a, const float* x,
          int64_t x_stride, float beta, float* y, int64_t y_stride);
void gemv(int64_t m, int64_t n, double alpha, Matrix<const double> a, const double* x,
          int64_t x_stride, double beta, double* y, int64_t y_stride);

}  // namespace th::blas

#endif
