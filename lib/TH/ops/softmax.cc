// Softmax and logsumexp. The maximum is subtracted before exponentiation to avoid overflow.

#include <algorithm>
#include <cmath>

#include "ops/compose.h"
#include "ops/operands.h"
#include "ops/reduction_methods.h"

namespace th {

namespace {

// largest: the maximum of t along the dimension; rest: t - largest.
struct Exponents {
  TensorRef largest, rest;
  DType type;
};

// finite: treat an infinite maximum as 0.
Exponents exponents_of(Tensor* t, int64_t dim, bool finite) {
  TensorRef x = in_type(t, compute_type(t->dtype));
  Exponents e = {empty(x->dtype), empty(x->dtype), x->dtype};
  ops::max(e.largest.get(), nullptr, x.get(), dim, true);
  if (finite) {
    TensorRef size = made(e.type, [&](Tensor* r) { ops::abs(r, e.largest.get()); });
    TensorRef infinite =
        made(DType::Byte, [&](Tensor* r) { ops::eqValue(r, size.get(), INFINITY); });
    ops::maskedFill(e.largest.get(), infinite.get(), 0);
  }
  ops::csub(e.rest.get(), x.get(), 1, e.largest.get());
  return e;
}

// Returns the sum of exp(rest). exponentials receives exp(rest) and may be e.rest itself.
TensorRef sum_of_exponentials(const Exponents& e, int64_t dim, Tensor* exponentials) {
  ops::exp(exponentials, e.rest.get());
  return made(e.type, [&](Tensor* r) { ops::sum(r, exponentials, dim, true); });
}

// Computes r by f(to), directly if r has e's type, else by a conversion.
template <class F>
void compute_in_type(Tensor* r, const Exponents& e, const F& f) {
  if (r->dtype == e.type) return f(r);
  f(e.rest.get());
  ops::copy(r, e.rest.get());
}

// Calls f(r, t) for parts of both, each with whole rows along dim. The steps of a large tensor
// would each read all of it from memory, while a part stays in the cache.
template <class F>
void for_parts(Tensor* r, Tensor* t, int64_t dim, const F& f) {
  constexpr int64_t kPart = 1 << 16;  // elements
  const int64_t outer = dim == 0 ? 1 : t->size[0], parts = std::min(outer, t->numel() / kPart);
  // A failure in a later part must not leave an operand that is half a result.
  if (parts < 2 || share_storage(*r, *t) || !on_host(*t) || t->stride[0] < t->stride[dim]) {
    return f(r, t);
  }
  const TensorRef to = shared(r), from = shared(t);
  for (int64_t k = 0; k < parts; ++k) {
    const int64_t first = outer * k / parts, size = outer * (k + 1) / parts - first;
    f(narrowed(to, 0, first, size).get(), narrowed(from, 0, first, size).get());
  }
}

// Returns true if the CPU computes rows of n elements faster than the steps do. The steps process
// the elements of several rows as vectors. The kernel processes whole vectors of each row, and does
// not write the exponentials of up to 256 elements to memory.
bool suits_cpu(int64_t n) {
  if (n <= 256) return n >= 16;
  return n % (n < 512 ? 16 : 8) == 0;
}

// Computes contiguous rows by one call, which devices also use for copies of other rows. Returns
// false if other steps are better.
template <class A>
bool by_rows(A& a, bool logarithm) {
  // Each row is processed by one thread of the CPU, or one block of a device.
  constexpr int64_t kLongRow = 16384, kFewRows = 64;
  if (a.dimension != a.t->nDimension - 1) return false;
  const int64_t n = columns_of(*a.t), rows = a.t->numel() / n;
  if (n > kLongRow && rows < kFewRows) return false;
  Device* device = device_of({a.r_, a.t});
  const bool direct = is_contiguous(*a.r_);
  if (!device && !(direct && is_contiguous(*a.t) && suits_cpu(n))) return false;
  TensorRef t = contiguous(a.t);
  TensorRef r =
      direct ? shared(a.r_) : TensorRef(tensor_new_sized(t->dtype, t->nDimension, t->size));
  place_result(device, a.r_);
  run(a.op, device, [&](Operands& at) {
    SoftmaxCall call;
    call.dtype = t->dtype;
    call.logarithm = logarithm;
    call.rows = rows;
    call.n = n;
    call.t = at.read(t.get()).data;
    call.r = at.overwrite(r.get());
    return call;
  });
  if (!direct) ops::copy(a.r_, r.get());
  return true;
}

// The result may be t.
template <class A>
void shapes_like_operand(A& a, Shapes& s) {
  a.dimension = s.dim(a.dimension, *a.t);
  s.set(a.r_, *a.t, Layout::in_place);
}

}  // namespace

void LogSumExp::along(Tensor* r, Tensor* t, int d) const {
  if (t->size[d] == 0) return fill_for_none(r, *t, -INFINITY);
  Exponents e = exponents_of(t, d, true);
  TensorRef total = sum_of_exponentials(e, d, e.rest.get());
  ops::log(total.get(), total.get());
  ops::cadd(total.get(), total.get(), 1, e.largest.get());
  ops::copy(r, total.get());
}

Scalar LogSumExp::all(Tensor* t) const {
  if (t->numel() == 0) return -INFINITY;
  TensorRef elements = in_type(flattened(t).get(), DType::Double);
  int64_t one = 1;
  TensorRef result(tensor_new_sized(DType::Double, 1, &one));
  along(result.get(), elements.get(), 0);
  return ops::item(result.get());
}

void shapes(args::softmax& a, Shapes& s) { shapes_like_operand(a, s); }

void calls(args::softmax& a) {
  if (a.t->numel() == 0 || by_rows(a, false)) return;
  for_parts(a.r_, a.t, a.dimension, [&](Tensor* r, Tensor* t) {
    Exponents e = exponents_of(t, a.dimension, false);
    TensorRef total = sum_of_exponentials(e, a.dimension, e.rest.get());
    compute_in_type(r, e, [&](Tensor* to) { ops::cdiv(to, e.rest.get(), total.get()); });
  });
}

void shapes(args::logSoftmax& a, Shapes& s) { shapes_like_operand(a, s); }

void calls(args::logSoftmax& a) {
  if (a.t->numel() == 0 || by_rows(a, true)) return;
  for_parts(a.r_, a.t, a.dimension, [&](Tensor* r, Tensor* t) {
    Exponents e = exponents_of(t, a.dimension, false);
    TensorRef total = sum_of_exponentials(e, a.dimension, empty(e.type).get());
    ops::log(total.get(), total.get());
    compute_in_type(r, e, [&](Tensor* to) { ops::csub(to, e.rest.get(), 1, total.get()); });
  });
}

}  // namespace th
