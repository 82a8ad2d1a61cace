// Search in sorted rows.

#include "functors/search.h"
#include "simt/offset_calculator.h"
#include "tensor/type_sets.h"

namespace th {
namespace {

struct SortedRow {
  int64_t n, step;
  bool right;
  int64_t index_base;
};

template <class T>
__global__ void search_sorted(StridedOperands<3, uint64_t> operands, uint64_t n, SortedRow row) {
  uint64_t step = uint64_t(gridDim.x) * blockDim.x;
  for (uint64_t i = blockIdx.x * uint64_t(blockDim.x) + threadIdx.x; i < n; i += step) {
    char* at[3];
    operands.get(i, at);
    T x = *reinterpret_cast<const T*>(at[1]);
    *reinterpret_cast<int64_t*>(at[0]) =
        elements_before(at[2], row.n, row.step, x, row.right) + row.index_base;
  }
}

}  // namespace

void run_search(Queue& queue, const SearchCall& call) {
  const LoopPlan& plan = call.plan;
  if (plan.numel == 0) return;
  SortedRow row = {call.n, call.step, call.right, call.index_base};
  dispatch(call.dtype, [&](auto zero) {
    using T = decltype(zero);
    TH_LAUNCH(queue, (search_sorted<T>), blocks_for(queue, plan.numel), kThreads, 0,
              (StridedOperands<3, uint64_t>(plan)), static_cast<uint64_t>(plan.numel), row);
  });
}

void run_histogram(Queue&, const HistogramCall&) {
  fail_unsupported("histograms are computed by a search and a scatter");
}

}  // namespace th
