#include "ops/index_on_device.h"

#include <algorithm>
#include <cstring>

#include "ops/elementwise.h"
#include "tensor/convert.h"

namespace th {

namespace {

// Strides of the index in a shape of ndim dimensions.
void index_strides(const Tensor& index, IndexShape shape, int ndim, int dim, int64_t* stride) {
  if (shape == IndexShape::full) {
    std::copy(index.stride, index.stride + ndim, stride);
  } else {
    std::fill_n(stride, ndim, 0);
    stride[dim] = index.stride[0];
  }
}

// The entries but that of dim; one of size 1 where there is no other.
int beside(int ndim, const int64_t* all, int dim, int64_t if_none, int64_t* rest) {
  std::copy(all, all + dim, rest);
  std::copy(all + dim + 1, all + ndim, rest + dim);
  if (ndim > 1) return ndim - 1;
  rest[0] = if_none;
  return 1;
}

}  // namespace

uint64_t element_bits(DType type, Scalar value) {
  uint64_t bits = 0;
  dispatch(type, [&](auto zero) {
    auto element = convert<decltype(zero)>(value);
    std::memcpy(&bits, &element, sizeof(element));
  });
  return bits;
}

bool gather_on(Device& device, Tensor* r, Tensor* t, int dim, Tensor* index, IndexShape shape,
               const IndexCheck& check) {
  if (has_shared_elements(*r)) return false;
  TensorRef from = brought_to(device, t), indices = brought_to(device, index);
  auto item = static_cast<int64_t>(item_size(t->dtype));
  GatherCall call = {t->dtype, 0, check.size(), from->stride[dim] * item, {}};
  int64_t index_stride[kMaxDims], from_stride[kMaxDims];
  index_strides(*indices, shape, r->nDimension, dim, index_stride);
  std::copy(from->stride, from->stride + r->nDimension, from_stride);
  from_stride[dim] = 0;
  char* index_data = data_on(device, *indices, Access::read);
  char* from_data = data_on(device, *from, Access::read);
  LoopPlanBuilder builder(r->nDimension, r->size);
  builder.add(result_on(device, *r, access_for_result(*r)), item, r->stride);
  builder.add(index_data, sizeof(int64_t), index_stride);
  builder.add(from_data, item, from_stride);
  if (!builder.plan(&call.plan)) return false;
  call.check = check.number_on(device);
  device.run(DeviceOp::gather, &call);
  return true;
}

bool scatter_on(Device& device, ScatterAction action, Tensor* r, int dim, Tensor* index,
                IndexShape shape, Tensor* src, Scalar value, const IndexCheck& check) {
  if (has_shared_elements(*r)) return false;
  int ndim = r->nDimension;
  TensorRef indices = brought_to(device, index), from;
  auto item = static_cast<int64_t>(item_size(r->dtype));
  ScatterCall call = {r->dtype, action, 0, check.size(), 0, {}, 0, {}};
  int64_t size[kMaxDims], stride[kMaxDims], all_index[kMaxDims];
  const Tensor& shaped = shape == IndexShape::full ? *index : *r;
  call.length = index->size[shape == IndexShape::full ? dim : 0];
  LoopPlanBuilder builder(beside(ndim, shaped.size, dim, 1, size), size);

  index_strides(*indices, shape, ndim, dim, all_index);
  char* index_data = data_on(device, *indices, Access::read);
  char* from_data = nullptr;
  if (src) {
    from = brought_to(device, src);
    from_data = data_on(device, *from, Access::read);
  }
  beside(ndim, r->stride, dim, 0, stride);
  builder.add(result_on(device, *r, Access::write), item, stride);
  beside(ndim, all_index, dim, 0, stride);
  builder.add(index_data, sizeof(int64_t), stride);
  call.step[0] = r->stride[dim] * item;
  call.step[1] = all_index[dim] * static_cast<int64_t>(sizeof(int64_t));
  if (src) {
    beside(ndim, from->stride, dim, 0, stride);
    builder.add(from_data, item, stride);
    call.step[2] = from->stride[dim] * item;
  } else {
    call.value = element_bits(r->dtype, value);
  }
  if (!builder.plan(&call.positions)) return false;
  call.check = check.number_on(device);
  device.run(DeviceOp::scatter, &call);
  return true;
}

}  // namespace th
