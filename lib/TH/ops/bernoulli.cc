// Random 0 or 1 with probabilities given by a tensor.

#include "ops/elementwise.h"
#include "ops/filling.h"

namespace th {

namespace {

// Returns p in the shape of r, or p itself if the elements pair in order.
TensorRef paired(Tensor* r, Tensor* p) {
  if (!same_size(*r, *p)) {
    Tensor* const tensors[] = {r, p};
    int ndim;
    int64_t size[kMaxDims];
    if (elementwise_shape(tensors, 2, r, &ndim, size)) {
      return broadcast_view(p, ndim, size);
    }
  }
  return shared(p);
}

constexpr char kBadProbability[] = "element %v of p is not from 0 to 1";

template <class Arguments>
void set_drawn(Arguments& a, Shapes& s) {
  TensorRef p = paired(a.self, a.p);
  if (a.self->numel() > 0) {
    ValueCheck(Arguments::op, Condition::probability, 0, p.get(), device_of({a.self, a.p}),
               {s.number_of(&a.p), kBadProbability}, *a.self);
  }
  // The result may be p, but must not overlap it otherwise.
  if (!is_contiguous(*a.self)) {
    s.set(a.self, *a.self, Layout::contiguous);
  } else if (share_storage(*a.self, *a.p)) {
    s.set(a.self, *a.self, Layout::in_place);
  }
}

template <class Arguments>
void draw(Arguments& a) {
  Tensor* r = a.self;
  if (r->numel() == 0) return;
  TensorRef p = paired(r, a.p);
  Device* device = device_of({r, a.p});
  const CheckText text = {argument_number(a, a.p), kBadProbability};
  ValueCheck check(Arguments::op, Condition::probability, 0, p.get(), device, text);
  TensorRef in_order = contiguous(p.get());
  run(Arguments::op, device, [&](Operands& at) {
    BernoulliCall call = {};
    call.dtype = r->dtype;
    call.p_dtype = a.p->dtype;
    call.generator = a.gen;
    call.n = r->numel();
    call.p = at.read(in_order.get()).data;
    call.check = check.number(at);
    call.out = at.overwrite(r);
    return call;
  });
}

}  // namespace

void shapes(args::bernoulli_FloatTensor& a, Shapes& s) { set_drawn(a, s); }
void calls(args::bernoulli_FloatTensor& a) { draw(a); }

void shapes(args::bernoulli_DoubleTensor& a, Shapes& s) { set_drawn(a, s); }
void calls(args::bernoulli_DoubleTensor& a) { draw(a); }

}  // namespace th
