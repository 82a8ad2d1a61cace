// The functions of cuBLAS that the plugin calls for linear algebra, by LAPACK, at once and in the
// host's memory.

#include <cublas_v2.h>

#include <algorithm>
#include <vector>

#include "TH.h"

namespace {

char letter(cublasOperation_t trans) { return trans == CUBLAS_OP_N ? 'N' : 'T'; }
char letter(cublasFillMode_t fill) { return fill == CUBLAS_FILL_MODE_UPPER ? 'U' : 'L'; }
char letter(cublasDiagType_t diag) { return diag == CUBLAS_DIAG_UNIT ? 'U' : 'N'; }

// The most matrices of a call, as of kernels that use the third dimension of the grid for them.
constexpr int kMost = 65535;

}  // namespace

extern "C" {

#define TH_FAKE(S, T, Name)                                                                        \
  cublasStatus_t cublas##S##getrfBatched(cublasHandle_t, int n, T* const a[], int ld, int* pivots, \
                                         int* info, int count) {                                   \
    if (count > kMost) return CUBLAS_STATUS_INVALID_VALUE;                                         \
    for (int k = 0; k < count; ++k) {                                                              \
      TH##Name##Lapack_getrf(n, n, a[k], ld, pivots + k * n, info + k);                            \
    }                                                                                              \
    return CUBLAS_STATUS_SUCCESS;                                                                  \
  }                                                                                                \
  cublasStatus_t cublas##S##getrsBatched(cublasHandle_t, cublasOperation_t trans, int n, int nrhs, \
                                         const T* const a[], int lda, const int* pivots,           \
                                         T* const b[], int ldb, int* info, int count) {            \
    if (count > kMost) return CUBLAS_STATUS_INVALID_VALUE;                                         \
    for (int k = 0; k < count; ++k) {                                                              \
      TH##Name##Lapack_getrs(letter(trans), n, nrhs, const_cast<T*>(a[k]), lda,                    \
                             const_cast<int*>(pivots) + k * n, b[k], ldb, info);                   \
    }                                                                                              \
    return CUBLAS_STATUS_SUCCESS;                                                                  \
  }                                                                                                \
  cublasStatus_t cublas##S##geqrfBatched(cublasHandle_t, int m, int n, T* const a[], int ld,       \
                                         T* const tau[], int* info, int count) {                   \
    if (count > kMost) return CUBLAS_STATUS_INVALID_VALUE;                                         \
    std::vector<T> work(static_cast<size_t>(64 * (m + n)));                                        \
    for (int k = 0; k < count; ++k) {                                                              \
      TH##Name##Lapack_geqrf(m, n, a[k], ld, tau[k], work.data(), static_cast<int>(work.size()),   \
                             info);                                                                \
    }                                                                                              \
    return CUBLAS_STATUS_SUCCESS;                                                                  \
  }                                                                                                \
  cublasStatus_t cublas##S##trsm_v2(cublasHandle_t, cublasSideMode_t side, cublasFillMode_t fill,  \
                                    cublasOperation_t trans, cublasDiagType_t diag, int m, int n,  \
                                    const T* alpha, const T* a, int lda, T* b, int ldb) {          \
    if (side != CUBLAS_SIDE_LEFT || *alpha != 1) return CUBLAS_STATUS_INVALID_VALUE;               \
    int info = 0;                                                                                  \
    TH##Name##Lapack_trtrs(letter(fill), letter(trans), letter(diag), m, n, const_cast<T*>(a),     \
                           lda, b, ldb, &info);                                                    \
    return CUBLAS_STATUS_SUCCESS;                                                                  \
  }                                                                                                \
  cublasStatus_t cublas##S##trsmBatched(                                                           \
      cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t fill,                         \
      cublasOperation_t trans, cublasDiagType_t diag, int m, int n, const T* alpha,                \
      const T* const a[], int lda, T* const b[], int ldb, int count) {                             \
    if (count > kMost) return CUBLAS_STATUS_INVALID_VALUE;                                         \
    cublasStatus_t status = CUBLAS_STATUS_SUCCESS;                                                 \
    for (int k = 0; k < count; ++k) {                                                              \
      status = std::max(status, cublas##S##trsm_v2(handle, side, fill, trans, diag, m, n, alpha,   \
                                                   a[k], lda, b[k], ldb));                         \
    }                                                                                              \
    return status;                                                                                 \
  }
TH_FAKE(S, float, Float)
TH_FAKE(D, double, Double)
#undef TH_FAKE
}
