#ifndef TH_BACKEND_INDEX_CALL_H
#define TH_BACKEND_INDEX_CALL_H

// Element access by indices; their base is defined by position_of in functors/condition.h. An index
// out of range is skipped, and reported as `check` unless check is 0.

#include <cstdint>

#include "backend/loop_plan.h"
#include "functors/scatter_action.h"
#include "tensor/dtype.h"

namespace th {

// plan.data[0] = plan.data[2], displaced along a dimension by the index in plan.data[1].
struct GatherCall {
  DType dtype;
  uint32_t check;
  int64_t size;  // of the dimension
  int64_t step;  // bytes along it
  LoopPlan plan;
};

// Moves, adds or fills elements of plan.data[0], displaced along a dimension by the indices in
// plan.data[1], with the elements of plan.data[2] or with value. The plan covers the positions of
// the other dimensions. Each position has `length` indices and elements, which are processed in
// order. The index often has stride 0 in all dimensions of the plan: one index vector for all
// positions. To fill, there are two operands.
struct ScatterCall {
  DType dtype;
  ScatterAction action;
  uint32_t check;
  int64_t size;  // of the dimension in data[0]
  int64_t length;
  int64_t step[3];  // bytes along it, of each operand
  uint64_t value;   // the element's bits
  LoopPlan plan;
};

}  // namespace th

// The rows of TH_KERNEL_OPS.
#define TH_INDEX_OPS(X) \
  X(gather, GatherCall) \
  X(scatter, ScatterCall)

#endif
