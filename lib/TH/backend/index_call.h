#ifndef TH_BACKEND_INDEX_CALL_H
#define TH_BACKEND_INDEX_CALL_H

// Elements chosen by indices, which count as position_of in functors/condition.h has it. An index
// outside of its dimension is skipped, and reported as `check` unless that is 0.

#include <cstdint>

#include "backend/loop_plan.h"
#include "tensor/dtype.h"

namespace th {

// plan.data[0] = plan.data[2], moved along a dimension by the index at plan.data[1].
struct GatherCall {
  DType dtype;
  uint32_t check;
  int64_t size;  // of the dimension
  int64_t step;  // bytes along it
  LoopPlan plan;
};

enum class ScatterAction : int { move, add, fill };

// The elements of plan.data[0], moved along a dimension by the indices at plan.data[1], become
// those of plan.data[2], have them added, or become a value. The plan is of the positions beside
// the dimension; at each there are `length` indices and elements, which are taken in order. An
// index of stride 0 everywhere, which is one vector for all positions, is common. When filling,
// there are two operands.
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

#endif
