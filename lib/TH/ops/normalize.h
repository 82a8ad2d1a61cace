#ifndef TH_OPS_NORMALIZE_H
#define TH_OPS_NORMALIZE_H

#include "backend/network_call.h"
#include "ops/call.h"

namespace th {

// The layouts of the normalizations of contiguous tensors: see NormLayout. t and the arguments have
// been checked.
NormLayout layer_layout(const Tensor& t, Sizes shape);
NormLayout group_layout(const Tensor& t, int64_t groups);
NormLayout batch_layout(const Tensor& t);

// A layout as the argument `layout` of normalizeSlopes: the number of its kind, outer, groups, runs
// and length.
struct NormNumbers {
  int64_t numbers[5];
  explicit NormNumbers(const NormLayout& l)
      : numbers{static_cast<int64_t>(l.kind), l.outer, l.groups, l.runs, l.length} {}
  Sizes sizes() const { return {5, numbers}; }
};

}  // namespace th

#endif
