// Derivatives of the layers and losses of networks. A kernel computes the gradients; where a
// gradient of the gradient may be needed, other operations do.

#include <cmath>

#include "grad/functions.h"
#include "grad/tape.h"
#include "ops/attention.h"
#include "ops/class_loss.h"
#include "ops/compose.h"
#include "ops/elementwise.h"
#include "ops/normalize.h"

namespace th::grad {

namespace {

Var new_result(DType type) { return Var{TensorRef(tensor_new(type))}; }

Var in_compute_type(const Var& v) { return v ? converted(v, compute_type(v->dtype)) : v; }

// ---- normalization ------------------------------------------------------------------------------

// The numbers of the parameters of a normalization; -1: it has none.
struct NormParameters {
  int mean, variance, t, weight, bias;
};

struct Normalization {
  NormParameters at;
  NormLayout layout;
  double epsilon;
  bool constant = false;  // the moments do not depend on t
};

bool wants(const Backward& b, int parameter) { return parameter >= 0 && b.wants(parameter); }
// Gives a gradient, unless it is null, in the shape of the parameter.
void give(Backward& b, int parameter, const Var& slope) {
  if (!slope) return;
  const Var like = b.value(parameter);
  b.give(parameter, reshaped(slope, like->nDimension, like->size));
}

// By operations that have derivatives: on tensors of size outer x groups x runs x length, or, for
// batches, runs x groups x 1 x length.
class NormSlopes {
 public:
  NormSlopes(Backward& b, const Normalization& n) : b_(b), n_(n), l_(n.layout) {
    if (l_.kind == NormKind::batch) {
      set(size_, l_.runs, l_.groups, 1, l_.length);
      set(weight_size_, 1, l_.groups, 1, 1);
      set(moment_size_, 1, l_.groups, 1, 1);
    } else {
      set(size_, l_.outer, l_.groups, l_.runs, l_.length);
      set(moment_size_, l_.outer, l_.groups, 1, 1);
      if (l_.kind == NormKind::layer) {
        set(weight_size_, 1, 1, 1, l_.length);
      } else {
        set(weight_size_, 1, l_.groups, l_.runs, 1);
      }
    }
    g_ = part(b.gradient(0), size_);
    t_ = part(b.value(n.at.t), size_);
    if (n.at.weight >= 0) weight_ = part(b.value(n.at.weight), weight_size_);
  }

  // running_mean, running_variance: the parameters of the constant moments; -1: there are none.
  void run(int running_mean, int running_variance) {
    const bool centered = n_.at.mean >= 0;
    Var mean, variance;
    if (n_.constant) {
      mean = part(b_.value(running_mean), moment_size_);
      variance = part(b_.value(running_variance), moment_size_);
    } else if (centered) {
      mean = mean_of(t_);
    }
    const Var rest = centered ? t_ - mean : t_;
    if (!n_.constant) variance = mean_of(rest * rest);
    const Var scale = rsqrt(variance + n_.epsilon), x = rest * scale;
    const Var g = weight_ ? g_ * weight_ : g_;
    if (b_.wants(n_.at.t)) {
      Var slope = g;
      if (!n_.constant) {
        slope = slope - x * mean_of(g * x);
        if (centered) slope = slope - mean_of(g);
      }
      give(b_, n_.at.t, slope * scale);
    }
    if (wants(b_, n_.at.weight)) give(b_, n_.at.weight, sum_to(g_ * x, weight_size_));
    if (wants(b_, n_.at.bias)) give(b_, n_.at.bias, sum_to(g_, weight_size_));
    if (wants(b_, running_mean)) give(b_, running_mean, -sum_to(g * scale, moment_size_));
    if (wants(b_, running_variance)) {
      give(b_, running_variance, sum_to(g * x * scale * scale, moment_size_) * -0.5);
    }
  }

 private:
  static void set(int64_t* size, int64_t a, int64_t b, int64_t c, int64_t d) {
    const int64_t all[] = {a, b, c, d};
    std::copy(all, all + 4, size);
  }
  static Var part(const Var& v, const int64_t* size) {
    return v ? reshaped(in_compute_type(v), 4, size) : v;
  }
  Var mean_of(const Var& v) const {
    if (l_.kind == NormKind::batch) {
      const int64_t dims[] = {0, 3};
      return meanDims(v, Sizes{2, dims}, true);
    }
    const int64_t dims[] = {2, 3};
    return meanDims(v, Sizes{2, dims}, true);
  }
  static Var sum_to(const Var& v, const int64_t* size) {
    int64_t dims[4];
    int count = 0;
    for (int d = 0; d < 4; ++d) {
      if (size[d] == 1) dims[count++] = d;
    }
    return sumDims(v, Sizes{count, dims}, true);
  }

