// Filling, making, and putting together.

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "ops/direct.h"
#include "ops/elementwise.h"
#include "ops/operands.h"
#include "ops/reduce.h"
#include "tensor/checked.h"

namespace th::direct {

namespace {

bool fits_long(double x) { return x >= -9223372036854775808.0 && x < 9223372036854775808.0; }

// A whole number as an integer, where it is one that int64 holds.
Scalar whole(Scalar x) {
  if (x.integral || !fits_long(x.d) || x.d != std::floor(x.d)) return x;
  return Scalar(static_cast<int64_t>(x.d));
}

// The elements of a progression of integers, exactly, where doubles would round. Unsigned: the
// distance may be of 64 bits.
double integral_steps(int64_t first, int64_t last, int64_t step, bool inclusive) {
  uint64_t from = static_cast<uint64_t>(first), to = static_cast<uint64_t>(last);
  uint64_t distance = step > 0 ? to - from : from - to;
  uint64_t by = step > 0 ? static_cast<uint64_t>(step) : 0 - static_cast<uint64_t>(step);
  bool one_more = inclusive || distance % by != 0;
  return static_cast<double>(distance / by) + (one_more ? 1 : 0);
}

// Elements of a progression; throws where it is endless or runs the wrong way.
int64_t steps(const char* name, Scalar a, Scalar b, Scalar by, bool inclusive) {
  double first = a.to_double(), last = b.to_double(), step = by.to_double();
  bool integral = a.integral && b.integral && by.integral;
  if (!std::isfinite(first) || !std::isfinite(last) || !std::isfinite(step) || step == 0) {
    fail("%s: from %g to %g in steps of %g is no finite range", name, first, last, step);
  }
  if (integral ? a.i != b.i && (a.i < b.i) != (by.i > 0) : (last - first) / step < 0) {
    fail("%s: steps of %g do not lead from %g to %g", name, step, first, last);
  }
  double n = integral    ? integral_steps(a.i, b.i, by.i, inclusive)
             : inclusive ? std::floor((last - first) / step) + 1
                         : std::ceil((last - first) / step);
  if (n > 1e15) fail("%s: %g elements are too many", name, n);
  return static_cast<int64_t>(n);
}

// a + i b, or 10^(a + i b), for i = 0, 1, ...; in integers where both are.
struct Progression {
  Op op;
  Scalar a, b;
  bool power_of_ten = false;
};

// Writes the progression to r's elements, in order, whatever r's layout.
void generate(Tensor* r, const Progression& p) {
  if (r->numel() == 0) return;
  if (!is_contiguous(*r)) {
    TensorRef ordered(tensor_new_sized(r->dtype, r->nDimension, r->size));
    if (Device* device = device_of({r})) ordered->storage->set_current_device(device);
    generate(ordered.get(), p);
    copy(r, ordered.get());
    return;
  }
  run(p.op, device_of({r}), [&](Operands& at) {
    return GenerateCall{r->dtype, p.power_of_ten, p.a, p.b, r->numel(), at.overwrite(r)};
  });
}

void resize_to_vector(Tensor* r, int64_t n) {
  // As in Torch7, a result that has as many elements keeps its sizes.
  if (r->numel() != n || r->nDimension == 0) resize(r, 1, &n);
}

void progression(Op op, Tensor* r, Scalar first, Scalar last, Scalar step, bool inclusive) {
  int64_t n = steps(name(op), whole(first), whole(last), whole(step), inclusive);
  resize_to_vector(r, n);
  if (!fits_long(last.to_double()) && !last.integral) {
    generate(r, {op, first.to_double(), step.to_double()});
  } else if (r->dtype == DType::Long) {
    generate(r, {op, whole(first), whole(step)});
  } else {
    generate(r, {op, first, step});
  }
}

// The diagonal of a matrix from the element in row down and column right on: a view.
TensorRef diagonal_of(Tensor* t, int64_t down, int64_t right) {
  constexpr char what[] = "the stride of a diagonal";
  TensorRef diagonal(tensor_new(t->dtype));
  int64_t first[] = {down, right};
  int64_t length = std::min(t->size[0] - down, t->size[1] - right);
  int64_t stride = length > 1 ? checked_add(t->stride[0], t->stride[1], what) : 1;
  set_storage(diagonal.get(), t->storage, t->position(first), 1, &length, &stride);
  return diagonal;
}

void check_matrix(const char* name, const Tensor* t) {
  if (t->nDimension != 2) {
    fail_argument(2, "%s: a matrix is expected, got a tensor of size %s", name,
                  shape_text(*t).c_str());
  }
}

// t with zeros above the diagonal, or below it.
void zero_triangle(Op op, Tensor* r, Tensor* t, bool above, int64_t diagonal) {
  check_matrix(name(op), t);
  if (r->dtype != t->dtype) fail("%s: result and source differ in type", name(op));
  if (r != t) {
    resize_as(r, *t);
    if (!share_storage(*r, *t)) place_result(device_of({r, t}), r);
    copy(r, t);
  }
  if (r->numel() == 0) return;
  run(op, device_of({r}), [&](Operands& at) {
    auto item = static_cast<int64_t>(item_size(r->dtype));
    int64_t rows = r->size[0], columns = r->size[1];
    // Diagonals further away are none.
    int64_t nearest = std::clamp(diagonal, -rows - 1, columns + 1);
    TriangleCall call = {
        r->dtype,   above, nearest, rows, columns, r->stride[0] * item, r->stride[1] * item,
        at.write(r)};
    if (call.row_step < call.column_step) {
      std::swap(call.rows, call.columns);
      std::swap(call.row_step, call.column_step);
      call.above = !above;
      call.diagonal = -nearest;
    }
    return call;
  });
}

}  // namespace

void fill(Tensor* r, Scalar value) {
  if (r->numel() == 0) return;
  run(Op::fill, device_of({r}), [&](Operands& at) {
    FillCall call;
    call.dtype = r->dtype;
    call.value = value;
    call.plan.start(r->nDimension, r->size);
    call.plan.add(at.overwrite(r), item_size(r->dtype), r->stride);
    call.plan.plan();
    return call;
  });
}

void zero(Tensor* r) { fill(r, 0); }

void zeros(Tensor* r, Sizes sizes) {
  resize(r, sizes.ndim, sizes.size);
  zero(r);
}
void zerosLike(Tensor* r, Tensor* like) {
  resize_as(r, *like);
  zero(r);
}
void ones(Tensor* r, Sizes sizes) {
  resize(r, sizes.ndim, sizes.size);
  fill(r, 1);
}
void onesLike(Tensor* r, Tensor* like) {
  resize_as(r, *like);
  fill(r, 1);
}
void fullLike(Tensor* r, Tensor* like, Scalar value) {
  resize_as(r, *like);
  fill(r, value);
}
void emptyLike(Tensor* r, Tensor* like) { resize_as(r, *like); }

void eye(Tensor* r, int64_t n, int64_t m) {
  if (n < 0) fail_argument(2, "eye: %lld rows", static_cast<long long>(n));
  if (m < 0) fail_argument(3, "eye: %lld columns", static_cast<long long>(m));
  if (m == 0) m = n;
  int64_t size[] = {n, m};
  resize(r, 2, size);
  zero(r);
  if (n > 0) fill(diagonal_of(r, 0, 0).get(), 1);
}

void range(Tensor* r, Scalar first, Scalar last, Scalar step) {
  progression(Op::range, r, first, last, step, true);
}
void arange(Tensor* r, Scalar first, Scalar last, Scalar step) {
  progression(Op::arange, r, first, last, step, false);
}
void arangeTo(Tensor* r, Scalar last) { progression(Op::arangeTo, r, 0, last, 1, false); }

void linspace(Tensor* r, Scalar a, Scalar b, int64_t n) {
  double first = a.to_double(), last = b.to_double();
  if (n < 1 && !(n == 0)) fail_argument(4, "linspace: %lld points", static_cast<long long>(n));
  if (n == 1 && first != last) fail_argument(4, "linspace: one point cannot be both ends");
  resize_to_vector(r, n);
  double step = n > 1 ? (last - first) / static_cast<double>(n - 1) : 0;
  generate(r, {Op::linspace, first, step});
}
void logspace(Tensor* r, Scalar a, Scalar b, int64_t n) {
  double first = a.to_double(), last = b.to_double();
  if (n < 1 && !(n == 0)) fail_argument(4, "logspace: %lld points", static_cast<long long>(n));
  if (n == 1 && first != last) fail_argument(4, "logspace: one point cannot be both ends");
  resize_to_vector(r, n);
  double step = n > 1 ? (last - first) / static_cast<double>(n - 1) : 0;
  generate(r, {Op::logspace, first, step, true});
}

void diag(Tensor* r, Tensor* t, int64_t k) {
  if (r->dtype != t->dtype) fail("diag: result and source differ in type");
  if (t->nDimension != 1 && t->nDimension != 2) {
    fail_argument(2, "diag: a matrix or a vector is expected, got a tensor of size %s",
                  shape_text(*t).c_str());
  }
  constexpr int64_t limit = int64_t{1} << 40;
  if (k < -limit || k > limit) fail_argument(3, "diag: there is no such diagonal");
  int64_t down = k < 0 ? -k : 0, right = k > 0 ? k : 0;
  if (t->nDimension == 2) {
    int64_t length = std::min(t->size[0] - down, t->size[1] - right);
    if (length <= 0) {
      fail_argument(3, "diag: a matrix of size %s has no diagonal %lld", shape_text(*t).c_str(),
                    static_cast<long long>(k));
    }
    TensorRef result = clone(diagonal_of(t, down, right).get());
    resize(r, 1, &length);
    place_result(device_of({r, result.get()}), r);
    copy(r, result.get());
    return;
  }
  TensorRef source = clone(t);
  int64_t n = source->size[0];
  int64_t side = checked_add(n, down + right, "diag: a size");
  int64_t size[] = {side, side};
  resize(r, 2, size);
  place_result(device_of({r, source.get()}), r);
  zero(r);
  if (n == 0) return;
  copy(diagonal_of(r, down, right).get(), source.get());
}

void tril(Tensor* r, Tensor* t, int64_t k) { zero_triangle(Op::tril, r, t, true, k); }
void triu(Tensor* r, Tensor* t, int64_t k) { zero_triangle(Op::triu, r, t, false, k); }

void reshape(Tensor* r, Tensor* t, Sizes sizes) {
  int64_t size[kMaxDims];
  infer_sizes(sizes, t->numel(), size);
  if (checked_numel(sizes.ndim, size) != t->numel()) {
    fail_argument(3, "reshape: the %lld elements of size %s do not fill %s",
                  static_cast<long long>(t->numel()), shape_text(*t).c_str(),
                  shape_text(sizes.ndim, sizes.size).c_str());
  }
  TensorRef source = clone(t);
  set_geometry(source.get(), sizes.ndim, size, nullptr);
  resize(r, sizes.ndim, size);
  copy(r, source.get());
}

bool equal(Tensor* a, Tensor* b) {
  if (a->dtype != b->dtype) {
    fail("equal: a %sTensor and a %sTensor do not go together: convert one of them", name(a->dtype),
         name(b->dtype));
  }
  if (!same_size(*a, *b)) return false;
  if (a->numel() == 0) return true;
  return reduce_all(Op::equal, {Reducer::sum}, a, Transform::unequal, b).value.i == 0;
}

bool isSameSizeAs(Tensor* a, Tensor* b) { return same_size(*a, *b); }
bool isSetTo(Tensor* a, Tensor* b) { return a->storage && same_view(*a, *b); }

}  // namespace th::direct
