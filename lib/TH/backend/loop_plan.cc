#include "backend/loop_plan.h"

#include <algorithm>
#include <utility>

#include "tensor/overlap.h"

namespace th {

template <int most>
void LoopPlanOf<most>::start(int dims, const int64_t* sizes) {
  start(dims, sizes, -1);
  if (dims == 0) numel = 0;
}

template <int most>
void LoopPlanOf<most>::start(int dims, const int64_t* sizes, int dim) {
  ndim = operands = 0;
  skipped = dim;
  shared_output = false;
  numel = trailing = 1;
  for (int d = dims - 1; d >= 0; --d) {
    if (d == dim) {
      trailing = numel;
      continue;
    }
    size[ndim++] = sizes[d];
    numel *= sizes[d];
  }
}

template <int most>
void LoopPlanOf<most>::copy(const LoopPlanOf& other) {
  ndim = other.ndim;
  operands = other.operands;
  skipped = other.skipped;
  trailing = other.trailing;
  shared_output = other.shared_output;
  numel = other.numel;
  std::copy(other.size, other.size + ndim, size);
  for (int k = 0; k < operands; ++k) {
    std::copy(other.stride[k], other.stride[k] + ndim, stride[k]);
    data[k] = other.data[k];
  }
}

template <int most>
void LoopPlanOf<most>::add(char* at, size_t item, const int64_t* strides) {
  int dims = skipped < 0 ? ndim : ndim + 1;
  int k = 0;
  for (int d = dims - 1; d >= 0; --d) {
    if (d != skipped) stride[operands][k++] = strides[d] * static_cast<int64_t>(item);
  }
  data[operands++] = at;
}

template <int most>
void LoopPlanOf<most>::add_constant(char* at) {
  for (int d = 0; d < ndim; ++d) stride[operands][d] = 0;
  data[operands++] = at;
}

template <int most>
void LoopPlanOf<most>::plan(bool keep_order) {
  if (ndim == 1 && operands > 0) {
    if (size[0] == 1) ndim = 0;
    shared_output = size[0] > 1 && stride[0][0] == 0;
    return;
  }
  int kept = 0;
  for (int d = 0; d < ndim; ++d) {
    if (size[d] == 1) continue;
    size[kept] = size[d];
    for (int k = 0; k < operands; ++k) stride[k][kept] = stride[k][d];
    ++kept;
  }
  ndim = kept;
  if (!keep_order) {
    // Insertion sort, as there are few dimensions, mostly in order. Sorts by the strides of operand
    // 0; the next operands break ties.
    auto before = [&](int a, int b) {
      for (int k = 0; k < operands; ++k) {
        if (stride[k][a] != stride[k][b]) return stride[k][a] < stride[k][b];
      }
      return false;
    };
    for (int i = 1; i < ndim; ++i) {
      for (int j = i; j > 0 && before(j, j - 1); --j) {
        std::swap(size[j], size[j - 1]);
        for (int k = 0; k < operands; ++k) std::swap(stride[k][j], stride[k][j - 1]);
      }
    }
  }
  int merged = 0;
  for (int d = 1; d < ndim; ++d) {
    bool adjacent = true;
    for (int k = 0; k < operands; ++k) {
      adjacent = adjacent && stride[k][d] == size[merged] * stride[k][merged];
    }
    if (adjacent) {
      size[merged] *= size[d];
    } else {
      ++merged;
      size[merged] = size[d];
      for (int k = 0; k < operands; ++k) stride[k][merged] = stride[k][d];
    }
  }
  if (ndim > 0) ndim = merged + 1;
  shared_output = operands > 0 && has_shared_elements(ndim, size, stride[0]);
}

template struct LoopPlanOf<kPlanOperands>;
template struct LoopPlanOf<kFusedOperands>;

}  // namespace th
