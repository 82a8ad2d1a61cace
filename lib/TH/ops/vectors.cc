// Vectors along a dimension: their cross product, norms that are limited, distances.

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "ops/direct.h"
#include "ops/compose.h"
#include "ops/elementwise.h"

namespace th {

namespace {

// Elements that differences are taken of at a time.
constexpr int64_t kMatchElements = 1 << 16;

// The size of t, which broadcasts to ndim dimensions, in one of them.
int64_t size_in(const Tensor& t, int ndim, int dim) {
  int own = dim - (ndim - t.nDimension);
  return own < 0 ? 1 : t.size[own];
}

// dim: counted from 0, or from the end if negative; below -kMaxDims the first possible one.
void cross_along(Tensor* r, Tensor* a, Tensor* b, int64_t dim) {
  check_result("cross", 1, *r, a->dtype);
  check_same_type("cross", *a, *b);
  int ndim;
  int64_t size[kMaxDims];
  if (a->nDimension == 0 || b->nDimension == 0 ||
      !broadcast_sizes(a->nDimension, a->size, b->nDimension, b->size, &ndim, size)) {
    fail_argument(3, "cross: sizes %s and %s do not broadcast", shape_text(*a).c_str(),
                  shape_text(*b).c_str());
  }
  auto has_vectors = [&](int64_t d) {
    return size_in(*a, ndim, d) == 3 && size_in(*b, ndim, d) == 3;
  };
  TensorRef x = broadcast_view(a, ndim, size), y = broadcast_view(b, ndim, size);
  if (dim < -kMaxDims) {
    dim = 0;
    while (dim < ndim && !has_vectors(dim)) ++dim;
    if (dim == ndim) {
      fail_argument(2, "cross: no dimension of %s and %s has size 3", shape_text(*a).c_str(),
                    shape_text(*b).c_str());
    }
  } else {
    dim = wrap_dim(*x, dim, 4);
    if (!has_vectors(dim)) {
      fail_argument(4, "cross: dimension %d has sizes %lld and %lld, 3 is expected",
                    static_cast<int>(dim) + 1, static_cast<long long>(size_in(*a, ndim, dim)),
                    static_cast<long long>(size_in(*b, ndim, dim)));
    }
  }
  TensorRef result = filled(*a, a->dtype, ndim, size, 0);
  for (int64_t k = 0; k < 3; ++k) {
    auto part = [&](const TensorRef& t, int64_t i) { return narrowed(t, dim, i % 3, 1); };
    TensorRef to = part(result, k);
    ops::cmul(to.get(), part(x, k + 1).get(), part(y, k + 2).get());
    ops::addcmul(to.get(), to.get(), -1, part(x, k + 2).get(), part(y, k + 1).get());
  }
  deliver(r, result.get());
}

// All of each row as a vector.
TensorRef rows_of(const char* name, Tensor* t, int argument) {
  if (t->nDimension == 0) fail_argument(argument, "%s: a tensor without dimensions", name);
  int64_t length = t->nDimension > 1 ? checked_numel(t->nDimension - 1, t->size + 1) : 1;
  int64_t size[] = {t->size[0], length};
  if (t->numel() == 0) return TensorRef(tensor_new_sized(t->dtype, 2, size));
  TensorRef whole = contiguous(t);
  return view_of(whole, [&](Tensor* v) { views::view(v, whole.get(), {2, size}); });
}

}  // namespace

namespace direct {

void cross(Tensor* r, Tensor* a, Tensor* b, int64_t dim) {
  cross_along(r, a, b, dim < 0 ? -kMaxDims - 1 : dim);
}

void crossDim(Tensor* r, Tensor* a, Tensor* b, int64_t dim) { cross_along(r, a, b, dim); }

void renorm(Tensor* r, Tensor* t, Scalar p, int64_t dim, Scalar most) {
  check_result("renorm", 1, *r, t->dtype);
  check_floating("renorm", 2, *t);
  if (!(p.to_double() > 0)) {
    fail_argument(3, "renorm: the norm's power must be positive, got %g", p.to_double());
  }
  int d = wrap_dim(*t, dim, 4);
  if (t->nDimension < 2) {
    fail_argument(2, "renorm: at least two dimensions are needed, got size %s",
                  shape_text(*t).c_str());
  }
  double limit = most.to_double();
  if (!(limit >= 0))
    fail_argument(5, "renorm: the largest norm must not be negative, got %g", limit);
  if (t->numel() == 0) return resize_as(r, *t);
  int64_t others[kMaxDims];
  int count = 0;
  for (int k = 0; k < t->nDimension; ++k) {
    if (k != d) others[count++] = k;
  }
  TensorRef x = in_type(t, compute_type(t->dtype));
  DType type = x->dtype;
  TensorRef norms = made(type, [&](Tensor* n) { normDims(n, x.get(), p, {count, others}, true); });
  TensorRef above = made(DType::Byte, [&](Tensor* m) { gtValue(m, norms.get(), limit); });
  // As Torch7: what is too long ends up a little below the limit.
  add(norms.get(), norms.get(), 1e-7);
  TensorRef factors = filled_like(norms, type, 1), shorter = empty(type);
  tdiv(shorter.get(), limit, norms.get());
  where(factors.get(), above.get(), shorter.get(), factors.get());
  TensorRef result = made(type, [&](Tensor* to) { cmul(to, x.get(), factors.get()); });
  deliver(r, result.get());
}

void match(Tensor* r, Tensor* a, Tensor* b, Scalar gain) {
  check_result("match", 1, *r, a->dtype);
  check_same_type("match", *a, *b);
  DType type = compute_type(a->dtype);
  TensorRef x = rows_of("match", in_type(a, type).get(), 2);
  TensorRef y = rows_of("match", in_type(b, type).get(), 3);
  int64_t length = x->size[1];
  if (length != y->size[1]) {
    fail_argument(3, "match: rows of %s and of %s have different numbers of elements",
                  shape_text(*a).c_str(), shape_text(*b).c_str());
  }
  int64_t size[] = {x->size[0], y->size[0]};
  TensorRef result = filled(*x, type, 2, size, 0);
  if (result->numel() > 0 && length > 0) {
    int64_t at_once = std::max<int64_t>(1, kMatchElements / (size[1] * length));
    TensorRef columns = unsqueezed(y, 0);
    for (int64_t i = 0; i < size[0]; i += at_once) {
      int64_t n = std::min(at_once, size[0] - i);
      TensorRef rows = unsqueezed(narrowed(x, 0, i, n), 1);
      int64_t sizes[] = {n, size[1], length};
      TensorRef some = view_of(rows, [&](Tensor* v) { expand(v, rows.get(), {3, sizes}); });
      TensorRef all = view_of(columns, [&](Tensor* v) { expand(v, columns.get(), {3, sizes}); });
      TensorRef difference = made(type, [&](Tensor* to) { csub(to, some.get(), 1, all.get()); });
      cmul(difference.get(), difference.get(), difference.get());
      sum(narrowed(result, 0, i, n).get(), difference.get(), 2, false);
    }
    mul(result.get(), result.get(), gain);
  }
  deliver(r, result.get());
}

}  // namespace direct
}  // namespace th
