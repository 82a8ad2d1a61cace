// Rearrangement of elements, composed of views, copies and concatenation.

#include <vector>

#include "base/error.h"
#include "ops/direct.h"
#include "ops/composed.h"
#include "tensor/checked.h"

namespace th::direct {

namespace {

void check_type(const Tensor& r, const Tensor& t) {
  if (r.dtype != t.dtype) {
    fail("a %sTensor cannot be put into a %sTensor", name(t.dtype), name(r.dtype));
  }
}

void copy_to(Tensor* r, Tensor* t) {
  int64_t size[kMaxDims];
  std::copy(t->size, t->size + t->nDimension, size);
  if (r == t) return;
  make_contiguous(r, {t}, t->nDimension, size, [&](Tensor* result) { copy(result, t); });
}

TensorRef narrowed(Tensor* t, int dim, int64_t first, int64_t size) {
  TensorRef part(tensor_new(t->dtype));
  narrow(part.get(), t, dim, first, size);
  return part;
}

// r = t with one dimension reversed.
void turn(Tensor* r, Tensor* t, int dim) {
  int64_t n = t->size[dim];
  TensorRef index(tensor_new(DType::Long));
  range(index.get(), n - 1 + TH_INDEX_BASE, int64_t{TH_INDEX_BASE}, int64_t{-1});
  indexSelect(r, t, dim, index.get());
}

void turn_all(Tensor* r, Tensor* t, const bool* turned) {
  TensorRef current = view_of(t);
  int last = -1;
  for (int d = 0; d < t->nDimension; ++d) {
    if (!turned[d] || t->size[d] < 2 || t->numel() == 0) continue;
    if (last >= 0) {
      TensorRef next(tensor_new(t->dtype));
      turn(next.get(), current.get(), last);
      current = std::move(next);
    }
    last = d;
  }
  if (last >= 0) {
    turn(r, current.get(), last);
  } else {
    copy_to(r, t);
  }
}

// r (contiguous) = t with its elements rotated by shift along a dimension.
void roll_into(Tensor* r, Tensor* t, int dim, int64_t shift) {
  if (t->numel() == 0) return;
  int64_t n = t->size[dim];
  int64_t k = (shift % n + n) % n;
  auto move = [&](int64_t to, int64_t from, int64_t size) {
    if (size == 0) return;
    copy(narrowed(r, dim, to, size).get(), narrowed(t, dim, from, size).get());
  };
  move(0, n - k, k);
  move(k, 0, n - k);
}

void repeat_by(Tensor* r, Tensor* t, Sizes counts) {
  check_type(*r, *t);
  if (t->nDimension == 0) fail("a tensor without dimensions cannot be repeated");
  int ndim = std::max(counts.ndim, t->nDimension);
  if (2 * ndim > kMaxDims) fail("too many dimensions to repeat: %d", ndim);
  int64_t size[kMaxDims], window[kMaxDims], block[kMaxDims];
  for (int d = 0; d < ndim; ++d) {
    int own = d - (ndim - t->nDimension), given = d - (ndim - counts.ndim);
    int64_t count = given < 0 ? 1 : counts.size[given];
    if (count < 0) fail("a tensor cannot be repeated %lld times", static_cast<long long>(count));
    block[2 * d] = 1;
    window[2 * d] = count;
    block[2 * d + 1] = window[2 * d + 1] = own < 0 ? 1 : t->size[own];
    size[d] = checked_mul(count, block[2 * d + 1], "a size");
  }
  make_contiguous(r, {t}, ndim, size, [&](Tensor* result) {
    if (result->numel() == 0) return;
    TensorRef blocks = reshaped(t, 2 * ndim, block), target = reshaped(result, 2 * ndim, window);
    expand(blocks.get(), blocks.get(), {2 * ndim, window});
    copy(target.get(), blocks.get());
  });
}

}  // namespace

void stack(Tensor* r, TensorList inputs, int64_t dim) {
  if (inputs.count < 1) fail("at least one tensor is needed");
  const Tensor& first = *inputs.tensors[0];
  if (first.nDimension == 0) fail("tensors without dimensions cannot be stacked");
  for (int k = 1; k < inputs.count; ++k) {
    if (!same_size(first, *inputs.tensors[k])) {
      fail("the sizes %s and %s differ", shape_text(first).c_str(),
           shape_text(*inputs.tensors[k]).c_str());
    }
  }
  int d = wrap_dim(first.nDimension + 1, dim, 3);
  std::vector<TensorRef> slices;
  std::vector<Tensor*> list;
  for (int k = 0; k < inputs.count; ++k) {
    slices.push_back(view_of(inputs.tensors[k]));
    list.push_back(slices.back().get());
    unsqueeze1d(list.back(), list.back(), d);
  }
  catArray(r, TensorList(list.data(), inputs.count), d);
}

void hstack(Tensor* r, TensorList inputs) {
  if (inputs.count < 1) fail("at least one tensor is needed");
  catArray(r, inputs, inputs.tensors[0]->nDimension > 1 ? 1 : 0);
}

void vstack(Tensor* r, TensorList inputs) {
  std::vector<TensorRef> rows;
  std::vector<Tensor*> list;
  for (int k = 0; k < inputs.count; ++k) {
    rows.push_back(view_of(inputs.tensors[k]));
    list.push_back(rows.back().get());
    if (list.back()->nDimension == 1) unsqueeze1d(list.back(), list.back(), 0);
  }
  catArray(r, TensorList(list.data(), inputs.count), 0);
}

void flip(Tensor* r, Tensor* t, Sizes dims) {
  check_type(*r, *t);
  bool turned[kMaxDims] = {};
  for (int i = 0; i < dims.ndim; ++i) {
    int d = wrap_dim(*t, dims.size[i], 3);
    if (turned[d]) fail_argument(3, "dimension %lld is given twice", shown(d));
    turned[d] = true;
  }
  turn_all(r, t, turned);
}

void flipAll(Tensor* r, Tensor* t) {
  check_type(*r, *t);
  bool turned[kMaxDims];
  std::fill(turned, turned + kMaxDims, true);
  turn_all(r, t, turned);
}

void rot90(Tensor* r, Tensor* t, int64_t times, int64_t dim1, int64_t dim2) {
  check_type(*r, *t);
  int from = wrap_dim(*t, dim1, 4), to = wrap_dim(*t, dim2, 5);
  if (from == to) fail_argument(5, "two dimensions are expected, got %lld twice", shown(from));
  int64_t quarters = (times % 4 + 4) % 4;
  bool turned[kMaxDims] = {};
  turned[to] = quarters != 0;
  turned[from] = quarters == 2;
  TensorRef source = view_of(t);
  if (quarters == 3) transpose(source.get(), source.get(), from, to);
  if (quarters != 1) return turn_all(r, source.get(), turned);
  TensorRef result(tensor_new(t->dtype));
  turn_all(result.get(), t, turned);
  transpose(result.get(), result.get(), from, to);
  copy_to(r, result.get());
}

void roll(Tensor* r, Tensor* t, int64_t shift, int64_t dim) {
  check_type(*r, *t);
  int d = wrap_dim(*t, dim, 4);
  TensorRef source = view_of(t);
  make_contiguous(r, {t}, source->nDimension, source->size,
                  [&](Tensor* result) { roll_into(result, source.get(), d, shift); });
}

void rollDims(Tensor* r, Tensor* t, Sizes shifts, Sizes dims) {
  check_type(*r, *t);
  if (shifts.ndim != dims.ndim) {
    fail_argument(4, "%d shifts are given for %d dimensions", shifts.ndim, dims.ndim);
  }
  int64_t shift[kMaxDims] = {};
  for (int k = 0; k < dims.ndim; ++k) {
    int d = wrap_dim(*t, dims.size[k], 4);
    int64_t n = std::max<int64_t>(t->size[d], 1);
    shift[d] = (shift[d] + shifts.size[k] % n + n) % n;
  }
  TensorRef current = view_of(t);
  int last = -1;
  for (int d = 0; d < t->nDimension; ++d) {
    if (shift[d] == 0) continue;
    if (last >= 0) {
      TensorRef next(tensor_new(t->dtype));
      roll(next.get(), current.get(), shift[last], last);
      current = std::move(next);
    }
    last = d;
  }
  if (last < 0) return copy_to(r, t);
  roll(r, current.get(), shift[last], last);
}

void rollAll(Tensor* r, Tensor* t, int64_t shift) {
  check_type(*r, *t);
  int64_t n = t->numel();
  TensorRef source = view_of(t);
  make_contiguous(r, {t}, source->nDimension, source->size, [&](Tensor* result) {
    if (n == 0) return;
    TensorRef line = reshaped(result, 1, &n);
    roll_into(line.get(), reshaped(source.get(), 1, &n).get(), 0, shift);
  });
}

void tile(Tensor* r, Tensor* t, Sizes counts) { repeat_by(r, t, counts); }

void repeat(Tensor* r, Tensor* t, Sizes counts) {
  if (counts.ndim < t->nDimension) {
    fail_argument(3, "a count is expected for each of the %d dimensions, got %d", t->nDimension,
                  counts.ndim);
  }
  repeat_by(r, t, counts);
}

void diff(Tensor* r, Tensor* t, int64_t times, int64_t dim) {
  check_type(*r, *t);
  int d = wrap_dim(*t, dim, 4);
  if (times < 0) fail_argument(3, "%lld differences", static_cast<long long>(times));
  TensorRef current = view_of(t);
  if (times == 0) return copy_to(r, current.get());
  int64_t size[kMaxDims];
  std::copy(t->size, t->size + t->nDimension, size);
  int64_t n = size[d];
  size[d] = std::max<int64_t>(n - times, 0);
  bool none = checked_numel(t->nDimension, size) == 0;
  make_contiguous(r, {t}, t->nDimension, size, [&](Tensor* result) {
    for (int64_t left = times; !none && left > 0; --left, --n) {
      TensorRef next(tensor_new(t->dtype));
      csub(left == 1 ? result : next.get(), narrowed(current.get(), d, 1, n - 1).get(), 1,
           narrowed(current.get(), d, 0, n - 1).get());
      current = std::move(next);
    }
  });
}

void flatten(Tensor* r, Tensor* t, int64_t first, int64_t last) {
  check_type(*r, *t);
  if (t->nDimension == 0) return set(r, t);
  int from = wrap_dim(*t, first, 3), to = wrap_dim(*t, last, 4);
  if (from > to) {
    fail_argument(4, "dimension %lld stands before dimension %lld", shown(to), shown(from));
  }
  int64_t size[kMaxDims];
  std::copy(t->size, t->size + from + 1, size);
  for (int d = from + 1; d <= to; ++d) size[from] *= t->size[d];
  std::copy(t->size + to + 1, t->size + t->nDimension, size + from + 1);
  set(r, reshaped(t, t->nDimension - (to - from), size).get());
}

void unflatten(Tensor* r, Tensor* t, int64_t dim, Sizes sizes) {
  check_type(*r, *t);
  int d = wrap_dim(*t, dim, 3);
  int ndim = t->nDimension + sizes.ndim - 1;
  if (sizes.ndim < 1 || ndim > kMaxDims) fail_argument(4, "%d sizes are given", sizes.ndim);
  int64_t size[kMaxDims], stride[kMaxDims], part[kMaxDims];
  infer_sizes(sizes, t->size[d], part);
  if (checked_numel(sizes.ndim, part) != t->size[d]) {
    fail_argument(4, "dimension %lld of size %lld cannot be split into %s", shown(d),
                  static_cast<long long>(t->size[d]), shape_text(sizes.ndim, sizes.size).c_str());
  }
  std::copy(t->size, t->size + d, size);
  std::copy(t->stride, t->stride + d, stride);
  int64_t step = t->stride[d];
  for (int k = sizes.ndim - 1; k >= 0; --k) {
    size[d + k] = part[k];
    stride[d + k] = step;
    step = stride_before(part[k], step);
  }
  std::copy(t->size + d + 1, t->size + t->nDimension, size + d + sizes.ndim);
  std::copy(t->stride + d + 1, t->stride + t->nDimension, stride + d + sizes.ndim);
  set_storage(r, t->storage, t->storageOffset, ndim, size, stride);
}

void movedim(Tensor* r, Tensor* t, int64_t source, int64_t destination) {
  movedims(r, t, {1, &source}, {1, &destination});
}

void movedims(Tensor* r, Tensor* t, Sizes sources, Sizes destinations) {
  if (sources.ndim != destinations.ndim) {
    fail_argument(4, "%d places are given for %d dimensions", destinations.ndim, sources.ndim);
  }
  int64_t dims[kMaxDims];
  std::fill(dims, dims + t->nDimension, -1);
  bool moved[kMaxDims] = {};
  for (int k = 0; k < sources.ndim; ++k) {
    int from = wrap_dim(*t, sources.size[k], 3), to = wrap_dim(*t, destinations.size[k], 4);
    if (moved[from]) fail_argument(3, "dimension %lld is given twice", shown(from));
    if (dims[to] >= 0) fail_argument(4, "dimension %lld is given twice", shown(to));
    moved[from] = true;
    dims[to] = from;
  }
  int free = 0;
  for (int d = 0; d < t->nDimension; ++d) {
    if (moved[d]) continue;
    while (dims[free] >= 0) ++free;
    dims[free] = d;
  }
  permute(r, t, {t->nDimension, dims});
}

void swapaxes(Tensor* r, Tensor* t, int64_t dim1, int64_t dim2) { transpose(r, t, dim1, dim2); }

Scalar item(Tensor* t) {
  if (t->numel() != 1) fail("a tensor of one element is expected, got %s", shape_text(*t).c_str());
  return maxall(t);
}

}  // namespace th::direct
