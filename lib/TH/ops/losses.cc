// Losses of pairs of elements, embeddings and dropout, composed of other operations.

#include <cmath>

#include "base/error.h"
#include "ops/compose.h"
#include "ops/elementwise.h"

namespace th {

namespace {

template <class A>
void check_target(const A& a, const Shapes& s, const Tensor& t) {
  if (same_size(t, *a.target)) return;
  s.fail(a.target, "the target has size %s; %s is expected", shape_text(*a.target).c_str(),
         shape_text(t).c_str());
}

void check_delta(const Shapes& s, const double& delta) {
  if (delta > 0 && std::isfinite(delta)) return;
  s.fail(delta, "delta must be positive and finite, got %g", delta);
}

// Divides the sum of the losses of count elements by their number for the mean.
double reduced(double sum, int64_t count, char reduction) {
  return reduction == 'm' ? sum / static_cast<double>(count) : sum;
}

// Calls f(r), or f of a tensor of the type in which compositions compute.
template <class F>
void computed(Tensor* r, const F& f) {
  const DType type = compute_type(r->dtype);
  if (r->dtype == type) return f(r);
  ops::copy(r, made(type, f).get());
}

// The sum of a reduction of t - target, or its mean.
template <class A>
double reduced_difference(const A& a, const Reduction& reduction) {
  const int64_t n = a.t->numel();
  double sum = 0;
  if (n > 0) {
    const Partial partial = reduce_all(a.op, reduction, a.t, Transform::difference, a.target);
    sum = finish_all(reduction, partial, n, a.t->dtype).to_double();
  }
  return reduced(sum, n, a.reduction);
}

// Writes weight * (p * target * log(1 + exp(-x)) + (1 - target) * log(1 + exp(x))), where p is the
// weight of positive targets. For targets from 0 to 1, neither term is negative: no digits cancel.
template <class A>
void binary_losses(const A& a, Tensor* r) {
  const TensorRef logits = in_type(a.logits, r->dtype), targets = in_type(a.target, r->dtype);
  Tensor *x = logits.get(), *target = targets.get();
  const auto weighted = [&](Tensor* to, Tensor* weight) {
    TensorRef w = broadcast_view(in_type(weight, r->dtype).get(), x->nDimension, x->size);
    ops::cmul(to, to, w.get());
  };
  TensorRef positive = made(x->dtype, [&](Tensor* to) { ops::neg(to, x); });
  ops::softplus(positive.get(), positive.get());
  ops::cmul(positive.get(), positive.get(), target);
  if (a.positiveWeight) weighted(positive.get(), a.positiveWeight);
  TensorRef soft = made(x->dtype, [&](Tensor* to) { ops::softplus(to, x); });
  TensorRef rest = made(x->dtype, [&](Tensor* to) { ops::neg(to, target); });
  ops::add(rest.get(), rest.get(), 1);
  ops::addcmul(r, positive.get(), 1, rest.get(), soft.get());
  if (a.weight) weighted(r, a.weight);
}

template <class A, class T>
void check_broadcast(const A& a, const Shapes& s, const T& weight) {
  if (!weight) return;
  int ndim;
  int64_t size[kMaxDims];
  const Tensor& x = *a.logits;
  const bool fits =
      broadcast_sizes(x.nDimension, x.size, weight->nDimension, weight->size, &ndim, size) &&
      has_shape(x, ndim, size);
  if (fits) return;
  s.fail(weight, "a weight of size %s does not broadcast to %s", shape_text(*weight).c_str(),
         shape_text(x).c_str());
}

template <class A>
void check_binary(const A& a, const Shapes& s) {
  check_target(a, s, *a.logits);
  check_broadcast(a, s, a.weight);
  check_broadcast(a, s, a.positiveWeight);
}

}  // namespace

// ---- losses -------------------------------------------------------------------------------------

void shapes(args::mseall& a, Shapes& s) { check_target(a, s, *a.t); }
void calls(args::mseall& a) { a.returned = reduced_difference(a, {Reducer::squares}); }

void shapes(args::mse& a, Shapes& s) {
  check_target(a, s, *a.t);
  s.set(a.r_, *a.t);
}
void calls(args::mse& a) {
  computed(a.r_, [&](Tensor* r) {
    ops::csub(r, in_type(a.t, r->dtype).get(), 1, in_type(a.target, r->dtype).get());
    ops::cmul(r, r, r);
  });
}

void shapes(args::huberall& a, Shapes& s) {
  check_target(a, s, *a.t);
  check_delta(s, a.delta);
}
void calls(args::huberall& a) {
  a.returned = reduced_difference(a, {Reducer::huber, Finish::none, a.delta});
}

void shapes(args::huber& a, Shapes& s) {
  check_target(a, s, *a.t);
  check_delta(s, a.delta);
  s.set(a.r_, *a.t);
}
void calls(args::huber& a) {
  // The losses are small * (r - small / 2), where r = t - target, and small is r limited to delta.
  computed(a.r_, [&](Tensor* r) {
    ops::csub(r, in_type(a.t, r->dtype).get(), 1, in_type(a.target, r->dtype).get());
    TensorRef small = made(r->dtype, [&](Tensor* to) { ops::clamp(to, r, -a.delta, a.delta); });
    ops::cadd(r, r, -0.5, small.get());
    ops::cmul(r, r, small.get());
  });
}

void shapes(args::binaryCrossEntropyall& a, Shapes& s) { check_binary(a, s); }
void calls(args::binaryCrossEntropyall& a) {
  TensorRef losses = made(compute_type(a.logits->dtype), [&](Tensor* r) { binary_losses(a, r); });
  a.returned = a.reduction == 'm' ? ops::meanall(losses.get()) : ops::sumall(losses.get());
}

void shapes(args::binaryCrossEntropy& a, Shapes& s) {
  check_binary(a, s);
  s.set(a.r_, *a.logits);
}
void calls(args::binaryCrossEntropy& a) {
  computed(a.r_, [&](Tensor* r) { binary_losses(a, r); });
}

// ---- other layers -------------------------------------------------------------------------------

void shapes(args::embedding& a, Shapes& s) {
  if (a.weight->nDimension != 2) {
    s.fail(a.weight, "a matrix is expected, got size %s", shape_text(*a.weight).c_str());
  }
  const Tensor& indices = *a.indices;
  if (indices.nDimension >= kMaxDims) {
    s.fail(a.indices, "indices of fewer than %d dimensions are expected, got %d", kMaxDims,
           indices.nDimension);
  }
  int64_t size[kMaxDims];
  std::copy(indices.size, indices.size + indices.nDimension, size);
  size[indices.nDimension] = a.weight->size[1];
  s.set(a.r_, indices.nDimension + 1, size, Layout::contiguous);
}
void calls(args::embedding& a) {
  if (a.r_->numel() == 0) return;
  // A result on the host would make indexSelect wait for its check of the indices.
  place_result(device_of({a.weight, a.indices}), a.r_);
  const int64_t size[] = {a.indices->numel(), a.weight->size[1]};
  ops::indexSelect(reshaped(a.r_, 2, size).get(), a.weight, 0, flattened(a.indices).get());
}

void shapes(args::dropout& a, Shapes& s) {
  if (!(a.p >= 0 && a.p <= 1)) {
    s.fail(a.p, "a probability from 0 to 1 is expected, got %g", a.p);
  }
  s.set(a.r_, *a.t, Layout::in_place);
  if (a.mask_) s.set(a.mask_, *a.t, Layout::contiguous);
}
void calls(args::dropout& a) {
  if (a.t->numel() == 0) return;
  TensorRef own;
  if (!a.mask_) own = TensorRef(tensor_new_sized(a.t->dtype, a.t->nDimension, a.t->size));
  Tensor* mask = own ? own.get() : a.mask_;
  place_result(device_of({a.t}), mask);
  ops::bernoulli(mask, a.gen, 1 - a.p);
  if (a.p > 0 && a.p < 1) ops::mul(mask, mask, 1 / (1 - a.p));
  ops::cmul(a.r_, a.t, mask);
}

}  // namespace th
