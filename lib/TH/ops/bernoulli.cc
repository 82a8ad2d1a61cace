// Random 0 or 1 with probabilities given by a tensor.

#include <cstdio>

#include "ops/elementwise.h"
#include "ops/operands.h"
#include "ops/direct.h"
#include "ops/random.h"

namespace th {

namespace {

// Returns a view or copy of p with r's shape.
TensorRef probabilities_for(Tensor* r, Tensor* p) {
  Tensor* shapes[] = {r, p};
  int ndim;
  int64_t size[kMaxDims], stride[kMaxDims];
  bool pairs = !elementwise_shape("bernoulli", shapes, 2, r, &ndim, size);
  TensorRef view;
  if (pairs || partly_overlap(*r, *p)) {
    view = clone(p);
    if (pairs) set_geometry(view.get(), ndim, size, nullptr);
    p = view.get();
  }
  broadcast_strides(*p, ndim, size, stride);
  TensorRef seen(tensor_new(p->dtype));
  set_storage(seen.get(), p->storage, p->storageOffset, ndim, size, stride);
  return seen;
}

struct BadProbability {
  void operator()(char* text, size_t room) const {
    std::snprintf(text, room, "bernoulli: element %%lld of p is not from 0 to 1");
  }
};
constexpr BadProbability kBadProbability;

void draw(Op op, Tensor* r, Generator* g, Tensor* p) {
  TensorRef seen = probabilities_for(r, p);
  if (r->numel() == 0) return;
  Device* device = device_of({r, p});
  ValueCheck check(op, Condition::probability, 0, seen.get(), device, CheckText(3, kBadProbability),
                   *r);
  TensorRef in_order = contiguous(seen.get());
  ContiguousResult result(device, r, nullptr);
  run(op, device, [&](Operands& at) {
    BernoulliCall call = {};
    call.dtype = r->dtype;
    call.p_dtype = p->dtype;
    call.generator = g;
    call.n = r->numel();
    call.p = at.read(in_order.get()).data;
    call.check = check.number(at);
    call.out = at.overwrite(result.get());
    if (at.device()) call.position = g->take(static_cast<uint64_t>(call.n));
    return call;
  });
  result.finish();
}

}  // namespace

namespace direct {

void bernoulli_FloatTensor(Tensor* r, Generator* g, Tensor* p) {
  draw(Op::bernoulli_FloatTensor, r, g, p);
}

void bernoulli_DoubleTensor(Tensor* r, Generator* g, Tensor* p) {
  draw(Op::bernoulli_DoubleTensor, r, g, p);
}

}  // namespace direct
}  // namespace th