  Backward& b_;
  const Normalization& n_;
  const NormLayout& l_;
  int64_t size_[4], weight_size_[4], moment_size_[4];
  Var g_, t_, weight_;
};

void normalization_rule(Backward& b, const Normalization& n, int running_mean = -1,
                        int running_variance = -1) {
  const NormParameters& at = n.at;
  const Var t = b.value(at.t), g = b.gradient(0), variance = b.value(at.variance);
  if (!g) return;
  const bool fused = variance && !is_recording() && !wants(b, running_mean) &&
                     !wants(b, running_variance) && t->numel() > 0;
  if (!fused) return NormSlopes(b, n).run(running_mean, running_variance);
  const auto result = [&](int parameter) {
    return wants(b, parameter) ? new_result(t->dtype) : Var();
  };
  const Var slope = new_result(t->dtype), weight_slope = result(at.weight),
            bias_slope = result(at.bias);
  const Var mean = at.mean >= 0 ? b.value(at.mean) : Var();
  const Var weight = at.weight >= 0 ? b.value(at.weight) : Var();
  ops::normalizeSlopes(slope.get(), weight_slope.get(), bias_slope.get(), g.get(), t.get(),
                       mean.get(), variance.get(), weight.get(), NormNumbers(n.layout).sizes(),
                       n.epsilon, n.constant);
  b.give(at.t, slope);
  give(b, at.weight, weight_slope);
  give(b, at.bias, bias_slope);
}

// ---- losses of class numbers --------------------------------------------------------------------

// The numbers of the parameters of a loss; -1: it has none.
struct LossParameters {
  int sums, divisor, t, classes, weight;
};

// The gradient of the rows, by operations that have derivatives. g: a column.
Var class_slopes(const Var& g, const Var& t, const Var& classes, const Var& weight, bool logs,
                 int64_t ignored, double smoothing) {
  const int64_t rows = t->size[0], count = t->size[1];
  const ValidClasses valid = valid_classes(classes.get(), ignored);
  const int64_t column[] = {rows, 1};
  const Var numbers = reshaped(Var::share(valid.numbers.get()), 2, column);
  const Var mask = expand(reshaped(Var::share(valid.ignored.get()), 2, column), Sizes{2, t->size});
  // The weight of each class in the loss of each row.
  Var weights = filled(*t, 2, t->size, smoothing / static_cast<double>(count));
  const Var own = filled(*t, 2, column, 1 - smoothing);
  ops::scatterAdd(weights.get(), 1, numbers.get(), own.get());
  if (weight) weights = weights * weight;
  ops::maskedFill(weights.get(), mask.get(), 0);
  if (logs) return -weights * g;
  const int64_t dim[] = {1};
  return (softmax(t, int64_t{1}) * sumDims(weights, Sizes{1, dim}, true) - weights) * g;
}

// A loss that returns a number has a divisor.
template <class A>
void class_loss_rule(Backward& b, const LossParameters& at, double smoothing) {
  const auto& a = *static_cast<const A*>(b.arguments());
  const Var t = b.value(at.t), classes = b.value(at.classes), weight = b.value(at.weight);
  const bool logs = at.sums == -1;
  if (wants(b, at.weight)) {
    fail("the derivative of %s with respect to 'weight' is not implemented",
         logs ? "nll" : "crossEntropy");
  }
  if (t->numel() == 0) return;
  const int64_t dimension = a.dimension < 0 ? a.dimension + t->nDimension : a.dimension;
  const bool by_kernel = !is_recording() && (logs || b.value(at.sums));
  Var rows{by_kernel ? planes_of_classes(t.get(), dimension, classes.get())
                     : rows_of_classes(t.get(), dimension)};
  const bool by_columns = rows->nDimension == 3;
  const int64_t count = rows->numel() / t->size[dimension];
  Var g = converted(b.gradient(), DType::Double);
  if (at.divisor >= 0) {
    if (Var divisor = b.value(at.divisor)) {
      if (!by_kernel) {
        // 0 if all rows are ignored. The gradient is 0 then, and so are its derivatives.
        const Var none{made(DType::Byte, [&](Tensor* r) { ops::eqValue(r, divisor.get(), 0); })};
        divisor = Var(clone(divisor.get()));
        ops::maskedFill(divisor.get(), none.get(), 1);
      }
      g = g / divisor;
    }
    g = expand(g, Sizes{1, &count});
  } else {
    g = reshaped(g, 1, &count);
  }
  const Var sums = logs ? Var() : b.value(at.sums);
  Var slope;
  if (by_kernel) {
    slope = new_result(t->dtype);
    ops::classLossSlopes(slope.get(), g.get(), rows.get(), classes.get(), weight.get(), sums.get(),
                         a.ignoreIndex, smoothing);
  } else {
    rows = in_compute_type(rows);
    const int64_t column[] = {count, 1};
    slope = class_slopes(reshaped(converted(g, rows->dtype), 2, column), rows, classes,
                         in_compute_type(weight), logs, a.ignoreIndex, smoothing);
  }
  if (by_columns) return b.give(at.t, reshaped(slope, t->nDimension, t->size));
  // The classes go back to their dimension.
  int64_t size[kMaxDims], order[kMaxDims];
  const int last = t->nDimension - 1;
  for (int d = 0, n = 0; d <= last; ++d) {
    const bool is_class = d == dimension;
    order[d] = is_class ? last : n;
    if (!is_class) size[n++] = t->size[d];
  }
  size[last] = t->size[dimension];
  slope = reshaped(slope, last + 1, size);
  b.give(at.t, dimension == last ? slope : permute(slope, Sizes{last + 1, order}));
}

}  // namespace

void layer_norm_slopes(Backward& b) {
  enum { kR, kMean, kVariance, kT, kShape, kWeight, kBias };
  const auto& a = *static_cast<const args::layerNorm*>(b.arguments());
  normalization_rule(
      b, {{kMean, kVariance, kT, kWeight, kBias}, layer_layout(*b.value(kT), a.shape), a.epsilon});
}
void rms_norm_slopes(Backward& b) {
  enum { kR, kSquare, kT, kShape, kWeight };
  const auto& a = *static_cast<const args::rmsNorm*>(b.arguments());
  normalization_rule(
      b, {{-1, kSquare, kT, kWeight, -1}, layer_layout(*b.value(kT), a.shape), a.epsilon});
}
void group_norm_slopes(Backward& b) {
  enum { kR, kMean, kVariance, kT, kGroups, kWeight, kBias };
  const auto& a = *static_cast<const args::groupNorm*>(b.arguments());
  normalization_rule(
      b, {{kMean, kVariance, kT, kWeight, kBias}, group_layout(*b.value(kT), a.groups), a.epsilon});
}
void batch_norm_slopes(Backward& b) {
  enum { kR, kMean, kVariance, kT, kRunningMean, kRunningVariance, kWeight, kBias };
  const auto& a = *static_cast<const args::batchNorm*>(b.arguments());
  const Normalization n = {
      {kMean, kVariance, kT, kWeight, kBias}, batch_layout(*b.value(kT)), a.epsilon, !a.training};
  if (a.training) return normalization_rule(b, n);
  normalization_rule(b, n, kRunningMean, kRunningVariance);
}

void cross_entropy_all_slopes(Backward& b) {
  using A = args::crossEntropyall;
  const auto& a = *static_cast<const A*>(b.arguments());
  class_loss_rule<A>(b, {0, 1, 2, 3, 4}, a.labelSmoothing);
}
void cross_entropy_slopes(Backward& b) {
  using A = args::crossEntropy;
  const auto& a = *static_cast<const A*>(b.arguments());
  class_loss_rule<A>(b, {1, -1, 2, 3, 4}, a.labelSmoothing);
}
void nll_all_slopes(Backward& b) { class_loss_rule<args::nllall>(b, {-1, 0, 1, 2, 3}, 0); }
void nll_slopes(Backward& b) { class_loss_rule<args::nll>(b, {-1, -1, 1, 2, 3}, 0); }

// ---- attention ----------------------------------------------------------------------------------

namespace {

// The largest number of weights that exist at a time.
constexpr int64_t kMostWeights = int64_t{1} << 24;

// Rows of the weights: `first` to `first + count` of `rows`.
struct AttentionRows {
  int64_t first, count, rows;
};

// Applies a mask, or null, and the causal mask to weights of size ... x count x columns, in place.
void mask_attention(Tensor* weights, Tensor* mask, bool causal, AttentionRows rows) {
  const int n = weights->nDimension;
  const int64_t columns = columns_of(*weights);
  if (mask) {
    int64_t size[kMaxDims];
    std::copy(weights->size, weights->size + n, size);
    size[n - 2] = rows.rows;
    TensorRef whole = broadcast_view(mask, n, size);
    TensorRef part = narrowed(whole, n - 2, rows.first, rows.count);
    if (mask->dtype == DType::Byte) {
      TensorRef hidden = made(DType::Byte, [&](Tensor* r) { ops::eqValue(r, part.get(), 0); });
      ops::maskedFill(weights, hidden.get(), -INFINITY);
    } else {
      ops::cadd(weights, weights, 1, part.get());
    }
  }
  if (!causal) return;
  const int64_t size[] = {rows.count, columns};
  TensorRef above = th::filled(*weights, DType::Byte, 2, size, 1);
  ops::triu(above.get(), above.get(), rows.first + columns - rows.rows + 1);
  TensorRef hidden = broadcast_view(above.get(), n, weights->size);
  ops::maskedFill(weights, hidden.get(), -INFINITY);
}

// Some rows of all matrices at a time, by operations that have derivatives.
class AttentionSlopes {
 public:
  enum { kR, kSums, kQ, kK, kV, kMask };

