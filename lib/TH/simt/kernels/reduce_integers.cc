// Reductions of integer elements.

#include "simt/kernels/reduction.h"

namespace th {

template void reduce_elements<uint8_t>(Queue&, Reducer, bool, const ReducePlan&);
template void reduce_elements<int8_t>(Queue&, Reducer, bool, const ReducePlan&);
template void reduce_elements<int16_t>(Queue&, Reducer, bool, const ReducePlan&);
template void reduce_elements<int32_t>(Queue&, Reducer, bool, const ReducePlan&);
template void reduce_elements<int64_t>(Queue&, Reducer, bool, const ReducePlan&);

}  // namespace th
