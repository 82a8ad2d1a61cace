#ifndef TH_SIMT_PRODUCT_INTEGER_H
#define TH_SIMT_PRODUCT_INTEGER_H

#include "simt/queue.h"

namespace th {

// ProductCall of an integer type, of any layout; no BLAS has these.
void run_integer_product(Queue& queue, const ProductCall& call);

}  // namespace th

#endif
