#include "ops/linalg.h"

#include <algorithm>
#include <cctype>
#include <climits>
#include <cstdio>
#include <cstring>
#include <vector>

#include "base/error.h"

namespace th {

void check_size(int64_t size) {
  if (size <= INT_MAX) return;
  fail("a matrix side is too large for LAPACK: %lld; at most %d", as_long(size), INT_MAX);
}

void check_matrices(const Shapes& s, Tensor* const& field, const char* name) {
  if (!field) s.fail(field, "%s is missing", name);
  const Tensor& t = *field;
  if (t.nDimension < 2) {
    s.fail(field, "%s should be a matrix or a batch of matrices, got a tensor of size %s", name,
           shape_text(t).c_str());
  }
  check_size(t.size[t.nDimension - 2]);
  check_size(t.size[t.nDimension - 1]);
}

void check_matrix(const Shapes& s, Tensor* const& field, const char* name) {
  if (field && field->nDimension != 2) {
    s.fail(field, "%s should be a matrix, got a tensor of size %s", name,
           shape_text(*field).c_str());
  }
  check_matrices(s, field, name);
}

void check_square_matrices(const Shapes& s, Tensor* const& field, const char* name) {
  check_matrices(s, field, name);
  const Tensor& t = *field;
  if (t.size[t.nDimension - 2] == t.size[t.nDimension - 1]) return;
  s.fail(field, "%s should be square, got a size of %s", name, shape_text(t).c_str());
}

void check_square_matrix(const Shapes& s, Tensor* const& field, const char* name) {
  check_matrix(s, field, name);
  check_square_matrices(s, field, name);
}

void check_right_sides(const Shapes& s, Tensor* const& field, int64_t rows) {
  if (!field) s.fail(field, "B is missing");
  const Tensor& b = *field;
  if (b.nDimension != 1 && b.nDimension != 2) {
    s.fail(field, "B should be a vector or a matrix, got a tensor of size %s",
           shape_text(b).c_str());
  }
  if (b.size[0] != rows) {
    s.fail(field, "B should have as many rows as A, %lld, got a size of %s", as_long(rows),
           shape_text(b).c_str());
  }
  check_size(b.size[b.nDimension - 1]);
}

void check_letter(const Shapes& s, char& field, const char* letters) {
  char upper = static_cast<char>(std::toupper(static_cast<unsigned char>(field)));
  if (!upper || !std::strchr(letters, upper)) {
    s.fail(field, "an option that is one of the letters %s is expected", letters);
  }
  field = upper;
}

BatchShape::BatchShape(const Tensor& t, int n, std::initializer_list<int64_t> others) {
  int64_t* end = std::copy(t.size, t.size + t.nDimension - n, size);
  end = std::copy(others.begin(), others.end(), end);
  if (end == size) *end++ = 1;
  ndim = static_cast<int>(end - size);
}

namespace {

TensorRef on_device(Device* device, TensorRef t) {
  if (t->storage) t->storage->set_current_device(device);
  return t;
}

Matrices whole_matrices(char* data, const Tensor& t, int64_t rows, int64_t cols, int64_t ld) {
  Matrices m;
  m.dtype = t.dtype;
  m.data = data;
  m.count = 1;
  for (int d = 0; d < t.nDimension - 2; ++d) m.count *= t.size[d];
  m.rows = static_cast<int>(rows);
  m.cols = static_cast<int>(cols);
  m.ld = static_cast<int>(std::max<int64_t>({ld, rows, 1}));
  m.step = m.ld * std::max<int64_t>(cols, 1);
  return m;
}

}  // namespace

TensorRef new_temporary(Device* device, DType type, const BatchShape& shape) {
  return on_device(device, TensorRef(tensor_new_sized(type, shape.ndim, shape.size)));
}

TensorRef new_columns(Device* device, DType type, const BatchShape& shape, int64_t leading) {
  TensorRef t(tensor_new(type));
  set_columns(t.get(), shape.ndim, shape.size, leading);
  return on_device(device, std::move(t));
}

void copy_to_new(Device* device, Tensor* r, Tensor* t) {
  // Without this, the copy fills new memory with zeros first if r is not contiguous.
  if (!device && r->storage) r->storage->cpu(Access::overwrite);
  ops::copy(r, t);
}

TensorRef copy_by_columns(Device* device, Tensor* t) {
  TensorRef copy = new_columns(device, t->dtype, BatchShape(*t, 0, {}));
  copy_to_new(device, copy.get(), t);
  return copy;
}

TensorRef copy_by_rows(Device* device, Tensor* t) {
  TensorRef copy = on_device(device, TensorRef(tensor_new_sized(t->dtype, t->nDimension, t->size)));
  ops::copy(copy.get(), t);
  return copy;
}

TensorRef transposed(Tensor* t) {
  TensorRef view(tensor_new(t->dtype));
  views::transpose(view.get(), t, -2, -1);
  return view;
}

TensorRef first_rows(Tensor* t, int64_t n) {
  TensorRef view(tensor_new_view(t));
  view->size[view->nDimension - 2] = n;
  return view;
}

TensorRef first_columns(Tensor* t, int64_t n) {
  TensorRef view(tensor_new_view(t));
  view->size[view->nDimension - 1] = n;
  return view;
}

Matrices matrices(Operands& at, Tensor* t) {
  const int columns = t->nDimension - 1;
  return whole_matrices(at.write(t), *t, t->size[columns - 1], t->size[columns],
                        t->stride[columns]);
}

Matrices transposed_matrices(Operands& at, Tensor* t) {
  const int64_t rows = t->size[t->nDimension - 1], cols = t->size[t->nDimension - 2];
  return whole_matrices(at.write(t), *t, rows, cols, rows);
}

Matrices column_matrices(Operands& at, Tensor* t, int64_t n) {
  Matrices m = whole_matrices(at.write(t), *t, n, 1, n);
  m.count = n > 0 ? t->numel() / n : 0;
  return m;
}

void check_info(const Operands& at, const int* info, const Matrices& m, Failure failure,
                const char* a, const char* b) {
  std::vector<int> copied;
  if (at.device()) {
    copied.resize(static_cast<size_t>(m.count));
    at.read_back(copied.data(), reinterpret_cast<const char*>(info), copied.size() * sizeof(int));
    info = copied.data();
  }
  const int* found = std::find_if(
      info, info + m.count, [&](int i) { return i < 0 || (i > 0 && failure != Failure::none); });
  if (found == info + m.count) return;
  const int i = *found;
  const long long k = shown(found - info);
  if (i < 0) {
    const char* name = i == -1 ? a : i == -2 ? b : "tau";
    if (m.count == 1) fail("%s has an element that is NaN or infinite", name);
    fail("matrix %lld of %s has an element that is NaN or infinite", k, name);
  }
  char which[40] = "A";
  if (m.count > 1) std::snprintf(which, sizeof(which), "matrix %lld", k);
  switch (failure) {
    case Failure::none:
      return;
    case Failure::wrong_pivot:
      if (i > m.rows) {
        fail("pivot %d of matrix %lld is not the number of a row, 1 to %d", i - m.rows, k, m.rows);
      }
      [[fallthrough]];
    case Failure::singular:
      fail("U(%d,%d) is 0, %s is singular", i, i, which);
    case Failure::zero_diagonal:
      fail("A(%d,%d) is 0, %s is singular", i, i, which);
    case Failure::rank:
      fail("R(%d,%d) is 0, %s does not have full rank", i, i, which);
    case Failure::indefinite:
      fail("%s is not positive definite, its leading minor of order %d is not positive", which, i);
    case Failure::low_rank:
      fail("A is not positive definite: %d of %d pivots are above the tolerance", i - 1, m.rows);
    case Failure::eigenvalues:
      fail("did not converge: %d eigenvalues of %s were not found", i, which);
    case Failure::off_diagonals:
      fail("did not converge: %d off-diagonal elements of %s did not become 0", i, which);
    case Failure::singular_values:
      fail("did not converge: %d superdiagonals of %s did not become 0", i, which);
  }
}

}  // namespace th
