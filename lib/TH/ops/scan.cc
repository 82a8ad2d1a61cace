// Cumulative sums and products.

#include "ops/direct.h"
#include "ops/operands.h"
#include "ops/reduce.h"
#include "tensor/overlap.h"

namespace th {

namespace {

void scan(Op op, bool product, Tensor* r, Tensor* t, int64_t dim) {
  check_result(name(op), 1, *r, t->dtype);
  int d = wrap_dim(*t, dim, 3);
  if (r != t) resize_as(r, *t);
  if (t->numel() == 0) return;
  Device* device = device_of({r, t});
  TensorRef temporary;
  if (partly_overlap(*r, *t) || has_shared_elements(*r)) {
    temporary = TensorRef(tensor_new_sized(t->dtype, t->nDimension, t->size));
  }
  Tensor* to = temporary ? temporary.get() : r;
  run(op, device, [&](Operands& at) {
    auto item = static_cast<int64_t>(item_size(t->dtype));
    Placed in = at.read(t);
    ScanCall call;
    call.dtype = t->dtype;
    call.product = product;
    call.n = t->size[d];
    call.out_step = to->stride[d] * item;
    call.in_step = in.tensor->stride[d] * item;
    call.plan.start(t->nDimension, t->size, d);
    call.plan.add(at.overwrite(to), item, to->stride);
    call.plan.add(in.data, item, in.tensor->stride);
    call.plan.plan();
    return call;
  });
  if (temporary) ops::copy(r, to);
}

}  // namespace

namespace direct {

void cumsum(Tensor* r, Tensor* t, int64_t dim) { scan(Op::cumsum, false, r, t, dim); }
void cumprod(Tensor* r, Tensor* t, int64_t dim) { scan(Op::cumprod, true, r, t, dim); }

}  // namespace direct
}  // namespace th
