#ifndef TH_OPS_ATTENTION_H
#define TH_OPS_ATTENTION_H

#include "ops/call.h"

namespace th {

// The factor of the products.
double attention_scale(double scale, const Tensor& q);

}  // namespace th

#endif
