#ifndef TH_TENSOR_GEOMETRY_H
#define TH_TENSOR_GEOMETRY_H

#include <algorithm>

#include "base/error.h"
#include "tensor/checked.h"
#include "tensor/tensor.h"

namespace th {

// Sizes, strides and offset of a view under construction.
struct Geometry {
  int ndim;
  int64_t size[kMaxDims];
  int64_t stride[kMaxDims];
  ptrdiff_t offset;

  explicit Geometry(const Tensor& t) : ndim(t.nDimension), offset(t.storageOffset) {
    std::copy(t.size, t.size + ndim, size);
    std::copy(t.stride, t.stride + ndim, stride);
  }
  void erase(int d) {
    std::copy(size + d + 1, size + ndim, size + d);
    std::copy(stride + d + 1, stride + ndim, stride + d);
    --ndim;
  }
  void insert(int d, int64_t new_size, int64_t new_stride) {
    if (ndim == kMaxDims) fail("a tensor has at most %d dimensions", kMaxDims);
    std::copy_backward(size + d, size + ndim, size + ndim + 1);
    std::copy_backward(stride + d, stride + ndim, stride + ndim + 1);
    size[d] = new_size;
    stride[d] = new_stride;
    ++ndim;
  }
  // Moves the offset to the index-th slice along d.
  void advance(int d, int64_t index) {
    constexpr char what[] = "a storage offset";
    offset = checked_add(offset, checked_mul(index, stride[d], what), what);
  }
  void select(int d, int64_t index) {
    if (ndim == 1) fail("cannot select on a vector");
    advance(d, wrap_index(index, size[d]));
    erase(d);
  }
};

}  // namespace th

#endif
