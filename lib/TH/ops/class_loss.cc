// Losses of class numbers: cross-entropy and negative log-likelihood.

#include "ops/class_loss.h"

#include "THGeneral.h"
#include "base/error.h"
#include "ops/compose.h"

namespace th {

namespace {

constexpr int64_t kSums = sizeof(RowSum) / sizeof(double);

void check_numbers(Op op, const Shapes& s, Tensor* const& classes, int64_t count, int64_t ignored) {
  if (classes->numel() == 0) return;
  check_values(op, Condition::class_number, count, classes,
               {s.number_of(&classes), "class %v is out of range of %1 classes", count}, ignored);
}

// Checks the arguments and wraps the dimension. t: the logits or the logarithms.
template <class A>
void check_losses(A& a, const Shapes& s, Tensor* const& t, double smoothing) {
  a.dimension = s.dim(a.dimension, *t);
  const int64_t count = t->size[a.dimension];
  int64_t size[kMaxDims] = {1};
  int ndim = 0;
  for (int d = 0; d < t->nDimension; ++d) {
    if (d != a.dimension) size[ndim++] = t->size[d];
  }
  if (ndim == 0) ndim = 1;
  if (!has_shape(*a.classes, ndim, size)) {
    s.fail(a.classes, "class numbers of size %s are expected for a tensor of size %s, got %s",
           shape_text(ndim, size).c_str(), shape_text(*t).c_str(), shape_text(*a.classes).c_str());
  }
  if (a.weight && !has_shape(*a.weight, 1, &count)) {
    s.fail(a.weight, "the weight has size %s; a vector of %lld classes is expected",
           shape_text(*a.weight).c_str(), as_long(count));
  }
  if (count == 0 && a.classes->numel() > 0) {
    s.fail(t, "a tensor of size %s has no classes", shape_text(*t).c_str());
  }
  if (!(smoothing >= 0 && smoothing <= 1)) {
    fail("a label smoothing from 0 to 1 is expected, got %g", smoothing);
  }
  check_numbers(a.op, s, a.classes, count, a.ignoreIndex);
}

int64_t rows_of(const Tensor& t, int64_t dimension) {
  int64_t n = 1;
  for (int d = 0; d < t.nDimension; ++d) n *= d == dimension ? 1 : t.size[d];
  return n;
}

// planes: the result of planes_of_classes.
ClassRows rows_of(Operands& at, Tensor* planes, Tensor* classes, Tensor* weight, int64_t ignored,
                  double smoothing, double weight_sum) {
  ClassRows of;
  of.dtype = planes->dtype;
  of.inner = planes->nDimension == 3 ? planes->size[2] : 1;
  of.rows = planes->size[0] * of.inner;
  of.classes = planes->size[1];
  of.t = at.read(planes).data;
  of.numbers = reinterpret_cast<const int64_t*>(at.read(classes).data);
  of.weight = weight ? at.read(weight).data : nullptr;
  of.ignored = ignored;
  of.smoothing = smoothing;
  of.weight_sum = weight_sum;
  return of;
}

double weight_sum_of(Tensor* weight, double smoothing, int64_t classes) {
  if (weight && smoothing > 0) return ops::sumall(weight).to_double();
  return static_cast<double>(classes);
}

// The losses and the weights of the rows, as vectors of doubles. sums: a RowSum of each row, or
// null if t has logarithms.
struct Losses {
  TensorRef values, weights;
};

template <class A>
Losses losses_of(const A& a, Tensor* t, double smoothing, Tensor* sums) {
  TensorRef planes = planes_of_classes(t, a.dimension, a.classes);
  TensorRef classes = contiguous(a.classes);
  TensorRef weight = contiguous_or_null(a.weight);
  const int64_t count = rows_of(*t, a.dimension);
  Losses losses = {TensorRef(tensor_new_sized(DType::Double, 1, &count)),
                   TensorRef(tensor_new_sized(DType::Double, 1, &count))};
  if (count == 0) return losses;
  const double weight_sum = weight_sum_of(a.weight, smoothing, planes->size[1]);
  run(a.op, device_of({t, a.classes}), [&](Operands& at) {
    ClassLossCall call;
    call.of = rows_of(at, planes.get(), classes.get(), weight.get(), a.ignoreIndex, smoothing,
                      weight_sum);
    const auto result = [&](Tensor* r) { return reinterpret_cast<double*>(at.overwrite(r)); };
    call.losses = result(losses.values.get());
    call.weights = result(losses.weights.get());
    call.sums = sums ? reinterpret_cast<RowSum*>(at.overwrite(sums)) : nullptr;
    return call;
  });
  return losses;
}

// A hidden result, or a temporary if a C caller left it out.
TensorRef sums_or_new(Tensor* given, int64_t count) {
  const int64_t size[] = {count, kSums};
  return given ? shared(given) : TensorRef(tensor_new_sized(DType::Double, 2, size));
}

template <class A>
Scalar total_of(const A& a, const Losses& losses) {
  const bool empty = losses.values->numel() == 0;
  const double sum = empty ? 0 : ops::sumall(losses.values.get()).to_double();
  double divisor = 1;
  if (a.reduction == 'm') divisor = empty ? 0 : ops::sumall(losses.weights.get()).to_double();
  if (a.divisor_) ops::fill(a.divisor_, divisor);
  return sum / divisor;
}

void set_divisor(Shapes& s, Tensor*& r) {
  const int64_t one = 1;
  if (r) s.set(r, 1, &one, Layout::contiguous);
}
void set_sums(Shapes& s, Tensor*& r, int64_t count) {
  const int64_t size[] = {count, kSums};
  if (r) s.set(r, 2, size, Layout::contiguous);
}

}  // namespace

TensorRef rows_of_classes(Tensor* t, int64_t dimension) {
  const int last = t->nDimension - 1;
  int64_t order[kMaxDims];
  for (int d = 0, n = 0; d <= last; ++d) {
    if (d != dimension) order[n++] = d;
  }
  order[last] = dimension;
  TensorRef moved = shared(t);
  if (dimension != last) {
    moved = view_of(moved, [&](Tensor* v) { views::permute(v, t, {last + 1, order}); });
  }
  const int64_t size[] = {rows_of(*t, dimension), t->size[dimension]};
  TensorRef whole = contiguous(moved.get());
  return reshaped(whole.get(), 2, size);
}

TensorRef planes_of_classes(Tensor* t, int64_t dimension, Tensor* classes) {
  constexpr int64_t kFewestColumns = 16;
  int64_t size[] = {1, t->size[dimension], 1};
  for (int64_t d = 0; d < dimension; ++d) size[0] *= t->size[d];
  for (int64_t d = dimension + 1; d < t->nDimension; ++d) size[2] *= t->size[d];
  if (device_of({t, classes}) || size[2] < kFewestColumns || t->stride[dimension] == 1) {
    return rows_of_classes(t, dimension);
  }
  TensorRef whole = contiguous(t);
  return reshaped(whole.get(), 3, size);
}

ValidClasses valid_classes(Tensor* classes, int64_t ignored) {
  TensorRef flat = flattened(classes);
  TensorRef mask = made(DType::Byte, [&](Tensor* r) { ops::eqValue(r, flat.get(), ignored); });
  TensorRef numbers = clone(flat.get());
  ops::maskedFill(numbers.get(), mask.get(), TH_INDEX_BASE);
  return {std::move(numbers), std::move(mask)};
}

void shapes(args::crossEntropyall& a, Shapes& s) {
  check_losses(a, s, a.logits, a.labelSmoothing);
  set_sums(s, a.sums_, rows_of(*a.logits, a.dimension));
  set_divisor(s, a.divisor_);
}
void calls(args::crossEntropyall& a) {
  TensorRef sums = sums_or_new(a.sums_, rows_of(*a.logits, a.dimension));
  a.returned = total_of(a, losses_of(a, a.logits, a.labelSmoothing, sums.get()));
}

void shapes(args::crossEntropy& a, Shapes& s) {
  check_losses(a, s, a.logits, a.labelSmoothing);
  set_sums(s, a.sums_, rows_of(*a.logits, a.dimension));
  s.set(a.r_, *a.classes);
}
void calls(args::crossEntropy& a) {
  TensorRef sums = sums_or_new(a.sums_, rows_of(*a.logits, a.dimension));
  const Losses losses = losses_of(a, a.logits, a.labelSmoothing, sums.get());
  if (a.r_->numel() > 0) ops::copy(a.r_, losses.values.get());
}

void shapes(args::nllall& a, Shapes& s) {
  check_losses(a, s, a.logs, 0);
  set_divisor(s, a.divisor_);
}
void calls(args::nllall& a) { a.returned = total_of(a, losses_of(a, a.logs, 0, nullptr)); }

void shapes(args::nll& a, Shapes& s) {
  check_losses(a, s, a.logs, 0);
  s.set(a.r_, *a.classes);
}
void calls(args::nll& a) {
  const Losses losses = losses_of(a, a.logs, 0, nullptr);
  if (a.r_->numel() > 0) ops::copy(a.r_, losses.values.get());
}

void shapes(args::classLossSlopes& a, Shapes& s) {
  if (a.t->nDimension != 2 && a.t->nDimension != 3) {
    s.fail(a.t, "a tensor of 2 or 3 dimensions is expected, got size %s", shape_text(*a.t).c_str());
  }
  const int64_t rows = rows_of(*a.t, 1), classes = a.t->size[1];
  if (!has_shape(*a.gradient, 1, &rows)) {
    s.fail(a.gradient, "a vector of %lld rows is expected, got size %s", as_long(rows),
           shape_text(*a.gradient).c_str());
  }
  const int64_t sums[] = {rows, kSums};
  if (a.sums && !has_shape(*a.sums, 2, sums)) {
    s.fail(a.sums, "the sums of %lld rows are expected, got size %s", as_long(rows),
           shape_text(*a.sums).c_str());
  }
  if (a.classes->numel() != rows) {
    s.fail(a.classes, "%lld class numbers are expected, got %s", as_long(rows),
           shape_text(*a.classes).c_str());
  }
  if (a.weight && !has_shape(*a.weight, 1, &classes)) {
    s.fail(a.weight, "a vector of %lld classes is expected, got size %s", as_long(classes),
           shape_text(*a.weight).c_str());
  }
  check_numbers(a.op, s, a.classes, classes, a.ignoreIndex);
  s.set(a.slope, *a.t, Layout::contiguous);
}

void calls(args::classLossSlopes& a) {
  if (a.t->numel() == 0) return;
  if (a.t->nDimension == 3 && device_of({a.t, a.classes})) {
    // Devices compute rows.
    TensorRef rows = rows_of_classes(a.t, 1), slope = empty(a.t->dtype);
    ops::classLossSlopes(slope.get(), a.gradient, rows.get(), a.classes, a.weight, a.sums,
                         a.ignoreIndex, a.labelSmoothing);
    const int64_t size[] = {a.t->size[0], a.t->size[2], a.t->size[1]};
    TensorRef planes = reshaped(slope.get(), 3, size);
    TensorRef moved = view_of(planes, [&](Tensor* v) { views::transpose(v, planes.get(), 1, 2); });
    return ops::copy(a.slope, moved.get());
  }
  TensorRef g = contiguous(a.gradient), t = contiguous(a.t), classes = contiguous(a.classes);
  TensorRef weight = contiguous_or_null(a.weight);
  TensorRef sums = contiguous_or_null(a.sums);
  const double weight_sum = weight_sum_of(a.weight, a.labelSmoothing, a.t->size[1]);
  run(a.op, device_of({a.t, a.classes}), [&](Operands& at) {
    ClassLossSlopesCall call;
    call.of = rows_of(at, t.get(), classes.get(), weight.get(), a.ignoreIndex, a.labelSmoothing,
                      weight_sum);
    call.g = reinterpret_cast<const double*>(at.read(g.get()).data);
    call.sums = sums ? reinterpret_cast<const RowSum*>(at.read(sums.get()).data) : nullptr;
    call.slope = at.overwrite(a.slope);
    return call;
  });
}

}  // namespace th
