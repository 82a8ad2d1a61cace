#ifndef TH_SIMT_PRODUCT_TO_FLOAT_H
#define TH_SIMT_PRODUCT_TO_FLOAT_H

#include "simt/queue.h"

namespace th {

// Runs a ProductCall of a 16-bit type whose result c has type Float, so that sums of several
// products are rounded once.
void run_product_to_float(Queue& queue, const ProductCall& call);

}  // namespace th

#endif
