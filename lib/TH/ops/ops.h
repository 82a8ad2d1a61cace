#ifndef TH_OPS_OPS_H
#define TH_OPS_OPS_H

// The operations of THOps.def as functions, named as in C: ops::gather(r, t, dim, index). Results
// come first; they are resized and may be operands. Dimensions count from 0; negative ones count
// from the end. Indices in LongTensors count from TH_INDEX_BASE. All functions may throw th::Error;
// then every tensor has the shape that it had.

#include "ops/call.h"
#include "tensor/overlap.h"

namespace th TH_VISIBLE {

// Returns t if it is contiguous, else a contiguous copy.
TensorRef contiguous(Tensor* t);
// A new contiguous copy.
TensorRef clone(Tensor* t);

namespace ops {

#define TH_RETURN_void(arguments) call(arguments)
#define TH_RETURN_int(arguments) return call(arguments), (arguments).returned
#define TH_RETURN_int64_t(arguments) TH_RETURN_int(arguments)
#define TH_RETURN_double(arguments) TH_RETURN_int(arguments)
#define TH_RETURN_real(arguments) TH_RETURN_int(arguments)
#define TH_RETURN_accreal(arguments) TH_RETURN_int(arguments)
#define TH_OP(name, lua, types, returned_, parameters, ...)             \
  inline TH_RETURNED_##returned_ name(TH_CORE_PARAMETERS(parameters)) { \
    args::name arguments{TH_NAMES(parameters)};                         \
    TH_RETURN_##returned_(arguments);                                   \
  }
#include "THOps.def"

// Copies in row-major order; shapes may differ if the numbers of elements agree. Any element types.
void copy(Tensor* r, Tensor* src);

}  // namespace ops
}  // namespace TH_VISIBLE

#endif
