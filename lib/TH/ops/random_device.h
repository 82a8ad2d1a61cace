#ifndef TH_OPS_RANDOM_DEVICE_H
#define TH_OPS_RANDOM_DEVICE_H

#include "backend/random_call.h"
#include "ops/generator.h"
#include "tensor/tensor.h"

namespace th {

// Each fills r where it is at home, by words that g gives; false: on the CPU, nothing was done.
// Parameters were checked.
bool fill_on_device(Tensor* r, Generator* g, Distribution distribution, double a, double b = 0);
bool fill_integers_on_device(Tensor* r, Generator* g, int64_t first, uint64_t range);

// The integers from TH_INDEX_BASE on in the order of random keys, one of 64 bits for each. r is a
// vector, and not empty.
void permute_by_keys(Tensor* r, Generator* g);

}  // namespace th

#endif
