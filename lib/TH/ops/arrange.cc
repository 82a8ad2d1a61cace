// Rearrangement of elements, composed of views, copies and other operations.

#include <algorithm>

#include "base/error.h"
#include "ops/compose.h"
#include "ops/tracer.h"
#include "tensor/checked.h"

namespace th {

namespace {

TensorRef narrowed(Tensor* t, int dim, int64_t first, int64_t size) {
  TensorRef part(tensor_new(t->dtype));
  views::narrow(part.get(), t, dim, first, size);
  return part;
}

// Computes r as t with one dimension reversed.
void reverse(Tensor* r, Tensor* t, int dim) {
  int64_t n = t->size[dim];
  TensorRef index(tensor_new(DType::Long));
  ops::range(index.get(), n - 1 + TH_INDEX_BASE, int64_t{TH_INDEX_BASE}, int64_t{-1});
  ops::indexSelect(r, t, dim, index.get());
}

// Computes r as t with some dimensions reversed. The kernel of copies may go backwards, but
// gradients and devices know positive strides only.
void reverse_all(Tensor* r, Tensor* t, const bool* reversed) {
  const bool by_strides = t->numel() > 0 && !device_of({r, t}) && !tracing();
  TensorRef current = view_of(t);
  int last = -1;
  for (int d = 0; d < t->nDimension; ++d) {
    if (!reversed[d] || t->size[d] < 2 || t->numel() == 0) continue;
    if (by_strides) {
      current->storageOffset += (t->size[d] - 1) * t->stride[d];
      current->stride[d] = -t->stride[d];
      continue;
    }
    if (last >= 0) {
      TensorRef next(tensor_new(t->dtype));
      reverse(next.get(), current.get(), last);
      current = std::move(next);
    }
    last = d;
  }
  if (last >= 0) return reverse(r, current.get(), last);
  if (by_strides) resize_as(r, *t);
  ops::copy(r, current.get());
}

// Throws if a dimension of the list, a field of the arguments, is out of range or occurs twice.
void check_distinct(const Tensor& t, const Sizes& dims, const Shapes& s) {
  bool found[kMaxDims] = {};
  for (int k = 0; k < dims.ndim; ++k) {
    const int d = wrap_dim(t, dims.size[k], s.number_of(&dims));
    if (found[d]) s.fail(dims, "dimension %lld is given twice", shown(d));
    found[d] = true;
  }
}

// Computes r as t with its elements rotated by shift along a dimension.
void rotate(Tensor* r, Tensor* t, int dim, int64_t shift) {
  if (t->numel() == 0) return;
  int64_t n = t->size[dim];
  int64_t k = (shift % n + n) % n;
  auto move = [&](int64_t to, int64_t from, int64_t size) {
    if (size == 0) return;
    ops::copy(narrowed(r, dim, to, size).get(), narrowed(t, dim, from, size).get());
  };
  move(0, n - k, k);
  move(k, 0, n - k);
}

// The shape of repeated blocks. window: the result with two dimensions for each of its dimensions,
// the number of repetitions and the size in t. block: t in that shape, with 1 repetition.
struct Repetition {
  int ndim;
  int64_t size[kMaxDims], window[kMaxDims], block[kMaxDims];

