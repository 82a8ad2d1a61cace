#ifndef TH_CPU_PRODUCT_H
#define TH_CPU_PRODUCT_H

#include "backend/product_call.h"

namespace th {

// Runs the call on the CPU. The result depends only on the operands, not on the number of threads.
void multiply(const ProductCall& call);

}  // namespace th

#endif
