#ifndef TH_CPU_QUANTIZED_PRODUCT_H
#define TH_CPU_QUANTIZED_PRODUCT_H

#include "backend/quantized_call.h"

namespace th {

// Runs the call on the CPU. The result depends only on the operands, not on the number of threads.
void multiply_quantized(const QuantizedProductCall& call);

}  // namespace th

#endif
