#ifndef TH_BACKEND_CHECK_CALL_H
#define TH_BACKEND_CHECK_CALL_H

#include "backend/loop_plan.h"
#include "backend/table.h"
#include "functors/condition.h"
#include "tensor/dtype.h"

namespace th {

// Checks that the elements of the plan's operand satisfy the condition. The first element that does
// not is reported as `check`: by the CPU in *found, by a device at its next synchronization. The
// reported value is the element, or, for probabilities, its position, from 1.
struct CheckCall {
  DType dtype;
  Condition condition;
  int64_t limit, also;
  uint32_t check;
  DeviceAssertion* found;
  LoopPlan plan;
};

}  // namespace th

// The rows of TH_KERNEL_OPS.
#define TH_CHECK_OPS(X) X(check, CheckCall)

#endif