  Repetition(const Tensor& t, Sizes counts) : ndim(std::max(counts.ndim, t.nDimension)) {
    if (t.nDimension == 0) fail("a tensor without dimensions cannot be repeated");
    if (2 * ndim > kMaxDims) fail("too many dimensions to repeat: %d", ndim);
    for (int d = 0; d < ndim; ++d) {
      int own = d - (ndim - t.nDimension), given = d - (ndim - counts.ndim);
      int64_t count = given < 0 ? 1 : counts.size[given];
      if (count < 0) fail("a tensor cannot be repeated %lld times", as_long(count));
      block[2 * d] = 1;
      window[2 * d] = count;
      block[2 * d + 1] = window[2 * d + 1] = own < 0 ? 1 : t.size[own];
      size[d] = checked_mul(count, block[2 * d + 1], "a size");
    }
  }
};

template <class Arguments>
void repeat_shape(Arguments& a, Shapes* s) {
  Repetition by(*a.t, a.size);
  s->set(a.r_, by.ndim, by.size, Layout::contiguous);
}

// r: contiguous.
void repeat_blocks(Tensor* r, Tensor* t, Sizes counts) {
  if (r->numel() == 0) return;
  Repetition by(*t, counts);
  place_result(device_of({t}), r);
  TensorRef blocks = reshaped(t, 2 * by.ndim, by.block);
  TensorRef target = reshaped(r, 2 * by.ndim, by.window);
  views::expand(blocks.get(), blocks.get(), {2 * by.ndim, by.window});
  ops::copy(target.get(), blocks.get());
}

}  // namespace

void shapes(args::flip& a, Shapes& s) {
  check_distinct(*a.t, a.dims, s);
  s.set(a.r_, *a.t);
}
void calls(args::flip& a) {
  bool reversed[kMaxDims] = {};
  for (int i = 0; i < a.dims.ndim; ++i) reversed[wrap_dim(*a.t, a.dims.size[i])] = true;
  reverse_all(a.r_, a.t, reversed);
}

void shapes(args::flipAll& a, Shapes& s) { s.set(a.r_, *a.t); }
void calls(args::flipAll& a) {
  bool reversed[kMaxDims];
  std::fill(reversed, reversed + kMaxDims, true);
  reverse_all(a.r_, a.t, reversed);
}

void shapes(args::rot90& a, Shapes& s) {
  const int from = s.dim(a.dimension1, *a.t), to = s.dim(a.dimension2, *a.t);
  if (from == to) {
    s.fail(a.dimension2, "two dimensions are expected, got %lld twice", shown(from));
  }
  a.dimension1 = from;
  a.dimension2 = to;
  a.k = (a.k % 4 + 4) % 4;
  int64_t size[kMaxDims];
  std::copy(a.t->size, a.t->size + a.t->nDimension, size);
  if (a.k % 2) std::swap(size[from], size[to]);
  s.set(a.r_, a.t->nDimension, size);
}
void calls(args::rot90& a) {
  const auto from = static_cast<int>(a.dimension1), to = static_cast<int>(a.dimension2);
  bool reversed[kMaxDims] = {};
  reversed[from] = a.k == 1 || a.k == 2;
  reversed[to] = a.k == 2 || a.k == 3;
  TensorRef source = view_of(a.t);
  if (a.k % 2) views::transpose(source.get(), source.get(), from, to);
  reverse_all(a.r_, source.get(), reversed);
}

void shapes(args::roll& a, Shapes& s) {
  a.dimension = s.dim(a.dimension, *a.t);
  s.set(a.r_, *a.t);
}
void calls(args::roll& a) {
  place_result(device_of({a.t}), a.r_);
  rotate(a.r_, a.t, static_cast<int>(a.dimension), a.shift);
}

void shapes(args::rollDims& a, Shapes& s) {
  if (a.shifts.ndim != a.dims.ndim) {
    s.fail(a.dims, "%d shifts are given for %d dimensions", a.shifts.ndim, a.dims.ndim);
  }
  for (int k = 0; k < a.dims.ndim; ++k) wrap_dim(*a.t, a.dims.size[k], s.number_of(&a.dims));
  s.set(a.r_, *a.t);
}
void calls(args::rollDims& a) {
  int64_t shift[kMaxDims] = {};
  for (int k = 0; k < a.dims.ndim; ++k) {
    int d = wrap_dim(*a.t, a.dims.size[k]);
    int64_t n = std::max<int64_t>(a.t->size[d], 1);
    shift[d] = (shift[d] + a.shifts.size[k] % n + n) % n;
  }
  TensorRef current = view_of(a.t);
  int last = -1;
  for (int d = 0; d < a.t->nDimension; ++d) {
    if (shift[d] == 0) continue;
    if (last >= 0) {
      TensorRef next(tensor_new(a.t->dtype));
      ops::roll(next.get(), current.get(), shift[last], last);
      current = std::move(next);
    }
    last = d;
  }
  if (last < 0) return ops::copy(a.r_, a.t);
  ops::roll(a.r_, current.get(), shift[last], last);
}

void shapes(args::rollAll& a, Shapes& s) { s.set(a.r_, *a.t, Layout::contiguous); }
void calls(args::rollAll& a) {
  int64_t n = a.t->numel();
  if (n == 0) return;
  place_result(device_of({a.t}), a.r_);
  TensorRef line = reshaped(a.r_, 1, &n);
  rotate(line.get(), reshaped(a.t, 1, &n).get(), 0, a.shift);
}

void shapes(args::tile& a, Shapes& s) { repeat_shape(a, &s); }
void calls(args::tile& a) { repeat_blocks(a.r_, a.t, a.size); }

void shapes(args::repeat& a, Shapes& s) {
  if (a.size.ndim < a.t->nDimension) {
    s.fail(a.size, "a count is expected for each of the %d dimensions, got %d", a.t->nDimension,
           a.size.ndim);
  }
  repeat_shape(a, &s);
}
void calls(args::repeat& a) { repeat_blocks(a.r_, a.t, a.size); }

void shapes(args::diff& a, Shapes& s) {
  const int d = s.dim(a.dimension, *a.t);
  a.dimension = d;
  if (a.n < 0) s.fail(a.n, "%lld differences", as_long(a.n));
  int64_t size[kMaxDims];
  std::copy(a.t->size, a.t->size + a.t->nDimension, size);
  size[d] = std::max<int64_t>(size[d] - a.n, 0);
  s.set(a.r_, a.t->nDimension, size);
}
void calls(args::diff& a) {
  const auto d = static_cast<int>(a.dimension);
  if (a.n == 0) return ops::copy(a.r_, a.t);
  if (a.r_->numel() == 0) return;
  if (a.n > 1 && compute_type(a.t->dtype) != a.t->dtype) {
    // 16-bit floats are computed in float, and rounded once.
    TensorRef wide = in_type(a.t, compute_type(a.t->dtype));
    TensorRef r = made(wide->dtype, [&](Tensor* q) { ops::diff(q, wide.get(), a.n, d); });
    return ops::copy(a.r_, r.get());
  }
  TensorRef current = view_of(a.t);
  for (int64_t left = a.n; left > 0; --left) {
    const int64_t n = current->size[d];
    TensorRef next(tensor_new(a.t->dtype));
    ops::csub(left == 1 ? a.r_ : next.get(), narrowed(current.get(), d, 1, n - 1).get(), 1,
              narrowed(current.get(), d, 0, n - 1).get());
    current = std::move(next);
  }
}

// ---- views; flatten copies if the strides do not allow a view -----------------------------------

void shapes(args::flatten& a, Shapes& s) {
  if (a.src->nDimension == 0) return;
  a.first = s.dim(a.first, *a.src);
  a.last = s.dim(a.last, *a.src);
  if (a.first > a.last) {
    s.fail(a.last, "dimension %lld stands before dimension %lld", shown(a.last), shown(a.first));
  }
}
void calls(args::flatten& a) {
  Tensor* t = a.src;
  if (t->nDimension == 0) return views::set(a.self, t);
  int64_t size[kMaxDims];
  std::copy(t->size, t->size + a.first + 1, size);
  for (int64_t d = a.first + 1; d <= a.last; ++d) size[a.first] *= t->size[d];
  std::copy(t->size + a.last + 1, t->size + t->nDimension, size + a.first + 1);
  const auto joined = static_cast<int>(a.last - a.first);
  views::set(a.self, reshaped(t, t->nDimension - joined, size).get());
}

void shapes(args::unflatten& a, Shapes& s) {
  a.dimension = s.dim(a.dimension, *a.src);
  if (a.size.ndim < 1 || a.src->nDimension + a.size.ndim - 1 > kMaxDims) {
    s.fail(a.size, "%d sizes are given", a.size.ndim);
  }
  const int64_t size = a.src->size[a.dimension];
  int64_t part[kMaxDims];
  infer_sizes(a.size, size, part);
  if (checked_numel(a.size.ndim, part) == size) return;
  s.fail(a.size, "dimension %lld of size %lld cannot be split into %s", shown(a.dimension),
         as_long(size), shape_text(a.size.ndim, a.size.size).c_str());
}
void calls(args::unflatten& a) {
  const Tensor* t = a.src;
  const auto d = static_cast<int>(a.dimension);
  const int ndim = t->nDimension + a.size.ndim - 1;
  int64_t size[kMaxDims], stride[kMaxDims], part[kMaxDims];
  infer_sizes(a.size, t->size[d], part);
  std::copy(t->size, t->size + d, size);
  std::copy(t->stride, t->stride + d, stride);
  int64_t step = t->stride[d];
  for (int k = a.size.ndim - 1; k >= 0; --k) {
    size[d + k] = part[k];
    stride[d + k] = step;
    step = stride_before(part[k], step);
  }
  std::copy(t->size + d + 1, t->size + t->nDimension, size + d + a.size.ndim);
  std::copy(t->stride + d + 1, t->stride + t->nDimension, stride + d + a.size.ndim);
  set_storage(a.self, t->storage, t->storageOffset, ndim, size, stride);
}

void shapes(args::movedim&, Shapes&) {}
void calls(args::movedim& a) { ops::movedims(a.self, a.src, {1, &a.source}, {1, &a.destination}); }

void shapes(args::movedims& a, Shapes& s) {
  if (a.sources.ndim != a.destinations.ndim) {
    s.fail(a.destinations, "%d destinations are given for %d dimensions", a.destinations.ndim,
           a.sources.ndim);
  }
  check_distinct(*a.src, a.sources, s);
  check_distinct(*a.src, a.destinations, s);
}
void calls(args::movedims& a) {
  const Tensor& t = *a.src;
  int64_t dims[kMaxDims];
  std::fill(dims, dims + t.nDimension, -1);
  bool moved[kMaxDims] = {};
  for (int k = 0; k < a.sources.ndim; ++k) {
    const int from = wrap_dim(t, a.sources.size[k], 0);
    moved[from] = true;
    dims[wrap_dim(t, a.destinations.size[k], 0)] = from;
  }
  int free = 0;
  for (int d = 0; d < t.nDimension; ++d) {
    if (moved[d]) continue;
    while (dims[free] >= 0) ++free;
    dims[free] = d;
  }
  views::permute(a.self, a.src, {t.nDimension, dims});
}

void shapes(args::swapaxes&, Shapes&) {}
void calls(args::swapaxes& a) { views::transpose(a.self, a.src, a.dimension1, a.dimension2); }

void shapes(args::item& a, Shapes& s) {
  if (a.t->numel() == 1) return;
  s.fail(a.t, "a tensor of one element is expected, got %s", shape_text(*a.t).c_str());
}
void calls(args::item& a) { a.returned = ops::maxall(a.t); }

}  // namespace th
