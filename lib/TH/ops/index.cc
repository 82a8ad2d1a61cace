// Slices of one dimension, chosen by a vector of indices.

#include <optional>

#include "cpu/parallel.h"
#include "memory/error.h"
#include "ops/elementwise.h"
#include "functors/index_actions.h"
#include "ops/index_on_device.h"
#include "ops/slices.h"
#include "tensor/convert.h"

namespace th {

namespace {

void check_vector(const char* op, const Tensor& index, int argument) {
  check_index_type(op, index, argument);
  if (index.nDimension != 1) {
    fail_argument(argument, "%s: the indices must be a vector, got size %s", op,
                  shape_text(index).c_str());
  }
}

// The slices of r at the indices, from those of `from`.
template <class T, class Action>
void write_slices(Tensor* r, int dim, const Tensor& index, const Side& from) {
  bool in_order = has_shared_elements(*r);
  Slices slices(sizeof(T), r->nDimension, r->size, dim, index.size[0],
                chosen_slices(r->data(Access::write), r->stride, dim, sizeof(T), index), from,
                in_order);
  if (in_order) {
    slices.run_in_order<T, Action>();
  } else {
    slices.run_by_position<T, Action>();
  }
}

// src with slices of r's sizes; Torch7 asks for no more than as many elements in each.
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
                  "%s: a source of size %s does not give %lld slices along dimension %d for a "
                  "tensor of size %s",
                  op, shape_text(*src).c_str(), static_cast<long long>(index.size[0]), dim + 1,
                  shape_text(r).c_str());
  }
  TensorRef kept = kept_from(r, src);
  if (same) return kept;
  // The slices one after the other, then in r's shape.
  TensorRef view(tensor_new(src->dtype));
  int64_t order[kMaxDims], size[kMaxDims], stride[kMaxDims];
  order[0] = dim;
  for (int d = 0, n = 1; d < src->nDimension; ++d) {
    if (d != dim) order[n++] = d;
  }
  ops::permute(view.get(), kept.get(), Sizes{src->nDimension, order});
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

// The elements of a vector at the indices: slices of one element, without their bookkeeping.
void select_elements(Tensor* r, Tensor* t, const Tensor& index) {
  dispatch_item(t->dtype, [&](auto zero) {
    using T = decltype(zero);
    const int64_t* at = index.data_as<int64_t>(Access::read);
    const T* in = t->data_as<T>(Access::read);
    T* out = r->data_as<T>(Access::write);
    int64_t at_step = index.stride[0], in_step = t->stride[0], out_step = r->stride[0];
    bool unit_steps = at_step == 1 && in_step == 1 && out_step == 1;
    parallel_for(r->size[0], Grain::gather, [&](int64_t begin, int64_t end) {
      if (unit_steps) {
        for (int64_t i = begin; i < end; ++i) out[i] = in[at[i] - TH_INDEX_BASE];
        return;
      }
      for (int64_t i = begin; i < end; ++i) {
        out[i * out_step] = in[(at[i * at_step] - TH_INDEX_BASE) * in_step];
      }
    });
  });
}

// Checks and prepares what indexCopy and indexAdd have in common.
struct SliceWrite {
  int dim;
  Device* device;
  TensorRef index;
  TensorRef src;
  std::optional<IndexCheck> check;
  SliceWrite(const char* op, Tensor* r, int64_t dimension, Tensor* indices, Tensor* source)
      : dim(wrap_dim(*r, dimension, 2)), device(device_of({r, indices, source})) {
    check_same_type(op, *r, *source);
    check_vector(op, *indices, 3);
    check.emplace(op, *indices, r->size[dim], dim, 3, device);
    src = source_slices(op, *r, dim, *indices, source);
    index = kept_from(*r, indices);
  }
  bool nothing_to_do() const { return src->numel() == 0; }
  // Whether the operation was queued on a device.
  bool done_on_device(ScatterAction action, Tensor* r) const {
    if (device && scatter_on(*device, action, r, dim, index.get(), IndexShape::vector, src.get(), 0,
                             *check)) {
      return true;
    }
    check->on_cpu(*index);
    return false;
  }
  Side from() const {
    return all_slices(src->data(Access::read), src->stride, dim, item_size(src->dtype));
  }
};

}  // namespace

