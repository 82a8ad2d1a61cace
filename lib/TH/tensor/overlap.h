#ifndef TH_TENSOR_OVERLAP_H
#define TH_TENSOR_OVERLAP_H

// Tests whether elements of one or two tensors share memory.

#include "tensor/tensor.h"

namespace th TH_VISIBLE {

// Tests one layout; strides are in any unit, dimensions in any order. False is exact. True may be a
// false alarm: layouts whose elements interleave without overlapping count as shared.
bool has_shared_elements(int ndim, const int64_t* size, const int64_t* stride);
inline bool has_shared_elements(const Tensor& t) {
  if (t.nDimension == 1) return t.stride[0] == 0 && t.size[0] > 1;
  return has_shared_elements(t.nDimension, t.size, t.stride);
}

// For storages that are views of other storages.
bool blocks_overlap(const Storage& a, const Storage& b);
inline bool share_storage(const Tensor& a, const Tensor& b) {
  if (!a.storage || !b.storage) return false;
  return a.storage == b.storage ||
         (a.storage->memory.shares_host() && blocks_overlap(*a.storage, *b.storage));
}

// Tests whether tensors with the same storage may share elements.
inline bool ranges_overlap(const Tensor& a, const Tensor& b) {
  if (a.numel() == 0 || b.numel() == 0) return false;
  const ByteRange first = a.bytes(), second = b.bytes();
  return first.begin < second.end && second.begin < first.end;
}

bool spans_overlap(const Tensor& a, const Tensor& b);
// Tests whether r overlaps an operand with a different layout. Then writing r would destroy
// elements that are still to be read, so the result is computed in a temporary and copied.
inline bool partly_overlap(const Tensor& r, const Tensor& operand) {
  return share_storage(r, operand) && spans_overlap(r, operand);
}

}  // namespace TH_VISIBLE

#endif
