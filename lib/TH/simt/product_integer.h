#ifndef TH_SIMT_PRODUCT_INTEGER_H
#define TH_SIMT_PRODUCT_INTEGER_H

#include <type_traits>

#include "simt/queue.h"

namespace th {

// The type in which products of integers are added: a sum modulo 2^32 (2^64 for Long), truncated,
// equals the truncated sum in int64_t.
template <class T>
using WordOf = std::conditional_t<sizeof(T) == 8, unsigned long long, unsigned>;

// Runs a ProductCall of an integer type with any layout, since BLAS supports no integers.
void run_integer_product(Queue& queue, const ProductCall& call);

}  // namespace th

#endif
