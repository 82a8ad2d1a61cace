// Access to slices along a dimension by a vector of indices.

#include <algorithm>

#include "base/error.h"
#include "ops/direct.h"
#include "ops/indexing.h"

namespace th {

namespace {

void check_vector(const char* op, const Tensor& index, int argument) {
  check_index_type(op, index, argument);
  if (index.nDimension != 1) {
    fail_argument(argument, "%s: the indices must be a vector, got size %s", op,
                  shape_text(index).c_str());
  }
}

// Returns src with slices of r's shape. Torch7 requires only that the slices have as many elements.
TensorRef source_slices(const char* op, const Tensor& r, int dim, const Tensor& index,
                        Tensor* src) {
  int64_t slice = 1, src_slice = 1;
  bool same = r.nDimension == src->nDimension;
  for (int d = 0; d < r.nDimension; ++d) {
    if (d != dim) slice *= r.size[d];
    same = same && (d == dim || r.size[d] == src->size[d]);
  }
  for (int d = 0; d < src->nDimension; ++d) {
    if (d != dim) src_slice *= src->size[d];
  }
  if (dim >= src->nDimension || src->size[dim] != index.size[0] || slice != src_slice) {
    fail_argument(4,
                  "%s: a source of size %s does not give %lld slices along dimension %lld for a "
                  "tensor of size %s",
                  op, shape_text(*src).c_str(), static_cast<long long>(index.size[0]), shown(dim),
                  shape_text(r).c_str());
  }
  TensorRef kept = copy_if_aliased(r, src);
  if (same) return kept;
  // Put the slices one after another, then view them in r's shape.
  TensorRef view(tensor_new(src->dtype));
  int64_t order[kMaxDims], size[kMaxDims], stride[kMaxDims];
  order[0] = dim;
  for (int d = 0, n = 1; d < src->nDimension; ++d) {
    if (d != dim) order[n++] = d;
  }
  views::permute(view.get(), kept.get(), Sizes{src->nDimension, order});
  TensorRef whole = contiguous(view.get());
  int64_t step = 1;
  for (int d = r.nDimension - 1; d >= 0; --d) {
    size[d] = d == dim ? index.size[0] : r.size[d];
    stride[d] = d == dim ? slice : step;
    if (d != dim) step *= r.size[d];
  }
  TensorRef shaped(tensor_new(src->dtype));
  set_storage(shaped.get(), whole->storage, whole->storageOffset, r.nDimension, size, stride);
  return shaped;
}

Indexed vector_index(Op op, int dim, const Tensor& t, Tensor* index, int argument) {
  return {op, name(op), dim, t.size[dim], index, IndexShape::vector, argument};
}

// The common part of indexCopy and indexAdd.
void write_slices(Op op, ScatterAction action, Tensor* r, int64_t dimension, Tensor* index,
                  Tensor* src) {
  int dim = wrap_dim(*r, dimension, 2);
  check_same_type(name(op), *r, *src);
  check_vector(name(op), *index, 3);
  Device* device = device_of({r, index, src});
  Indexed by = vector_index(op, dim, *r, index, 3);
  IndexCheck check(by, device, *r);
  TensorRef source = source_slices(name(op), *r, dim, *index, src);
  if (source->numel() == 0) return;
  TensorRef indices = copy_if_aliased(*r, index);
  by.index = indices.get();
  scatter_by(by, check, device, action, r, source.get(), 0);
}

}  // namespace

namespace direct {

void indexSelect(Tensor* r, Tensor* t, int64_t dimension, Tensor* index) {
  int dim = wrap_dim(*t, dimension, 3);
  check_same_type("indexSelect", *r, *t);
  check_vector("indexSelect", *index, 4);
  Device* device = device_of({r, t, index});
  Indexed by = vector_index(Op::indexSelect, dim, *t, index, 4);
  IndexCheck check(by, device, *r);
  if (needs_temporary(*r, *t, *index)) {
    TensorRef result(tensor_new(r->dtype));
    indexSelect(result.get(), t, dimension, index);
    deliver(r, result.get());
    return;
  }
  int64_t size[kMaxDims];
  std::copy(t->size, t->size + t->nDimension, size);
  size[dim] = index->size[0];
  resize(r, t->nDimension, size);
  if (r->numel() > 0) gather_by(by, check, device, r, t);
}

void indexCopy(Tensor* r, int64_t dimension, Tensor* index, Tensor* src) {
  write_slices(Op::indexCopy, ScatterAction::move, r, dimension, index, src);
}

void indexAdd(Tensor* r, int64_t dimension, Tensor* index, Tensor* src) {
  write_slices(Op::indexAdd, ScatterAction::add, r, dimension, index, src);
}

void indexFill(Tensor* r, int64_t dimension, Tensor* index, Scalar value) {
  int dim = wrap_dim(*r, dimension, 2);
  check_vector("indexFill", *index, 3);
  Device* device = device_of({r, index});
  Indexed by = vector_index(Op::indexFill, dim, *r, index, 3);
  IndexCheck check(by, device, *r);
  if (r->numel() == 0 || index->numel() == 0) return;
  TensorRef indices = copy_if_aliased(*r, index);
  by.index = indices.get();
  scatter_by(by, check, device, ScatterAction::fill, r, nullptr, value);
}

}  // namespace direct
}  // namespace th
