#include "ops/reduction_methods.h"

#include <cmath>
#include <limits>

#include "ops/compose.h"
#include "ops/tracer.h"

namespace th {

namespace {

// Returns 1 for each element that is not 0.
TensorRef truth_of(Tensor* t) {
  return made(DType::Byte, [&](Tensor* r) { ops::neValue(r, t, 0); });
}

// values: t with NaN replaced by 0; valid: 1 for each element that is not NaN. For integers, valid
// is null.
struct Numbers {
  TensorRef values, valid;
};

Numbers numbers_of(Tensor* t, DType type) {
  if (is_integral(type)) return {shared(t), TensorRef()};
  TensorRef nan = made(DType::Byte, [&](Tensor* r) { ops::isnan(r, t); });
  TensorRef numbers = t->dtype == type ? clone(t) : in_type(t, type);
  ops::maskedFill(numbers.get(), nan.get(), 0);
  TensorRef valid = made(DType::Byte, [&](Tensor* r) { ops::eqValue(r, nan.get(), 0); });
  return {std::move(numbers), in_type(valid.get(), type)};
}

// Returns the sums along dimension d, in t's type.
TensorRef sums_of(Op op, Tensor* t, int d) {
  int64_t size[kMaxDims];
  std::copy(t->size, t->size + t->nDimension, size);
  size[d] = 1;
  TensorRef sums(tensor_new_sized(t->dtype, t->nDimension, size));
  reduce_dim(op, {Reducer::sum}, sums.get(), nullptr, t, d);
  return sums;
}

double sum_of_all(Op op, Tensor* t) { return reduce_all(op, {Reducer::sum}, t).value.d; }

}  // namespace

// ---- by one kernel ------------------------------------------------------------------------------

bool KernelMethod::reduces_empty(const Tensor& t) const {
  switch (reduction_.finish) {
    case Finish::mean:
    case Finish::biased_variance:
    case Finish::variance:
    case Finish::biased_deviation:
    case Finish::deviation:
      return t.nDimension > 0;
    default:
      return reduction_.reducer != Reducer::min && reduction_.reducer != Reducer::max;
  }
}

namespace {

// Returns true if 64 bits hold the sum of all elements.
bool has_exact_sum(const Tensor& t) {
  return is_integral(t.dtype) && item_size(t.dtype) < sizeof(int64_t) && t.numel() >> 32 == 0;
}

}  // namespace

Scalar KernelMethod::all(Tensor* t) const {
  TensorRef doubles;
  const bool exact = reduction_.finish == Finish::mean && has_exact_sum(*t);
  if (reduction_.finish != Finish::none && is_integral(t->dtype) && !exact) {
    doubles = in_type(t, DType::Double);
    t = doubles.get();
  }
  return finish_all(reduction_, reduce_all(op_, reduction_, t), t->numel(), t->dtype);
}

bool KernelMethod::has_steps(DType type, int64_t n, int64_t width) const {
  // A copy takes less time than the reductions of short rows and of narrow columns.
  constexpr int64_t kFewest = 32, kFewestSlow = 256, kNarrow = 32;
  const bool is_sum = reduction_.reducer == Reducer::sum;
  const bool is_mean = is_sum && reduction_.finish == Finish::mean;
  if (is_mean && is_integral(type)) return false;
  const bool is_plain = reduction_.finish == Finish::none &&
                        (is_sum || reduction_.reducer == Reducer::prod ||
                         reduction_.reducer == Reducer::min || reduction_.reducer == Reducer::max);
  if (!is_mean && !is_plain) return false;
  if (width > 1) return width >= kNarrow;
  return n >= (is_sum && info(type).kind != Kind::REDUCED ? kFewest : kFewestSlow);
}

DType KernelMethod::type_of_steps(DType type) const {
  if (reduction_.reducer == Reducer::min || reduction_.reducer == Reducer::max) return type;
  const bool integral = is_integral(type) && reduction_.finish == Finish::none;
  return integral ? DType::Long : DType::Double;
}

void KernelMethod::along(Tensor* r, Tensor* t, int d, Tensor* indices) const {
  // On the CPU, the kernel converts the results instead of the elements.
  bool converts = is_integral(r->dtype) == is_integral(t->dtype);
  if (reduction_.finish == Finish::mean && is_integral(t->dtype)) converts = has_exact_sum(*t);
  if (r->dtype == t->dtype || (converts && !device_of({t, r}))) {
    return reduce_dim(op_, reduction_, r, indices, t, d);
  }
  reduce_dim(op_, reduction_, r, indices, in_type(t, r->dtype).get(), d);
}

double Norm::least(int64_t n) const {
  if (reduction_.parameter < 0) return 0;  // small sums have large roots
  Partial partial;
  partial.value.d = std::numeric_limits<double>::min() * static_cast<double>(n);
  return finish_all(reduction_, partial, n, DType::Double).to_double();
}

bool Norm::is_exact(double norm, int64_t n) const {
  return !adds_powers() || n == 0 || !(norm <= least(n) || std::isinf(norm));
}

Scalar Norm::all(Tensor* t) const {
  const Scalar norm = KernelMethod::all(t);
  if (is_exact(norm.to_double(), t->numel())) return norm;
  const double most = reduce_all(op_, {Reducer::abs_max}, t).value.d;
  if (most == 0 || !std::isfinite(most)) return norm;
  TensorRef x = in_type(t, DType::Double);
  TensorRef shares = made(DType::Double, [&](Tensor* r) { ops::div(r, x.get(), most); });
  return KernelMethod::all(shares.get()).to_double() * most;
}

void Norm::along(Tensor* r, Tensor* t, int d) const {
  KernelMethod::along(r, t, d);
  if (!adds_powers() || device_of({t}) || r->numel() == 0 || t->size[d] == 0) return;
  int64_t size[kMaxDims];
  std::copy(t->size, t->size + t->nDimension, size);
  size[d] = 1;
  const auto reduced = [&] {
    return TensorRef(tensor_new_sized(DType::Double, t->nDimension, size));
  };
  const auto any = [&](const TensorRef& mask) {
    return reduce_all(op_, {Reducer::max}, mask.get()).value.i != 0;
  };
  TensorRef result = reshaped(r, t->nDimension, size);
  TensorRef again = made(DType::Byte, [&](Tensor* m) { ops::isinf(m, result.get()); });
  const auto combine = [&](const auto& operation, const auto& compare, Tensor* x, double value) {
    TensorRef mask = made(DType::Byte, [&](Tensor* m) { compare(m, x, value); });
    operation(again.get(), again.get(), mask.get());
  };
  combine(ops::logicalOr, ops::leValue, result.get(), least(t->size[d]));
  if (!any(again)) return;
  TensorRef most = reduced(), norms = reduced();
  reduce_dim(op_, {Reducer::abs_max}, most.get(), nullptr, t, d);
  combine(ops::logicalAnd, ops::gtValue, most.get(), 0);
  combine(ops::logicalAnd, ops::ltValue, most.get(), std::numeric_limits<double>::infinity());
  if (!any(again)) return;
  TensorRef ordinary = made(DType::Byte, [&](Tensor* m) { ops::eqValue(m, again.get(), 0); });
  ops::maskedFill(most.get(), ordinary.get(), 1);
  TensorRef x = in_type(t, DType::Double);
  TensorRef shares = made(DType::Double, [&](Tensor* s) { ops::cdiv(s, x.get(), most.get()); });
  KernelMethod::along(norms.get(), shares.get(), d);
  ops::cmul(norms.get(), norms.get(), most.get());
  TensorRef better = in_type(norms.get(), r->dtype);
  ops::where(result.get(), again.get(), better.get(), result.get());
}

// ---- by other operations ------------------------------------------------------------------------

// Bytes are reduced without a copy of 0 and 1: their smallest and largest elements decide.
template <Reducer reducer>
bool Logical<reducer>::all(Tensor* t) const {
  if (t->numel() == 0) return reducer == Reducer::min;
  const TensorRef bytes = t->dtype == DType::Byte ? shared(t) : truth_of(t);
  return reduce_all(op_, {reducer}, bytes.get()).value.i != 0;
}

template <Reducer reducer>
void Logical<reducer>::along(Tensor* r, Tensor* t, int d) const {
  if (t->size[d] == 0) return fill_for_none(r, *t, reducer == Reducer::min);
  if (t->dtype != DType::Byte) {
    return reduce_dim(op_, {reducer}, r, nullptr, truth_of(t).get(), d);
  }
  reduce_dim(op_, {reducer}, r, nullptr, t, d);
  ops::neValue(r, r, 0);
}

template class Logical<Reducer::min>;
template class Logical<Reducer::max>;

bool is_tried_first(const Tensor& t) {
  return !is_integral(t.dtype) && t.numel() > 0 && !device_of({&t}) && !tracing();
}
bool has_nan(Tensor* r) { return std::isnan(ops::sumall(r).to_double()); }

Scalar NanSum::all(Tensor* t) const {
  if (is_tried_first(*t)) {
    const double sum = sum_of_all(op_, t);
    if (!std::isnan(sum)) return sum;
  }
  TensorRef values = numbers_of(t, compute_type(t->dtype)).values;
  return to_scalar(reduce_all(op_, {Reducer::sum}, values.get()).value, values->dtype);
}

void NanSum::along(Tensor* r, Tensor* t, int d) const {
  if (is_tried_first(*t) && r->dtype == t->dtype) {
    reduce_dim(op_, {Reducer::sum}, r, nullptr, t, d);
    if (!has_nan(r)) return;
  }
  TensorRef values = numbers_of(t, compute_type(t->dtype)).values;
  if (is_integral(t->dtype)) values = in_type(values.get(), r->dtype);
  if (r->dtype == values->dtype) {
    return reduce_dim(op_, {Reducer::sum}, r, nullptr, values.get(), d);
  }
  ops::copy(r, sums_of(op_, values.get(), d).get());
}

Scalar NanMean::all(Tensor* t) const {
  if (is_tried_first(*t)) {
    const double sum = sum_of_all(op_, t);
    if (!std::isnan(sum)) return sum / static_cast<double>(t->numel());
  }
  Numbers numbers = numbers_of(t, compute_type(t->dtype));
  return sum_of_all(op_, numbers.values.get()) / sum_of_all(op_, numbers.valid.get());
}

void NanMean::along(Tensor* r, Tensor* t, int d) const {
  if (is_tried_first(*t) && r->dtype == t->dtype) {
    reduce_dim(op_, {Reducer::sum, Finish::mean}, r, nullptr, t, d);
    if (!has_nan(r)) return;
  }
  // Sums of floats may not fit into floats; sums of Half do.
  Numbers numbers = numbers_of(t, t->dtype == DType::Half ? DType::Float : DType::Double);
  TensorRef sums = sums_of(op_, numbers.values.get(), d);
  TensorRef counts = sums_of(op_, numbers.valid.get(), d);
  ops::cdiv(sums.get(), sums.get(), counts.get());
  ops::copy(r, sums.get());
}

template <Reducer reducer>
Scalar ExtremeIndex<reducer>::all(Tensor* t) const {
  int64_t one = 1;
  TensorRef index(tensor_new_sized(DType::Long, 1, &one));
  along(index.get(), flattened(t).get(), 0);
  return ops::item(index.get());
}

template <Reducer reducer>
void ExtremeIndex<reducer>::along(Tensor* r, Tensor* t, int d) const {
  TensorRef values(tensor_new_sized(t->dtype, r->nDimension, r->size));
  reduce_dim(op_, {reducer}, values.get(), r, t, d);
}

template class ExtremeIndex<Reducer::min>;
template class ExtremeIndex<Reducer::max>;

}  // namespace th
