// Products of tensors of any rank, composed of views and matrix products.

#include "base/error.h"
#include "ops/direct.h"
#include "ops/composed.h"
#include "tensor/checked.h"

namespace th::direct {

namespace {

void check_types(const Tensor& r, const Tensor& a, const Tensor& b) {
  if (r.dtype != a.dtype || r.dtype != b.dtype) {
    fail("a %sTensor and a %sTensor do not go together into a %sTensor: convert one of them",
         name(a.dtype), name(b.dtype), name(r.dtype));
  }
}

TensorRef line_of(Tensor* t) {
  int64_t n = t->numel();
  return reshaped(t, 1, &n);
}

// Returns t as one batch of matrices: expands its dimensions before the last two to `batch`, which
// has `batches` elements, and merges them.
TensorRef batch_of(Tensor* t, int batch_dims, const int64_t* batch, int64_t batches) {
  int64_t size[kMaxDims];
  std::copy(batch, batch + batch_dims, size);
  size[batch_dims] = t->size[t->nDimension - 2];
  size[batch_dims + 1] = t->size[t->nDimension - 1];
  TensorRef whole = view_of(t);
  expand(whole.get(), whole.get(), {batch_dims + 2, size});
  int64_t flat[] = {batches, size[batch_dims], size[batch_dims + 1]};
  return reshaped(whole.get(), 3, flat);
}

// Multiplies matrices or batches of matrices.
void multiply(Tensor* r, Tensor* a, Tensor* b, bool drop_row, bool drop_column) {
  int ndim;
  int64_t size[kMaxDims];
  int a_dims = a->nDimension, b_dims = b->nDimension;
  if (!broadcast_sizes(a_dims - 2, a->size, b_dims - 2, b->size, &ndim, size)) {
    fail("the batches of %s and %s do not broadcast", shape_text(*a).c_str(),
         shape_text(*b).c_str());
  }
  int64_t batches = checked_numel(ndim, size);
  if (ndim == 0) batches = 1;
  int64_t rows = a->size[a_dims - 2], columns = b->size[b_dims - 1];
  int result_dims = ndim;
  if (!drop_row) size[result_dims++] = rows;
  if (!drop_column) size[result_dims++] = columns;
  if (result_dims == 0) size[result_dims++] = 1;
  make_contiguous(r, {a, b}, result_dims, size, [&](Tensor* result) {
    if (result->numel() == 0) return;
    if (b_dims == 2) {
      // A single product suffices: stack all matrices of a vertically.
      int64_t left[] = {batches * rows, a->size[a_dims - 1]}, out[] = {batches * rows, columns};
      return mm(reshaped(result, 2, out).get(), reshaped(a, 2, left).get(), b);
    }
    int64_t out[] = {batches, rows, columns};
    bmm(reshaped(result, 3, out).get(), batch_of(a, ndim, size, batches).get(),
        batch_of(b, ndim, size, batches).get());
  });
}

}  // namespace

void matmul(Tensor* r, Tensor* a, Tensor* b) {
  check_types(*r, *a, *b);
  int a_dims = a->nDimension, b_dims = b->nDimension;
  if (a_dims == 0 || b_dims == 0 || a->size[a_dims - 1] != b->size[b_dims > 1 ? b_dims - 2 : 0]) {
    fail("size mismatch: %s and %s", shape_text(*a).c_str(), shape_text(*b).c_str());
  }
  TensorRef left = view_of(a), right = view_of(b);
  if (a_dims == 1) unsqueeze1d(left.get(), left.get(), 0);
  if (b_dims == 1) unsqueeze1d(right.get(), right.get(), 1);
  multiply(r, left.get(), right.get(), a_dims == 1, b_dims == 1);
}

void outer(Tensor* r, Tensor* a, Tensor* b) {
  check_types(*r, *a, *b);
  ger(r, line_of(a).get(), line_of(b).get());
}

void kron(Tensor* r, Tensor* a, Tensor* b) {
  check_types(*r, *a, *b);
  int ndim = std::max(a->nDimension, b->nDimension);
  if (a->nDimension == 0 || b->nDimension == 0 || 2 * ndim > kMaxDims) {
    fail("tensors of 1 to %d dimensions are expected, got %s and %s", kMaxDims / 2,
         shape_text(*a).c_str(), shape_text(*b).c_str());
  }
  // Insert dimensions of size 1 so that dimensions of a and b alternate; then broadcast.
  int64_t size[kMaxDims], left[kMaxDims], right[kMaxDims], both[kMaxDims];
  for (int d = 0; d < ndim; ++d) {
    int in_a = d - (ndim - a->nDimension), in_b = d - (ndim - b->nDimension);
    left[2 * d] = both[2 * d] = in_a < 0 ? 1 : a->size[in_a];
    right[2 * d + 1] = both[2 * d + 1] = in_b < 0 ? 1 : b->size[in_b];
    left[2 * d + 1] = right[2 * d] = 1;
    size[d] = checked_mul(both[2 * d], both[2 * d + 1], "a size");
  }
  make_contiguous(r, {a, b}, ndim, size, [&](Tensor* result) {
    if (result->numel() == 0) return;
    Sizes shape = {2 * ndim, both};
    TensorRef x = reshaped(a, 2 * ndim, left), y = reshaped(b, 2 * ndim, right);
    expand(x.get(), x.get(), shape);
    expand(y.get(), y.get(), shape);
    cmul(reshaped(result, 2 * ndim, both).get(), x.get(), y.get());
  });
}

}  // namespace th::direct
