// Weights of 8 bits with a scale for each row.

#include <algorithm>

#include "base/error.h"
#include "ops/compose.h"
#include "ops/product.h"

namespace th {

namespace {

// The rows of contiguous elements of a matrix: a view if possible, else a copy.
TensorRef with_contiguous_rows(Tensor* t) {
  return t->stride[1] == 1 && t->stride[0] >= t->size[1] ? shared(t) : contiguous(t);
}

}  // namespace

void shapes(args::quantizeRows& a, Shapes& s) {
  if (a.t->nDimension != 2) {
    s.fail(a.t, "a matrix is expected, got a tensor of size %s", shape_text(*a.t).c_str());
  }
  s.set(a.q, *a.t, Layout::contiguous);
  s.set(a.scales, 1, a.t->size, Layout::contiguous);
}
void calls(args::quantizeRows& a) {
  Device* device = device_of({a.t});
  place_result(device, a.q);
  place_result(device, a.scales);
  if (a.t->numel() == 0) {
    if (a.scales->numel() > 0) ops::zero(a.scales);
    return;
  }
  TensorRef t = contiguous(a.t);
  run(a.op, device, [&](Operands& at) {
    QuantizeRowsCall call;
    call.dtype = t->dtype;
    call.rows = t->size[0];
    call.cols = t->size[1];
    call.t = at.read(t.get()).data;
    call.q = reinterpret_cast<int8_t*>(at.overwrite(a.q));
    call.scales = reinterpret_cast<float*>(at.overwrite(a.scales));
    return call;
  });
}

void shapes(args::dequantizeRows& a, Shapes& s) {
  if (a.q->nDimension != 2 || a.scales->nDimension != 1 || a.scales->size[0] != a.q->size[0]) {
    s.fail(a.q,
           "q of size %s and scales of size %s do not fit; rows x columns and rows are expected",
           shape_text(*a.q).c_str(), shape_text(*a.scales).c_str());
  }
  s.set(a.r_, *a.q, Layout::contiguous);
}
void calls(args::dequantizeRows& a) {
  place_result(device_of({a.q, a.scales}), a.r_);
  if (a.r_->numel() == 0) return;
  ops::copy(a.r_, a.q);
  ops::cmul(a.r_, a.r_, expanded(unsqueezed(shared(a.scales), 1), *a.r_).get());
}

void shapes(args::quantizedLinear& a, Shapes& s) {
  const Tensor &t = *a.t, &weight = *a.weight, &scales = *a.scales;
  const int last = t.nDimension - 1;
  if (last < 0 || weight.nDimension != 2 || scales.nDimension != 1 ||
      t.size[last] != weight.size[1] || scales.size[0] != weight.size[0]) {
    s.fail(a.t,
           "t of size %s, a weight of size %s and scales of size %s do not fit; ... x inputs, "
           "outputs x inputs and outputs are expected",
           shape_text(t).c_str(), shape_text(weight).c_str(), shape_text(scales).c_str());
  }
  int64_t size[kMaxDims];
  std::copy(t.size, t.size + last, size);
  size[last] = weight.size[0];
  s.set(a.r_, last + 1, size, Layout::contiguous);
}
void calls(args::quantizedLinear& a) {
  Device* device = device_of({a.t, a.weight, a.scales});
  place_result(device, a.r_);
  if (a.r_->numel() == 0) return;
  if (a.weight->size[1] == 0) return ops::zero(a.r_);
  TensorRef t = contiguous(a.t), weight = with_contiguous_rows(a.weight),
            scales = contiguous(a.scales);
  run(a.op, device, [&](Operands& at) {
    QuantizedProductCall call;
    call.dtype = t->dtype;
    call.n = weight->size[0];
    call.k = weight->size[1];
    call.m = t->numel() / call.k;
    call.tf32 = allows_tf32();
    call.x = at.read(t.get()).data;
    const Placed placed = at.read(weight.get());
    call.weight = reinterpret_cast<const int8_t*>(placed.data);
    call.weight_row = std::max(placed.tensor->stride[0], call.k);
    call.scales = reinterpret_cast<const float*>(at.read(scales.get()).data);
    call.r = at.overwrite(a.r_);
    return call;
  });
}

}  // namespace th
