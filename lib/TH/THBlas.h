#ifndef TH_BLAS_INC
#define TH_BLAS_INC

/* BLAS operations on plain memory. Matrices are column-major: element (i, j) is a[i + j * lda].
   trans is 'n' for a matrix as it is, 't' or 'c' for its transpose. All element types are supported
   except Half and BFloat16; integers wrap. A negative increment (incx, incy) traverses the vector
   from its end, as in BLAS. */

#include "THGeneral.h"

#define THBlas_(NAME) TH_CONCAT_4(TH, Real, Blas_, NAME)

#define TH_GENERIC_FILE "generic/THBlas.h"
#include "THGenerateAllTypes.h"

#endif
