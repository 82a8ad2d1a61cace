// Normalizations by the moments of groups of elements.

#include "ops/normalize.h"

#include <algorithm>

#include "base/error.h"
#include "ops/compose.h"

namespace th {

namespace {

int64_t product(const int64_t* size, int first, int last) {
  int64_t n = 1;
  for (int d = first; d < last; ++d) n *= size[d];
  return n;
}

// Throws unless a weight or a bias has these sizes.
template <class T>
void check_weight(const Shapes& s, const T& field, const char* what, int ndim,
                  const int64_t* size) {
  if (!field || has_shape(*field, ndim, size)) return;
  s.fail(field, "the %s has size %s; %s is expected", what, shape_text(*field).c_str(),
         shape_text(ndim, size).c_str());
}

void check_epsilon(const Shapes& s, const double& epsilon) {
  if (!(epsilon >= 0)) s.fail(epsilon, "epsilon must not be negative, got %g", epsilon);
}

// Throws unless t ends in the dimensions of shape.
template <class A>
void check_layer(const A& a, const Shapes& s) {
  const Tensor& t = *a.t;
  const int first = t.nDimension - a.shape.ndim;
  const bool fits = a.shape.ndim > 0 && first >= 0 &&
                    std::equal(a.shape.size, a.shape.size + a.shape.ndim, t.size + first);
  if (!fits) {
    s.fail(a.shape, "a tensor of size %s does not end in the dimensions %s", shape_text(t).c_str(),
           shape_text(a.shape.ndim, a.shape.size).c_str());
  }
  check_weight(s, a.weight, "weight", a.shape.ndim, a.shape.size);
  check_epsilon(s, a.epsilon);
}

// Throws unless t has channels.
template <class A>
void check_channels(const A& a, const Shapes& s) {
  if (a.t->nDimension < 2) {
    s.fail(a.t, "a tensor of 2 or more dimensions is expected, batch and channels first, got %s",
           shape_text(*a.t).c_str());
  }
  const int64_t channels = a.t->size[1];
  check_weight(s, a.weight, "weight", 1, &channels);
  check_weight(s, a.bias, "bias", 1, &channels);
  check_epsilon(s, a.epsilon);
}

// The moments that batchNorm needs after the kernel: hidden results, or temporaries if the caller
// left them out.
class Moments {
 public:
  Moments(Tensor* given, int64_t count) : given_(given) {
    if (!given) own_ = TensorRef(tensor_new_sized(DType::Double, 1, &count));
  }
  Tensor* get() { return given_ ? given_ : own_.get(); }

