#ifndef TH_OPS_PRODUCT_H
#define TH_OPS_PRODUCT_H

#include "backend/product_call.h"

namespace th {

// Whether BLAS can take the matrices as they lie; where so, strides that do not matter are set so
// that one is 1 and the other the leading dimension.
bool has_blas_layout(Factor* factor, int64_t rows, int64_t cols);

// Whether devices may round Float's factors to TF32, of 10 bits, where they are faster with it.
bool allows_tf32() noexcept;
void allow_tf32(bool allow) noexcept;

}  // namespace th

#endif
