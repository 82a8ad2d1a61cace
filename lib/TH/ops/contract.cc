// Products of tensors of any rank, composed of views and matrix products.

#include "base/error.h"
#include "ops/composed.h"
#include "tensor/checked.h"

namespace th {

namespace {

TensorRef vector_of(Tensor* t) {
  int64_t n = t->numel();
  return reshaped(t, 1, &n);
}

// ---- matmul -------------------------------------------------------------------------------------

// A product of matrices or batches of matrices.
struct Matmul {
  TensorRef a, b;   // a vector on the left is a row, one on the right a column
  int batch_dims;   // of the result
  int ndim;         // of the result
  int64_t size[kMaxDims];
  int64_t batches, rows, columns;
};

Matmul matmul_of(Tensor* left, Tensor* right) {
  int a_dims = left->nDimension, b_dims = right->nDimension;
  if (a_dims == 0 || b_dims == 0 ||
      left->size[a_dims - 1] != right->size[b_dims > 1 ? b_dims - 2 : 0]) {
    fail("size mismatch: %s and %s", shape_text(*left).c_str(), shape_text(*right).c_str());
  }
  Matmul m;
  m.a = view_of(left);
  m.b = view_of(right);
  if (a_dims == 1) views::unsqueeze1d(m.a.get(), m.a.get(), 0);
  if (b_dims == 1) views::unsqueeze1d(m.b.get(), m.b.get(), 1);
  const Tensor &a = *m.a, &b = *m.b;
  if (!broadcast_sizes(a.nDimension - 2, a.size, b.nDimension - 2, b.size, &m.batch_dims, m.size)) {
    fail("the batches of %s and %s do not broadcast", shape_text(a).c_str(),
         shape_text(b).c_str());
  }
  m.batches = m.batch_dims == 0 ? 1 : checked_numel(m.batch_dims, m.size);
  m.rows = a.size[a.nDimension - 2];
  m.columns = b.size[b.nDimension - 1];
  m.ndim = m.batch_dims;
  if (a_dims > 1) m.size[m.ndim++] = m.rows;
  if (b_dims > 1) m.size[m.ndim++] = m.columns;
  if (m.ndim == 0) m.size[m.ndim++] = 1;
  return m;
}

// Returns t as one batch of matrices: expands its dimensions before the last two to the result's
// and merges them.
TensorRef batch_of(const Matmul& m, Tensor* t) {
  int64_t size[kMaxDims];
  std::copy(m.size, m.size + m.batch_dims, size);
  int64_t rows = t->size[t->nDimension - 2], columns = t->size[t->nDimension - 1];
  size[m.batch_dims] = rows;
  size[m.batch_dims + 1] = columns;
  TensorRef whole = view_of(t);
  views::expand(whole.get(), whole.get(), {m.batch_dims + 2, size});
  int64_t flat[] = {m.batches, rows, columns};
  return reshaped(whole.get(), 3, flat);
}

// ---- kron ---------------------------------------------------------------------------------------

// The shapes in which the operands broadcast: dimensions of a and b alternate, and the other
// operand has size 1 there.
struct Kron {
  int ndim;  // of the result
  int64_t size[kMaxDims], a[kMaxDims], b[kMaxDims];
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
    k.a[2 * d] = in_a < 0 ? 1 : a.size[in_a];
    k.b[2 * d + 1] = in_b < 0 ? 1 : b.size[in_b];
    k.a[2 * d + 1] = k.b[2 * d] = 1;
    k.size[d] = checked_mul(k.a[2 * d], k.b[2 * d + 1], "a size");
  }
  return k;
}

}  // namespace

void shapes(args::matmul& a, Shapes& s) {
  Matmul m = matmul_of(a.a, a.b);
  s.set(a.r_, m.ndim, m.size, Layout::contiguous);
}

void calls(args::matmul& a) {
  if (a.r_->numel() == 0) return;
  Matmul m = matmul_of(a.a, a.b);
  place_result(device_of({a.a, a.b}), a.r_);
  if (a.b->nDimension <= 2) {
    // A single product suffices: stack all matrices of a vertically.
    int64_t left[] = {m.batches * m.rows, m.a->size[m.a->nDimension - 1]};
    int64_t out[] = {m.batches * m.rows, m.columns};
    ops::mm(reshaped(a.r_, 2, out).get(), reshaped(m.a.get(), 2, left).get(), m.b.get());
    return;
  }
  int64_t out[] = {m.batches, m.rows, m.columns};
  ops::bmm(reshaped(a.r_, 3, out).get(), batch_of(m, m.a.get()).get(),
           batch_of(m, m.b.get()).get());
}

void shapes(args::outer& a, Shapes& s) {
  int64_t size[] = {a.a->numel(), a.b->numel()};
  s.set(a.r_, 2, size);
}

void calls(args::outer& a) {
  ops::ger(a.r_, vector_of(a.a).get(), vector_of(a.b).get());
}

void shapes(args::kron& a, Shapes& s) {
  Kron k = kron_of(*a.a, *a.b);
  s.set(a.r_, k.ndim, k.size, Layout::contiguous);
}

void calls(args::kron& a) {
  if (a.r_->numel() == 0) return;
  Kron k = kron_of(*a.a, *a.b);
  int ndim = 2 * k.ndim;
  int64_t both[kMaxDims];
  for (int d = 0; d < ndim; ++d) both[d] = k.a[d] * k.b[d];
  // Expanded here, because operands with equal numbers of elements may pair in order.
  TensorRef x = reshaped(a.a, ndim, k.a), y = reshaped(a.b, ndim, k.b);
  views::expand(x.get(), x.get(), {ndim, both});
  views::expand(y.get(), y.get(), {ndim, both});
  place_result(device_of({a.a, a.b}), a.r_);
  ops::cmul(reshaped(a.r_, ndim, both).get(), x.get(), y.get());
}

}  // namespace th
