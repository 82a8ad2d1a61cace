#include "THGeneral.h"
#include "base/error.h"
#include "ops/operands.h"
#include "ops/direct.h"
#include "tensor/overlap.h"

namespace th::direct {

void sort(Tensor* values, Tensor* indices, Tensor* t, int64_t dim, bool descending) {
  if (values->dtype != t->dtype) {
    fail_argument(1, "sort: the values must be a %sTensor, got a %sTensor", name(t->dtype),
                  name(values->dtype));
  }
  if (indices->dtype != DType::Long) {
    fail_argument(2, "sort: the indices must be a LongTensor, got a %sTensor",
                  name(indices->dtype));
  }
  if (indices == values) fail_argument(2, "sort: values and indices must be two tensors");
  int d = wrap_dim(*t, dim, 4);
  Device* device = device_of({values, indices, t});
  TensorRef new_values, new_indices;
  Tensor* v = values;
  Tensor* i = indices;
  if (i == t || share_storage(*i, *t) || share_storage(*i, *v)) {
    new_indices = TensorRef(tensor_new_sized(DType::Long, t->nDimension, t->size));
    i = new_indices.get();
  } else {
    resize_as(i, *t);
  }
  if (v != t) resize_as(v, *t);
  if (t->numel() > 0) {
    if (partly_overlap(*v, *t) || has_shared_elements(*v)) {
      new_values = TensorRef(tensor_new_sized(t->dtype, t->nDimension, t->size));
      v = new_values.get();
    }
    if (has_shared_elements(*i)) {
      new_indices = TensorRef(tensor_new_sized(DType::Long, t->nDimension, t->size));
      i = new_indices.get();
    }
    run(Op::sort, device, [&](Operands& at) {
      constexpr auto index_item = static_cast<int64_t>(sizeof(int64_t));
      auto item = static_cast<int64_t>(item_size(t->dtype));
      Placed in = at.read(t);
      SortCall call;
      call.dtype = t->dtype;
      call.descending = descending;
      call.n = call.count = t->size[d];
      call.first = 0;
      call.value_step = v->stride[d] * item;
      call.index_step = i->stride[d] * index_item;
      call.in_step = in.tensor->stride[d] * item;
      call.index_base = TH_INDEX_BASE;
      call.plan.start(t->nDimension, t->size, d);
      call.plan.add(at.overwrite(v), item, v->stride);
      call.plan.add(at.overwrite(i), index_item, i->stride);
      call.plan.add(in.data, item, in.tensor->stride);
      call.plan.plan();
      return call;
    });
  }
  int ndim = v->nDimension;
  if (new_values) copy(values, new_values.get());
  if (new_indices) {
    resize(indices, ndim, new_indices->size);
    copy(indices, new_indices.get());
  }
}

}  // namespace th::direct
