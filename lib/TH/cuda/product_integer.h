#ifndef TH_CUDA_PRODUCT_INTEGER_H
#define TH_CUDA_PRODUCT_INTEGER_H

#include "cuda/queue.h"

namespace th {

// ProductCall of an integer type, of any layout; no BLAS has these.
void run_integer_product(Queue& queue, const ProductCall& call);

}  // namespace th

#endif
