#ifndef TH_CPU_PRODUCT_H
#define TH_CPU_PRODUCT_H

#include "backend/product_call.h"

namespace th {

// The call on the host's memory. Results depend on the shapes alone.
void multiply(const ProductCall& call);

}  // namespace th

#endif
