#ifndef TH_BACKEND_CHECK_CALL_H
#define TH_BACKEND_CHECK_CALL_H

#include "backend/loop_plan.h"
#include "backend/table.h"
#include "functors/condition.h"
#include "tensor/dtype.h"

namespace th {

// Whether the elements of the plan's operand are as the condition says. The first that is not is
// told as `check`: by the CPU in *found, by a device when somebody next waits for it. Its value is
// told, or, of a probability, its number, from 1 on.
struct CheckCall {
  DType dtype;
  Condition condition;
  int64_t limit;
  uint32_t check;
  DeviceAssertion* found;
  LoopPlan plan;
};

}  // namespace th

#endif
