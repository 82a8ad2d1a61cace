#ifndef TH_SIMT_KERNELS_INDEX_ELEMENTS_H
#define TH_SIMT_KERNELS_INDEX_ELEMENTS_H

// Helpers shared by the kernels on indices.

#include "functors/condition.h"
#include "simt/offset_calculator.h"
#include "simt/report.h"
#include "tensor/type_sets.h"

namespace th {
namespace {

// The indexed dimension. An index out of range is reported.
struct IndexedDim {
  int64_t size;
  uint32_t check;  // 0: not reported
  DeviceAssertion* assertion;

  // Returns the index stored at `at`, from 0; `size` if it is out of range.
  __device__ int64_t index_at(const char* at) const {
    int64_t index = *reinterpret_cast<const int64_t*>(at);
    int64_t position = position_of(index, size);
    if (static_cast<uint64_t>(position) < static_cast<uint64_t>(size)) return position;
    if (check) report(assertion, check, index);
    return size;
  }
};

// Widens moves of single elements to moves of up to 16 bytes. This is possible if operands 0 and 2
// are contiguous along the innermost dimension and the index (operand 1) is constant along it.
// steps: the distances that the index moves them by. Returns the new element size.
inline size_t widen(LoopPlan* plan, size_t item, const int64_t* steps, int count) {
  if (plan->ndim == 0 || plan->stride[1][0] != 0) return item;
  for (size_t bytes = sizeof(Bytes16); bytes > item; bytes /= 2) {
    auto wide = static_cast<int64_t>(bytes);
    bool fits = plan->size[0] * static_cast<int64_t>(item) % wide == 0;
    for (int k : {0, 2}) {
      fits = fits && plan->stride[k][0] == static_cast<int64_t>(item) &&
             is_aligned(plan->data[k], bytes);
      for (int d = 1; d < plan->ndim; ++d) fits = fits && plan->stride[k][d] % wide == 0;
    }
    for (int s = 0; s < count; ++s) fits = fits && steps[s] % wide == 0;
    if (!fits) continue;
    int64_t merged = wide / static_cast<int64_t>(item);
    plan->size[0] /= merged;
    plan->numel /= merged;
    plan->stride[0][0] = plan->stride[2][0] = wide;
    return bytes;
  }
  return item;
}

}  // namespace
}  // namespace th

#endif
