#include "ops/elementwise.h"

#include <algorithm>

#include "cpu/iterator.h"
#include "cpu/parallel.h"
#include "memory/error.h"
#include "ops/on_device.h"

namespace th {

namespace {

// The bytes a tensor's elements span.
struct Span {
  const char* first;
  const char* last;
};
Span span_of(const Tensor& t) {
  int64_t last = t.storageOffset;
  for (int d = 0; d < t.nDimension; ++d) last += (t.size[d] - 1) * t.stride[d];
  auto item = static_cast<int64_t>(item_size(t.dtype));
  const char* base = nullptr;  // offsets within one storage compare like addresses
  return {base + t.storageOffset * item, base + (last + 1) * item};
}

void check_types(const ElementwiseOp& op, Tensor* const* inputs, int count) {
  for (int k = 1; k < count; ++k) {
    if (inputs[k]->dtype != inputs[0]->dtype) {
      fail("%s: a %sTensor and a %sTensor do not go together: convert one of them", op.name,
           name(inputs[0]->dtype), name(inputs[k]->dtype));
    }
  }
  if (!op.loop) fail("%s is not defined for a %sTensor", op.name, name(inputs[0]->dtype));
}

void run_contiguous(const ElementwiseOp& op, Tensor* r, Tensor* const* inputs, int count,
                    bool in_place) {
  int64_t numel = inputs[0]->numel();
  if (numel == 0) return;
  char* data[kMaxOperands];
  int64_t stride[kMaxOperands];
  for (int k = 0; k < count; ++k) {
    data[k + 1] = inputs[k]->data(Access::read);
    stride[k + 1] = static_cast<int64_t>(item_size(inputs[k]->dtype));
  }
  data[0] = r->data(in_place ? Access::write : access_for_result(*r));
  stride[0] = static_cast<int64_t>(item_size(r->dtype));
  if (numel < op.grain) {
    op.loop(data, stride, numel, op.params);
    return;
  }
  parallel_for(numel, op.grain, [&](int64_t begin, int64_t end) {
    char* at[kMaxOperands];
    for (int k = 0; k <= count; ++k) at[k] = data[k] + begin * stride[k];
    op.loop(at, stride, end - begin, op.params);
  });
}

void run_strided(const ElementwiseOp& op, Tensor* r, Tensor* const* inputs, int count, int ndim,
                 const int64_t* size) {
  Iterator iterator(ndim, size);
  char* data[kMaxOperands];
  int64_t stride[kMaxDims];
  for (int k = 0; k < count; ++k) data[k + 1] = inputs[k]->data(Access::read);
  data[0] = r->data(access_for_result(*r));
  iterator.add(data[0], item_size(r->dtype), r->stride);
  for (int k = 0; k < count; ++k) {
    broadcast_strides(*inputs[k], ndim, size, stride);
    iterator.add(data[k + 1], item_size(inputs[k]->dtype), stride);
  }
  iterator.run(op.loop, op.params, op.grain);
}

// False where it is better left to the CPU.
bool run_on_device(Device& device, const ElementwiseOp& op, Tensor* r, Tensor* const* inputs,
                   int count, int ndim, const int64_t* size) {
  if (has_shared_elements(*r)) return false;
  ElementCall call;
  call.kernel = op.kernel;
  call.dtype = inputs[0]->dtype;
  for (int k = 0; k < op.param_count; ++k) call.params[k] = op.params[k];
  TensorRef brought[kMaxOperands];
  LoopPlanBuilder builder(ndim, size);
  int64_t stride[kMaxOperands][kMaxDims];
  for (int k = 0; k < count; ++k) {
    brought[k] = brought_to(device, inputs[k]);
    broadcast_strides(*brought[k], ndim, size, stride[k]);
  }
  char* data[kMaxOperands];
  for (int k = 0; k < count; ++k) data[k] = data_on(device, *brought[k], Access::read);
  builder.add(result_on(device, *r, access_for_result(*r, inputs, count)), item_size(r->dtype),
              r->stride);
  for (int k = 0; k < count; ++k) builder.add(data[k], item_size(inputs[k]->dtype), stride[k]);
  if (!builder.plan(&call.plan)) return false;
  device.run(DeviceOp::element, &call);
  return true;
}

// t read in order under another shape with as many elements; a copy where its layout needs one.
TensorRef in_shape(Tensor* t, int ndim, const int64_t* size) {
  TensorRef view(tensor_new(t->dtype));
  int64_t stride[kMaxDims];
  if (view_strides(*t, ndim, size, stride)) {
    set_storage(view.get(), t->storage, t->storageOffset, ndim, size, stride);
  } else {
    view = clone(t);
    set_geometry(view.get(), ndim, size, nullptr);
  }
  return view;
}

}  // namespace

bool partly_overlap(const Tensor& r, const Tensor& operand) {
  if (!r.storage || r.storage != operand.storage) return false;
  if (r.numel() == 0 || operand.numel() == 0 || same_view(r, operand)) return false;
  Span a = span_of(r), b = span_of(operand);
  return a.first < b.last && b.first < a.last;
}

void broadcast_strides(const Tensor& t, int ndim, const int64_t* size, int64_t* stride) {
  int missing = ndim - t.nDimension;
  for (int d = 0; d < ndim; ++d) {
    bool repeats = d < missing || (t.size[d - missing] == 1 && size[d] != 1);
    stride[d] = repeats ? 0 : t.stride[d - missing];
  }
}

bool elementwise_shape(const char* name, Tensor* const* inputs, int count, const Tensor* in_place,
                       int* ndim, int64_t* size) {
  *ndim = inputs[0]->nDimension;
  std::copy(inputs[0]->size, inputs[0]->size + *ndim, size);
  bool broadcasts = true;
  bool same_numel = true;
  bool has_empty = inputs[0]->nDimension == 0;
  for (int k = 1; k < count; ++k) {
    broadcasts = broadcasts &&
                 broadcast_sizes(*ndim, size, inputs[k]->nDimension, inputs[k]->size, ndim, size);
    same_numel = same_numel && inputs[k]->numel() == inputs[0]->numel();
    has_empty = has_empty || inputs[k]->nDimension == 0;
  }
  // A tensor without dimensions has no element, so it pairs with nothing but its like.
  if (has_empty) broadcasts = false;
  if (broadcasts && in_place) {
    broadcasts = *ndim == in_place->nDimension && std::equal(size, size + *ndim, in_place->size);
  }
  if (broadcasts) return true;
  if (!same_numel) {
    std::string shapes;
    for (int k = 0; k < count; ++k) {
      if (k) shapes += k == count - 1 ? " and " : ", ";
      shapes += shape_text(*inputs[k]);
    }
    fail("%s: sizes %s %s, and their numbers of elements differ", name, shapes.c_str(),
         in_place ? "do not broadcast to the result's" : "do not broadcast");
  }
  const Tensor* like = in_place ? in_place : inputs[0];
  *ndim = like->nDimension;
  std::copy(like->size, like->size + *ndim, size);
  return false;
}

void elementwise(const ElementwiseOp& op, Tensor* r, Tensor* const* inputs, int count) {
  check_types(op, inputs, count);
  bool in_place = false;
  bool plain = true;
  for (int k = 0; k < count; ++k) {
    in_place = in_place || inputs[k] == r;
    plain = plain && (k == 0 || same_size(*inputs[0], *inputs[k])) && is_contiguous(*inputs[k]);
  }
  int ndim = inputs[0]->nDimension;
  int64_t size[kMaxDims];
  bool paired = false;
  if (plain) {
    if (!in_place) resize_as(r, *inputs[0]);
  } else {
    paired = !elementwise_shape(op.name, inputs, count, in_place ? r : nullptr, &ndim, size);
    if (!in_place) resize(r, ndim, size);
  }
  bool overlap = false;
  for (int k = 0; k < count; ++k) overlap = overlap || partly_overlap(*r, *inputs[k]);
  if (overlap) {
    TensorRef temporary(tensor_new_sized(r->dtype, r->nDimension, r->size));
    elementwise(op, temporary.get(), inputs, count);
    ops::copy(r, temporary.get());
    return;
  }
  Device* device = device_of(inputs, count);
  if (!device) device = device_of({r});
  if (!device && plain && is_contiguous(*r)) {
    run_contiguous(op, r, inputs, count, in_place);
    return;
  }
  if (plain) std::copy(inputs[0]->size, inputs[0]->size + ndim, size);
  auto run = [&](Tensor* const* operands) {
    if (r->numel() == 0) return;
    if (device && run_on_device(*device, op, r, operands, count, ndim, size)) return;
    run_strided(op, r, operands, count, ndim, size);
  };
  if (!paired) {
    run(inputs);
    return;
  }
  TensorRef views[kMaxOperands];
  Tensor* seen[kMaxOperands];
  for (int k = 0; k < count; ++k) {
    views[k] = in_shape(inputs[k], ndim, size);
    seen[k] = views[k].get();
  }
  run(seen);
}

TensorRef clone(Tensor* t) {
  TensorRef copy(tensor_new_sized(t->dtype, t->nDimension, t->size));
  ops::copy(copy.get(), t);
  return copy;
}

TensorRef contiguous(Tensor* t) {
  if (!is_contiguous(*t)) return clone(t);
  tensor_retain(t);
  return TensorRef(t);
}

}  // namespace th
