#ifndef TH_GENERIC_FILE

#include "TH.h"

#include "cpu/lapack.h"
#include "generic/guard.h"

#define UNPACK(...) __VA_ARGS__

#define TH_GENERIC_FILE "generic/THLapack.cc"
#include "THGenerateFloatTypes.h"

#else

#define LAPACK_FUNCTION(name, parameters, arguments)   \
  void THLapack_(name)(UNPACK parameters, int* info) { \
    th::guard([&] {                                    \
      th::lapack::OneThread one(1);                    \
      *info = th::lapack::name arguments;              \
    });                                                \
  }

LAPACK_FUNCTION(gesv, (int n, int nrhs, real* a, int lda, int* ipiv, real* b, int ldb),
                (n, nrhs, a, lda, ipiv, b, ldb))
LAPACK_FUNCTION(trtrs,
                (char uplo, char trans, char diag, int n, int nrhs, real* a, int lda, real* b,
                 int ldb),
                (uplo, trans, diag, n, nrhs, a, lda, b, ldb))
LAPACK_FUNCTION(gels,
                (char trans, int m, int n, int nrhs, real* a, int lda, real* b, int ldb, real* work,
                 int lwork),
                (trans, m, n, nrhs, a, lda, b, ldb, work, lwork))
LAPACK_FUNCTION(syev,
                (char jobz, char uplo, int n, real* a, int lda, real* w, real* work, int lwork),
                (jobz, uplo, n, a, lda, w, work, lwork))
LAPACK_FUNCTION(geev,
                (char jobvl, char jobvr, int n, real* a, int lda, real* wr, real* wi, real* vl,
                 int ldvl, real* vr, int ldvr, real* work, int lwork),
                (jobvl, jobvr, n, a, lda, wr, wi, vl, ldvl, vr, ldvr, work, lwork))
LAPACK_FUNCTION(gesvd,
                (char jobu, char jobvt, int m, int n, real* a, int lda, real* s, real* u, int ldu,
                 real* vt, int ldvt, real* work, int lwork),
                (jobu, jobvt, m, n, a, lda, s, u, ldu, vt, ldvt, work, lwork))
LAPACK_FUNCTION(getrf, (int m, int n, real* a, int lda, int* ipiv), (m, n, a, lda, ipiv))
LAPACK_FUNCTION(getrs, (char trans, int n, int nrhs, real* a, int lda, int* ipiv, real* b, int ldb),
                (trans, n, nrhs, a, lda, ipiv, b, ldb))
LAPACK_FUNCTION(getri, (int n, real* a, int lda, int* ipiv, real* work, int lwork),
                (n, a, lda, ipiv, work, lwork))
LAPACK_FUNCTION(potrf, (char uplo, int n, real* a, int lda), (uplo, n, a, lda))
LAPACK_FUNCTION(potri, (char uplo, int n, real* a, int lda), (uplo, n, a, lda))
LAPACK_FUNCTION(potrs, (char uplo, int n, int nrhs, real* a, int lda, real* b, int ldb),
                (uplo, n, nrhs, a, lda, b, ldb))
LAPACK_FUNCTION(pstrf,
                (char uplo, int n, real* a, int lda, int* piv, int* rank, real tol, real* work),
                (uplo, n, a, lda, piv, rank, tol, work))
LAPACK_FUNCTION(geqrf, (int m, int n, real* a, int lda, real* tau, real* work, int lwork),
                (m, n, a, lda, tau, work, lwork))
LAPACK_FUNCTION(orgqr, (int m, int n, int k, real* a, int lda, real* tau, real* work, int lwork),
                (m, n, k, a, lda, tau, work, lwork))
LAPACK_FUNCTION(ormqr,
                (char side, char trans, int m, int n, int k, real* a, int lda, real* tau, real* c,
                 int ldc, real* work, int lwork),
                (side, trans, m, n, k, a, lda, tau, c, ldc, work, lwork))
#undef LAPACK_FUNCTION

#endif
