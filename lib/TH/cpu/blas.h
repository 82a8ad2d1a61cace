#ifndef TH_CPU_BLAS_H
#define TH_CPU_BLAS_H

#include <cstddef>
#include <cstdint>

namespace th::blas {

struct Library;

// Libraries cut products by the number of threads, and their sums come out in another order for
// each (measured for OpenBLAS 0.3.21: most gemm and gemv calls large enough to be cut differ in
// the last bits between one thread and two). Results must not depend on the number of threads, so
// a library always runs on the calling thread, and callers cut the work into blocks that depend on
// the shapes only. Inside a parallel region OpenBLAS's OpenMP flavour keeps to one thread by
// itself; around everything else stands this guard.
class OneThread {
 public:
  static constexpr size_t kUnchecked = 64 << 10;  // enough for the products of LAPACK's routines
  // Around products of that many threads. Loads the library of BLAS; throws where there is none, or
  // no memory for it. unchecked: bytes that OpenBLAS allocates in a product without a check.
  explicit OneThread(int threads, size_t unchecked = kUnchecked);
  ~OneThread();
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 protected:
  OneThread(int threads, size_t unchecked, Library& library);

 private:
  Library& library_;
  int openmp_threads_ = 0;  // to set again, 0 for nothing to do
  int team_ = -1;           // likewise the limit of parallel_for, -1 for nothing to do
  int claimed_ = 0;         // buffers
};

// The bytes that OneThread needs to know, for gemm of these sizes.
size_t unchecked_bytes(int64_t m, int64_t n, int64_t k) noexcept;

// n for OpenMP's later regions; libraries are kept at one.
void set_num_threads(int n);

// Element (i, j) is data[i * ld + j] by rows, data[i + j * ld] by columns.
template <class T>
struct Matrix {
  T* data;
  int64_t ld;
  bool by_rows;
};

// c = beta c + alpha a b, where a is m x k and b k x n; c is not read where beta is 0. m, n and
// the leading dimensions must fit into int (else th::Error); k may be anything. Callers hold a
// OneThread, here as below.
void gemm(int64_t m, int64_t n, int64_t k, float alpha, Matrix<const float> a,
          Matrix<const float> b, float beta, Matrix<float> c);
void gemm(int64_t m, int64_t n, int64_t k, double alpha, Matrix<const double> a,
          Matrix<const double> b, double beta, Matrix<double> c);

// y = beta y + alpha a x, where a is m x n; y is not read where beta is 0. m, the leading
// dimension and the (positive) strides must fit into int; n may be anything.
void gemv(int64_t m, int64_t n, float alpha, Matrix<const float> a, const float* x,
          int64_t x_stride, float beta, float* y, int64_t y_stride);
void gemv(int64_t m, int64_t n, double alpha, Matrix<const double> a, const double* x,
          int64_t x_stride, double beta, double* y, int64_t y_stride);

}  // namespace th::blas

#endif