  explicit AttentionSlopes(Backward& b)
      : b_(b), a_(*static_cast<const args::attention*>(b.arguments())) {
    shape_ = b.value(kQ);
    q_ = batch(shape_);
    k_ = batch(b.value(kK));
    v_ = batch(b.value(kV));
    g_ = batch(b.gradient());
    mask_ = b.value(kMask);
    if (mask_ && mask_->dtype != DType::Byte) mask_ = in_compute_type(mask_);
    scale_ = attention_scale(a_.scale, *q_);
  }

  void run() {
    const int64_t rows = q_->size[1], columns = k_->size[1];
    if (columns == 0 || g_->numel() == 0) return;  // the gradients are 0
    const int64_t most = std::max<int64_t>(1, kMostWeights / (q_->size[0] * columns));
    const Var dq = filled_like(q_, 0);
    Var dk = filled_like(k_, 0), dv = filled_like(v_, 0), dmask;
    if (b_.wants(kMask)) dmask = mask_slopes();
    for (int64_t first = 0; first < rows; first += most) {
      const AttentionRows part = {first, std::min(most, rows - first), rows};
      const Var q = narrow(q_, int64_t{1}, part.first, part.count);
      const Var g = narrow(g_, int64_t{1}, part.first, part.count);
      const Var w = weights_of(q, part);
      const Var products = bmm(g, transposed(v_));
      const Var slope = w * (products - sum(w * products, int64_t{2}, true));
      dv = dv + bmm(transposed(w), g);
      dk = dk + bmm(transposed(slope), q) * scale_;
      ops::copy(narrow(dq, int64_t{1}, part.first, part.count).get(),
                (bmm(slope, k_) * scale_).get());
      if (dmask) {
        ops::copy(narrow(dmask, int64_t{1}, part.first, part.count).get(), slope.get());
      }
    }
    give(b_, kQ, dq);
    give(b_, kK, dk);
    give(b_, kV, dv);
    if (dmask) give_mask(dmask);
  }

