// A cuSOLVER that computes with LAPACK, at once and in the host's memory. It is the library that
// the plugin loads in the test. Functions check what LAPACK does not: workspaces.

#include "fake_solver.h"

#include <cusolverDn.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "TH.h"

struct cusolverDnContext {
  cudaStream_t stream;
  cusolverDeterministicMode_t mode;
};
struct cusolverDnParams {};
struct gesvdjInfo {};

namespace {

FakeSolver state;

// The sizes of workspaces, by which a function recognizes that of another one.
template <class... N>
int size_for(N... n) {
  int size = 11;
  const int all[] = {static_cast<int>(n)...};
  for (int k : all) size = size * 3 + k;
  return size;
}

bool is_ready(cusolverDnHandle_t handle) {
  return handle->stream && handle->mode == CUSOLVER_DETERMINISTIC_RESULTS;
}

// Counts a call. Uses the whole workspace, so that AddressSanitizer finds one that is too small.
cusolverStatus_t begin(cusolverDnHandle_t handle, void* work, size_t bytes) {
  if (!is_ready(handle)) return CUSOLVER_STATUS_NOT_INITIALIZED;
  ++state.calls;
  if (state.failure) return static_cast<cusolverStatus_t>(state.failure);
  if (bytes) std::memset(work, 0x5A, bytes);
  return CUSOLVER_STATUS_SUCCESS;
}

char letter(cublasOperation_t trans) { return trans == CUBLAS_OP_N ? 'N' : 'T'; }
char letter(cublasFillMode_t fill) { return fill == CUBLAS_FILL_MODE_UPPER ? 'U' : 'L'; }
char letter(cusolverEigMode_t mode) { return mode == CUSOLVER_EIG_MODE_VECTOR ? 'V' : 'N'; }

template <class T>
std::vector<T> work_of(int64_t n) {
  return std::vector<T>(static_cast<size_t>(64 * n + 64));
}

template <class T>
struct Api;
#define TH_API_OF(T, Name)                                \
  template <>                                             \
  struct Api<T> {                                         \
    static constexpr auto getrf = TH##Name##Lapack_getrf; \
    static constexpr auto getrs = TH##Name##Lapack_getrs; \
    static constexpr auto potrf = TH##Name##Lapack_potrf; \
    static constexpr auto geqrf = TH##Name##Lapack_geqrf; \
    static constexpr auto orgqr = TH##Name##Lapack_orgqr; \
    static constexpr auto ormqr = TH##Name##Lapack_ormqr; \
    static constexpr auto syev = TH##Name##Lapack_syev;   \
    static constexpr auto geev = TH##Name##Lapack_geev;   \
    static constexpr auto gesvd = TH##Name##Lapack_gesvd; \
  };
TH_API_OF(float, Float)
TH_API_OF(double, Double)
#undef TH_API_OF

template <class F>
void for_type(cudaDataType type, const F& f) {
  if (type == CUDA_R_32F) {
    f(float());
  } else {
    f(double());
  }
}

template <class T>
void find_eigenvalues(char job, char uplo, int n, T* a, int ld, T* values, int* info) {
  std::vector<T> work = work_of<T>(n);
  Api<T>::syev(job, uplo, n, a, ld, values, work.data(), static_cast<int>(work.size()), info);
}

template <class T>
void decompose(char job, int m, int n, T* a, int ld, T* s, T* u, int u_ld, T* vt, int vt_ld,
               int* info) {
  std::vector<T> work = work_of<T>(m + n);
  Api<T>::gesvd(job, job, m, n, a, ld, s, u, u_ld, vt, vt_ld, work.data(),
                static_cast<int>(work.size()), info);
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) FakeSolver* fake_solver() { return &state; }
#pragma GCC visibility push(default)

// A failure sets the handle, too.
cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t* handle) {
  static cusolverDnContext invalid;
  *handle = &invalid;
  if (state.creation) return static_cast<cusolverStatus_t>(state.creation);
  *handle = new cusolverDnContext{};
  ++state.handles;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t handle) {
  --state.handles;
  if (state.creation) return CUSOLVER_STATUS_NOT_INITIALIZED;
  delete handle;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t handle, cudaStream_t stream) {
  handle->stream = stream;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnSetDeterministicMode(cusolverDnHandle_t handle,
                                                cusolverDeterministicMode_t mode) {
  handle->mode = mode;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnCreateParams(cusolverDnParams_t* params) {
  static cusolverDnParams invalid;
  *params = &invalid;
  if (state.parameters) return static_cast<cusolverStatus_t>(state.parameters);
  *params = new cusolverDnParams;
  ++state.handles;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnDestroyParams(cusolverDnParams_t params) {
  --state.handles;
  if (state.parameters) return CUSOLVER_STATUS_NOT_INITIALIZED;
  delete params;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnCreateGesvdjInfo(gesvdjInfo_t* info) {
  if (state.setup) return static_cast<cusolverStatus_t>(state.setup);
  *info = new gesvdjInfo;
  return CUSOLVER_STATUS_SUCCESS;
}

#define TH_FAKE(S, T)                                                                              \
  cusolverStatus_t cusolverDn##S##getrf_bufferSize(cusolverDnHandle_t, int m, int n, T*, int,      \
                                                   int* size) {                                    \
    *size = size_for(m, n);                                                                        \
    return CUSOLVER_STATUS_SUCCESS;                                                                \
  }                                                                                                \
  cusolverStatus_t cusolverDn##S##getrf(cusolverDnHandle_t handle, int m, int n, T* a, int ld,     \
                                        T* work, int* pivots, int* info) {                         \
    const cusolverStatus_t status = begin(handle, work, size_for(m, n) * sizeof(T));               \
    if (status == CUSOLVER_STATUS_SUCCESS) Api<T>::getrf(m, n, a, ld, pivots, info);               \
    return status;                                                                                 \
  }                                                                                                \
  cusolverStatus_t cusolverDn##S##getrs(cusolverDnHandle_t handle, cublasOperation_t trans, int n, \
                                        int nrhs, const T* a, int lda, const int* pivots, T* b,    \
                                        int ldb, int* info) {                                      \
    const cusolverStatus_t status = begin(handle, info, sizeof(int));                              \
    if (status == CUSOLVER_STATUS_SUCCESS) {                                                       \
      Api<T>::getrs(letter(trans), n, nrhs, const_cast<T*>(a), lda, const_cast<int*>(pivots), b,   \
                    ldb, info);                                                                    \
    }                                                                                              \
    return status;                                                                                 \
  }                                                                                                \
  cusolverStatus_t cusolverDn##S##potrf_bufferSize(cusolverDnHandle_t, cublasFillMode_t, int n,    \
                                                   T*, int, int* size) {                           \
    *size = size_for(n);                                                                           \
    return CUSOLVER_STATUS_SUCCESS;                                                                \
  }                                                                                                \
  cusolverStatus_t cusolverDn##S##potrf(cusolverDnHandle_t handle, cublasFillMode_t fill, int n,   \
                                        T* a, int ld, T* work, int size, int* info) {              \
    if (size != size_for(n)) return CUSOLVER_STATUS_INVALID_VALUE;                                 \
    const cusolverStatus_t status = begin(handle, work, size * sizeof(T));                         \
    if (status == CUSOLVER_STATUS_SUCCESS) Api<T>::potrf(letter(fill), n, a, ld, info);            \
    return status;                                                                                 \
  }                                                                                                \
  cusolverStatus_t cusolverDn##S##potrfBatched(cusolverDnHandle_t handle, cublasFillMode_t fill,   \
                                               int n, T* a[], int ld, int* info, int count) {      \
    const cusolverStatus_t status = begin(handle, nullptr, 0);                                     \
    for (int k = 0; status == CUSOLVER_STATUS_SUCCESS && k < count; ++k) {                         \
      Api<T>::potrf(letter(fill), n, a[k], ld, info + k);                                          \
    }                                                                                              \
    return status;                                                                                 \
  }                                                                                                \
  cusolverStatus_t cusolverDn##S##geqrf_bufferSize(cusolverDnHandle_t, int m, int n, T*, int,      \
                                                   int* size) {                                    \
    *size = size_for(m, n, 2);                                                                     \
    return CUSOLVER_STATUS_SUCCESS;                                                                \
  }                                                                                                \
  cusolverStatus_t cusolverDn##S##geqrf(cusolverDnHandle_t handle, int m, int n, T* a, int ld,     \
                                        T* tau, T* work, int size, int* info) {                    \
    if (size != size_for(m, n, 2)) return CUSOLVER_STATUS_INVALID_VALUE;                           \
    const cusolverStatus_t status = begin(handle, work, size * sizeof(T));                         \
    if (status == CUSOLVER_STATUS_SUCCESS) Api<T>::geqrf(m, n, a, ld, tau, work, size, info);      \
    return status;                                                                                 \
  }                                                                                                \
  cusolverStatus_t cusolverDn##S##orgqr_bufferSize(cusolverDnHandle_t, int m, int n, int k,        \
                                                   const T*, int, const T*, int* size) {           \
    *size = size_for(m, n, k);                                                                     \
    return CUSOLVER_STATUS_SUCCESS;                                                                \
  }                                                                                                \
  cusolverStatus_t cusolverDn##S##orgqr(cusolverDnHandle_t handle, int m, int n, int k, T* a,      \
                                        int ld, const T* tau, T* work, int size, int* info) {      \
    if (size != size_for(m, n, k)) return CUSOLVER_STATUS_INVALID_VALUE;                           \
    const cusolverStatus_t status = begin(handle, work, size * sizeof(T));                         \
    if (status == CUSOLVER_STATUS_SUCCESS) {                                                       \
      Api<T>::orgqr(m, n, k, a, ld, const_cast<T*>(tau), work, size, info);                        \
    }                                                                                              \
    return status;                                                                                 \
  }                                                                                                \
  cusolverStatus_t cusolverDn##S##ormqr_bufferSize(                                                \
      cusolverDnHandle_t, cublasSideMode_t, cublasOperation_t, int m, int n, int k, const T*, int, \
      const T*, const T*, int, int* size) {                                                        \
    *size = size_for(m, n, k, 1);                                                                  \
    return CUSOLVER_STATUS_SUCCESS;                                                                \
  }                                                                                                \
  cusolverStatus_t cusolverDn##S##ormqr(                                                           \
      cusolverDnHandle_t handle, cublasSideMode_t side, cublasOperation_t trans, int m, int n,     \
      int k, const T* a, int lda, const T* tau, T* c, int ldc, T* work, int size, int* info) {     \
    if (size != size_for(m, n, k, 1)) return CUSOLVER_STATUS_INVALID_VALUE;                        \
    const cusolverStatus_t status = begin(handle, work, size * sizeof(T));                         \
    if (status == CUSOLVER_STATUS_SUCCESS) {                                                       \
      Api<T>::ormqr(side == CUBLAS_SIDE_LEFT ? 'L' : 'R', letter(trans), m, n, k,                  \
                    const_cast<T*>(a), lda, const_cast<T*>(tau), c, ldc, work, size, info);        \
    }                                                                                              \
    return status;                                                                                 \
  }                                                                                                \
  cusolverStatus_t cusolverDn##S##gesvdjBatched_bufferSize(                                        \
      cusolverDnHandle_t, cusolverEigMode_t, int m, int n, const T*, int, const T*, const T*, int, \
      const T*, int, int* size, gesvdjInfo_t, int count) {                                         \
    *size = size_for(m, n, count);                                                                 \
    return CUSOLVER_STATUS_SUCCESS;                                                                \
  }                                                                                                \
  cusolverStatus_t cusolverDn##S##gesvdjBatched(                                                   \
      cusolverDnHandle_t handle, cusolverEigMode_t, int m, int n, T* a, int lda, T* s, T* u,       \
      int ldu, T* v, int ldv, T* work, int size, int* info, gesvdjInfo_t params, int count) {      \
    if (!params || size != size_for(m, n, count)) return CUSOLVER_STATUS_INVALID_VALUE;            \
    const cusolverStatus_t status = begin(handle, work, size * sizeof(T));                         \
    /* cuSOLVER writes vectors also when none are requested. */                                    \
    std::vector<T> vt(static_cast<size_t>(n) * n);                                                 \
    for (int k = 0; status == CUSOLVER_STATUS_SUCCESS && k < count; ++k) {                         \
      decompose('A', m, n, a + k * lda * n, lda, s + k * n, u + k * ldu * m, ldu, vt.data(), n,    \
                info + k);                                                                         \
      for (int e = 0; e < n * n; ++e) {                                                            \
        v[k * ldv * n + e / n + e % n * ldv] = vt[static_cast<size_t>(e)];                         \
      }                                                                                            \
    }                                                                                              \
    return status;                                                                                 \
  }
