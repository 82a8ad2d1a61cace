// Fused expressions of integers.

#include "simt/kernels/fused_kernel.h"

namespace th {

template void run_program<uint8_t>(Queue&, const FusedCall&, const FusedPlan&);
template void run_program<int8_t>(Queue&, const FusedCall&, const FusedPlan&);
template void run_program<int16_t>(Queue&, const FusedCall&, const FusedPlan&);
template void run_program<int32_t>(Queue&, const FusedCall&, const FusedPlan&);
template void run_program<int64_t>(Queue&, const FusedCall&, const FusedPlan&);

}  // namespace th
