#ifndef TH_CPU_LAPACK_H
#define TH_CPU_LAPACK_H

// C++ wrappers of LAPACK's routines for float and double. Matrices are column-major. The return
// value is LAPACK's info. Callers must hold a lapack::OneThread.

#include "cpu/blas.h"

namespace th::lapack {

// Like blas::OneThread, for the library that provides LAPACK.
class OneThread : public blas::OneThread {
 public:
  explicit OneThread(int threads);
};

// X(name, (parameters), (Fortran arguments before info), number of option letters, whose lengths
// Fortran passes after info)
#define TH_LAPACK_ROUTINES(X, T)                                                                   \
  X(gesv, (int n, int nrhs, T* a, int lda, int* ipiv, T* b, int ldb),                              \
    (&n, &nrhs, a, &lda, ipiv, b, &ldb), 0)                                                        \
  X(trtrs, (char uplo, char trans, char diag, int n, int nrhs, T* a, int lda, T* b, int ldb),      \
    (&uplo, &trans, &diag, &n, &nrhs, a, &lda, b, &ldb), 3)                                        \
  X(gels, (char trans, int m, int n, int nrhs, T* a, int lda, T* b, int ldb, T* work, int lwork),  \
    (&trans, &m, &n, &nrhs, a, &lda, b, &ldb, work, &lwork), 1)                                    \
  X(gelsd,                                                                                         \
    (int m, int n, int nrhs, T* a, int lda, T* b, int ldb, T* s, T rcond, int* rank, T* work,      \
     int lwork, int* iwork),                                                                       \
    (&m, &n, &nrhs, a, &lda, b, &ldb, s, &rcond, rank, work, &lwork, iwork), 0)                    \
  X(syev, (char jobz, char uplo, int n, T* a, int lda, T* w, T* work, int lwork),                  \
    (&jobz, &uplo, &n, a, &lda, w, work, &lwork), 2)                                               \
  X(syevd,                                                                                         \
    (char jobz, char uplo, int n, T* a, int lda, T* w, T* work, int lwork, int* iwork,             \
     int liwork),                                                                                  \
    (&jobz, &uplo, &n, a, &lda, w, work, &lwork, iwork, &liwork), 2)                               \
  X(geev,                                                                                          \
    (char jobvl, char jobvr, int n, T* a, int lda, T* wr, T* wi, T* vl, int ldvl, T* vr, int ldvr, \
     T* work, int lwork),                                                                          \
    (&jobvl, &jobvr, &n, a, &lda, wr, wi, vl, &ldvl, vr, &ldvr, work, &lwork), 2)                  \
  X(gesvd,                                                                                         \
    (char jobu, char jobvt, int m, int n, T* a, int lda, T* s, T* u, int ldu, T* vt, int ldvt,     \
     T* work, int lwork),                                                                          \
    (&jobu, &jobvt, &m, &n, a, &lda, s, u, &ldu, vt, &ldvt, work, &lwork), 2)                      \
  X(gesdd,                                                                                         \
    (char jobz, int m, int n, T* a, int lda, T* s, T* u, int ldu, T* vt, int ldvt, T* work,        \
     int lwork, int* iwork),                                                                       \
    (&jobz, &m, &n, a, &lda, s, u, &ldu, vt, &ldvt, work, &lwork, iwork), 1)                       \
  X(getrf, (int m, int n, T* a, int lda, int* ipiv), (&m, &n, a, &lda, ipiv), 0)                   \
  X(getrs, (char trans, int n, int nrhs, T* a, int lda, int* ipiv, T* b, int ldb),                 \
    (&trans, &n, &nrhs, a, &lda, ipiv, b, &ldb), 1)                                                \
  X(getri, (int n, T* a, int lda, int* ipiv, T* work, int lwork),                                  \
    (&n, a, &lda, ipiv, work, &lwork), 0)                                                          \
  X(potrf, (char uplo, int n, T* a, int lda), (&uplo, &n, a, &lda), 1)                             \
  X(potri, (char uplo, int n, T* a, int lda), (&uplo, &n, a, &lda), 1)                             \
  X(potrs, (char uplo, int n, int nrhs, T* a, int lda, T* b, int ldb),                             \
    (&uplo, &n, &nrhs, a, &lda, b, &ldb), 1)                                                       \
  X(pstrf, (char uplo, int n, T* a, int lda, int* piv, int* rank, T tol, T* work),                 \
    (&uplo, &n, a, &lda, piv, rank, &tol, work), 1)                                                \
  X(geqrf, (int m, int n, T* a, int lda, T* tau, T* work, int lwork),                              \
    (&m, &n, a, &lda, tau, work, &lwork), 0)                                                       \
  X(orgqr, (int m, int n, int k, T* a, int lda, T* tau, T* work, int lwork),                       \
    (&m, &n, &k, a, &lda, tau, work, &lwork), 0)                                                   \
  X(ormqr,                                                                                         \
    (char side, char trans, int m, int n, int k, T* a, int lda, T* tau, T* c, int ldc, T* work,    \
     int lwork),                                                                                   \
    (&side, &trans, &m, &n, &k, a, &lda, tau, c, &ldc, work, &lwork), 2)

#define TH_LAPACK_DECLARE(name, parameters, ...) int name parameters;
TH_LAPACK_ROUTINES(TH_LAPACK_DECLARE, float)
TH_LAPACK_ROUTINES(TH_LAPACK_DECLARE, double)
#undef TH_LAPACK_DECLARE

}  // namespace th::lapack

#endif
