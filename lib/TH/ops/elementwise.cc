#include "ops/elementwise.h"

#include <algorithm>

#include "base/error.h"
#include "ops/operands.h"
#include "ops/tracer.h"

namespace th {

__thread Rules current_rules;
__thread const StrictCall* strict_call;

namespace {

// For operands that are all contiguous and of one shape.
void plan_contiguous(Operands& at, LoopPlan* plan, Tensor* r, Tensor* const* inputs, int count) {
  char* in[kPlanOperands];
  for (int k = 0; k < count; ++k) in[k] = at.read(inputs[k]).data;
  plan->start_contiguous(inputs[0]->numel());
  plan->add_contiguous(at.overwrite(r), item_size(r->dtype));
  for (int k = 0; k < count; ++k) plan->add_contiguous(in[k], item_size(inputs[k]->dtype));
}

void plan_strided(Operands& at, LoopPlan* plan, Tensor* r, Tensor* const* inputs, int count) {
  Placed in[kPlanOperands];
  for (int k = 0; k < count; ++k) in[k] = at.read(inputs[k]);
  plan->start(r->nDimension, r->size);
  plan->add(at.overwrite(r), item_size(r->dtype), r->stride);
  for (int k = 0; k < count; ++k) {
    int64_t stride[kMaxDims];
    broadcast_strides(*in[k].tensor, r->nDimension, r->size, stride);
    plan->add(in[k].data, item_size(inputs[k]->dtype), stride);
  }
  plan->plan();
}

void run_planned(const ElementwiseOp& op, Tensor* r, Tensor* const* inputs, int count,
                 bool contiguous) {
  Tensor* operands[kPlanOperands];
  std::copy(inputs, inputs + count, operands);
  operands[count] = r;
  run(op.op, device_of(operands, count + 1), [&](Operands& at) {
    ElementCall call;
    call.op = element_op(op.op);
    call.dtype = op.dtype;
    call.result = r->dtype;
    call.grain = op.grain;
    for (int k = 0; k < op.param_count; ++k) call.params[k] = op.params[k];
    if (contiguous) {
      plan_contiguous(at, &call.plan, r, inputs, count);
    } else {
      plan_strided(at, &call.plan, r, inputs, count);
    }
    return call;
  });
}

bool broadcasts_to(const Tensor& t, const Tensor& r) {
  const int missing = r.nDimension - t.nDimension;
  for (int d = 0; missing >= 0 && d < t.nDimension; ++d) {
    if (t.size[d] != 1 && t.size[d] != r.size[missing + d]) return false;
  }
  return missing >= 0;
}

// Returns a view of t in another shape with the same number of elements, or a copy if the strides
// of t do not fit that shape.
TensorRef in_shape(Tensor* t, int ndim, const int64_t* size) {
  int64_t stride[kMaxDims];
  if (view_strides(*t, ndim, size, stride)) {
    return strided_view(*t, t->storageOffset, ndim, size, stride);
  }
  TensorRef copy = clone(t);
  set_geometry(copy.get(), ndim, size, nullptr);
  return copy;
}

}  // namespace

void broadcast_strides(const Tensor& t, int ndim, const int64_t* size, int64_t* stride) {
  int missing = ndim - t.nDimension;
  for (int d = 0; d < ndim; ++d) {
    bool repeats = d < missing || (t.size[d - missing] == 1 && size[d] != 1);
    stride[d] = repeats ? 0 : t.stride[d - missing];
  }
}

namespace {

std::string shapes_text(Tensor* const* inputs, int count) {
  std::string shapes;
  for (int k = 0; k < count; ++k) {
    if (k) shapes += k == count - 1 ? " and " : ", ";
    shapes += shape_text(*inputs[k]);
  }
  return shapes;
}

// Computes the shape by NumPy's rules. If in_place is not null, the result must have its shape. A
// tensor without dimensions has no elements and does not broadcast.
bool broadcast_all(Tensor* const* inputs, int count, const Tensor* in_place, int* ndim,
                   int64_t* size) {
  *ndim = inputs[0]->nDimension;
  std::copy(inputs[0]->size, inputs[0]->size + *ndim, size);
  bool fits = *ndim > 0;
  for (int k = 1; fits && k < count; ++k) {
    fits = inputs[k]->nDimension > 0 &&
           broadcast_sizes(*ndim, size, inputs[k]->nDimension, inputs[k]->size, ndim, size);
  }
  return fits && (!in_place || has_shape(*in_place, *ndim, size));
}

}  // namespace

void fail_strict(Tensor* const* inputs, int count) {
  fail(
      "sizes %s differ and have the same number of elements: setBroadcast 'strict' does not allow "
      "them to pair in order",
      shapes_text(inputs, count).c_str());
}

bool elementwise_shape(Tensor* const* inputs, int count, const Tensor* in_place, int* ndim,
                       int64_t* size) {
  const Tensor* like = in_place ? in_place : inputs[0];
  bool same_shapes = true, same_numel = true;
  for (int k = 1; k < count; ++k) {
    same_shapes = same_shapes && same_size(*inputs[0], *inputs[k]);
    same_numel = same_numel && (same_shapes || inputs[k]->numel() == inputs[0]->numel());
  }
  auto take_shape = [&](const Tensor& t) {
    *ndim = t.nDimension;
    std::copy(t.size, t.size + t.nDimension, size);
  };
  if (same_shapes) {
    take_shape(*inputs[0]);
    return true;
  }
  const Pairing pairing = current_rules.pairing;
  if (!same_numel || pairing != Pairing::torch7) {
    bool broadcasts = broadcast_all(inputs, count, in_place, ndim, size);
    if (broadcasts && same_numel && pairing == Pairing::strict) {
      broadcasts = has_shape(*like, *ndim, size);
    }
    if (broadcasts) return true;
  }
  if (!same_numel) {
    fail("sizes %s %s, and their numbers of elements differ", shapes_text(inputs, count).c_str(),
         in_place ? "do not broadcast to the result's" : "do not broadcast");
  }
  if (pairing == Pairing::strict) fail_strict(inputs, count);
  // A view keeps its shape: with another one it would overwrite other elements.
  const bool takes_first = pairing == Pairing::torch7 && is_contiguous(*like);
  take_shape(takes_first ? *inputs[0] : *like);
  return false;
}

void run_elementwise(const ElementwiseOp& op, Tensor* r, Tensor* const* inputs, int count) {
  bool contiguous = is_contiguous(*r), same = true;
  for (int k = 0; k < count; ++k) {
    if (inputs[k] == r) continue;
    same = same && same_size(*r, *inputs[k]);
    contiguous = contiguous && is_contiguous(*inputs[k]);
  }
  if (same) return run_planned(op, r, inputs, count, contiguous);
  TensorRef views[kPlanOperands];
  Tensor* seen[kPlanOperands];
  for (int k = 0; k < count; ++k) {
    seen[k] = inputs[k];
    if (broadcasts_to(*inputs[k], *r)) continue;
    // The shapes pair in order.
    views[k] = in_shape(inputs[k], r->nDimension, r->size);
    seen[k] = views[k].get();
  }
  run_planned(op, r, seen, count, false);
}

TensorRef broadcast_view(Tensor* t, int ndim, const int64_t* size) {
  int64_t stride[kMaxDims];
  broadcast_strides(*t, ndim, size, stride);
  return strided_view(*t, t->storageOffset, ndim, size, stride);
}

TensorRef paired_view(Tensor* t, Tensor* like) {
  Tensor* shapes[] = {like, t};
  int ndim;
  int64_t size[kMaxDims];
  bool broadcasts = elementwise_shape(shapes, 2, like, &ndim, size);
  return broadcasts ? broadcast_view(t, ndim, size) : in_shape(t, ndim, size);
}

Paired paired_views(Tensor* a, Tensor* b) {
  if (same_size(*a, *b)) return {shared(a), shared(b)};
  Tensor* shapes[] = {a, b};
  int ndim;
  int64_t size[kMaxDims];
  bool broadcasts = elementwise_shape(shapes, 2, nullptr, &ndim, size);
  auto view = [&](Tensor* t) {
    return broadcasts ? broadcast_view(t, ndim, size) : in_shape(t, ndim, size);
  };
  return {view(a), view(b)};
}

TensorRef clone(Tensor* t) {
  TensorRef copy(tensor_new_sized(t->dtype, t->nDimension, t->size));
  trace_allocation(*copy);
  ops::copy(copy.get(), t);
  return copy;
}

TensorRef contiguous(Tensor* t) { return is_contiguous(*t) ? shared(t) : clone(t); }

}  // namespace th
