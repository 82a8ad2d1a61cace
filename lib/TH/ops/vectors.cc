// Vectors along a dimension: cross products, limited norms, distances.

#include <algorithm>
#include <cmath>

#include "ops/elementwise.h"
#include "ops/formula_operations.h"
#include "ops/tracer.h"

namespace th {

namespace {

// Number of differences computed at a time.
constexpr int64_t kMatchElements = 1 << 16;

// The matrices of t, with this many rows, for each batch of r. The result is contiguous.
TensorRef rows_of_batch(const TensorRef& t, int64_t rows, const Tensor& r) {
  int64_t size[kMaxDims];
  std::copy_n(r.size, r.nDimension - 2, size);
  size[r.nDimension - 2] = rows;
  size[r.nDimension - 1] = t->size[t->nDimension - 1];
  TensorRef expanded = view_of(t, [&](Tensor* v) {
    views::expand(v, t.get(), {r.nDimension, size});
  });
  return contiguous(expanded.get());
}

// Computes the distances of the rows of x and y, or their squares. r has their size.
void find_distances(Op op, Tensor* r, Tensor* x, Tensor* y, double p, bool squared = false) {
  Device* device = device_of({x, y});
  place_result(device, r);
  const int64_t length = x->size[x->nDimension - 1];
  if (length == 0) return ops::zero(r);
  const DType type = compute_type(r->dtype);
  const int64_t rows = r->size[r->nDimension - 2], columns = r->size[r->nDimension - 1];
  TensorRef a = rows_of_batch(in_type(x, type), rows, *r);
  TensorRef b = rows_of_batch(in_type(y, type), columns, *r);
  compute_in(type, r, [&](Tensor* to) {
    run(op, device, [&](Operands& at) {
      DistancesCall call;
      call.dtype = type;
      call.batches = to->numel() / (rows * columns);
      call.rows = rows;
      call.columns = columns;
      call.length = length;
      call.p = p;
      call.squared = squared;
      call.a = at.read(a.get()).data;
      call.b = at.read(b.get()).data;
      call.r = at.overwrite(to);
      return call;
    });
  });
}

// The size of dimension dim of t, which broadcasts to ndim dimensions.
int64_t size_in(const Tensor& t, int ndim, int64_t dim) {
  const int64_t own = dim - (ndim - t.nDimension);
  return own < 0 ? 1 : t.size[own];
}

// The default of crossDim, which stands for the first dimension of size 3.
constexpr int64_t kNoDimension = -(int64_t{1} << 62);

// Sets a.dimension to the dimension of the vectors. first: to the first one of size 3.
template <class A>
void shapes_of_cross(A& a, Shapes& s, bool first) {
  int ndim;
  int64_t size[kMaxDims];
  if (a.a->nDimension == 0 || a.b->nDimension == 0 ||
      !broadcast_sizes(a.a->nDimension, a.a->size, a.b->nDimension, a.b->size, &ndim, size)) {
    s.fail(a.b, "sizes %s and %s do not broadcast", shape_text(*a.a).c_str(),
           shape_text(*a.b).c_str());
  }
  auto has_vectors = [&](int64_t d) {
    return size_in(*a.a, ndim, d) == 3 && size_in(*a.b, ndim, d) == 3;
  };
  if (first) {
    a.dimension = 0;
    while (a.dimension < ndim && !has_vectors(a.dimension)) ++a.dimension;
    if (a.dimension == ndim) {
      s.fail(a.a, "no dimension of %s and %s has size 3", shape_text(*a.a).c_str(),
             shape_text(*a.b).c_str());
    }
  } else {
    const int d = s.dim(a.dimension, ndim);
    if (!has_vectors(d)) {
      s.fail(a.dimension, "dimension %lld has sizes %lld and %lld; 3 is expected", shown(d),
             as_long(size_in(*a.a, ndim, d)), as_long(size_in(*a.b, ndim, d)));
    }
    a.dimension = d;
  }
  s.set(a.r_, ndim, size, Layout::contiguous);
}

template <class A>
void cross_products(A& a) {
  // 16-bit floats are computed in float, and rounded once.
  const DType type = compute_type(a.r_->dtype);
  compute_in(type, a.r_, [&](Tensor* r) {
    TensorRef own_x = in_type(a.a, type), own_y = in_type(a.b, type);
    TensorRef x = broadcast_view(own_x.get(), r->nDimension, r->size);
    TensorRef y = broadcast_view(own_y.get(), r->nDimension, r->size);
    for (int64_t k = 0; k < 3; ++k) {
      auto part = [&](const TensorRef& t, int64_t i) { return narrowed(t, a.dimension, i % 3, 1); };
      TensorRef to = part(shared(r), k);
      ops::cmul(to.get(), part(x, k + 1).get(), part(y, k + 2).get());
      ops::addcmul(to.get(), to.get(), -1, part(x, k + 2).get(), part(y, k + 1).get());
    }
  });
}

// The number of elements of one row.
int64_t row_length(const Tensor& t) {
  return t.nDimension > 1 ? checked_numel(t.nDimension - 1, t.size + 1) : 1;
}

// Returns t as a matrix in which each row is a vector.
TensorRef rows_of(Tensor* t) {
  int64_t size[] = {t->size[0], row_length(*t)};
  if (t->numel() == 0) return TensorRef(tensor_new_sized(t->dtype, 2, size));
  TensorRef whole = contiguous(t);
  return view_of(whole, [&](Tensor* v) { views::view(v, whole.get(), {2, size}); });
}

}  // namespace

void shapes(args::cross& a, Shapes& s) { shapes_of_cross(a, s, a.dimension < 0); }
void calls(args::cross& a) { cross_products(a); }

void shapes(args::crossDim& a, Shapes& s) { shapes_of_cross(a, s, a.dimension == kNoDimension); }
void calls(args::crossDim& a) { cross_products(a); }

void shapes(args::renorm& a, Shapes& s) {
  if (!(a.value.to_double() > 0)) {
    s.fail(a.value, "the power of the norm must be positive, got %g", a.value.to_double());
  }
  a.dimension = s.dim(a.dimension, *a.t);
  if (a.t->nDimension < 2) {
    s.fail(a.t, "at least two dimensions are expected, got size %s", shape_text(*a.t).c_str());
  }
  if (!(a.maxnorm.to_double() >= 0)) {
    s.fail(a.maxnorm, "the largest norm must not be negative, got %g", a.maxnorm.to_double());
  }
  s.set(a.r_, *a.t, Layout::in_place);
}

void calls(args::renorm& a) {
  if (a.t->numel() == 0) return;
  const double limit = a.maxnorm.to_double();
  int64_t others[kMaxDims];
  int count = 0;
  for (int k = 0; k < a.t->nDimension; ++k) {
    if (k != a.dimension) others[count++] = k;
  }
  TensorRef x = in_type(a.t, compute_type(a.t->dtype));
  DType type = x->dtype;
  TensorRef norms = made(type, [&](Tensor* n) {
    ops::normDims(n, x.get(), a.value, {count, others}, true);
  });
  TensorRef above = made(DType::Byte, [&](Tensor* m) { ops::gtValue(m, norms.get(), limit); });
  // As in Torch7, norms above the limit end up slightly below it.
  ops::add(norms.get(), norms.get(), 1e-7);
  TensorRef factors = filled_like(norms, type, 1), shorter = empty(type);
  ops::tdiv(shorter.get(), limit, norms.get());
  ops::where(factors.get(), above.get(), shorter.get(), factors.get());
  compute_in(type, a.r_, [&](Tensor* to) { ops::cmul(to, x.get(), factors.get()); });
}

void shapes(args::match& a, Shapes& s) {
  for (Tensor** m : {&a.m1, &a.m2}) {
    if ((*m)->nDimension == 0) s.fail(*m, "a tensor with dimensions is expected");
  }
  if (row_length(*a.m1) != row_length(*a.m2)) {
    s.fail(a.m2, "rows of %s and of %s have different numbers of elements",
           shape_text(*a.m1).c_str(), shape_text(*a.m2).c_str());
  }
  const int64_t size[] = {a.m1->size[0], a.m2->size[0]};
  s.set(a.r_, 2, size, Layout::contiguous);
}

void calls(args::match& a) {
  if (a.r_->numel() == 0) return;
  const DType type = compute_type(a.m1->dtype);
  TensorRef x = rows_of(in_type(a.m1, type).get()), y = rows_of(in_type(a.m2, type).get());
  const int64_t length = x->size[1], count = x->size[0], other = y->size[0];
  if (length == 0) return ops::fill(a.r_, 0);
  // The kernel computes tiles, and needs memory for many columns of the length of a row.
  constexpr int64_t kTile = 16, kLongest = 1 << 20;
  const bool has_tiles = count >= kTile && other >= kTile && length <= kLongest;
  if (has_tiles && !is_integral(type) && !is_followed({a.m1, a.m2})) {
    return compute_in(type, a.r_, [&](Tensor* r) {
      find_distances(a.op, r, x.get(), y.get(), 2, true);
      if (a.gain.to_double() != 1) ops::mul(r, r, a.gain);
    });
  }
  compute_in(type, a.r_, [&](Tensor* r) {
    TensorRef result = shared(r), columns = unsqueezed(y, 0);
    int64_t at_once = std::max<int64_t>(1, kMatchElements / (other * length));
    for (int64_t i = 0; i < count; i += at_once) {
      int64_t n = std::min(at_once, count - i);
      TensorRef rows = unsqueezed(narrowed(x, 0, i, n), 1);
      int64_t sizes[] = {n, other, length};
      TensorRef some = view_of(rows, [&](Tensor* v) { views::expand(v, rows.get(), {3, sizes}); });
      TensorRef all = view_of(columns, [&](Tensor* v) {
        views::expand(v, columns.get(), {3, sizes});
      });
      TensorRef difference =
          made(type, [&](Tensor* to) { ops::csub(to, some.get(), 1, all.get()); });
      ops::cmul(difference.get(), difference.get(), difference.get());
      ops::sum(narrowed(result, 0, i, n).get(), difference.get(), 2, false);
    }
    ops::mul(r, r, a.gain);
  });
}

// ---- distances of all pairs of rows -------------------------------------------------------------

namespace {

// The distances as the norms of differences, of which a tracer follows the derivatives.
void copy_distances(args::cdist& a) {
  // The differences broadcast, also if there are as many rows in a as in b.
  RulesScope rules({Pairing::numpy, current_rules.torch7});
  const Var x = formulas::unsqueeze1d(ref(a.a), int64_t{a.a->nDimension - 1});
  const Var y = formulas::unsqueeze1d(ref(a.b), int64_t{a.b->nDimension - 2});
  ops::copy(a.r_, formulas::norm(x - y, a.value, a.r_->nDimension, false).get());
}

template <class Arguments>
void shapes_of_distances(Arguments& a, Shapes& s) {
  const Tensor &x = *a.a, &y = *a.b;
  if (x.nDimension < 2 || y.nDimension < 2 ||
      x.size[x.nDimension - 1] != y.size[y.nDimension - 1]) {
    s.fail(a.b, "matrices with rows of one size are expected, got sizes %s and %s",
           shape_text(x).c_str(), shape_text(y).c_str());
  }
  int ndim = 0;
  int64_t size[kMaxDims];
  if (!broadcast_sizes(x.nDimension - 2, x.size, y.nDimension - 2, y.size, &ndim, size)) {
    s.fail(a.b, "the batches of sizes %s and %s do not broadcast", shape_text(x).c_str(),
           shape_text(y).c_str());
  }
  if (ndim + 3 > kMaxDims) s.fail(a.a, "too many dimensions: %d", ndim + 2);
  size[ndim++] = x.size[x.nDimension - 2];
  size[ndim++] = y.size[y.nDimension - 2];
  s.set(a.r_, ndim, size, Layout::contiguous);
}

}  // namespace

void shapes(args::cdist& a, Shapes& s) {
  if (!(a.value.to_double() >= 0)) {
    s.fail(a.value, "the power of the norm must not be negative, got %g", a.value.to_double());
  }
  shapes_of_distances(a, s);
}
void calls(args::cdist& a) {
  if (a.r_->numel() == 0) return;
  const double p = a.value.to_double();
  if (!is_followed({a.a, a.b})) return find_distances(a.op, a.r_, a.a, a.b, p);
  p == 2 ? ops::cdistEuclidean(a.r_, a.a, a.b) : copy_distances(a);
}

void shapes(args::cdistEuclidean& a, Shapes& s) { shapes_of_distances(a, s); }
void calls(args::cdistEuclidean& a) {
  if (a.r_->numel() > 0) find_distances(a.op, a.r_, a.a, a.b, 2);
}

}  // namespace th
