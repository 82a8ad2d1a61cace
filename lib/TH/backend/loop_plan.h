#ifndef TH_BACKEND_LOOP_PLAN_H
#define TH_BACKEND_LOOP_PLAN_H

#include <cstdint>

namespace th {

// Dimensions that are left after those that lie in memory as one were merged.
constexpr int kDeviceDims = 12;
constexpr int kPlanOperands = 4;

// The elements of up to four operands of one shape. The innermost dimension comes first; strides
// are in bytes. Operand 0 is the output, unless said otherwise.
struct LoopPlan {
  int ndim;
  int operands;
  int64_t numel;
  int64_t size[kDeviceDims];
  int64_t stride[kPlanOperands][kDeviceDims];
  char* data[kPlanOperands];
};

}  // namespace th

#endif
