#ifndef TH_OPS_PRODUCT_H
#define TH_OPS_PRODUCT_H

#include "backend/product_call.h"

namespace th {

// Returns true if BLAS can use the matrices without copying. Sets strides of dimensions with one
// element so that one stride is 1 and the other the leading dimension.
bool has_blas_layout(Factor* factor, int64_t rows, int64_t cols);

// Returns true if devices may round Float factors to TF32 (10 bits of mantissa) to be faster.
bool allows_tf32() noexcept;
void allow_tf32(bool allow) noexcept;

}  // namespace th

#endif
