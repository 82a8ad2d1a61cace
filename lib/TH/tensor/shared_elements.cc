#include <algorithm>

#include "tensor/overlap.h"

namespace th {

bool has_shared_elements(int ndim, const int64_t* size, const int64_t* stride) {
  // Sorted by stride, the stride of each dimension must exceed the span of all smaller dimensions.
  int order[kMaxDims];
  int count = 0;
  for (int d = 0; d < ndim; ++d) {
    if (size[d] == 0) return false;
    if (size[d] > 1) order[count++] = d;
  }
  auto smaller = [stride](int a, int b) { return stride[a] < stride[b]; };
  if (!std::is_sorted(order, order + count, smaller)) std::sort(order, order + count, smaller);
  int64_t span = 0;
  for (int i = 0; i < count; ++i) {
    int d = order[i];
    if (stride[d] <= span) return true;
    span += (size[d] - 1) * stride[d];
  }
  return false;
}

}  // namespace th
