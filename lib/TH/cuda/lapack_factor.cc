// Factorizations and solutions of systems by cuSOLVER, and by cuBLAS for batches of small matrices.

#include "cuda/lapack_batch.h"
#include "simt/device_lapack.h"
#include "simt/device_matrices.h"

namespace th::device_lapack {

namespace {

// Calls f(T(), cusolverDnHandle_t) for the element type.
template <class F>
void with_handle(Queue& queue, DType dtype, const F& f) {
  with_solver(queue, [&](const SolverState& state) {
    for_solver_type(dtype, [&](auto zero) { f(zero, state.handle); });
  });
}

// Calls f(T(), cublasHandle_t).
template <class F>
void with_cublas(Queue& queue, DType dtype, const F& f) {
  cuda_device(queue).with_cublas(
      [&](cublasHandle_t handle) { for_solver_type(dtype, [&](auto zero) { f(zero, handle); }); });
}

// The workspace of a function, and the info of functions that only report invalid arguments.
template <class T>
class Workspace {
 public:
  Workspace(Queue& queue, int elements)
      : work_(queue, static_cast<size_t>(elements) * sizeof(T)), info_(queue, sizeof(int)) {
    work_queued() = true;
  }
  T* data() const { return work_.as<T>(); }
  int* info() const { return info_.as<int>(); }

