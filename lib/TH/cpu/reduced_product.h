#ifndef TH_CPU_REDUCED_PRODUCT_H
#define TH_CPU_REDUCED_PRODUCT_H

#include "backend/product_call.h"

namespace th {

// Runs a call of type Half or BFloat16. Sums are computed in float; each result is rounded once.
void multiply_reduced(const ProductCall& call);

}  // namespace th

#endif
