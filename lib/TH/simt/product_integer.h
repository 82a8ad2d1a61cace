#ifndef TH_SIMT_PRODUCT_INTEGER_H
#define TH_SIMT_PRODUCT_INTEGER_H

#include "simt/queue.h"

namespace th {

// Runs a ProductCall of an integer type with any layout, since BLAS supports no integers.
void run_integer_product(Queue& queue, const ProductCall& call);

}  // namespace th

#endif
