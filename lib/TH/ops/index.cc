// Access to slices along a dimension by a vector of indices.

#include <algorithm>

#include "base/error.h"
#include "ops/indexing.h"

namespace th {

namespace {

// A tensor without dimensions, as LongTensor{}, stands for no indices.
void check_vector(const Shapes& s, Tensor* const& index) {
  if (index->nDimension <= 1) return;
  s.fail(index, "the indices must be a vector, got size %s", shape_text(*index).c_str());
}

int64_t count_of(const Tensor& index) { return index.nDimension == 0 ? 0 : index.size[0]; }

// Returns the number of elements of a slice of t along dim. t may have fewer dimensions.
int64_t slice_numel(const Tensor& t, int64_t dim) {
  int64_t n = 1;
  for (int d = 0; d < t.nDimension; ++d) n *= d == dim ? 1 : t.size[d];
  return n;
}

bool has_slices_of(const Tensor& src, const Tensor& r, int64_t dim) {
  bool same = r.nDimension == src.nDimension;
  for (int d = 0; same && d < r.nDimension; ++d) same = d == dim || r.size[d] == src.size[d];
  return same;
}

// Returns src with slices of r's shape.
TensorRef source_slices(const Tensor& r, int64_t dim, Tensor* src) {
  if (has_slices_of(*src, r, dim)) return shared(src);
  // Put the slices one after another, then view them in r's shape.
  TensorRef view(tensor_new(src->dtype));
  int64_t order[kMaxDims], size[kMaxDims], stride[kMaxDims];
  order[0] = dim;
  for (int d = 0, n = 1; d < src->nDimension; ++d) {
    if (d != dim) order[n++] = d;
  }
  views::permute(view.get(), src, Sizes{src->nDimension, order});
  TensorRef whole = contiguous(view.get());
  int64_t step = 1;
  for (int d = r.nDimension - 1; d >= 0; --d) {
    size[d] = d == dim ? src->size[dim] : r.size[d];
    stride[d] = d == dim ? slice_numel(r, dim) : step;
    if (d != dim) step *= r.size[d];
  }
  return strided_view(*whole, whole->storageOffset, r.nDimension, size, stride);
}

// The shapes of indexCopy and indexAdd. Torch7 requires only that slices of the source have as many
// elements.
template <class Arguments>
void check_slices(Arguments& a, const Shapes& s) {
  a.dim = s.dim(a.dim, *a.tensor);
  check_vector(s, a.index);
  const Tensor &r = *a.tensor, &src = *a.src;
  if (a.dim < src.nDimension && src.size[a.dim] == count_of(*a.index) &&
      slice_numel(src, a.dim) == slice_numel(r, a.dim)) {
    return;
  }
  s.fail(a.src,
         "the source has size %s; %lld slices along dimension %lld of a tensor of size %s are "
         "expected",
         shape_text(src).c_str(), as_long(count_of(*a.index)), shown(a.dim), shape_text(r).c_str());
}

template <class Arguments>
void write_slices(const Arguments& a, ScatterAction action) {
  TensorRef source = source_slices(*a.tensor, a.dim, a.src);
  scatter_by(indices_of(a, *a.tensor, IndexShape::vector), action, a.tensor, source.get(), 0);
}

}  // namespace

void shapes(args::indexSelect& a, Shapes& s) {
  const Tensor& t = *a.src;
  a.dim = s.dim(a.dim, t);
  check_vector(s, a.index);
  int64_t size[kMaxDims];
  std::copy(t.size, t.size + t.nDimension, size);
  size[a.dim] = count_of(*a.index);
  check_indices(indices_of(a, t, IndexShape::vector), t, *a.tensor);
  s.set(a.tensor, t.nDimension, size);
}
void calls(args::indexSelect& a) {
  gather_by(indices_of(a, *a.src, IndexShape::vector), a.tensor, a.src);
}

void shapes(args::indexCopy& a, Shapes& s) { check_slices(a, s); }
void calls(args::indexCopy& a) { write_slices(a, ScatterAction::move); }

void shapes(args::indexAdd& a, Shapes& s) { check_slices(a, s); }
void calls(args::indexAdd& a) { write_slices(a, ScatterAction::add); }

void shapes(args::indexFill& a, Shapes& s) {
  a.dim = s.dim(a.dim, *a.tensor);
  check_vector(s, a.index);
}
void calls(args::indexFill& a) {
  scatter_by(indices_of(a, *a.tensor, IndexShape::vector), ScatterAction::fill, a.tensor, nullptr,
             a.val);
}

}  // namespace th
