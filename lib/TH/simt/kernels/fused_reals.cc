// Fused expressions of floating-point types.

#include "simt/kernels/fused_kernel.h"

namespace th {

template void run_program<float>(Queue&, const FusedCall&, const FusedPlan&);
template void run_program<double>(Queue&, const FusedCall&, const FusedPlan&);

}  // namespace th
