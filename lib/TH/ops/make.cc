// Filling and creating tensors.

#include <algorithm>
#include <cmath>

#include "ops/formula_operations.h"
#include "ops/operands.h"
#include "ops/rules.h"
#include "ops/scalars.h"
#include "tensor/checked.h"

namespace th {

namespace {

bool fits_long(double x) { return x >= -9223372036854775808.0 && x < 9223372036854775808.0; }

// Returns a whole number as an integer if int64 holds it.
Scalar whole(Scalar x) {
  if (x.integral || !fits_long(x.d) || x.d != std::floor(x.d)) return x;
  return Scalar(static_cast<int64_t>(x.d));
}

// Returns the number of elements of a progression of integers exactly; doubles would round. The
// arithmetic is unsigned because the distance may need 64 bits.
double integral_steps(int64_t first, int64_t last, int64_t step, bool inclusive) {
  uint64_t from = static_cast<uint64_t>(first), to = static_cast<uint64_t>(last);
  uint64_t distance = step > 0 ? to - from : from - to;
  uint64_t by = step > 0 ? static_cast<uint64_t>(step) : 0 - static_cast<uint64_t>(step);
  bool one_more = inclusive || distance % by != 0;
  return static_cast<double>(distance / by) + (one_more ? 1 : 0);
}

// Returns the number of elements of a progression. Throws if it is infinite or the step has the
// wrong sign.
int64_t steps(Scalar a, Scalar b, Scalar by, bool inclusive) {
  double first = a.to_double(), last = b.to_double(), step = by.to_double();
  bool integral = a.integral && b.integral && by.integral;
  if (!std::isfinite(first) || !std::isfinite(last) || !std::isfinite(step) || step == 0) {
    fail("invalid range from %g to %g in steps of %g", first, last, step);
  }
  if (integral ? a.i != b.i && (a.i < b.i) != (by.i > 0) : (last - first) / step < 0) {
    fail("steps of %g do not lead from %g to %g", step, first, last);
  }
  double n = integral    ? integral_steps(a.i, b.i, by.i, inclusive)
             : inclusive ? std::floor((last - first) / step) + 1
                         : std::ceil((last - first) / step);
  if (n > 1e15) fail("%g elements are too many", n);
  return static_cast<int64_t>(n);
}

// As in Torch7, a result with this number of elements keeps its shape.
void set_vector(Tensor*& r, int64_t n, Shapes* s) {
  if (r->numel() == n && r->nDimension > 0) {
    s->set(r, *r, Layout::contiguous);
  } else {
    s->set(r, 1, &n, Layout::contiguous);
  }
}

// Writes a + i b, or 10^(a + i b), for i = 0, 1, ... to r's elements; in integers if a and b are
// integers.
void generate(Op op, Tensor* r, Scalar a, Scalar b, bool power_of_ten = false) {
  if (r->numel() == 0) return;
  run(op, device_of({r}), [&](Operands& at) {
    return GenerateCall{r->dtype, power_of_ten, a, b, r->numel(), at.overwrite(r)};
  });
}

void progression_shape(Tensor*& r, Scalar first, Scalar last, Scalar step, bool inclusive,
                       Shapes* s) {
  const Scalar a = whole(first), b = whole(last), by = whole(step);
  const int64_t n = steps(a, b, by, inclusive);
  // Between two 64-bit integers all numbers fit; as doubles, they may round to 2^63.
  const bool fits_exactly = r->dtype == DType::Long && a.integral && b.integral && by.integral;
  if (n > 0 && is_integral(r->dtype) && !fits_exactly && !current_rules.torch7) {
    const double start = first.to_double();
    const double end = start + step.to_double() * static_cast<double>(n - 1);
    const bool whole_step = n == 1 || step.integral || step.d == std::trunc(step.d);
    if (!holds(r->dtype, start) || !holds(r->dtype, end) || !whole_step) {
      fail("%sTensor does not hold the numbers from %.14g to %.14g in steps of %.14g",
           name_with_article(r->dtype), start, end, step.to_double());
    }
  }
  set_vector(r, n, s);
}

void progression(Op op, Tensor* r, Scalar first, Scalar last, Scalar step) {
  if (!fits_long(last.to_double()) && !last.integral) {
    generate(op, r, first.to_double(), step.to_double());
  } else if (r->dtype == DType::Long) {
    generate(op, r, whole(first), whole(step));
  } else {
    generate(op, r, first, step);
  }
}

// For linspace and logspace.
template <class Arguments>
void points_shape(Arguments& a, Shapes* s) {
  if (a.n < 0) s->fail(a.n, "the number of points is %lld", as_long(a.n));
  if (a.n == 1 && current_rules.torch7 && a.a.to_double() != a.b.to_double()) {
    s->fail(a.n, "one point cannot be both ends");
  }
  set_vector(a.r_, a.n, s);
}

template <class Arguments>
void identity_shape(Arguments& a, Shapes* s) {
  if (a.n < 0) s->fail(a.n, "the number of rows is %lld", as_long(a.n));
  const bool square = a.m == -1 || (current_rules.torch7 && a.m == 0);
  if (a.m < 0 && !square) {
    s->fail(a.m, "the number of columns is %lld", as_long(a.m));
  }
  const int64_t size[] = {a.n, square ? a.n : a.m};
  s->set(a.r_, 2, size);
}

template <class Arguments>
void points(const Arguments& a, bool power_of_ten) {
  const double first = a.a.to_double(), last = a.b.to_double();
  const double step = a.n > 1 ? (last - first) / static_cast<double>(a.n - 1) : 0;
  generate(Arguments::op, a.r_, first, step, power_of_ten);
}

// Writes the end of a range to the last element of r, which had a rounding error.
void end_exactly(Tensor* r, const Scalar& end) {
  if (r->numel() < 2) return;
  TensorRef last(tensor_new(r->dtype));
  for (int d = 0; d < r->nDimension; ++d) {
    ops::narrow(last.get(), d == 0 ? r : last.get(), d, r->size[d] - 1, 1);
  }
  ops::fill(last.get(), end);
}

// Returns a view of the diagonal of a matrix that starts at an element.
TensorRef diagonal_of(Tensor* t, int64_t row, int64_t column) {
  constexpr char what[] = "the stride of a diagonal";
  int64_t first[] = {row, column};
  int64_t length = std::min(t->size[0] - row, t->size[1] - column);
  int64_t stride = length > 1 ? checked_add(t->stride[0], t->stride[1], what) : 1;
  return strided_view(*t, t->position(first), 1, &length, &stride);
}

template <class Arguments>
void triangle_shape(Arguments& a, Shapes* s) {
  if (a.t->nDimension < 2) {
    s->fail(a.t, "a matrix is expected, got a tensor of size %s", shape_text(*a.t).c_str());
  }
  s->set(a.r_, *a.t, Layout::in_place);
}

// The same for a batch of matrices, by a mask.
void zero_triangles(Tensor* r, Tensor* t, bool above, int64_t diagonal) {
  const Sizes matrix = {2, t->size + t->nDimension - 2}, all = {t->nDimension, t->size};
  const Var ones = filled(ref(t), DType::Byte, 2, matrix.size, 1);
  const Var mask = above ? formulas::tril(ones, diagonal) : formulas::triu(ones, diagonal);
  const int64_t one = 1;
  const Var zero = filled(ref(t), t->dtype, 1, &one, 0);
  ops::where(r, formulas::expand(mask, all).get(), t, formulas::expand(zero, all).get());
}

// Copies t to r, with zeros above or below a diagonal.
void zero_triangle(Op op, Tensor* r, Tensor* t, bool above, int64_t diagonal) {
  if (t->nDimension > 2) return zero_triangles(r, t, above, diagonal);
  if (r != t) {
    if (!share_storage(*r, *t)) place_result(device_of({r, t}), r);
    ops::copy(r, t);
  }
  if (r->numel() == 0) return;
  run(op, device_of({r}), [&](Operands& at) {
    auto item = static_cast<int64_t>(item_size(r->dtype));
    int64_t rows = r->size[0], columns = r->size[1];
    // Diagonals beyond these are empty.
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

void fill_with(Tensor* r, Scalar value) {
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

}  // namespace

void shapes(args::fill&, Shapes&) {}
void calls(args::fill& a) { fill_with(a.r_, a.value); }

void shapes(args::zero&, Shapes&) {}
void calls(args::zero& a) { fill_with(a.r_, 0); }

void shapes(args::zeros& a, Shapes& s) { s.set(a.r_, a.size.ndim, a.size.size); }
void calls(args::zeros& a) { fill_with(a.r_, 0); }

void shapes(args::ones& a, Shapes& s) { s.set(a.r_, a.size.ndim, a.size.size); }
void calls(args::ones& a) { fill_with(a.r_, 1); }

// The elements of the input are not read, so the result may be the input.
void shapes(args::zerosLike& a, Shapes& s) { s.set(a.r_, *a.input, Layout::in_place); }
void calls(args::zerosLike& a) {
  place_result(device_of({a.input}), a.r_);
  fill_with(a.r_, 0);
}

void shapes(args::onesLike& a, Shapes& s) { s.set(a.r_, *a.input, Layout::in_place); }
void calls(args::onesLike& a) {
  place_result(device_of({a.input}), a.r_);
  fill_with(a.r_, 1);
}

void shapes(args::fullLike& a, Shapes& s) { s.set(a.r_, *a.input, Layout::in_place); }
void calls(args::fullLike& a) {
  place_result(device_of({a.input}), a.r_);
  fill_with(a.r_, a.value);
}

void shapes(args::emptyLike& a, Shapes& s) { s.set(a.r_, *a.input, Layout::in_place); }
void calls(args::emptyLike& a) { place_result(device_of({a.input}), a.r_); }

void shapes(args::eye& a, Shapes& s) { identity_shape(a, &s); }
void calls(args::eye& a) {
  fill_with(a.r_, 0);
  if (a.r_->numel() > 0) fill_with(diagonal_of(a.r_, 0, 0).get(), 1);
}

void shapes(args::eyeDiagonal& a, Shapes& s) { identity_shape(a, &s); }
void calls(args::eyeDiagonal& a) {
  fill_with(a.r_, 0);
  const int64_t rows = a.r_->size[0], columns = a.r_->size[1];
  if (a.k <= -rows || a.k >= columns) return;
  const int64_t row = std::max<int64_t>(-a.k, 0), column = std::max<int64_t>(a.k, 0);
  fill_with(diagonal_of(a.r_, row, column).get(), 1);
}

void shapes(args::range& a, Shapes& s) {
  progression_shape(a.r_, a.xmin, a.xmax, a.step, true, &s);
}
void calls(args::range& a) { progression(Op::range, a.r_, a.xmin, a.xmax, a.step); }

void shapes(args::arange& a, Shapes& s) {
  progression_shape(a.r_, a.xmin, a.xmax, a.step, false, &s);
}
void calls(args::arange& a) { progression(Op::arange, a.r_, a.xmin, a.xmax, a.step); }

void shapes(args::arangeTo& a, Shapes& s) { progression_shape(a.r_, 0, a.xmax, 1, false, &s); }
void calls(args::arangeTo& a) { progression(Op::arangeTo, a.r_, 0, a.xmax, 1); }

void shapes(args::linspace& a, Shapes& s) { points_shape(a, &s); }
void calls(args::linspace& a) {
  points(a, false);
  end_exactly(a.r_, a.b);
}

void shapes(args::linspaceEnd& a, Shapes& s) {
  if (a.n < 0) s.fail(a.n, "the number of points is %lld", as_long(a.n));
  set_vector(a.r_, a.n, &s);
}
void calls(args::linspaceEnd& a) {
  const double first = a.a.to_double(), last = a.b.to_double();
  const int64_t steps = a.endpoint ? a.n - 1 : a.n;
  const double step = steps > 0 ? (last - first) / static_cast<double>(steps) : 0;
  generate(Op::linspaceEnd, a.r_, first, step);
  if (a.endpoint) end_exactly(a.r_, a.b);
}

void shapes(args::logspace& a, Shapes& s) { points_shape(a, &s); }
void calls(args::logspace& a) { points(a, true); }

void shapes(args::diag& a, Shapes& s) {
  const Tensor& t = *a.t;
  if (t.nDimension != 1 && t.nDimension != 2) {
    s.fail(a.t, "a matrix or a vector is expected, got a tensor of size %s", shape_text(t).c_str());
  }
  constexpr int64_t limit = int64_t{1} << 40;
  if (a.k < -limit || a.k > limit) {
    s.fail(a.k, "diagonal %lld is out of range", as_long(a.k));
  }
  const int64_t row = std::max<int64_t>(-a.k, 0), column = std::max<int64_t>(a.k, 0);
  if (t.nDimension == 1) {
    const int64_t side = checked_add(t.size[0], row + column, "a size");
    const int64_t size[] = {side, side};
    return s.set(a.r_, 2, size);
  }
  const int64_t length = std::max<int64_t>(std::min(t.size[0] - row, t.size[1] - column), 0);
  s.set(a.r_, 1, &length);
}
void calls(args::diag& a) {
  const int64_t row = std::max<int64_t>(-a.k, 0), column = std::max<int64_t>(a.k, 0);
  place_result(device_of({a.r_, a.t}), a.r_);
  if (a.r_->numel() == 0) return;
  if (a.t->nDimension == 2) return ops::copy(a.r_, diagonal_of(a.t, row, column).get());
  fill_with(a.r_, 0);
  if (a.t->size[0] > 0) ops::copy(diagonal_of(a.r_, row, column).get(), a.t);
}

void shapes(args::tril& a, Shapes& s) { triangle_shape(a, &s); }
void calls(args::tril& a) { zero_triangle(Op::tril, a.r_, a.t, true, a.k); }

void shapes(args::triu& a, Shapes& s) { triangle_shape(a, &s); }
void calls(args::triu& a) { zero_triangle(Op::triu, a.r_, a.t, false, a.k); }

void shapes(args::reshape& a, Shapes& s) {
  int64_t size[kMaxDims];
  infer_sizes(a.size, a.t->numel(), size);
  if (checked_numel(a.size.ndim, size) != a.t->numel()) {
    s.fail(a.size, "the %lld elements of size %s do not fill %s", as_long(a.t->numel()),
           shape_text(*a.t).c_str(), shape_text(a.size.ndim, a.size.size).c_str());
  }
  s.set(a.r_, a.size.ndim, size);
}
void calls(args::reshape& a) {
  // Elements pair in order, whatever the caller's rules are.
  RulesScope rules({Pairing::torch7, current_rules.torch7});
  ops::copy(a.r_, a.t);
}

}  // namespace th
