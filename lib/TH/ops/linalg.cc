#include "ops/linalg.h"

#include <algorithm>
#include <cctype>
#include <climits>
#include <cstring>

#include "base/error.h"
#include "tensor/checked.h"

namespace th {

namespace {

const char* label(Op op) { return name(op); }

void check_int(Op op, int64_t n) {
  if (n > INT_MAX) {
    fail("%s: a matrix with a dimension of %lld is more than LAPACK takes", label(op),
         static_cast<long long>(n));
  }
}

// LAPACK runs on the host, so the default device does not apply.
TensorRef on_the_host(TensorRef t) {
  if (t->storage) t->storage->set_current_device(nullptr);
  return t;
}

TensorRef narrowed(Tensor* t, int dim, int64_t n) {
  TensorRef view(tensor_new_view(t));
  view->size[view->nDimension + dim] = n;
  return view;
}

}  // namespace

Columns::Columns(Op op, const Tensor& like, int64_t rows, int64_t cols) {
  allocate(op, like, rows, cols, rows);
}

Columns::Columns(Op op, Tensor* t, int64_t room) {
  int64_t rows = t->size[t->nDimension - 2], cols = t->size[t->nDimension - 1];
  allocate(op, *t, rows, cols, std::max(room, rows));
  if (t->numel() == 0) return;
  tensor_->storage->cpu(Access::overwrite);  // so that the copy goes to the host
  ops::copy(whole().get(), t);
}

void Columns::allocate(Op op, const Tensor& like, int64_t rows, int64_t cols, int64_t room) {
  check_int(op, room);
  check_int(op, cols);
  int64_t size[kMaxDims], stride[kMaxDims];
  int ndim = like.nDimension, batch = ndim - 2;
  size[batch] = room;
  size[batch + 1] = cols;
  stride[batch] = 1;
  stride[batch + 1] = std::max<int64_t>(room, 1);
  int64_t step = checked_mul(stride[batch + 1], std::max<int64_t>(cols, 1), "a matrix");
  count_ = 1;
  for (int d = batch - 1; d >= 0; --d) {
    size[d] = like.size[d];
    stride[d] = step;
    step = checked_mul(step, std::max<int64_t>(size[d], 1), "a batch of matrices");
    count_ *= size[d];
  }
  rows_ = rows;
  cols_ = cols;
  room_ = stride[batch + 1];
  TensorRef made(tensor_new(like.dtype));
  set_geometry(made.get(), ndim, size, stride);
  tensor_ = on_the_host(std::move(made));
}

TensorRef Columns::rows(int64_t n) const { return narrowed(tensor_.get(), -2, n); }

TensorRef Columns::cols(int64_t n) const {
  TensorRef view = whole();
  return narrowed(view.get(), -1, n);
}

TensorRef Columns::turned() const {
  TensorRef view = whole();
  return th::turned(view.get());
}

linalg::Matrices Columns::open(Operands& at, int64_t rows) const {
  linalg::Matrices m;
  m.dtype = tensor_->dtype;
  m.data = at.write(tensor_.get());
  m.count = count_;
  m.step = room_ * std::max<int64_t>(cols_, 1);
  m.rows = static_cast<int>(rows);
  m.cols = static_cast<int>(cols_);
  m.ld = static_cast<int>(room_);
  return m;
}

void check_types(Op op, DType type, std::initializer_list<const Tensor*> tensors) {
  for (const Tensor* t : tensors) {
    if (t && t->dtype != type) {
      fail("%s: a %sTensor and a %sTensor do not go together: convert one of them", label(op),
           name(type), name(t->dtype));
    }
  }
}

void check_distinct(Op op, std::initializer_list<const Tensor*> results) {
  for (auto a = results.begin(); a != results.end(); ++a) {
    if (*a && std::find(a + 1, results.end(), *a) != results.end()) {
      fail("%s: the results must be different tensors", label(op));
    }
  }
}

void check_matrix(Op op, Named named, const Tensor& t) {
  if (t.nDimension == 2) return;
  fail_argument(named.argument, "%s: %s should be a matrix, got a tensor of size %s", label(op),
                named.name, shape_text(t).c_str());
}

void check_matrices(Op op, Named named, const Tensor& t) {
  if (t.nDimension >= 2) return;
  fail_argument(named.argument,
                "%s: %s should be a matrix or a batch of matrices, got a tensor of size %s",
                label(op), named.name, shape_text(t).c_str());
}

void check_square_matrices(Op op, Named named, const Tensor& t) {
  check_matrices(op, named, t);
  if (t.size[t.nDimension - 2] == t.size[t.nDimension - 1]) return;
  fail_argument(named.argument, "%s: %s should be square, got a size of %s", label(op), named.name,
                shape_text(t).c_str());
}

void check_square(Op op, Named named, const Tensor& t) {
  check_matrix(op, named, t);
  check_square_matrices(op, named, t);
}

char check_letter(Op op, int argument, char letter, const char* letters) {
  char upper = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  if (upper && std::strchr(letters, upper)) return upper;
  fail_argument(argument, "%s: an option that is one of the letters %s is expected", label(op),
                letters);
}

TensorRef right_side(Op op, Named named, Tensor* b, int64_t rows) {
  if (b->nDimension != 1 && b->nDimension != 2) {
    fail_argument(named.argument, "%s: %s should be a vector or a matrix, got a tensor of size %s",
                  label(op), named.name, shape_text(*b).c_str());
  }
  if (b->size[0] != rows) {
    fail_argument(named.argument, "%s: %s should have as many rows as A, %lld, got a size of %s",
                  label(op), named.name, static_cast<long long>(rows), shape_text(*b).c_str());
  }
  TensorRef matrix(tensor_new_view(b));
  if (b->nDimension == 1) views::unsqueeze1d(matrix.get(), b, 1);
  return matrix;
}

void check_finite(Op op, const char* name, const linalg::Matrices& a, linalg::Part part) {
  int64_t found = find_not_finite(a, part);
  if (found < 0) return;
  if (a.count > 1) {
    fail("%s: matrix %lld of %s has an element that is NaN or infinite", label(op), shown(found),
         name);
  }
  fail("%s: %s has an element that is NaN or infinite", label(op), name);
}

void check_info(Op op, Failure failure, const int* info, int64_t count) {
  int64_t k = std::find_if(info, info + count, [](int i) { return i != 0; }) - info;
  if (k == count) return;
  int i = info[k];
  char which[40] = "A";
  if (count > 1) std::snprintf(which, sizeof(which), "matrix %lld", shown(k));
  if (i < 0) fail("%s: LAPACK refuses its argument %d", label(op), -i);
  switch (failure) {
    case Failure::singular:
      fail("%s: U(%d,%d) is 0, %s is singular", label(op), i, i, which);
    case Failure::zero_diagonal:
      fail("%s: A(%d,%d) is 0, %s is singular", label(op), i, i, which);
    case Failure::rank:
      fail("%s: R(%d,%d) is 0, %s does not have full rank", label(op), i, i, which);
    case Failure::indefinite:
      fail("%s: %s is not positive definite, its leading minor of order %d is not positive",
           label(op), which, i);
    case Failure::eigenvalues:
      fail("%s: no convergence for %s, of whose eigenvalues %d were not found", label(op), which,
           i);
    case Failure::off_diagonals:
      fail("%s: no convergence for %s, %d off-diagonal elements did not become 0", label(op), which,
           i);
    case Failure::values:
      fail("%s: no convergence for %s, %d superdiagonals did not become 0", label(op), which, i);
  }
}

void give(Device* device, Tensor* r, const TensorRef& made, const Tensor* source) {
  if (device && made->storage) made->storage->set_current_device(device);
  if (!r->storage) {
    set_view(r, *made);
    return;
  }
  bool same = same_size(*r, *made);
  bool keeps = same && (r == source || !is_contiguous(*r));
  // If the size does not change, r must stay within its own elements, so use packed strides.
  const int64_t packed[] = {1, std::max<int64_t>(r->nDimension ? r->size[0] : 1, 1)};
  bool pack = same && r->nDimension == 2;
  if (!keeps) resize(r, made->nDimension, made->size, pack ? packed : made->stride);
  ops::copy(r, made.get());
}

void give_contiguous(Device* device, Tensor* r, const TensorRef& made) {
  if (device && made->storage) made->storage->set_current_device(device);
  if (!r->storage && is_contiguous(*made)) {
    set_view(r, *made);
    return;
  }
  resize_as(r, *made);
  ops::copy(r, made.get());
}

TensorRef turned(Tensor* t) {
  TensorRef view(tensor_new(t->dtype));
  views::transpose(view.get(), t, t->nDimension - 2, t->nDimension - 1);
  return view;
}

TensorRef new_tensor(DType type, std::initializer_list<int64_t> size) {
  return on_the_host(
      TensorRef(tensor_new_sized(type, static_cast<int>(size.size()), size.begin())));
}

TensorRef new_batch(DType type, const Tensor& t, int n, std::initializer_list<int64_t> further) {
  int64_t size[kMaxDims];
  int64_t* end = std::copy(t.size, t.size + t.nDimension - n, size);
  end = std::copy(further.begin(), further.end(), end);
  if (end == size) *end++ = 1;
  return on_the_host(TensorRef(tensor_new_sized(type, static_cast<int>(end - size), size)));
}

}  // namespace th
