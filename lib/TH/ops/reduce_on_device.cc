#include "ops/reduce_on_device.h"

#include "THGeneral.h"
#include "ops/elementwise.h"

namespace th {

bool reduce_all_on(Device& device, const Reduction& op, Pairing pairing, const Tensor& a,
                   const Tensor* b, Partial* result) {
  if (op.extra == Reduction::Extra::index) return false;
  ReduceAllCall call;
  call.reducer = op.reducer;
  call.pairing = pairing;
  call.moment = op.extra == Reduction::Extra::moment;
  call.dtype = a.dtype;
  call.parameter = op.parameter;
  LoopPlanBuilder builder(a.nDimension, a.size);
  const Tensor* operands[] = {&a, b};
  TensorRef brought[2];
  for (int k = 0; k < (b ? 2 : 1); ++k) {
    brought[k] = brought_to(device, const_cast<Tensor*>(operands[k]));
    builder.add(data_on(device, *brought[k], Access::read), item_size(a.dtype), brought[k]->stride);
  }
  if (!builder.plan(&call.plan)) return false;
  DeviceBlock out(device, sizeof(Partial));
  call.out = reinterpret_cast<Partial*>(out.get());
  device.run(DeviceOp::reduce_all, &call);
  device.copy_to_host(result, out.get(), sizeof(Partial));
  return true;
}

bool reduce_dim_on(Device& device, const Reduction& op, Tensor* t, int dim, Tensor* r,
                   Tensor* indices) {
  TensorRef source = brought_to(device, t);
  ReduceDimCall call;
  call.reducer = op.reducer;
  call.finish = op.finish;
  call.moment = op.extra == Reduction::Extra::moment;
  call.dtype = t->dtype;
  call.parameter = op.parameter;
  call.n = t->size[dim];
  auto item = static_cast<int64_t>(item_size(t->dtype));
  call.step = source->stride[dim] * item;
  // The dimensions that stay, of which there is at least one.
  int ndim = 1;
  int64_t size[kMaxDims + 1] = {1}, stride[kMaxDims + 1] = {0}, out_stride[kMaxDims + 1];
  for (int d = 0; d < t->nDimension; ++d) {
    if (d == dim) continue;
    size[ndim] = t->size[d];
    stride[ndim++] = source->stride[d];
  }
  int64_t outputs = 1;
  for (int d = ndim - 1; d >= 0; --d) {
    out_stride[d] = outputs;
    outputs *= size[d];
  }
  char* data = data_on(device, *source, Access::read);
  // The input's layout first: it has more to read than there is to write.
  LoopPlanBuilder builder(ndim, size);
  builder.add(data, item_size(t->dtype), stride);
  builder.add(result_on(device, *r, access_for_result(*r)), item_size(r->dtype), out_stride);
  if (!builder.plan(&call.plan)) return false;
  call.indices = nullptr;
  if (indices) {
    call.indices =
        reinterpret_cast<int64_t*>(result_on(device, *indices, access_for_result(*indices)));
  }
  call.index_base = TH_INDEX_BASE;
  device.run(DeviceOp::reduce_dim, &call);
  return true;
}

}  // namespace th
