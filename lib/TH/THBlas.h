#ifndef TH_BLAS_INC
#define TH_BLAS_INC

/* Products on plain memory, as BLAS has them: matrices by columns, an element (i, j) at
   a[i + j * lda]; the letters 'n', and 't' or 'c', for a matrix as it is or transposed. For every
   arithmetic type; integers wrap. Distances between elements are at least 1. */

#include "THGeneral.h"

#define THBlas_(NAME) TH_CONCAT_4(TH, Real, Blas_, NAME)

#define TH_GENERIC_FILE "generic/THBlas.h"
#include "THGenerateAllTypes.h"

#endif
