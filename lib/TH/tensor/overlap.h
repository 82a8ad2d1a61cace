#ifndef TH_TENSOR_OVERLAP_H
#define TH_TENSOR_OVERLAP_H

// Whether elements, of one tensor or of two, are the same place in memory.

#include "tensor/tensor.h"

namespace th TH_VISIBLE {

// Within one layout: strides in any unit and any order. False may be taken for certain; layouts
// whose elements interleave without meeting count as shared.
bool has_shared_elements(int ndim, const int64_t* size, const int64_t* stride);
inline bool has_shared_elements(const Tensor& t) {
  if (t.nDimension == 1) return t.stride[0] == 0 && t.size[0] > 1;
  return has_shared_elements(t.nDimension, t.size, t.stride);
}

// Of storages that are views.
bool blocks_overlap(const Storage& a, const Storage& b);
inline bool share_storage(const Tensor& a, const Tensor& b) {
  if (!a.storage || !b.storage) return false;
  return a.storage == b.storage ||
         (a.storage->memory.shares_host() && blocks_overlap(*a.storage, *b.storage));
}

bool spans_overlap(const Tensor& a, const Tensor& b);
// Where r shares memory with an operand in another layout, a result must not be written while it
// is still being read: such a result is made in a temporary and copied at the end.
inline bool partly_overlap(const Tensor& r, const Tensor& operand) {
  return share_storage(r, operand) && spans_overlap(r, operand);
}

}  // namespace TH_VISIBLE

#endif
