#ifndef TH_OPS_DIRECT_H
#define TH_OPS_DIRECT_H

// Operations that are not divided into shapes and calls: each resizes its results itself.

#include "ops/ops.h"

namespace th TH_VISIBLE {
namespace direct {

using namespace views;
using ops::copy, ops::cumsum, ops::max, ops::maxall, ops::minall, ops::sumall;

#define TH_ELEMENT(name, ...) using ops::name;
#include "THOps/elementwise.def"

// ---- fused expressions (fuse.cc)
void fuse(Tensor* r, const char* expression, TensorList operands);

using ops::equal;
using ops::allclose;
using ops::nanToNum;
using ops::isSameSizeAs;
#define TH_OP(name, ...) using ops::name;
#include "THOps/creation.def"
#include "THOps/arranging.def"
#undef TH_OP


// ---- linear algebra (lapack_solve.cc, lapack_factor.cc, lapack_eigen.cc). A null operand means
// that the result is the operand. Option letters are LAPACK's.
void gesv(Tensor* x, Tensor* lu, Tensor* b, Tensor* a);
void trtrs(Tensor* x, Tensor* copy_of_a, Tensor* b, Tensor* a, char uplo, char trans, char diag);
void gels(Tensor* x, Tensor* qr, Tensor* b, Tensor* a);
void getri(Tensor* r, Tensor* a);
void potrf(Tensor* r, Tensor* a, char uplo);
void potri(Tensor* r, Tensor* a, char uplo);
void potrs(Tensor* x, Tensor* b, Tensor* a, char uplo);
void pstrf(Tensor* r, Tensor* pivots, Tensor* a, char uplo, Scalar tolerance);
void geqrf(Tensor* r, Tensor* tau, Tensor* a);
void orgqr(Tensor* r, Tensor* a, Tensor* tau);
void ormqr(Tensor* r, Tensor* a, Tensor* tau, Tensor* c, char side, char trans);
void qr(Tensor* q, Tensor* r, Tensor* a);
void btrifact(Tensor* lu, Tensor* pivots, Tensor* info, bool pivot, Tensor* a);
void btrisolve(Tensor* x, Tensor* b, Tensor* lu, Tensor* pivots);
void syev(Tensor* e, Tensor* v, Tensor* a, char job, char uplo);
void geev(Tensor* e, Tensor* v, Tensor* a, char job);
void gesvd(Tensor* u, Tensor* s, Tensor* v, Tensor* a, char job);
void gesvd2(Tensor* u, Tensor* s, Tensor* v, Tensor* work, Tensor* a, char job);
// These support batches (linalg_batch.cc).
void det(Tensor* r, Tensor* t);
void logdet(Tensor* r, Tensor* t);
void slogdet(Tensor* sign, Tensor* logarithm, Tensor* t);
void solve(Tensor* x, Tensor* a, Tensor* b);
void lstsq(Tensor* x, Tensor* residuals, Tensor* rank, Tensor* values, Tensor* a, Tensor* b,
           double rcond);
void cholesky(Tensor* r, Tensor* t, bool upper);
void eigh(Tensor* e, Tensor* v, Tensor* a, char uplo);
void pinverse(Tensor* r, Tensor* t, double rcond);
void matrixRank(Tensor* r, Tensor* t, double tolerance);

}  // namespace direct
}  // namespace TH_VISIBLE

#endif
