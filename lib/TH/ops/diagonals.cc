// Diagonals, and views with more dimensions.

#include <algorithm>

#include "ops/formula_operations.h"
#include "ops/linalg.h"
#include "tensor/checked.h"

namespace th {

namespace {

using namespace formulas;

// A diagonal of a plane of size rows x columns.
struct Diagonal {
  int64_t row, column, length;
  Diagonal(int64_t rows, int64_t columns, int64_t offset)
      : row(std::max<int64_t>(-offset, 0)),
        column(std::max<int64_t>(offset, 0)),
        length(std::max<int64_t>(std::min(rows - row, columns - column), 0)) {}
};

constexpr int64_t kLargestOffset = int64_t{1} << 40;

template <class A>
void check_offset(const A& a, const Shapes& s) {
  if (a.offset >= -kLargestOffset && a.offset <= kLargestOffset) return;
  s.fail(a.offset, "diagonal %lld is out of range", as_long(a.offset));
}

// Makes view a view of a diagonal of t in the plane of two dimensions: its last dimension.
void view_diagonal(Tensor* view, Tensor* t, int64_t offset, int row, int column) {
  const Diagonal diagonal(t->size[row], t->size[column], offset);
  int64_t size[kMaxDims], stride[kMaxDims], first = t->storageOffset;
  int ndim = 0;
  for (int d = 0; d < t->nDimension; ++d) {
    if (d == row || d == column) continue;
    size[ndim] = t->size[d];
    stride[ndim++] = t->stride[d];
  }
  size[ndim] = diagonal.length;
  stride[ndim++] =
      diagonal.length > 1 ? checked_add(t->stride[row], t->stride[column], "a stride") : 1;
  if (diagonal.length > 0)
    first += diagonal.row * t->stride[row] + diagonal.column * t->stride[column];
  set_storage(view, t->storage, first, ndim, size, stride);
}

// Makes self a view of src with new dimensions of size 1 in front and behind.
void view_with(Tensor* self, Tensor* src, int front, int behind) {
  TensorRef view = view_of(src);
  for (int k = 0; k < front; ++k) views::unsqueeze1d(view.get(), view.get(), 0);
  for (int k = 0; k < behind; ++k) views::unsqueeze1d(view.get(), view.get(), -1);
  views::set(self, view.get());
}

template <class A>
void check_dimensions(const A& a, const Shapes& s) {
  if (a.src->nDimension == 0) s.fail(a.src, "a tensor without dimensions has no such view");
}

}  // namespace

void shapes(args::diagonal& a, Shapes& s) {
  a.dimension1 = s.dim(a.dimension1, *a.src);
  a.dimension2 = s.dim(a.dimension2, *a.src);
  if (a.dimension1 == a.dimension2) {
    s.fail(a.dimension2, "two dimensions are expected, got %lld twice", shown(a.dimension1));
  }
  check_offset(a, s);
}
void calls(args::diagonal& a) {
  view_diagonal(a.self, a.src, a.offset, static_cast<int>(a.dimension1),
                static_cast<int>(a.dimension2));
}

void shapes(args::traceDiagonal& a, Shapes& s) {
  check_offset(a, s);
  const Tensor& t = *a.t;
  if (t.nDimension < 2) s.fail(a.t, "a matrix is expected, got size %s", shape_text(t).c_str());
  set_batch(s, a.r_, t, 2, {});
}
void calls(args::traceDiagonal& a) {
  const int last = a.t->nDimension - 1;
  TensorRef diagonal = empty(a.t->dtype);
  view_diagonal(diagonal.get(), a.t, a.offset, last - 1, last);
  ops::sum(a.r_, diagonal.get(), last - 1, last == 1);
}

void shapes(args::matrixTranspose& a, Shapes& s) {
  if (a.src->nDimension >= 2) return;
  s.fail(a.src, "a matrix is expected, got a tensor of size %s", shape_text(*a.src).c_str());
}
void calls(args::matrixTranspose& a) {
  const int last = a.src->nDimension - 1;
  views::transpose(a.self, a.src, last - 1, last);
}

void shapes(args::diagEmbed& a, Shapes& s) {
  const Tensor& t = *a.t;
  check_offset(a, s);
  if (t.nDimension == 0 || t.nDimension == kMaxDims) {
    s.fail(a.t, "1 to %d dimensions are expected, got %d", kMaxDims - 1, t.nDimension);
  }
  int64_t size[kMaxDims];
  std::copy(t.size, t.size + t.nDimension, size);
  const int last = t.nDimension;
  const int64_t distance = a.offset < 0 ? -a.offset : a.offset;
  size[last - 1] = size[last] = checked_add(t.size[last - 1], distance, "a size");
  s.set(a.r_, last + 1, size);
}
void calls(args::diagEmbed& a) {
  place_result(device_of({a.t}), a.r_);
  ops::fill(a.r_, 0);
  if (a.t->numel() == 0) return;
  const int last = a.r_->nDimension - 1;
  TensorRef diagonal(tensor_new(a.t->dtype));
  view_diagonal(diagonal.get(), a.r_, a.offset, last - 1, last);
  ops::copy(diagonal.get(), a.t);
}

void shapes(args::blockDiag& a, Shapes& s) {
  int64_t size[] = {0, 0};
  for (int k = 0; k < a.inputs.count; ++k) {
    const Tensor& t = *a.inputs.tensors[k];
    if (t.nDimension != 1 && t.nDimension != 2) {
      s.fail(a.inputs, "matrices or vectors are expected, got size %s", shape_text(t).c_str());
    }
    size[0] = checked_add(size[0], t.nDimension == 1 ? 1 : t.size[0], "a size");
    size[1] = checked_add(size[1], t.size[t.nDimension - 1], "a size");
  }
  s.set(a.result, 2, size);
}
void calls(args::blockDiag& a) {
  ops::fill(a.result, 0);
  int64_t row = 0, column = 0;
  for (int k = 0; k < a.inputs.count; ++k) {
    Tensor* t = a.inputs.tensors[k];
    const int64_t rows = t->nDimension == 1 ? 1 : t->size[0], columns = t->size[t->nDimension - 1];
    if (t->numel() > 0) {
      TensorRef block = narrowed(narrowed(shared(a.result), 0, row, rows), 1, column, columns);
      const int64_t size[] = {rows, columns};
      ops::copy(block.get(), reshaped(t, 2, size).get());
    }
    row += rows;
    column += columns;
  }
}

void shapes(args::atleast1d& a, Shapes& s) { check_dimensions(a, s); }
void calls(args::atleast1d& a) { view_with(a.self, a.src, 0, 0); }

void shapes(args::atleast2d& a, Shapes& s) { check_dimensions(a, s); }
void calls(args::atleast2d& a) { view_with(a.self, a.src, a.src->nDimension < 2, 0); }

// A vector becomes 1 x n x 1, a matrix m x n x 1.
void shapes(args::atleast3d& a, Shapes& s) { check_dimensions(a, s); }
void calls(args::atleast3d& a) {
  view_with(a.self, a.src, a.src->nDimension < 2, a.src->nDimension < 3);
}

}  // namespace th
