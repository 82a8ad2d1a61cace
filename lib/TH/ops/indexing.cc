#include "ops/indexing.h"

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "tensor/convert.h"

namespace th {

namespace {

// Computes the strides of the index in a shape of ndim dimensions.
void index_strides(const DimIndices& by, const Tensor& index, int ndim, int64_t* stride) {
  if (by.shape == IndexShape::full) {
    std::copy(index.stride, index.stride + ndim, stride);
  } else {
    std::fill_n(stride, ndim, 0);
    stride[by.dim] = index.stride[0];
  }
}

CheckText index_text(const DimIndices& by) {
  return {by.argument, "index %v is out of range of dimension %1 of size %2", shown(by.dim),
          by.size};
}

}  // namespace

void check_indices(const DimIndices& by, const Tensor& t, const Tensor& r) {
  ValueCheck(by.op, Condition::index, by.size, by.index, device_of({&t, by.index}), index_text(by),
             r);
}

void gather_by(const DimIndices& by, Tensor* r, Tensor* t) {
  Device* device = device_of({r, t, by.index});
  ValueCheck check(by.op, Condition::index, by.size, by.index, device, index_text(by));
  if (r->numel() == 0) return check.run();
  run(by.op, device, [&](Operands& at) {
    auto item = static_cast<int64_t>(item_size(t->dtype));
    Placed indices = at.read(by.index), from = at.read(t);
    int64_t index_stride[kMaxDims], from_stride[kMaxDims];
    index_strides(by, *indices.tensor, r->nDimension, index_stride);
    std::copy(from.tensor->stride, from.tensor->stride + r->nDimension, from_stride);
    from_stride[by.dim] = 0;
    GatherCall call;
    call.dtype = t->dtype;
    call.check = check.number(at);
    call.size = by.size;
    call.step = from.tensor->stride[by.dim] * item;
    if (r->nDimension == 1 && is_contiguous(*r)) {
      // Vectors need no planning: pass the strides as they are.
      call.plan.start_contiguous(r->size[0]);
      call.plan.add_contiguous(at.overwrite(r), item);
      call.plan.add_contiguous(indices.data, index_stride[0] * sizeof(int64_t));
      call.plan.add_contiguous(from.data, from_stride[0] * item);
      return call;
    }
    call.plan.start(r->nDimension, r->size);
    call.plan.add(at.overwrite(r), item, r->stride);
    call.plan.add(indices.data, sizeof(int64_t), index_stride);
    call.plan.add(from.data, item, from_stride);
    call.plan.plan(has_shared_elements(*r));
    return call;
  });
}

void scatter_by(const DimIndices& by, ScatterAction action, Tensor* r, Tensor* src, Scalar value) {
  Device* device = device_of({r, by.index, src});
  ValueCheck check(by.op, Condition::index, by.size, by.index, device, index_text(by), *r);
  if (r->numel() == 0 || by.index->numel() == 0 || (src && src->numel() == 0)) return check.run();
  run(by.op, device, [&](Operands& at) {
    auto item = static_cast<int64_t>(item_size(r->dtype));
    int ndim = r->nDimension;
    // The positions of the other dimensions are those of the index, which may be smaller than r.
    const Tensor& shaped = by.shape == IndexShape::full ? *by.index : *r;
    ScatterCall call;
    call.dtype = r->dtype;
    call.action = action;
    call.check = check.number(at);
    call.size = by.size;
    call.length = by.index->size[by.shape == IndexShape::full ? by.dim : 0];
    call.value = 0;
    call.plan.start(ndim, shaped.size, by.dim);
    Placed indices = at.read(by.index), from = {nullptr, nullptr};
    if (src) from = at.read(src);
    int64_t index_stride[kMaxDims];
    index_strides(by, *indices.tensor, ndim, index_stride);
    call.plan.add(at.write(r), item, r->stride);
    call.plan.add(indices.data, sizeof(int64_t), index_stride);
    call.step[0] = r->stride[by.dim] * item;
    call.step[1] = index_stride[by.dim] * static_cast<int64_t>(sizeof(int64_t));
    if (src) {
      call.plan.add(from.data, item, from.tensor->stride);
      call.step[2] = from.tensor->stride[by.dim] * item;
    } else {
      call.step[2] = 0;
      call.value = element_bits(r->dtype, value);
    }
    bool shared = has_shared_elements(*r);
    call.plan.plan(shared);
    call.plan.shared_output = shared;
    return call;
  });
}

uint64_t element_bits(DType type, Scalar value) {
  uint64_t bits = 0;
  dispatch(type, [&](auto zero) {
    auto element = convert<decltype(zero)>(value);
    std::memcpy(&bits, &element, sizeof(element));
  });
  return bits;
}

}  // namespace th
