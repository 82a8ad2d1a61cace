#ifndef TH_OPS_REDUCE_ON_DEVICE_H
#define TH_OPS_REDUCE_ON_DEVICE_H

// Reductions where their operands live.

#include "ops/on_device.h"
#include "ops/reduction.h"

namespace th {

// As reduce_all and reduce_dim; false where it is better left to the CPU. With another pairing than
// none there are two operands of the same sizes. No operand is empty.
bool reduce_all_on(Device& device, const Reduction& op, Pairing pairing, const Tensor& a,
                   const Tensor* b, Partial* result);
bool reduce_dim_on(Device& device, const Reduction& op, Tensor* t, int dim, Tensor* r,
                   Tensor* indices);

}  // namespace th

#endif
