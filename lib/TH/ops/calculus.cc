// Integrals, derivatives and interpolation of sampled functions.

#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/formula_operations.h"

namespace th {

namespace {

using namespace formulas;

// 16-bit floats are computed in float, and rounded once.
Var wide(Tensor* t) { return as(ref(t), compute_type(t->dtype)); }
void give_rounded(Shapes& s, Tensor*& r, const Var& value, DType type) {
  give(s, r, as(value, type));
}

// The differences of neighbours.
Var steps_of(const Var& t, int64_t dim) { return diff(t, int64_t{1}, dim); }

// Returns x as a tensor of t's number of dimensions: a vector belongs to dimension dim.
template <class A>
Var points_along(const A& a, const Shapes& s, int dim) {
  const Tensor &t = *a.t, &x = *a.x;
  if (same_size(t, x)) return wide(a.x);
  if (x.nDimension != 1 || x.size[0] != t.size[dim]) {
    s.fail(a.x, "a vector of %lld points or a tensor of size %s is expected, got size %s",
           as_long(t.size[dim]), shape_text(t).c_str(), shape_text(x).c_str());
  }
  int64_t size[kMaxDims];
  std::fill(size, size + t.nDimension, 1);
  size[dim] = x.size[0];
  return with_shape(wide(a.x), t.nDimension, size);
}

// The sum of neighbours' means times their distances, given by `times`.
template <class F>
Var trapezoids(const Var& t, int dim, const F& times) {
  const int64_t n = std::max<int64_t>(t->size[dim], 1);
  if (n == 1) return sum(part(t, dim, 0, 0), int64_t{dim}, false);
  const Var twice = part(t, dim, 1, n - 1) + part(t, dim, 0, n - 1);
  return sum(times(twice), int64_t{dim}, false) * 0.5;
}

template <class A>
int dim_of_two(A& a, const Shapes& s) {
  const int d = own_dim(a, s);
  if (a.t->size[d] >= 2) return d;
  s.fail(a.t, "dimension %lld of %s has fewer than 2 elements", shown(d), shape_text(*a.t).c_str());
}

}  // namespace

void shapes(args::trapezoid& a, Shapes& s) {
  const int d = own_dim(a, s);
  const Var r = trapezoids(wide(a.t), d, [&](const Var& t) { return t * a.spacing; });
  give_rounded(s, a.r_, r, a.t->dtype);
}
void calls(args::trapezoid&) {}

void shapes(args::trapezoidAt& a, Shapes& s) {
  const int d = own_dim(a, s);
  const Var x = points_along(a, s, d);
  const Var r = trapezoids(wide(a.t), d, [&](const Var& t) { return t * steps_of(x, d); });
  give_rounded(s, a.r_, r, a.t->dtype);
}
void calls(args::trapezoidAt&) {}

void shapes(args::cumulativeTrapezoid& a, Shapes& s) {
  const int d = own_dim(a, s);
  const Var t = wide(a.t);
  const int64_t n = t->size[d];
  if (n < 2) return give(s, a.r_, Var(clone(part(ref(a.t), d, 0, 0).get())));
  const Var twice = part(t, d, 1, n - 1) + part(t, d, 0, n - 1);
  give_rounded(s, a.r_, cumsum(twice, int64_t{d}) * (a.spacing / 2), a.t->dtype);
}
void calls(args::cumulativeTrapezoid&) {}

void shapes(args::slope& a, Shapes& s) {
  const int d = dim_of_two(a, s);
  const Var t = wide(a.t), steps = steps_of(t, d);
  const int64_t n = steps->size[d];
  Var r = cat(part(steps, d, 0, 1), part(steps, d, n - 1, 1), int64_t{d});
  if (n > 1) {
    // Not the mean of two steps, to which the element between them would add its rounding error.
    const Var inner = (part(t, d, 2, n - 1) - part(t, d, 0, n - 1)) * 0.5;
    r = cat(cat(part(r, d, 0, 1), inner, int64_t{d}), part(r, d, 1, 1), int64_t{d});
  }
  give_rounded(s, a.r_, r / a.spacing, a.t->dtype);
}
void calls(args::slope&) {}

void shapes(args::slopeAt& a, Shapes& s) {
  const int d = dim_of_two(a, s);
  const Var distances = steps_of(points_along(a, s, d), d);
  const Var slopes = steps_of(wide(a.t), d) / distances;
  const int64_t n = slopes->size[d];
  Var r = cat(part(slopes, d, 0, 1), part(slopes, d, n - 1, 1), int64_t{d});
  if (n > 1) {
    // The slope of the parabola through three points: each side counts by the other's distance.
    const Var before = part(distances, d, 0, n - 1), after = part(distances, d, 1, n - 1);
    const Var inner =
        (part(slopes, d, 0, n - 1) * after + part(slopes, d, 1, n - 1) * before) / (before + after);
    r = cat(cat(part(r, d, 0, 1), inner, int64_t{d}), part(r, d, 1, 1), int64_t{d});
  }
  give_rounded(s, a.r_, r, a.t->dtype);
}
void calls(args::slopeAt&) {}

void shapes(args::interp& a, Shapes& s) {
  const Tensor &points = *a.points, &values = *a.values;
  if (points.nDimension != 1 || points.size[0] == 0) {
    s.fail(a.points, "a vector of at least one point is expected, got size %s",
           shape_text(points).c_str());
  }
  if (!same_size(points, values)) {
    s.fail(a.values, "%lld values are expected, one for each point, got size %s",
           as_long(points.size[0]), shape_text(values).c_str());
  }
  if (a.t->numel() == 0) return s.set(a.r_, *a.t);
  const Var xs = wide(a.points), ys = wide(a.values);
  const int64_t n = points.size[0], last = n - 1 + TH_INDEX_BASE;
  const Var x = cmin(cmax(flat(wide(a.t)), part(xs, 0, 0, 1)), part(xs, 0, n - 1, 1));
  // The number of points up to x, which is at least 1, so that this is the index of the last one.
  // NaN, which is sorted last, gets the last point.
  const Var below = clamp(searchsorted(xs, x, true) - 1, Scalar(TH_INDEX_BASE), Scalar(last));
  const Var above = cminValue(below + 1, Scalar(last));
  auto at = [](const Var& t, const Var& index) { return indexSelect(t, int64_t{0}, index); };
  const Var x0 = at(xs, below), width = at(xs, above) - x0;
  const Var y0 = at(ys, below), y1 = at(ys, above);
  const Var ones = filled(width, 1);
  const Var slope = (y1 - y0) / where(eqValue(width, Scalar(0)), ones, width);
  const Var sloped = y0 + slope * (x - x0);
  // An infinite value has an effect between the points beside it only.
  const Var finite = ltValue(abs(slope), Scalar(std::numeric_limits<double>::infinity()));
  const Var known = logicalAnd(eqTensor(x, x), logicalOr(eqTensor(x, x0), eqTensor(y0, y1)));
  const Var r = where(logicalAnd(known, eqValue(finite, Scalar(0))), y0, sloped);
  // At a point that is infinite, the distance is NaN.
  const Var far = eqValue(abs(x0), Scalar(std::numeric_limits<double>::infinity()));
  const Var at_infinity = logicalAnd(eqTensor(x, x0), far);
  give_rounded(s, a.r_, with_shape(where(at_infinity, y0, r), *a.t), a.values->dtype);
}
void calls(args::interp&) {}

void shapes(args::diffWith& a, Shapes& s) {
  const int d = own_dim(a, s);
  if (a.n < 0) s.fail(a.n, "%lld differences", as_long(a.n));
  Var t = ref(a.t);
  if (a.before) t = cat(ref(a.before), t, int64_t{d});
  if (a.after) t = cat(t, ref(a.after), int64_t{d});
  give(s, a.r_, diff(t, a.n, int64_t{d}));
}
void calls(args::diffWith&) {}

void shapes(args::unwrap& a, Shapes& s) {
  const int d = own_dim(a, s);
  if (!(a.period > 0)) s.fail(a.period, "the period must be positive, got %g", a.period);
  const Var t = wide(a.t);
  const int64_t n = t->size[d];
  if (n < 2) return give(s, a.r_, Var(clone(a.t)));
  const Var steps = steps_of(t, d);
  const double half = a.period / 2;
  const Var wrapped = steps + half;
  Var nearest = wrapped - floor(wrapped / a.period) * a.period - half;
  // A step of half a period keeps its sign.
  const Var flips = logicalAnd(eqValue(nearest, Scalar(-half)), gtValue(steps, Scalar(0)));
  nearest = where(flips, filled(nearest, half), nearest);
  const Var small = ltValue(abs(steps), Scalar(half));
  const Var change = where(small, filled(steps, 0), nearest - steps);
  const Var rest = part(t, d, 1, n - 1) + cumsum(change, int64_t{d});
  give_rounded(s, a.r_, cat(part(t, d, 0, 1), rest, int64_t{d}), a.t->dtype);
}
void calls(args::unwrap&) {}

void shapes(args::logcumsumexp& a, Shapes& s) {
  const int d = own_dim(a, s);
  if (a.t->numel() == 0) return give(s, a.r_, Var(clone(a.t)));
  Var r = wide(a.t);
  const int64_t n = r->size[d];
  // After each step, an element covers twice as many elements.
  for (int64_t covered = 1; covered < n; covered *= 2) {
    const Var sums = logaddexp(part(r, d, covered, n - covered), part(r, d, 0, n - covered));
    r = cat(part(r, d, 0, covered), sums, int64_t{d});
  }
  if (r.get() == a.t) return give(s, a.r_, Var(clone(a.t)));
  give_rounded(s, a.r_, r, a.t->dtype);
}
void calls(args::logcumsumexp&) {}

}  // namespace th