 private:
  static Var batch(const Var& v) {
    const int n = v->nDimension;
    int64_t size[] = {1, v->size[n - 2], v->size[n - 1]};
    for (int d = 0; d < n - 2; ++d) size[0] *= v->size[d];
    return reshaped(in_compute_type(v), 3, size);
  }
  Var mask_slopes() const {
    const int64_t size[] = {q_->size[0], q_->size[1], k_->size[1]};
    return filled(*q_, 3, size, 0);
  }
  // The sizes of the weights in the dimensions of q.
  void whole_size(const Var& w, int64_t* size) const {
    const int n = shape_->nDimension;
    std::copy(shape_->size, shape_->size + n, size);
    size[n - 2] = w->size[1];
    size[n - 1] = w->size[2];
  }
  Var weights_of(const Var& q, const AttentionRows& part) const {
    Var w = bmm(q, transposed(k_)) * scale_;
    if (!a_.causal && !mask_) return softmax(w, int64_t{2});
    int64_t size[kMaxDims];
    whole_size(w, size);
    const Var whole = reshaped(w, shape_->nDimension, size);
    mask_attention(whole.get(), mask_.get(), a_.causal, part);
    // Rows that see nothing have weights of 0.
    const Var largest = maxDims(w, Sizes{1, &kLastDim}, true);
    const Var nothing = expand(eqValue(largest, Scalar(-INFINITY)), Sizes{3, w->size});
    return functions::except(softmax(functions::except(w, nothing), int64_t{2}), nothing);
  }
  // The tape sums over the dimensions that were broadcast.
  void give_mask(const Var& slope) {
    int64_t size[kMaxDims];
    whole_size(slope, size);
    b_.give(kMask, reshaped(slope, shape_->nDimension, size));
  }

