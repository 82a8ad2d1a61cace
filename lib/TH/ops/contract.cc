// Products of tensors of any rank, composed of views and matrix products.

#include "base/error.h"
#include "ops/compose.h"
#include "tensor/checked.h"

namespace th {

namespace {

// Returns the elements of t as a vector.
TensorRef vector_of(Tensor* t) {
  if (t->nDimension == 1) return shared(t);
  int64_t n = t->numel();
  return reshaped(t, 1, &n);
}

// ---- matmul -------------------------------------------------------------------------------------

// The shape of a product of matrices or batches of matrices.
struct Matmul {
  int batch_dims;  // of the result
  int ndim;        // of the result
  int64_t size[kMaxDims];
  int64_t batches, rows, columns, depth;
};

Matmul matmul_of(const Tensor& a, const Tensor& b) {
  int a_dims = a.nDimension, b_dims = b.nDimension;
  if (a_dims == 0 || b_dims == 0 || a.size[a_dims - 1] != b.size[b_dims > 1 ? b_dims - 2 : 0]) {
    fail("size mismatch: %s and %s", shape_text(a).c_str(), shape_text(b).c_str());
  }
  Matmul m;
  if (!broadcast_sizes(std::max(a_dims - 2, 0), a.size, std::max(b_dims - 2, 0), b.size,
                       &m.batch_dims, m.size)) {
    fail("the batches of %s and %s do not broadcast", shape_text(a).c_str(), shape_text(b).c_str());
  }
  m.batches = m.batch_dims == 0 ? 1 : checked_numel(m.batch_dims, m.size);
  m.rows = a_dims > 1 ? a.size[a_dims - 2] : 1;
  m.columns = b_dims > 1 ? b.size[b_dims - 1] : 1;
  m.depth = a.size[a_dims - 1];
  m.ndim = m.batch_dims;
  if (a_dims > 1) m.size[m.ndim++] = m.rows;
  if (b_dims > 1) m.size[m.ndim++] = m.columns;
  if (m.ndim == 0) m.size[m.ndim++] = 1;
  return m;
}

// Returns t, which is a matrix or a batch of them of this size, as one batch: expands its
// dimensions before the last two to the result's and merges them.
TensorRef batch_of(const Matmul& m, Tensor* t, int64_t rows, int64_t columns) {
  int64_t size[kMaxDims];
  std::copy(m.size, m.size + m.batch_dims, size);
  size[m.batch_dims] = rows;
  size[m.batch_dims + 1] = columns;
  TensorRef whole = view_of(t);
  if (t->nDimension == 1) views::unsqueeze1d(whole.get(), t, rows == 1 ? 0 : 1);
  views::expand(whole.get(), whole.get(), {m.batch_dims + 2, size});
  int64_t flat[] = {m.batches, rows, columns};
  return reshaped(whole.get(), 3, flat);
}

// ---- kron ---------------------------------------------------------------------------------------

// Dimensions of a and b alternate in the product of all pairs of elements.
struct Kron {
  int ndim;  // of the result
  int64_t size[kMaxDims];
  int64_t pairs[kMaxDims];                         // the sizes of 2 * ndim dimensions
  int64_t a_stride[kMaxDims], b_stride[kMaxDims];  // of the operands in this shape
};

Kron kron_of(const Tensor& a, const Tensor& b) {
  Kron k;
  k.ndim = std::max(a.nDimension, b.nDimension);
  if (a.nDimension == 0 || b.nDimension == 0 || 2 * k.ndim > kMaxDims) {
    fail("tensors of 1 to %d dimensions are expected, got %s and %s", kMaxDims / 2,
         shape_text(a).c_str(), shape_text(b).c_str());
  }
  for (int d = 0; d < k.ndim; ++d) {
    int in_a = d - (k.ndim - a.nDimension), in_b = d - (k.ndim - b.nDimension);
    k.pairs[2 * d] = in_a < 0 ? 1 : a.size[in_a];
    k.pairs[2 * d + 1] = in_b < 0 ? 1 : b.size[in_b];
    k.a_stride[2 * d] = in_a < 0 ? 0 : a.stride[in_a];
    k.b_stride[2 * d + 1] = in_b < 0 ? 0 : b.stride[in_b];
    k.a_stride[2 * d + 1] = k.b_stride[2 * d] = 0;
    k.size[d] = checked_mul(k.pairs[2 * d], k.pairs[2 * d + 1], "a size");
  }
  return k;
}

// Returns a view of t as one operand of the product.
TensorRef factor_of(const Kron& k, Tensor* t, const int64_t* stride) {
  return strided_view(*t, t->storageOffset, 2 * k.ndim, k.pairs, stride);
}

}  // namespace

void shapes(args::matmul& a, Shapes& s) {
  Matmul m = matmul_of(*a.a, *a.b);
  s.set(a.r_, m.ndim, m.size, Layout::contiguous);
}

void calls(args::matmul& a) {
  if (a.r_->numel() == 0) return;
  place_result(device_of({a.a, a.b}), a.r_);
  if (a.a->nDimension == 2 && a.b->nDimension == 2) return ops::mm(a.r_, a.a, a.b);
  Matmul m = matmul_of(*a.a, *a.b);
  if (a.b->nDimension <= 2) {
    // A single product suffices: stack all matrices of a vertically. A vector is a column.
    int64_t left[] = {m.batches * m.rows, m.depth}, right[] = {m.depth, m.columns};
    int64_t out[] = {m.batches * m.rows, m.columns};
    return ops::mm(reshaped(a.r_, 2, out).get(), reshaped(a.a, 2, left).get(),
                   reshaped(a.b, 2, right).get());
  }
  int64_t out[] = {m.batches, m.rows, m.columns};
  ops::bmm(reshaped(a.r_, 3, out).get(), batch_of(m, a.a, m.rows, m.depth).get(),
           batch_of(m, a.b, m.depth, m.columns).get());
}

void shapes(args::outer& a, Shapes& s) {
  int64_t size[] = {a.a->numel(), a.b->numel()};
  s.set(a.r_, 2, size);
}

void calls(args::outer& a) { ops::ger(a.r_, vector_of(a.a).get(), vector_of(a.b).get()); }

void shapes(args::kron& a, Shapes& s) {
  Kron k = kron_of(*a.a, *a.b);
  s.set(a.r_, k.ndim, k.size, Layout::contiguous);
}

void calls(args::kron& a) {
  if (a.r_->numel() == 0) return;
  Kron k = kron_of(*a.a, *a.b);
  place_result(device_of({a.a, a.b}), a.r_);
  ops::cmul(reshaped(a.r_, 2 * k.ndim, k.pairs).get(), factor_of(k, a.a, k.a_stride).get(),
            factor_of(k, a.b, k.b_stride).get());
}

}  // namespace th
