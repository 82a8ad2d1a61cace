// Access to single elements with an index for each position.

#include "base/error.h"
#include "ops/direct.h"
#include "ops/composed.h"
#include "ops/indexing.h"
#include "tensor/checked.h"

namespace th {

namespace {

// index must have as many dimensions as t and be no larger in any dimension; dim only if along_dim.
void check_fits(const char* op, const Tensor& index, const Tensor& t, int dim, bool along_dim,
                int argument) {
  bool fits = index.nDimension == t.nDimension;
  for (int d = 0; fits && d < t.nDimension; ++d) {
    fits = index.size[d] <= t.size[d] || (d == dim && !along_dim);
  }
  if (!fits) {
    fail_argument(argument,
                  "%s: indices of size %s do not fit a tensor of size %s along "
                  "dimension %lld",
                  op, shape_text(index).c_str(), shape_text(t).c_str(), shown(dim));
  }
}

Indexed full_index(Op op, const char* name, int dim, const Tensor& t, Tensor* index, int argument) {
  return {op, name, dim, t.size[dim], index, IndexShape::full, argument};
}

// src is null for a fill with value.
void scatter_to(Op op, const char* name, ScatterAction action, Tensor* r, int64_t dimension,
                Tensor* index, Tensor* src, Scalar value) {
  if (src) check_same_type(name, *r, *src);
  int dim = wrap_dim(*r, dimension, 2);
  check_index_type(name, *index, 3);
  check_fits(name, *index, *r, dim, false, 3);
  Device* device = device_of({r, index, src});
  Indexed by = full_index(op, name, dim, *r, index, 3);
  IndexCheck check(by, device, *r);
  if (src) check_fits(name, *index, *src, dim, true, 4);
  if (index->numel() == 0) return;
  TensorRef indices = copy_if_aliased(*r, index), source;
  by.index = indices.get();
  if (src) source = copy_if_aliased(*r, src);
  scatter_by(by, check, device, action, r, source.get(), value);
}

}  // namespace

namespace direct {

void gather(Tensor* r, Tensor* t, int64_t dimension, Tensor* index) {
  int dim = wrap_dim(*t, dimension, 3);
  check_same_type("gather", *r, *t);
  check_index_type("gather", *index, 4);
  check_fits("gather", *index, *t, dim, false, 4);
  Device* device = device_of({r, t, index});
  Indexed by = full_index(Op::gather, "gather", dim, *t, index, 4);
  IndexCheck check(by, device, *r);
  if (needs_temporary(*r, *t, *index)) {
    TensorRef result(tensor_new(r->dtype));
    gather(result.get(), t, dimension, index);
    deliver(r, result.get());
    return;
  }
  resize_as(r, *index);
  if (r->numel() > 0) gather_by(by, check, device, r, t);
}

void scatter(Tensor* r, int64_t dimension, Tensor* index, Tensor* src) {
  scatter_to(Op::scatter, "scatter", ScatterAction::move, r, dimension, index, src, 0);
}

void scatterFill(Tensor* r, int64_t dimension, Tensor* index, Scalar value) {
  scatter_to(Op::scatterFill, "scatter", ScatterAction::fill, r, dimension, index, nullptr, value);
}

void scatterAdd(Tensor* r, int64_t dimension, Tensor* index, Tensor* src) {
  scatter_to(Op::scatterAdd, "scatterAdd", ScatterAction::add, r, dimension, index, src, 0);
}

void takeAlongDim(Tensor* r, Tensor* t, Tensor* index, int64_t dimension) {
  int dim = wrap_dim(*t, dimension, 4);
  int ndim = t->nDimension;
  int64_t from[kMaxDims], by[kMaxDims], size[kMaxDims];
  std::copy(t->size, t->size + ndim, from);
  bool fits = index->nDimension == ndim;
  if (fits) {
    std::copy(index->size, index->size + ndim, by);
    from[dim] = by[dim] = 1;
    fits = broadcast_sizes(ndim, from, ndim, by, &ndim, size);
  }
  if (!fits) {
    fail_argument(3, "indices of size %s do not fit a tensor of size %s along dimension %lld",
                  shape_text(*index).c_str(), shape_text(*t).c_str(), shown(dim));
  }
  TensorRef source = view_of(t), indices = view_of(index);
  size[dim] = t->size[dim];
  expand(source.get(), t, {ndim, size});
  size[dim] = index->size[dim];
  expand(indices.get(), index, {ndim, size});
  gather(r, source.get(), dim, indices.get());
}

void takeAlong(Tensor* r, Tensor* t, Tensor* index) {
  int64_t n = t->numel(), count = index->numel();
  gather(r, reshaped(t, 1, &n).get(), 0, reshaped(index, 1, &count).get());
}

void oneHot(Tensor* r, Tensor* index, int64_t classes) {
  if (index->nDimension == 0) fail("indices are expected, got a tensor without dimensions");
  int ndim = index->nDimension;
  if (index->numel() == 0 && classes < 1) fail("without an index the number of classes is needed");
  int64_t most = classes;
  if (index->numel() > 0) {
    int64_t least = minall(index).i, greatest = maxall(index).i;
    int64_t base = TH_INDEX_BASE;
    if (classes < 1)
      most = checked_add(std::max(greatest, base) - base, 1, "the number of classes");
    if (least < base || greatest - base >= most) {
      fail("index %lld is out of range of %lld classes",
           static_cast<long long>(least < base ? least : greatest), static_cast<long long>(most));
    }
  }
  int64_t size[kMaxDims + 1];
  std::copy(index->size, index->size + ndim, size);
  size[ndim] = most;
  make_contiguous(r, {index}, ndim + 1, size, [&](Tensor* result) {
    zero(result);
    TensorRef places(tensor_new(index->dtype));
    unsqueeze1d(places.get(), index, ndim);
    scatterFill(result, ndim, places.get(), 1);
  });
}

}  // namespace direct
}  // namespace th
