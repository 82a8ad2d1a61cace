#ifndef TH_GENERIC_FILE
#define TH_GENERIC_FILE "generic/THBlas.h"
#else

TH_API void THBlas_(swap)(int64_t n, real* x, int64_t incx, real* y, int64_t incy);
TH_API void THBlas_(scal)(int64_t n, real a, real* x, int64_t incx);                /* x = a x */
TH_API void THBlas_(copy)(int64_t n, real* x, int64_t incx, real* y, int64_t incy); /* y = x */
/* y = y + a x */
TH_API void THBlas_(axpy)(int64_t n, real a, real* x, int64_t incx, real* y, int64_t incy);
TH_API real THBlas_(dot)(int64_t n, real* x, int64_t incx, real* y, int64_t incy);

/* y = beta * y + alpha * a * x, where a is m x n. If trans is 't', a is transposed. If beta is 0,
   y is not read. */
TH_API void THBlas_(gemv)(char trans, int64_t m, int64_t n, real alpha, real* a, int64_t lda,
                          real* x, int64_t incx, real beta, real* y, int64_t incy);
/* a = a + alpha * x * y', where a is m x n. */
TH_API void THBlas_(ger)(int64_t m, int64_t n, real alpha, real* x, int64_t incx, real* y,
                         int64_t incy, real* a, int64_t lda);

/* c = beta * c + alpha * a * b. a is m x k and b is k x n, after the transposition that transa and
   transb request. If beta is 0, c is not read. */
TH_API void THBlas_(gemm)(char transa, char transb, int64_t m, int64_t n, int64_t k, real alpha,
                          real* a, int64_t lda, real* b, int64_t ldb, real beta, real* c,
                          int64_t ldc);

#endif