namespace ops {

void indexSelect(Tensor* r, Tensor* t, int64_t dimension, Tensor* index) {
  int dim = wrap_dim(*t, dimension, 3);
  check_same_type("indexSelect", *r, *t);
  check_vector("indexSelect", *index, 4);
  Device* device = device_of({r, t, index});
  IndexCheck check("indexSelect", *index, t->size[dim], dim, 4, device);
  if (needs_temporary(*r, *t, *index)) {
    TensorRef result(tensor_new(r->dtype));
    indexSelect(result.get(), t, dimension, index);
    deliver(r, result.get());
    return;
  }
  int64_t size[kMaxDims];
  std::copy(t->size, t->size + t->nDimension, size);
  int64_t count = size[dim] = index->size[0];
  resize(r, t->nDimension, size);
  if (r->numel() == 0) return;
  if (device && gather_on(*device, r, t, dim, index, IndexShape::vector, check)) return;
  check.on_cpu(*index);
  size_t item = item_size(t->dtype);
  Side from = chosen_slices(t->data(Access::read), t->stride, dim, item, *index);
  Side to = all_slices(r->data(access_for_result(*r)), r->stride, dim, item);
  bool in_order = has_shared_elements(*r);
  if (t->nDimension == 1 && !in_order) {
    select_elements(r, t, *index);
    return;
  }
  Slices slices(item, r->nDimension, r->size, dim, count, to, from, in_order);
  dispatch_item(t->dtype, [&](auto zero) {
    using T = decltype(zero);
    if (in_order) {
      slices.run_in_order<T, Move<T>>();
    } else {
      slices.run<T, Move<T>>();
    }
  });
}

void indexCopy(Tensor* r, int64_t dimension, Tensor* index, Tensor* src) {
  SliceWrite w("indexCopy", r, dimension, index, src);
  if (w.nothing_to_do() || w.done_on_device(ScatterAction::move, r)) return;
  dispatch_item(r->dtype, [&](auto zero) {
    using T = decltype(zero);
    write_slices<T, Move<T>>(r, w.dim, *w.index, w.from());
  });
}

void indexAdd(Tensor* r, int64_t dimension, Tensor* index, Tensor* src) {
  SliceWrite w("indexAdd", r, dimension, index, src);
  if (w.nothing_to_do() || w.done_on_device(ScatterAction::add, r)) return;
  dispatch(r->dtype, [&](auto zero) {
    using T = decltype(zero);
    write_slices<T, Accumulate<T>>(r, w.dim, *w.index, w.from());
  });
}

void indexFill(Tensor* r, int64_t dimension, Tensor* index, Scalar value) {
  int dim = wrap_dim(*r, dimension, 2);
  check_vector("indexFill", *index, 3);
  Device* device = device_of({r, index});
  IndexCheck check("indexFill", *index, r->size[dim], dim, 3, device);
  if (r->numel() == 0 || index->numel() == 0) return;
  TensorRef kept = kept_from(*r, index);
  if (device && scatter_on(*device, ScatterAction::fill, r, dim, kept.get(), IndexShape::vector,
                           nullptr, value, check)) {
    return;
  }
  check.on_cpu(*kept);
  int64_t no_stride[kMaxDims] = {};
  dispatch(r->dtype, [&](auto zero) {
    using T = decltype(zero);
    T element = convert<T>(value);
    Side from = all_slices(reinterpret_cast<char*>(&element), no_stride, dim, sizeof(T));
    write_slices<T, Move<T>>(r, dim, *kept, from);
  });
}

}  // namespace ops
}  // namespace th
