#ifndef TH_CPU_LOOPS_H
#define TH_CPU_LOOPS_H

// Execution of loop plans on the CPU.

#include "backend/loop.h"
#include "backend/loop_plan.h"

namespace th {

// Calls f(char* const* data, const int64_t* stride, int64_t n) for runs of the innermost dimension
// that cover elements [begin, end) of the plan, in its order.
template <int most, class F>
void for_each_run(const LoopPlanOf<most>& plan, int64_t begin, int64_t end, const F& f) {
  char* data[most];
  int64_t inner[most];
  for (int k = 0; k < plan.operands; ++k) {
    data[k] = plan.data[k];
    inner[k] = plan.inner_stride(k);
  }
  if (plan.ndim <= 1) {
    for (int k = 0; k < plan.operands; ++k) data[k] += begin * inner[k];
    if (begin < end) f(data, inner, end - begin);
    return;
  }
  int64_t index[kMaxDims];
  int64_t rest = begin;
  for (int d = 0; d < plan.ndim; ++d) {
    index[d] = rest % plan.size[d];
    rest /= plan.size[d];
    for (int k = 0; k < plan.operands; ++k) data[k] += index[d] * plan.stride[k][d];
  }
  int64_t width = plan.inner_size();
  while (begin < end) {
    int64_t n = width - index[0];
    if (n > end - begin) n = end - begin;
    f(data, inner, n);
    begin += n;
    if (begin >= end) break;
    for (int k = 0; k < plan.operands; ++k) data[k] -= index[0] * inner[k];
    index[0] = 0;
    for (int d = 1; d < plan.ndim; ++d) {
      for (int k = 0; k < plan.operands; ++k) data[k] += plan.stride[k][d];
      if (++index[d] < plan.size[d]) break;
      for (int k = 0; k < plan.operands; ++k) data[k] -= plan.size[d] * plan.stride[k][d];
      index[d] = 0;
    }
  }
}

// Returns the plan without its innermost dimension: it visits the first element of each run.
inline LoopPlan plan_of_rows(const LoopPlan& plan) {
  LoopPlan rows;
  rows.copy(plan);
  --rows.ndim;
  rows.numel /= plan.size[0];
  for (int d = 0; d < rows.ndim; ++d) {
    rows.size[d] = plan.size[d + 1];
    for (int k = 0; k < plan.operands; ++k) rows.stride[k][d] = plan.stride[k][d + 1];
  }
  return rows;
}

// Runs loop over all elements, in any order and with several threads. If elements of the output
// share memory, they are processed one by one in order. item: element sizes in bytes. grain:
// minimum number of elements per thread. copies: the loop copies operand 1 without a conversion.
template <int most>
void run_loop(const LoopPlanOf<most>& plan, const int64_t* item, Loop loop, const void* context,
              int64_t grain, bool copies = false);

}  // namespace th

#endif
