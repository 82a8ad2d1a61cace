#ifndef TH_CPU_LINALG_KERNELS_H
#define TH_CPU_LINALG_KERNELS_H

// Linear algebra by blocks, whose products are those of cpu/kernels/panel_product.h. The functions
// are null if the instruction set has no such products; then LAPACK is used, as for matrices with
// fewer than kFewestBlockRows rows. Arguments and results are those of LAPACK's routines, for each
// matrix of a batch. Results do not depend on the number of threads. The functions throw only if
// memory runs out; then nothing has been written.

#include "backend/linalg_call.h"
#include "tensor/type_sets.h"

namespace th {

struct LinalgKernels {
  // Replaces the square matrices a by their factors L and U.
  TypeTable<void (*)(const Matrices& a, int* pivots, int* info)> lu;
  // Replaces the factors L and U, which have no 0 on the diagonal, by the inverse.
  TypeTable<void (*)(const Matrices& lu, const int* pivots)> lu_inverse;
  // Solves systems with a or, for trans 'T', with the transposed a. The pivots are valid.
  TypeTable<void (*)(const Matrices& lu, char trans, const int* pivots, const Matrices& b)>
      lu_solve;
  TypeTable<void (*)(const Matrices& a, char uplo, char trans, char diag, const Matrices& b,
                     int* info)>
      triangular_solve;
  // Replaces a triangle by the Cholesky factor, and by the inverse from a factor. The elements
  // outside of the triangle are overwritten.
  TypeTable<void (*)(const Matrices&a, char uplo, int*info)> cholesky, cholesky_inverse;
};
constexpr int kFewestBlockRows = 48;

const LinalgKernels& linalg_kernels();

}  // namespace th

#endif
