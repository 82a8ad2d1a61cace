// Reductions of floating-point elements. As on the CPU, sums of all types are kept in double. Even
// where double is slow it keeps up with memory, and the results differ from the CPU's only by
// rounding errors of double.

#include "simt/kernels/reduction.h"

namespace th {

template void reduce_elements<Half>(Queue&, Reducer, bool, const ReducePlan&);
template void reduce_elements<BFloat16>(Queue&, Reducer, bool, const ReducePlan&);
template void reduce_elements<float>(Queue&, Reducer, bool, const ReducePlan&);
template void reduce_elements<double>(Queue&, Reducer, bool, const ReducePlan&);

}  // namespace th