 private:
  Tensor* given_;
  TensorRef own_;
};

void set_moments(Shapes& s, Tensor*& r, const NormLayout& layout) {
  const int64_t count = layout.moments();
  if (r) s.set(r, 1, &count, Layout::contiguous);
}

struct Normalization {
  Op op;
  Tensor *r, *t, *weight, *bias;
  Tensor *mean, *variance;  // null: only the kernel needs them
  NormLayout layout;
  double epsilon;
  bool subtracts_mean, given;
};

void normalize(const Normalization& n) {
  if (n.r->numel() == 0) return;
  TensorRef t = contiguous(n.t), weight = contiguous_or_null(n.weight),
            bias = contiguous_or_null(n.bias);
  run(n.op, device_of({n.t, n.weight, n.bias}), [&](Operands& at) {
    NormalizeCall call;
    call.dtype = n.t->dtype;
    call.layout = n.layout;
    call.given = n.given;
    call.epsilon = n.epsilon;
    call.t = at.read(t.get()).data;
    call.weight = read_or_null(at, weight);
    call.bias = read_or_null(at, bias);
    const auto moments = [&](Tensor* m) -> double* {
      const size_t bytes = static_cast<size_t>(n.layout.moments()) * sizeof(double);
      char* data = nullptr;
      if (n.given) {
        data = at.read(m).data;
      } else {
        data = m ? at.overwrite(m) : at.scratch(bytes);
      }
      return reinterpret_cast<double*>(data);
    };
    call.mean = n.subtracts_mean ? moments(n.mean) : nullptr;
    call.variance = moments(n.variance);
    call.r = at.overwrite(n.r);
    return call;
  });
}

template <class A>
void normalize_by(A& a, const NormLayout& layout) {
  normalize(
      {A::op, a.r_, a.t, a.weight, a.bias, a.mean_, a.variance_, layout, a.epsilon, true, false});
}

}  // namespace

NormLayout layer_layout(const Tensor& t, Sizes shape) {
  const int first = t.nDimension - shape.ndim;
  return {NormKind::layer, product(t.size, 0, first), 1, 1, product(t.size, first, t.nDimension)};
}
NormLayout group_layout(const Tensor& t, int64_t groups) {
  return {NormKind::group, t.size[0], groups, t.size[1] / groups, product(t.size, 2, t.nDimension)};
}
NormLayout batch_layout(const Tensor& t) {
  return {NormKind::batch, 1, t.size[1], t.size[0], product(t.size, 2, t.nDimension)};
}

void shapes(args::layerNorm& a, Shapes& s) {
  check_layer(a, s);
  check_weight(s, a.bias, "bias", a.shape.ndim, a.shape.size);
  const NormLayout layout = layer_layout(*a.t, a.shape);
  s.set(a.r_, *a.t, Layout::contiguous);
  set_moments(s, a.mean_, layout);
  set_moments(s, a.variance_, layout);
}
void calls(args::layerNorm& a) { normalize_by(a, layer_layout(*a.t, a.shape)); }

void shapes(args::rmsNorm& a, Shapes& s) {
  check_layer(a, s);
  s.set(a.r_, *a.t, Layout::contiguous);
  set_moments(s, a.square_, layer_layout(*a.t, a.shape));
}
void calls(args::rmsNorm& a) {
  const NormLayout layout = layer_layout(*a.t, a.shape);
  normalize(
      {a.op, a.r_, a.t, a.weight, nullptr, nullptr, a.square_, layout, a.epsilon, false, false});
}

void shapes(args::groupNorm& a, Shapes& s) {
  check_channels(a, s);
  if (a.groups < 1 || a.t->size[1] % a.groups != 0) {
    s.fail(a.groups, "%lld channels cannot be divided into %lld groups", as_long(a.t->size[1]),
           as_long(a.groups));
  }
  const NormLayout layout = group_layout(*a.t, a.groups);
  s.set(a.r_, *a.t, Layout::contiguous);
  set_moments(s, a.mean_, layout);
  set_moments(s, a.variance_, layout);
}
void calls(args::groupNorm& a) { normalize_by(a, group_layout(*a.t, a.groups)); }

void shapes(args::batchNorm& a, Shapes& s) {
  check_channels(a, s);
  const int64_t channels = a.t->size[1];
  check_weight(s, a.runningMean, "running mean", 1, &channels);
  check_weight(s, a.runningVariance, "running variance", 1, &channels);
  if (!a.runningMean != !a.runningVariance) {
    s.fail(a.runningMean, "the running mean and the running variance go together");
  }
  if (a.runningMean == a.runningVariance && a.runningMean) {
    s.fail(a.runningVariance, "the running mean and the running variance must be different");
  }
  for (Tensor* const* running : {&a.runningMean, &a.runningVariance}) {
    if (*running && share_storage(*a.r_, **running)) {
      s.fail(*running, "the result and the running moments must not share memory");
    }
  }
  if (!a.training && !a.runningMean) {
    s.fail(a.training, "without training, a running mean and a running variance are expected");
  }
  const NormLayout layout = batch_layout(*a.t);
  if (a.training && a.t->numel() > 0 && layout.count() < 2) {
    s.fail(a.t, "training needs more than one value for each channel, got size %s",
           shape_text(*a.t).c_str());
  }
  s.set(a.r_, *a.t, Layout::contiguous);
  set_moments(s, a.mean_, layout);
  set_moments(s, a.variance_, layout);
}

void calls(args::batchNorm& a) {
  const NormLayout layout = batch_layout(*a.t);
  Moments mean(a.mean_, layout.moments()), variance(a.variance_, layout.moments());
  if (!a.training) {
    place_result(device_of({a.t}), mean.get());
    place_result(device_of({a.t}), variance.get());
    ops::copy(mean.get(), a.runningMean);
    ops::copy(variance.get(), a.runningVariance);
  }
  normalize({a.op, a.r_, a.t, a.weight, a.bias, mean.get(), variance.get(), layout, a.epsilon, true,
             !a.training});
  if (!a.training || !a.runningMean || a.t->numel() == 0) return;
  const auto count = static_cast<double>(layout.count());
  const auto updated = [&](Tensor* running, Tensor* moment, double factor) {
    TensorRef value = in_type(moment, running->dtype);
    return made(running->dtype, [&](Tensor* r) {
      ops::mul(r, running, 1 - a.momentum);
      ops::cadd(r, r, a.momentum * factor, value.get());
    });
  };
  // First all that may need memory.
  TensorRef new_mean = updated(a.runningMean, mean.get(), 1);
  TensorRef new_variance = updated(a.runningVariance, variance.get(), count / (count - 1));
  ops::copy(a.runningMean, new_mean.get());
  ops::copy(a.runningVariance, new_variance.get());
}

// ---- gradients ----------------------------------------------------------------------------------

namespace {

NormLayout layout_of(const args::normalizeSlopes& a, const Shapes& s) {
  const int64_t* n = a.layout.size;
  bool valid = a.layout.ndim == 5 && n[0] >= 0 && n[0] <= static_cast<int64_t>(NormKind::batch) &&
               a.gradient->nDimension <= kMaxDims;
  for (int k = 1; valid && k < 5; ++k) valid = n[k] >= 0;
  if (valid) valid = checked_numel(4, n + 1) == a.t->numel();
  if (valid && n[0] == static_cast<int64_t>(NormKind::layer)) valid = n[2] == 1 && n[3] == 1;
  if (valid && n[0] == static_cast<int64_t>(NormKind::batch)) valid = n[1] == 1;
  if (!valid) {
    s.fail(a.layout, "the layout %s does not fit a tensor of size %s",
           shape_text(a.layout.ndim, n).c_str(), shape_text(*a.t).c_str());
  }
  return {static_cast<NormKind>(n[0]), n[1], n[2], n[3], n[4]};
}

NormLayout layout_of(const args::normalizeSlopes& a) {
  const int64_t* n = a.layout.size;
  return {static_cast<NormKind>(n[0]), n[1], n[2], n[3], n[4]};
}

// The number of partial sums of each weight: it depends on sizes only.
int64_t parts_of(const NormLayout& layout) {
  if (layout.kind != NormKind::layer) return layout.outer;
  constexpr int64_t kFewestRows = 16, kMostParts = 64;
  return std::clamp<int64_t>(layout.outer / kFewestRows, 1, kMostParts);
}

}  // namespace

void shapes(args::normalizeSlopes& a, Shapes& s) {
  const NormLayout layout = layout_of(a, s);
  if (!same_size(*a.gradient, *a.t)) {
    s.fail(a.gradient, "the gradient has size %s; %s is expected", shape_text(*a.gradient).c_str(),
           shape_text(*a.t).c_str());
  }
  for (Tensor* const* moment : {&a.mean, &a.variance}) {
    if (*moment && (*moment)->numel() != layout.moments()) {
      s.fail(*moment, "%lld moments are expected, got %s", as_long(layout.moments()),
             shape_text(**moment).c_str());
    }
  }
  if (a.weight && a.weight->numel() != layout.weights()) {
    s.fail(a.weight, "%lld weights are expected, got %s", as_long(layout.weights()),
           shape_text(*a.weight).c_str());
  }
  s.set(a.slope, *a.t, Layout::contiguous);
  const int64_t weights = layout.weights();
  if (a.weightSlope) s.set(a.weightSlope, 1, &weights, Layout::contiguous);
  if (a.biasSlope) s.set(a.biasSlope, 1, &weights, Layout::contiguous);
}

void calls(args::normalizeSlopes& a) {
  if (a.t->numel() == 0) {
    if (a.weightSlope) ops::zero(a.weightSlope);
    if (a.biasSlope) ops::zero(a.biasSlope);
    return;
  }
  const NormLayout layout = layout_of(a);
  const int64_t size[] = {parts_of(layout), layout.weights()};
  TensorRef g = contiguous(a.gradient), t = contiguous(a.t), mean = contiguous_or_null(a.mean),
            variance = contiguous(a.variance), weight = contiguous_or_null(a.weight);
  const auto partial = [&](const Tensor* r) {
    return r ? TensorRef(tensor_new_sized(compute_type(a.t->dtype), 2, size)) : TensorRef();
  };
  TensorRef weight_parts = partial(a.weightSlope), bias_parts = partial(a.biasSlope);
  run(a.op, device_of({a.gradient, a.t}), [&](Operands& at) {
    NormalizeSlopesCall call;
    call.dtype = a.t->dtype;
    call.layout = layout;
    call.constant = a.constant_moments;
    call.epsilon = a.epsilon;
    call.g = at.read(g.get()).data;
    call.t = at.read(t.get()).data;
    call.weight = read_or_null(at, weight);
    call.mean = reinterpret_cast<const double*>(read_or_null(at, mean));
    call.variance = reinterpret_cast<const double*>(at.read(variance.get()).data);
    call.slope = at.overwrite(a.slope);
    call.weight_slopes = weight_parts ? at.overwrite(weight_parts.get()) : nullptr;
    call.bias_slopes = bias_parts ? at.overwrite(bias_parts.get()) : nullptr;
    call.parts = size[0];
    return call;
  });
  const auto add_parts = [&](Tensor* r, const TensorRef& parts) {
    if (!r) return;
    TensorRef total = made(parts->dtype, [&](Tensor* to) { ops::sum(to, parts.get(), 0, false); });
    ops::copy(r, total.get());
  };
  add_parts(a.weightSlope, weight_parts);
  add_parts(a.biasSlope, bias_parts);
}

}  // namespace th