TH_FAKE(S, float)
TH_FAKE(D, double)
#undef TH_FAKE

cusolverStatus_t cusolverDnXsyevd_bufferSize(cusolverDnHandle_t, cusolverDnParams_t,
                                             cusolverEigMode_t, cublasFillMode_t, int64_t n,
                                             cudaDataType, const void*, int64_t, cudaDataType,
                                             const void*, cudaDataType, size_t* device,
                                             size_t* host) {
  if (n > state.largest_side) return static_cast<cusolverStatus_t>(state.rejection);
  *device = size_for(n);
  *host = size_for(n, 1);
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnXsyevd(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                  cusolverEigMode_t mode, cublasFillMode_t fill, int64_t n,
                                  cudaDataType type, void* a, int64_t ld, cudaDataType, void* w,
                                  cudaDataType compute, void* device, size_t device_bytes,
                                  void* host, size_t host_bytes, int* info) {
  if (device_bytes != static_cast<size_t>(size_for(n))) return CUSOLVER_STATUS_INVALID_VALUE;
  return cusolverDnXsyevBatched(handle, params, mode, fill, n, type, a, ld, type, w, compute,
                                device, device_bytes, host, host_bytes, info, 1);
}
cusolverStatus_t cusolverDnXsyevBatched_bufferSize(cusolverDnHandle_t, cusolverDnParams_t,
                                                   cusolverEigMode_t, cublasFillMode_t, int64_t n,
                                                   cudaDataType, const void*, int64_t, cudaDataType,
                                                   const void*, cudaDataType, size_t* device,
                                                   size_t* host, int64_t count) {
  if (count > state.most_matrices) return static_cast<cusolverStatus_t>(state.rejection);
  *device = static_cast<size_t>(count) * state.batch_bytes;
  *host = size_for(n, 1);
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnXsyevBatched(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                        cusolverEigMode_t mode, cublasFillMode_t fill, int64_t n,
                                        cudaDataType type, void* a, int64_t ld, cudaDataType,
                                        void* w, cudaDataType, void* device, size_t device_bytes,
                                        void* host, size_t host_bytes, int* info, int64_t count) {
  const cusolverStatus_t status = begin(handle, device, device_bytes);
  if (!params || status != CUSOLVER_STATUS_SUCCESS) return status;
  if (count > 1 && device_bytes != static_cast<size_t>(count) * state.batch_bytes) {
    return CUSOLVER_STATUS_INVALID_VALUE;
  }
  state.largest_batch = std::max(state.largest_batch, count);
  std::memset(host, 0, host_bytes);
  for_type(type, [&](auto zero) {
    using T = decltype(zero);
    for (int64_t k = 0; k < count; ++k) {
      find_eigenvalues(letter(mode), letter(fill), static_cast<int>(n),
                       static_cast<T*>(a) + k * ld * n, static_cast<int>(ld),
                       static_cast<T*>(w) + k * n, info + k);
    }
  });
  return status;
}
cusolverStatus_t cusolverDnXgeev_bufferSize(cusolverDnHandle_t, cusolverDnParams_t,
                                            cusolverEigMode_t, cusolverEigMode_t, int64_t n,
                                            cudaDataType, const void*, int64_t, cudaDataType,
                                            const void*, cudaDataType, const void*, int64_t,
                                            cudaDataType, const void*, int64_t, cudaDataType,
                                            size_t* device, size_t* host) {
  *device = size_for(n);
  *host = size_for(n, 1);
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnXgeev(cusolverDnHandle_t handle, cusolverDnParams_t,
                                 cusolverEigMode_t left, cusolverEigMode_t right, int64_t n,
                                 cudaDataType type, void* a, int64_t lda, cudaDataType w_type,
                                 void* w, cudaDataType, void* vl, int64_t ldvl, cudaDataType,
                                 void* vr, int64_t ldvr, cudaDataType, void* device,
                                 size_t device_bytes, void* host, size_t host_bytes, int* info) {
  if (left != CUSOLVER_EIG_MODE_NOVECTOR || w_type != type) return CUSOLVER_STATUS_NOT_SUPPORTED;
  const cusolverStatus_t status = begin(handle, device, device_bytes);
  if (status != CUSOLVER_STATUS_SUCCESS) return status;
  std::memset(host, 0, host_bytes);
  for_type(type, [&](auto zero) {
    using T = decltype(zero);
    std::vector<T> work = work_of<T>(n);
    T* values = static_cast<T*>(w);
    Api<T>::geev('N', letter(right), static_cast<int>(n), static_cast<T*>(a), static_cast<int>(lda),
                 values, values + n, static_cast<T*>(vl), static_cast<int>(ldvl),
                 static_cast<T*>(vr), static_cast<int>(ldvr), work.data(),
                 static_cast<int>(work.size()), info);
  });
  return status;
}
cusolverStatus_t cusolverDnXgesvd_bufferSize(cusolverDnHandle_t, cusolverDnParams_t, signed char,
                                             signed char, int64_t m, int64_t n, cudaDataType,
                                             const void*, int64_t, cudaDataType, const void*,
                                             cudaDataType, const void*, int64_t, cudaDataType,
                                             const void*, int64_t, cudaDataType, size_t* device,
                                             size_t* host) {
  *device = size_for(m, n);
  *host = size_for(m, n, 1);
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnXgesvd(cusolverDnHandle_t handle, cusolverDnParams_t, signed char job,
                                  signed char job_vt, int64_t m, int64_t n, cudaDataType type,
                                  void* a, int64_t lda, cudaDataType, void* s, cudaDataType,
                                  void* u, int64_t ldu, cudaDataType, void* vt, int64_t ldvt,
                                  cudaDataType, void* device, size_t device_bytes, void* host,
                                  size_t host_bytes, int* info) {
  if (m < n || job != job_vt) return CUSOLVER_STATUS_INVALID_VALUE;
  const cusolverStatus_t status = begin(handle, device, device_bytes);
  if (status != CUSOLVER_STATUS_SUCCESS) return status;
  std::memset(host, 0, host_bytes);
  for_type(type, [&](auto zero) {
    using T = decltype(zero);
    decompose(static_cast<char>(job), static_cast<int>(m), static_cast<int>(n), static_cast<T*>(a),
              static_cast<int>(lda), static_cast<T*>(s), static_cast<T*>(u), static_cast<int>(ldu),
              static_cast<T*>(vt), static_cast<int>(ldvt), info);
  });
  return status;
}

#pragma GCC visibility pop
}
