// Matrix products: shapes, layouts and aliasing.

#include <algorithm>
#include <climits>

#include "base/error.h"
#include "ops/compose.h"
#include "ops/elementwise.h"
#include "ops/product.h"
#include "ops/scalars.h"

namespace th {

namespace {

enum class ProductForm { matrices, matrix_vector, vectors, batches, batch_sum };

// r = beta * t + alpha * a * b. r, a and b are fields of the arguments.
struct Product {
  Op op;
  ProductForm form;
  Tensor*& r;
  Scalar beta;
  Tensor* t;  // null: beta is 0
  Scalar alpha;
  Tensor *&a, *&b;
};

struct ProductText {
  const char* a;  // the names of the operands
  const char* b;
  int a_dims, b_dims;
  const char* expected;
};
const ProductText& text_of(ProductForm form) {
  static const ProductText texts[] = {{"m1", "m2", 2, 2, "matrices"},
                                      {"mat", "vec", 2, 1, "matrix and vector"},
                                      {"vec1", "vec2", 1, 1, "vector and vector"},
                                      {"batch1", "batch2", 3, 3, "3D tensors"},
                                      {"batch1", "batch2", 3, 3, "3D tensors"}};
  return texts[static_cast<int>(form)];
}

// ---- layouts ------------------------------------------------------------------------------------

// A tensor as a batch of matrices. A vector is a matrix with one column or one row.
struct MatrixBatch {
  int64_t batches, rows, cols;
  Factor factor;  // without data
};

MatrixBatch matrices_of(int ndim, const int64_t* size, const int64_t* stride, bool by_row = false) {
  if (ndim == 1 && by_row) return {1, 1, size[0], {nullptr, 0, 1, stride[0]}};
  if (ndim == 1) return {1, size[0], 1, {nullptr, 0, stride[0], 1}};
  if (ndim == 2) return {1, size[0], size[1], {nullptr, 0, stride[0], stride[1]}};
  return {size[0], size[1], size[2], {nullptr, stride[0], stride[1], stride[2]}};
}
MatrixBatch matrices_of(const Tensor& t, bool by_row = false) {
  return matrices_of(t.nDimension, t.size, t.stride, by_row);
}

// Returns true if the kernels can write the matrices; sets the strides as BLAS needs them.
bool make_writable(MatrixBatch* m) {
  Factor* factor = &m->factor;
  if (!has_blas_layout(factor, m->rows, m->cols)) return false;
  if (m->batches == 1) return true;
  bool by_rows = factor->col == 1;
  int64_t minor = by_rows ? m->cols : m->rows, major = by_rows ? m->rows : m->cols;
  int64_t ld = by_rows ? factor->row : factor->col;
  // Either the matrices do not overlap, or their rows are interleaved.
  int64_t one_after_other = (major - 1) * ld + minor;
  int64_t interleaved = (m->batches - 1) * factor->batch + minor;
  return factor->batch >= one_after_other ||
         (factor->batch >= minor && (major == 1 || interleaved <= ld));
}

bool is_writable(const Tensor& r) {
  MatrixBatch m = matrices_of(r);
  return make_writable(&m);
}

// Returns a copy that BLAS can use: a leading dimension must fit into int.
TensorRef copy_for_blas(Tensor* t) {
  int last = t->nDimension - 1;
  if (last < 1 || t->size[last] <= INT_MAX) return clone(t);
  TensorRef transposed(tensor_new(t->dtype));
  views::transpose(transposed.get(), t, last, last - 1);
  TensorRef copied = clone(transposed.get());
  views::transpose(copied.get(), copied.get(), last, last - 1);
  return copied;
}

[[noreturn]] void fail_too_large(const Tensor& t) {
  fail("a matrix of size %s is too large: one of its dimensions must be less than 2^31",
       shape_text(t).c_str());
}

// Returns a new tensor for a result.
TensorRef new_result(DType type, int ndim, const int64_t* size) {
  if (ndim == 1 || size[ndim - 1] <= INT_MAX) {
    return TensorRef(tensor_new_sized(type, ndim, size));
  }
  int64_t transposed[3];
  std::copy(size, size + ndim, transposed);
  std::swap(transposed[ndim - 1], transposed[ndim - 2]);
  TensorRef result(tensor_new_sized(type, ndim, transposed));
  views::transpose(result.get(), result.get(), ndim - 1, ndim - 2);
  if (result->numel() > 0 && !is_writable(*result)) fail_too_large(*result);
  return result;
}

// Returns the strides and data of a factor for BLAS. If a copy is necessary, `copied` holds it.
Factor operand(Operands& at, Tensor* t, bool by_row, TensorRef* copied) {
  Placed in = at.read(t);
  MatrixBatch m = matrices_of(*in.tensor, by_row);
  if (!is_integral(t->dtype) && !has_blas_layout(&m.factor, m.rows, m.cols)) {
    *copied = copy_for_blas(in.tensor);
    in = at.read(copied->get());
    m = matrices_of(*in.tensor, by_row);
    if (!has_blas_layout(&m.factor, m.rows, m.cols)) fail_too_large(*t);
  }
  m.factor.data = in.data;
  return m.factor;
}

// ---- checks and the shape of the result ---------------------------------------------------------

void check_operands(const Product& p, const Shapes& s) {
  const ProductText& text = text_of(p.form);
  const Tensor &a = *p.a, &b = *p.b;
  if (a.nDimension != text.a_dims || b.nDimension != text.b_dims) {
    fail("%s expected, got %dD, %dD tensors", text.expected, a.nDimension, b.nDimension);
  }
  switch (p.form) {
    case ProductForm::vectors:
      return;
    case ProductForm::matrices:
      if (a.size[1] == b.size[0]) return;
      fail("size mismatch, m1: %s, m2: %s", shape_text(a).c_str(), shape_text(b).c_str());
    case ProductForm::matrix_vector:
      if (a.size[1] == b.size[0]) return;
      fail("size mismatch, %s, %s", shape_text(a).c_str(), shape_text(b).c_str());
    default:
      if (a.size[0] != b.size[0]) {
        s.fail(p.a, "equal number of batches expected, got %lld, %lld", as_long(a.size[0]),
               as_long(b.size[0]));
      }
      if (a.size[2] == b.size[1]) return;
      s.fail(p.a, "size mismatch, batch1: %s, batch2: %s", shape_text(a).c_str(),
             shape_text(b).c_str());
  }
}

int result_size(const Product& p, int64_t* size) {
  const int64_t *a = p.a->size, *b = p.b->size;
  int ndim = 0;
  if (p.form == ProductForm::batches) size[ndim++] = a[0];
  size[ndim++] = p.form >= ProductForm::batches ? a[1] : a[0];
  if (p.form != ProductForm::matrix_vector) size[ndim++] = b[p.b->nDimension - 1];
  return ndim;
}

// t must have the shape of the result or broadcast to it.
void check_addend(const Product& p, int ndim, const int64_t* size) {
  if (!p.t || has_shape(*p.t, ndim, size)) return;
  int both_dims;
  int64_t both[kMaxDims];
  if (p.t->nDimension != 0 && p.t->nDimension <= ndim &&
      broadcast_sizes(p.t->nDimension, p.t->size, ndim, size, &both_dims, both) &&
      std::equal(both, both + both_dims, size)) {
    return;
  }
  const ProductText& text = text_of(p.form);
  fail("size mismatch, t: %s, %s: %s, %s: %s", shape_text(*p.t).c_str(), text.a,
       shape_text(*p.a).c_str(), text.b, shape_text(*p.b).c_str());
}

// The kernels write r itself unless it shares elements with an operand or BLAS cannot write its
// layout. r may be t.
bool needs_temporary(const Product& p, int ndim, const int64_t* size) {
  const Tensor& r = *p.r;
  if (may_share(r, *p.a, ndim, size) || may_share(r, *p.b, ndim, size)) return true;
  bool keeps_shape = has_shape(r, ndim, size);
  if (p.t && p.beta.to_double() != 0) {
    bool is_addend = keeps_shape && (&r == p.t || same_view(r, *p.t));
    if (!is_addend && may_share(r, *p.t, ndim, size)) return true;
  }
  if (keeps_shape) return r.numel() > 0 && !is_writable(r);
  return size[ndim - 1] > INT_MAX;
}

void set_result(const Product& p, Shapes& s) {
  check_operands(p, s);
  int64_t size[3];
  int ndim = result_size(p, size);
  check_addend(p, ndim, size);
  if (needs_temporary(p, ndim, size)) {
    s.set_value(p.r, new_result(p.r->dtype, ndim, size));
  } else if (!has_shape(*p.r, ndim, size)) {
    s.set(p.r, ndim, size, Layout::in_place);
  }
}

// ---- the product --------------------------------------------------------------------------------

void multiply(const Product& p) {
  Tensor* r = p.r;
  if (r->numel() == 0) return;
  Scalar alpha = in_type(p.alpha, r->dtype), beta = in_type(p.beta, r->dtype);
  Tensor* t = beta.to_double() == 0 ? nullptr : p.t;
  bool by_row = p.form == ProductForm::vectors;
  MatrixBatch a = matrices_of(*p.a), b = matrices_of(*p.b, by_row), c = matrices_of(*r);
  Device* device = device_of({r, t, p.a, p.b});
  // The result is placed on the device even if other operations compute it.
  if (t != r) place_result(device, r);
  if (t && t != r && !same_view(*r, *t)) {
    ops::copy(r, same_size(*r, *t) ? t : broadcast_view(t, r->nDimension, r->size).get());
  }
  if (a.cols == 0 || a.batches == 0 || alpha.to_double() == 0) {
    if (!t) {
      ops::zero(r);
    } else if (beta.to_double() != 1) {
      ops::mul(r, r, beta);
    }
    return;
  }
  make_writable(&c);
  ProductCall call;
  call.dtype = r->dtype;
  call.batches = a.batches;
  call.m = a.rows;
  call.n = b.cols;
  call.k = a.cols;
  call.sum = p.form == ProductForm::batch_sum;
  call.tf32 = allows_tf32();
  call.alpha = alpha;
  call.beta = t ? beta : in_type(Scalar(0), r->dtype);
  call.c = c.factor;
  TensorRef a_copy, b_copy;
  run(p.op, device, [&](Operands& at) {
    call.a = operand(at, p.a, false, &a_copy);
    call.b = operand(at, p.b, by_row, &b_copy);
    call.c.data = t ? at.write(r) : at.overwrite(r);
    return call;
  });
}

}  // namespace

#define TH_PRODUCT(name, form, a, b)                                             \
  void shapes(args::name& x, Shapes& s) {                                        \
    set_result({Op::name, ProductForm::form, x.r_, 0, nullptr, 1, x.a, x.b}, s); \
  }                                                                              \
  void calls(args::name& x) {                                                    \
    multiply({Op::name, ProductForm::form, x.r_, 0, nullptr, 1, x.a, x.b});      \
  }
#define TH_ADDED_PRODUCT(name, form, a, b)                                              \
  void shapes(args::name& x, Shapes& s) {                                               \
    set_result({Op::name, ProductForm::form, x.r_, x.beta, x.t, x.alpha, x.a, x.b}, s); \
  }                                                                                     \
  void calls(args::name& x) {                                                           \
    multiply({Op::name, ProductForm::form, x.r_, x.beta, x.t, x.alpha, x.a, x.b});      \
  }
TH_PRODUCT(mm, matrices, mat1, mat2)
TH_PRODUCT(mv, matrix_vector, mat, vec)
TH_PRODUCT(ger, vectors, vec1, vec2)
TH_PRODUCT(bmm, batches, batch1, batch2)
TH_ADDED_PRODUCT(addmm, matrices, mat1, mat2)
TH_ADDED_PRODUCT(addmv, matrix_vector, mat, vec)
TH_ADDED_PRODUCT(addr, vectors, vec1, vec2)
TH_ADDED_PRODUCT(baddbmm, batches, batch1, batch2)
TH_ADDED_PRODUCT(addbmm, batch_sum, batch1, batch2)

}  // namespace th