  static constexpr int64_t kLastDim = 2;
  Backward& b_;
  const args::attention& a_;
  Var shape_, q_, k_, v_, g_, mask_;
  double scale_;
};

}  // namespace

void attention_slopes(Backward& b) {
  using S = AttentionSlopes;
  const Var g = b.gradient(), q = b.value(S::kQ), k = b.value(S::kK), v = b.value(S::kV);
  if (!g) return;
  const Var sums = b.value(S::kSums), r = b.value(S::kR), mask = b.value(S::kMask);
  const bool fused = sums && !is_recording() && !b.wants(S::kMask);
  if (!fused) return AttentionSlopes(b).run();
  const auto& a = *static_cast<const args::attention*>(b.arguments());
  const Var dq = new_result(q->dtype), dk = new_result(q->dtype), dv = new_result(q->dtype);
  ops::attentionSlopes(dq.get(), dk.get(), dv.get(), g.get(), r.get(), sums.get(), q.get(), k.get(),
                       v.get(), mask.get(), a.causal, a.scale);
  b.give(S::kQ, dq);
  b.give(S::kK, dk);
  b.give(S::kV, dv);
}

// ---- losses of pairs of elements ----------------------------------------------------------------

namespace {

// The factor of the gradients: 1, or the reciprocal of the number of elements for the mean.
double reduction_factor(const Var& t, char reduction) {
  return reduction == 'm' ? 1 / static_cast<double>(t->numel()) : 1;
}

// f(x, y) * g * factor, where g has one element, in the type of computation: a small factor would
// lose digits in a 16-bit type. In a fused expression, a number is faster than an operand of one
// element.
template <class F>
Var times_number(const Var& g, double factor, const F& f, const Var& x, const Var& y) {
  const Var a = in_compute_type(x), b = converted(y, a->dtype);
  const Var scale = converted(g, a->dtype) * factor;
  if (has_tracers() || device_of({g.get()})) return f(a, b) * scale;
  const double number = ops::item(scale.get()).to_double();
  return in_one_pass([&](const auto&... v) { return f(v...) * number; }, a, b);
}

// The loss is w * (p * y * softplus(-x) + (1 - y) * softplus(x)), where y is the target.
// first: the number of the parameter `logits`.
template <class A>
void binary_rule(Backward& b, int first) {
  const auto& a = *static_cast<const A*>(b.arguments());
  const Var t = b.value(first);
  if (t->numel() == 0) return;
  const auto value = [&](int k) { return in_compute_type(b.value(first + k)); };
  const Var x = in_compute_type(t), y = value(1), weight = value(2), p = value(3);
  const Var gradient = converted(b.gradient(), x->dtype);
  const double factor = reduction_factor(t, a.reduction);
  if (b.wants(first) && !p && !weight && gradient->numel() == 1) {
    const auto slope = [](const auto& logits, const auto& target) {
      return sigmoid(logits) - target;
    };
    b.give_all(first, times_number(gradient, factor, slope, x, y));
  }
  const Var g = gradient * factor;
  const auto weighted = [&](const Var& v) { return (weight ? v * weight : v) * g; };
  if (b.wants(first)) {
    const Var s = sigmoid(x), py = p ? y * p : y;
    b.give(first, weighted(p ? (py - y + 1) * s - py : s - y));
  }
  const bool wants_weight = weight && b.wants(first + 2), wants_p = p && b.wants(first + 3);
  if (!b.wants(first + 1) && !wants_weight && !wants_p) return;
  const Var soft = softplus(-x);
  if (b.wants(first + 1)) b.give(first + 1, weighted(p ? (p - 1) * soft - x : -x));
  if (wants_weight) {
    b.give(first + 2, ((p ? y * p : y) * soft + (1 - y) * softplus(x)) * g);
  }
  if (wants_p) b.give(first + 3, weighted(y * soft));
}

}  // namespace

void binary_cross_entropy_all_slopes(Backward& b) {
  binary_rule<args::binaryCrossEntropyall>(b, 0);
}
void binary_cross_entropy_slopes(Backward& b) { binary_rule<args::binaryCrossEntropy>(b, 1); }

namespace functions {

Var mse_slope(const Var& g, const Var& t, const Var& target, char reduction) {
  if (t->numel() == 0) return t - target;
  const auto slope = [](const auto& x, const auto& y) { return x - y; };
  return times_number(g, 2 * reduction_factor(t, reduction), slope, t, target);
}
Var huber_slope(const Var& g, const Var& t, const Var& target, double delta, char reduction) {
  if (t->numel() == 0) return t - target;
  const auto slope = [&](const auto& x, const auto& y) {
    return clamp(x - y, Scalar(-delta), Scalar(delta));
  };
  return times_number(g, reduction_factor(t, reduction), slope, t, target);
}

}  // namespace functions

}  // namespace th::grad
