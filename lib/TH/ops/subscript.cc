// Subscripts t[{...}] with ranges, steps, masks and index tensors, by views and index operations.

#include "ops/subscript.h"

#include <algorithm>
#include <vector>

#include "base/error.h"
#include "ops/elementwise.h"
#include "ops/operands.h"
#include "ops/tracer.h"
#include "tensor/checked.h"
#include "tensor/geometry.h"

namespace th {

namespace {

TensorRef shaped(Tensor* t, const std::vector<int64_t>& size) {
  TensorRef view(tensor_new(t->dtype));
  views::view(view.get(), t, {static_cast<int>(size.size()), size.data()});
  return view;
}

// An index tensor and the dimension of the view that it indexes.
struct IndexTensor {
  int dim;
  TensorRef indices;
};

// A resolved subscript: a view for numbers and ranges with positive steps, then the dimensions of
// the view to be reversed, and those indexed by tensors.
struct Resolved {
  Geometry part;
  TensorRef view;  // the view of that part
  std::vector<int> reversed;
  std::vector<IndexTensor> indexed;
  explicit Resolved(const Tensor& t) : part(t) {}
  void make_view(const Tensor& t) {
    view = TensorRef(tensor_new(t.dtype));
    set_part(view.get(), t, part.offset, part.ndim, part.size, part.stride);
  }
};

void take_range(Geometry* g, int d, const Subscript& s) {
  constexpr char what[] = "a stride";
  int64_t step = s.step < 0 ? -s.step : s.step;
  int64_t count = (s.last - s.first) / s.step + 1;
  int64_t low = s.step < 0 ? s.first - (count - 1) * step : s.first;
  if (g->size[d]) g->advance(d, low);
  g->size[d] = count;
  if (count > 1) g->stride[d] = checked_mul(g->stride[d], step, what);
}

// Converts a mask of k dimensions to k index vectors of the positions where it is 1.
void take_mask(const Geometry& g, int d, Tensor* mask, std::vector<IndexTensor>* indexed) {
  bool fits = mask->nDimension > 0 && d + mask->nDimension <= g.ndim &&
              std::equal(mask->size, mask->size + mask->nDimension, g.size + d);
  if (!fits) {
    fail("a mask of size %s does not fit a tensor of size %s from dimension %d on",
         shape_text(*mask).c_str(), shape_text(g.ndim, g.size).c_str(), d + 1);
  }
  TensorRef found(tensor_new(DType::Long));
  ops::nonzero(found.get(), mask);
  int64_t count = found->nDimension ? found->size[0] : 0;
  for (int k = 0; k < mask->nDimension; ++k) {
    TensorRef column(tensor_new(DType::Long));
    if (count == 0) {
      resize(column.get(), 1, &count);
    } else {
      views::select(column.get(), found.get(), 1, k);
    }
    indexed->push_back({d + k, std::move(column)});
  }
}

Resolved resolve_part(const Tensor& t, const Subscript* subscripts, int count) {
  Resolved to(t);
  Geometry& g = to.part;
  int d = 0;
  for (int k = 0; k < count; ++k) {
    const Subscript& s = subscripts[k];
    if (d >= g.ndim) fail("too many indices for a tensor of %d dimensions", t.nDimension);
    if (s.kind == Subscript::Kind::index) {
      g.select(d, s.first);
    } else if (s.kind == Subscript::Kind::range) {
      take_range(&g, d, s);
      if (s.step < 0) to.reversed.push_back(d);
      ++d;
    } else if (s.tensor->dtype == DType::Byte) {
      take_mask(g, d, s.tensor, &to.indexed);
      d += s.tensor->nDimension;
    } else {
      if (s.tensor->nDimension == 0) {
        // LongTensor{} stands for no indices.
        const int64_t none = 0;
        to.indexed.push_back({d, TensorRef(tensor_new_sized(DType::Long, 1, &none))});
      } else {
        to.indexed.push_back({d, shared(s.tensor)});
      }
      ++d;
    }
  }
  return to;
}

Resolved resolve(const Tensor& t, const Subscript* subscripts, int count) {
  Resolved to = resolve_part(t, subscripts, count);
  to.make_view(t);
  return to;
}

void check_indices(const IndexTensor& by, int64_t size) {
  check_values(Op::indexSelect, Condition::index, size, by.indices.get(),
               {0, "index %v is out of range of dimension %1 of size %2", by.dim + 1, size});
}

// Converts negative indices, which count from the end, to indices from the front.
TensorRef from_the_front(Tensor* indices, int64_t size) {
  TensorRef looked_at;
  if (indices->numel() > 0 && is_checked_on_host(*indices) && indices->storage->current_device()) {
    // The indices are valid on the host, so read them there. A check there reports errors at once.
    looked_at = clone_on_host(indices);
  }
  Tensor* seen = looked_at ? looked_at.get() : indices;
  if (seen->numel() > 0 && ops::minall(seen).to_double() < 0) {
    TensorRef negative(tensor_new(DType::Long)), counted(tensor_new(DType::Long));
    if (looked_at) {
      ensure_storage(negative.get());
      negative->storage->set_current_device(nullptr);
      ensure_storage(counted.get());
      counted->storage->set_current_device(nullptr);
    }
    ops::ltValueT(negative.get(), seen, Scalar(int64_t{0}));
    ops::cadd(counted.get(), seen, Scalar(size + 1), negative.get());
    return counted;
  }
  return shared(indices);
}

// The same by operations, for functions that are recorded and may get other indices when they run
// again. A selection from one element, expanded to all indices, checks them; it gives zeros.
TensorRef counted_by_operations(Tensor* indices, int64_t size) {
  TensorRef first(tensor_new(DType::Long)), zero(tensor_new(DType::Long));
  TensorRef all(tensor_new(DType::Long)), zeros(tensor_new(DType::Long));
  TensorRef negative(tensor_new(DType::Long)), counted(tensor_new(DType::Long));
  TensorRef whole = contiguous(indices), vector = shaped(whole.get(), {whole->numel()});
  views::narrow(first.get(), vector.get(), 0, 0, 1);
  ops::mul(zero.get(), first.get(), Scalar(int64_t{0}));
  views::expand(all.get(), zero.get(), {1, &size});
  ops::indexSelect(zeros.get(), all.get(), 0, vector.get());
  ops::ltValueT(negative.get(), whole.get(), Scalar(int64_t{0}));
  ops::cadd(counted.get(), whole.get(), Scalar(size + 1), negative.get());
  const std::vector<int64_t> shape(indices->size, indices->size + indices->nDimension);
  ops::cadd(counted.get(), counted.get(), Scalar(int64_t{1}), shaped(zeros.get(), shape).get());
  return counted;
}

// Returns the indices of a dimension of this size, counted from the front. Throws if one is wrong.
TensorRef checked_from_the_front(const IndexTensor& by, int64_t size) {
  if (tracing() && size > 0 && by.indices->numel() > 0) {
    return counted_by_operations(by.indices.get(), size);
  }
  check_indices(by, size);
  return from_the_front(by.indices.get(), size);
}

// The indexed dimensions of a view merged into one, and the index of the merged dimension.
struct Merged {
  TensorRef view;      // with the merged dimension; shares memory or is a copy
  TensorRef in_order;  // a view with the indexed dimensions adjacent
  bool is_copy = false;
  int dim = 0;
  TensorRef indices;                // a vector
  std::vector<int64_t> index_size;  // shape of the broadcast index tensors
  std::vector<int64_t> result_size() const {
    std::vector<int64_t> size(view->size, view->size + dim);
    size.insert(size.end(), index_size.begin(), index_size.end());
    size.insert(size.end(), view->size + dim + 1, view->size + view->nDimension);
    return size;
  }
};

// Combines the index tensors to one vector of positions in the merged dimension.
void merge_indices(const std::vector<IndexTensor>& indexed, const Tensor& view, Merged* to) {
  int ndim = indexed[0].indices->nDimension;
  int64_t size[kMaxDims];
  std::copy(indexed[0].indices->size, indexed[0].indices->size + ndim, size);
  if (indexed.size() == 1) {
    to->index_size.assign(size, size + ndim);
    TensorRef whole = contiguous(indexed[0].indices.get());
    to->indices = shaped(whole.get(), {whole->numel()});
    return;
  }
  for (const IndexTensor& by : indexed) {
    const Tensor& t = *by.indices;
    if (!broadcast_sizes(ndim, size, t.nDimension, t.size, &ndim, size)) {
      fail("index tensors of sizes %s and %s do not broadcast",
           shape_text(*indexed[0].indices).c_str(), shape_text(t).c_str());
    }
  }
  to->index_size.assign(size, size + ndim);
  TensorRef all;
  for (const IndexTensor& by : indexed) {
    const TensorRef counted = checked_from_the_front(by, view.size[by.dim]);
    TensorRef seen(tensor_new(DType::Long));
    views::expand(seen.get(), counted.get(), {ndim, size});
    if (!all) {
      all = clone(seen.get());
    } else {
      // Indices count from 1: (all - 1) * size + seen.
      ops::add(all.get(), all.get(), Scalar(int64_t{-1}));
      ops::mul(all.get(), all.get(), Scalar(view.size[by.dim]));
      ops::cadd(all.get(), all.get(), Scalar(int64_t{1}), seen.get());
    }
  }
  to->indices = shaped(all.get(), {all->numel()});
}

Merged merge(const Resolved& from) {
  Merged to;
  const Tensor& view = *from.view;
  const std::vector<IndexTensor>& indexed = from.indexed;
  merge_indices(indexed, view, &to);
  int n = static_cast<int>(indexed.size());
  bool adjacent = indexed.back().dim - indexed.front().dim == n - 1;
  to.dim = adjacent ? indexed.front().dim : 0;
  std::vector<int64_t> order, size;
  int64_t merged = 1;
  for (const IndexTensor& by : indexed) merged *= view.size[by.dim];
  auto is_indexed = [&](int d) {
    return std::any_of(indexed.begin(), indexed.end(),
                       [d](const IndexTensor& by) { return by.dim == d; });
  };
  auto take_indexed = [&] {
    for (const IndexTensor& by : indexed) order.push_back(by.dim);
    size.push_back(merged);
  };
  if (!adjacent) take_indexed();
  for (int d = 0; d < view.nDimension; ++d) {
    if (adjacent && d == to.dim) take_indexed();
    if (is_indexed(d)) continue;
    order.push_back(d);
    size.push_back(view.size[d]);
  }
  to.in_order = TensorRef(tensor_new(view.dtype));
  views::permute(to.in_order.get(), from.view.get(), {view.nDimension, order.data()});
  to.view = TensorRef(tensor_new(view.dtype));
  int64_t stride[kMaxDims];
  int ndim = static_cast<int>(size.size());
  if (view_strides(*to.in_order, ndim, size.data(), stride)) {
    set_storage(to.view.get(), view.storage, view.storageOffset, ndim, size.data(), stride);
  } else {
    to.is_copy = true;
    TensorRef copied = clone(to.in_order.get());
    to.view = shaped(copied.get(), size);
  }
  return to;
}

// Returns the position of a reversed dimension of the view in the result.
int place_of(int d, const Resolved& from, const Merged* merged) {
  if (!merged) return d;
  int position = d;
  for (const IndexTensor& by : from.indexed) {
    if (by.dim < d) --position;
  }
  return position >= merged->dim ? position + static_cast<int>(merged->index_size.size())
                                 : position;
}

TensorRef reverse(Tensor* t, int d) {
  const int64_t dim = d;
  TensorRef result(tensor_new(t->dtype));
  ops::flip(result.get(), t, Sizes{1, &dim});
  return result;
}

// Throws unless src has the shape of the selected elements, broadcasts to it, or has as many.
void check_source(const Tensor& src, const Tensor& selected) {
  int ndim = 0;
  int64_t size[kMaxDims];
  const bool broadcasts =
      src.nDimension > 0 &&
      broadcast_sizes(src.nDimension, src.size, selected.nDimension, selected.size, &ndim, size);
  if (src.numel() == selected.numel() || (broadcasts && has_shape(selected, ndim, size))) return;
  fail("a tensor of size %s cannot be assigned to selected elements of size %s",
       shape_text(src).c_str(), shape_text(selected).c_str());
}

// Writes the elements returned by make for the shape that the subscript selects.
template <class Make>
void write(Tensor* t, const Resolved& to, bool accumulate, const Make& make) {
  if (to.indexed.empty()) {
    TensorRef src = make(*to.view, nullptr);
    ops::copy(to.view.get(), src.get());
    return;
  }
  Merged merged = merge(to);
  std::vector<int64_t> size = merged.result_size();
  TensorRef like(tensor_new_sized(t->dtype, static_cast<int>(size.size()), size.data()));
  TensorRef src = make(*like, &merged);
  if (merged.indices->numel() == 0) return;
  TensorRef whole = contiguous(src.get());
  std::vector<int64_t> slices(merged.view->size, merged.view->size + merged.view->nDimension);
  slices[merged.dim] = merged.indices->numel();
  TensorRef source = shaped(whole.get(), slices);
  auto* put = accumulate ? &ops::indexAdd : &ops::indexCopy;
  put(merged.view.get(), merged.dim, merged.indices.get(), source.get());
  if (!merged.is_copy) return;
  std::vector<int64_t> sizes(merged.in_order->size,
                             merged.in_order->size + merged.in_order->nDimension);
  ops::copy(merged.in_order.get(), shaped(merged.view.get(), sizes).get());
}

}  // namespace

void subscript_read(Tensor* r, Tensor* t, const Subscript* subscripts, int count) {
  Resolved from = resolve_part(*t, subscripts, count);
  if (from.indexed.empty() && from.reversed.empty()) {
    set_part(r, *t, from.part.offset, from.part.ndim, from.part.size, from.part.stride);
    return;
  }
  const bool is_selection =
      from.indexed.size() == 1 && from.reversed.empty() && from.indexed[0].indices->nDimension == 1;
  if (!is_selection || count > 1) from.make_view(*t);
  if (is_selection) {
    const IndexTensor& by = from.indexed[0];
    return ops::indexSelect(r, count > 1 ? from.view.get() : t, by.dim, by.indices.get());
  }
  TensorRef result;
  const Merged* at = nullptr;
  Merged merged;
  if (from.indexed.empty()) {
    result = std::move(from.view);
  } else {
    merged = merge(from);
    at = &merged;
    result = TensorRef(tensor_new(t->dtype));
    ops::indexSelect(result.get(), merged.view.get(), merged.dim, merged.indices.get());
    std::vector<int64_t> size = merged.result_size();
    set_geometry(result.get(), static_cast<int>(size.size()), size.data(), nullptr);
  }
  for (int d : from.reversed) result = reverse(result.get(), place_of(d, from, at));
  set_view(r, *result);
}

void subscript_write(Tensor* t, const Subscript* subscripts, int count, Tensor* src,
                     bool accumulate) {
  Resolved to = resolve(*t, subscripts, count);
  if (to.indexed.empty() && to.reversed.empty()) {
    check_source(*src, *to.view);
    return ops::copy(to.view.get(), src);
  }
  write(t, to, accumulate, [&](const Tensor& like, const Merged* merged) {
    check_source(*src, like);
    TensorRef seen(tensor_new_sized(t->dtype, like.nDimension, like.size));
    trace_allocation(*seen);
    ops::copy(seen.get(), src);
    for (int d : to.reversed) seen = reverse(seen.get(), place_of(d, to, merged));
    return seen;
  });
}

void subscript_fill(Tensor* t, const Subscript* subscripts, int count, Scalar value,
                    bool accumulate) {
  Resolved to = resolve(*t, subscripts, count);
  if (to.indexed.empty()) {
    ops::fill(to.view.get(), value);
    return;
  }
  const int64_t size = 1;
  TensorRef one(tensor_new_sized(t->dtype, 1, &size));
  trace_allocation(*one);
  ops::fill(one.get(), value);
  write(t, to, accumulate, [&](const Tensor& like, const Merged*) {
    TensorRef seen(tensor_new(t->dtype));
    views::expand(seen.get(), one.get(), {like.nDimension, like.size});
    return seen;
  });
}

// ---- the operations on index tensors for the first dimensions ----------------------------------

namespace {

template <class Arguments>
void check_count(const Arguments& a, const Shapes& s) {
  const int count = a.inputs.count;
  if (count >= 1 && count <= a.tensor->nDimension) return;
  s.fail(a.inputs, "%d index tensors for a tensor of size %s", count,
         shape_text(*a.tensor).c_str());
}

struct IndexSubscripts {
  Subscript list[kMaxDims];

  explicit IndexSubscripts(TensorList indices) {
    for (int k = 0; k < indices.count; ++k) {
      list[k] = new_subscript(Subscript::Kind::indices);
      list[k].tensor = indices.tensors[k];
    }
  }
};

}  // namespace

void shapes(args::indexPut& a, Shapes& s) { check_count(a, s); }
void calls(args::indexPut& a) {
  IndexSubscripts at(a.inputs);
  subscript_write(a.tensor, at.list, a.inputs.count, a.src, a.accumulate);
}

void shapes(args::indexPutFill& a, Shapes& s) { check_count(a, s); }
void calls(args::indexPutFill& a) {
  IndexSubscripts at(a.inputs);
  subscript_fill(a.tensor, at.list, a.inputs.count, a.value, a.accumulate);
}

}  // namespace th