 private:
  Scratch work_, info_;
};

void check_batch_info(int info, const char* function) {
  if (info != 0) fail(kDeviceFailed, "cuBLAS: %s: argument %d is invalid", function, -info);
}

}  // namespace

void open(Queue&) { solver_functions(); }

void getrf(Queue& queue, const Matrices& a, int* pivots, int* info) {
  if (is_small_batch(a)) {
    return with_cublas(queue, a.dtype, [&](auto zero, cublasHandle_t handle) {
      using T = decltype(zero);
      const BatchPointers<T> all(queue, a);
      for_parts(a.count, [&](int64_t k, int n) {
        check_cublas(TH_CUBLAS(getrfBatched)(handle, a.rows, all.from(k), a.ld, pivots + k * a.rows,
                                             info + k, n));
      });
    });
  }
  with_handle(queue, a.dtype, [&](auto zero, cusolverDnHandle_t handle) {
    using T = decltype(zero);
    int size = 0;
    check_size(TH_SOLVER(getrf_bufferSize)(handle, a.rows, a.cols, matrix<T>(a, 0), a.ld, &size),
               "getrf_bufferSize");
    const Workspace<T> work(queue, size);
    for (int64_t k = 0; k < a.count; ++k) {
      check_solver(TH_SOLVER(getrf)(handle, a.rows, a.cols, matrix<T>(a, k), a.ld, work.data(),
                                    pivots + k * a.rows, info + k),
                   "getrf");
    }
  });
}

void getrs(Queue& queue, char trans, const Matrices& lu, const int* pivots, const Matrices& b) {
  if (is_small_batch(lu)) {
    return with_cublas(queue, lu.dtype, [&](auto zero, cublasHandle_t handle) {
      using T = decltype(zero);
      const BatchPointers<T> factors(queue, lu), sides(queue, b);
      for_parts(lu.count, [&](int64_t k, int n) {
        int info = 0;
        check_cublas(TH_CUBLAS(getrsBatched)(handle, operation(trans), lu.rows, b.cols,
                                             factors.from(k), lu.ld, pivots + k * lu.rows,
                                             sides.from(k), b.ld, &info, n));
        check_batch_info(info, "getrsBatched");
      });
    });
  }
  with_handle(queue, lu.dtype, [&](auto zero, cusolverDnHandle_t handle) {
    using T = decltype(zero);
    const Workspace<T> work(queue, 0);
    for (int64_t k = 0; k < lu.count; ++k) {
      check_solver(
          TH_SOLVER(getrs)(handle, operation(trans), lu.rows, b.cols, matrix<T>(lu, k), lu.ld,
                           pivots + k * lu.rows, matrix<T>(b, k), b.ld, work.info()),
          "getrs");
    }
  });
}

void potrf(Queue& queue, const Matrices& a, Part part, int* info) {
  // On an H100, a factorization of the upper triangle takes up to 2.8 times as long.
  if (part == Part::upper) {
    const device_matrices::TemporaryMatrices lower(queue, a.dtype, a.count, a.rows, a.rows);
    device_matrices::copy(queue, lower.get(), a, true);
    queue.allow_repetition();  // the copy has changed no operand
    potrf(queue, lower.get(), Part::lower, info);
    return device_matrices::copy(queue, a, lower.get(), true);
  }
  with_handle(queue, a.dtype, [&](auto zero, cusolverDnHandle_t handle) {
    using T = decltype(zero);
    const cublasFillMode_t fill = fill_mode(part);
    if (is_small_batch(a)) {
      const BatchPointers<T> all(queue, a);
      return for_parts(a.count, [&](int64_t k, int n) {
        check_solver(TH_SOLVER(potrfBatched)(handle, fill, a.rows, all.from(k), a.ld, info + k, n),
                     "potrfBatched");
      });
    }
    int size = 0;
    check_size(TH_SOLVER(potrf_bufferSize)(handle, fill, a.rows, matrix<T>(a, 0), a.ld, &size),
               "potrf_bufferSize");
    const Workspace<T> work(queue, size);
    for (int64_t k = 0; k < a.count; ++k) {
      check_solver(TH_SOLVER(potrf)(handle, fill, a.rows, matrix<T>(a, k), a.ld, work.data(), size,
                                    info + k),
                   "potrf");
    }
  });
}

void trsm(Queue& queue, Part part, char trans, char diag, const Matrices& a, const Matrices& b) {
  with_cublas(queue, a.dtype, [&](auto zero, cublasHandle_t handle) {
    using T = decltype(zero);
    const T one = 1;
    const cublasDiagType_t diagonal = diag == 'U' ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT;
    if (is_small_batch(a)) {
      const BatchPointers<T> factors(queue, a), sides(queue, b);
      return for_parts(a.count, [&](int64_t k, int n) {
        check_cublas(TH_CUBLAS(trsmBatched)(handle, CUBLAS_SIDE_LEFT, fill_mode(part),
                                            operation(trans), diagonal, b.rows, b.cols, &one,
                                            factors.from(k), a.ld, sides.from(k), b.ld, n));
      });
    }
    work_queued() = true;
    for (int64_t k = 0; k < a.count; ++k) {
      check_cublas(TH_CUBLAS(trsm)(handle, CUBLAS_SIDE_LEFT, fill_mode(part), operation(trans),
                                   diagonal, b.rows, b.cols, &one, matrix<T>(a, k), a.ld,
                                   matrix<T>(b, k), b.ld));
    }
  });
}

void geqrf(Queue& queue, const Matrices& a, char* tau) {
  const int reflectors = std::min(a.rows, a.cols);
  if (is_small_batch(a)) {
    return with_cublas(queue, a.dtype, [&](auto zero, cublasHandle_t handle) {
      using T = decltype(zero);
      const BatchPointers<T> all(queue, a), scales(queue, tau, reflectors, a.count);
      for_parts(a.count, [&](int64_t k, int n) {
        int info = 0;
        check_cublas(TH_CUBLAS(geqrfBatched)(handle, a.rows, a.cols, all.from(k), a.ld,
                                             scales.from(k), &info, n));
        check_batch_info(info, "geqrfBatched");
      });
    });
  }
  with_handle(queue, a.dtype, [&](auto zero, cusolverDnHandle_t handle) {
    using T = decltype(zero);
    int size = 0;
    check_size(TH_SOLVER(geqrf_bufferSize)(handle, a.rows, a.cols, matrix<T>(a, 0), a.ld, &size),
               "geqrf_bufferSize");
    const Workspace<T> work(queue, size);
    for (int64_t k = 0; k < a.count; ++k) {
      T* scales = reinterpret_cast<T*>(tau) + k * reflectors;
      check_solver(TH_SOLVER(geqrf)(handle, a.rows, a.cols, matrix<T>(a, k), a.ld, scales,
                                    work.data(), size, work.info()),
                   "geqrf");
    }
  });
}

void orgqr(Queue& queue, const Matrices& a, int reflectors, const char* tau) {
  with_handle(queue, a.dtype, [&](auto zero, cusolverDnHandle_t handle) {
    using T = decltype(zero);
    const T* scales = reinterpret_cast<const T*>(tau);
    int size = 0;
    check_size(TH_SOLVER(orgqr_bufferSize)(handle, a.rows, a.cols, reflectors, matrix<T>(a, 0),
                                           a.ld, scales, &size),
               "orgqr_bufferSize");
    const Workspace<T> work(queue, size);
    for (int64_t k = 0; k < a.count; ++k) {
      check_solver(TH_SOLVER(orgqr)(handle, a.rows, a.cols, reflectors, matrix<T>(a, k), a.ld,
                                    scales + k * reflectors, work.data(), size, work.info()),
                   "orgqr");
    }
  });
}

void ormqr(Queue& queue, char side, char trans, const Matrices& a, int reflectors, const char* tau,
           const Matrices& c) {
  with_handle(queue, a.dtype, [&](auto zero, cusolverDnHandle_t handle) {
    using T = decltype(zero);
    const T* scales = reinterpret_cast<const T*>(tau);
    const cublasSideMode_t at = side == 'L' ? CUBLAS_SIDE_LEFT : CUBLAS_SIDE_RIGHT;
    int size = 0;
    check_size(
        TH_SOLVER(ormqr_bufferSize)(handle, at, operation(trans), c.rows, c.cols, reflectors,
                                    matrix<T>(a, 0), a.ld, scales, matrix<T>(c, 0), c.ld, &size),
        "ormqr_bufferSize");
    const Workspace<T> work(queue, size);
    for (int64_t k = 0; k < a.count; ++k) {
      check_solver(TH_SOLVER(ormqr)(handle, at, operation(trans), c.rows, c.cols, reflectors,
                                    matrix<T>(a, k), a.ld, scales + k * reflectors, matrix<T>(c, k),
                                    c.ld, work.data(), size, work.info()),
                   "ormqr");
    }
  });
}

}  // namespace th::device_lapack
