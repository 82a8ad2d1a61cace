// Matrix products: sizes, types, layouts and aliasing.

#include <algorithm>
#include <climits>

#include "base/error.h"
#include "ops/direct.h"
#include "ops/elementwise.h"
#include "ops/operands.h"
#include "ops/product.h"
#include "ops/scalars.h"

namespace th::direct {

namespace {

enum class VectorAs { column, row };

// One call: r = beta * t + alpha * a * b. A vector is a matrix with one column or one row.
struct Call {
  Op op;
  int ndim;  // of the result
  int64_t size[3];
  Tensor* r;
  Scalar beta;
  Tensor* t;  // null: beta is 0
  Scalar alpha;
  Tensor* a;
  VectorAs a_vector;
  Tensor* b;
  VectorAs b_vector;
  bool sum;  // sum over the batches
};

Call make_call(Op op, Tensor* r, Scalar beta, Tensor* t, Scalar alpha, Tensor* a, Tensor* b,
               std::initializer_list<int64_t> size) {
  Call call;
  call.op = op;
  call.ndim = static_cast<int>(size.size());
  std::copy(size.begin(), size.end(), call.size);
  call.r = r;
  call.beta = beta;
  call.t = t;
  call.alpha = alpha;
  call.a = a;
  call.b = b;
  call.a_vector = call.b_vector = VectorAs::column;
  call.sum = false;
  return call;
}

void product(Call call);

struct Shape {
  int64_t batches, rows, cols;
};

Shape shape_of(const Tensor& t, VectorAs vector) {
  if (t.nDimension == 1) {
    return vector == VectorAs::column ? Shape{1, t.size[0], 1} : Shape{1, 1, t.size[0]};
  }
  if (t.nDimension == 2) return {1, t.size[0], t.size[1]};
  return {t.size[0], t.size[1], t.size[2]};
}

Factor strides_of(const Tensor& t, VectorAs vector) {
  if (t.nDimension == 1) {
    return vector == VectorAs::column ? Factor{nullptr, 0, t.stride[0], 1}
                                      : Factor{nullptr, 0, 1, t.stride[0]};
  }
  if (t.nDimension == 2) return {nullptr, 0, t.stride[0], t.stride[1]};
  return {nullptr, t.stride[0], t.stride[1], t.stride[2]};
}

// Returns a copy that BLAS can use: a leading dimension must fit into int.
TensorRef copy_for_blas(Tensor* t) {
  int last = t->nDimension - 1;
  if (last < 1 || t->size[last] <= INT_MAX) return clone(t);
  TensorRef turned(tensor_new(t->dtype));
  transpose(turned.get(), t, last, last - 1);
  TensorRef copied = clone(turned.get());
  transpose(copied.get(), copied.get(), last, last - 1);
  return copied;
}

[[noreturn]] void fail_too_large(const Tensor& t) {
  fail("a matrix of size %s is too large: one of its dimensions must be less than 2^31",
       shape_text(t).c_str());
}

// Returns the strides and data of a factor for BLAS. If a copy is necessary, `copied` holds it.
Factor operand(Operands& at, Tensor* t, VectorAs vector, TensorRef* copied) {
  Placed in = at.read(t);
  Shape shape = shape_of(*t, vector);
  Factor factor = strides_of(*in.tensor, vector);
  if (!is_integral(t->dtype) && !has_blas_layout(&factor, shape.rows, shape.cols)) {
    *copied = copy_for_blas(in.tensor);
    in = at.read(copied->get());
    factor = strides_of(*in.tensor, vector);
    if (!has_blas_layout(&factor, shape.rows, shape.cols)) fail_too_large(*t);
  }
  factor.data = in.data;
  return factor;
}

// Returns true if r can be written in place; sets factor.
bool is_writable(const Call& call, const Tensor& r, Factor* factor) {
  Shape shape = shape_of(r, call.a_vector);
  *factor = strides_of(r, call.a_vector);
  if (!has_blas_layout(factor, shape.rows, shape.cols)) return false;
  if (shape.batches == 1) return true;
  int64_t minor = factor->col == 1 ? shape.cols : shape.rows;
  int64_t major = factor->col == 1 ? shape.rows : shape.cols;
  int64_t ld = factor->col == 1 ? factor->row : factor->col;
  // Either the matrices do not overlap, or their rows are interleaved.
  int64_t one_after_other = (major - 1) * ld + minor;
  int64_t interleaved = (shape.batches - 1) * factor->batch + minor;
  return factor->batch >= one_after_other ||
         (factor->batch >= minor && (major == 1 || interleaved <= ld));
}

bool shares_memory(const Tensor& r, const Tensor& t) {
  return partly_overlap(r, t) || (r.storage && r.storage == t.storage && same_view(r, t));
}

void through_temporary(Call call) {
  int64_t size[3];
  std::copy(call.size, call.size + call.ndim, size);
  bool turned = call.ndim > 1 && size[call.ndim - 1] > INT_MAX;
  if (turned) std::swap(size[call.ndim - 1], size[call.ndim - 2]);
  TensorRef result(tensor_new_sized(call.r->dtype, call.ndim, size));
  if (turned) transpose(result.get(), result.get(), call.ndim - 1, call.ndim - 2);
  Factor factor;
  if (result->numel() > 0 && !is_writable(call, *result, &factor)) fail_too_large(*result);
  Tensor* r = call.r;
  call.r = result.get();
  product(call);
  resize(r, call.ndim, call.size);
  copy(r, result.get());
}

bool has_size(const Tensor& t, int ndim, const int64_t* size) {
  return t.nDimension == ndim && std::equal(size, size + ndim, t.size);
}

void copy_expanded(Tensor* r, Tensor* t) {
  if (same_size(*r, *t)) {
    copy(r, t);
    return;
  }
  TensorRef expanded(tensor_new(t->dtype));
  expand(expanded.get(), t, {r->nDimension, r->size});
  copy(r, expanded.get());
}

// Computes a sum over batches as one product: concatenates the matrices of a horizontally and those
// of b vertically.
void merge_batches(Call* call, TensorRef* a, TensorRef* b) {
  int64_t batches = call->a->size[0], depth = call->a->size[2];
  if (batches * depth == 0) return;
  TensorRef turned(tensor_new(call->a->dtype));
  transpose(turned.get(), call->a, 0, 1);
  int64_t a_size[] = {call->size[0], batches * depth}, b_size[] = {batches * depth, call->size[1]};
  int64_t stride[2];
  *a = TensorRef(tensor_new(call->a->dtype));
  TensorRef copied = view_strides(*turned, 2, a_size, stride) ? TensorRef() : clone(turned.get());
  view(a->get(), copied ? copied.get() : turned.get(), {2, a_size});
  *b = TensorRef(tensor_new(call->b->dtype));
  TensorRef b_copied = view_strides(*call->b, 2, b_size, stride) ? TensorRef() : clone(call->b);
  view(b->get(), b_copied ? b_copied.get() : call->b, {2, b_size});
  call->a = a->get();
  call->b = b->get();
  call->sum = false;
}

// Sizes and types have been checked.
void product(Call call) {
  Tensor* r = call.r;
  call.alpha = in_type(call.alpha, r->dtype);
  call.beta = in_type(call.beta, r->dtype);
  if (call.beta.to_double() == 0) call.t = nullptr;
  if (r == call.a || r == call.b || (r == call.t && !has_size(*r, call.ndim, call.size))) {
    through_temporary(call);
    return;
  }
  resize(r, call.ndim, call.size);
  if (r->numel() == 0) return;
  ProductCall p;
  if (!is_writable(call, *r, &p.c) || shares_memory(*r, *call.a) || shares_memory(*r, *call.b) ||
      (call.t && partly_overlap(*r, *call.t))) {
    through_temporary(call);
    return;
  }

  Shape a = shape_of(*call.a, call.a_vector), b = shape_of(*call.b, call.b_vector);
  bool adds_nothing = a.cols == 0 || a.batches == 0 || call.alpha.to_double() == 0;
  Device* device = device_of({r, call.t, call.a, call.b});
  // The result is placed on the device even if other operations compute it.
  if (call.t != r) place_result(device, r);
  if (call.t && call.t != r && !same_view(*r, *call.t)) copy_expanded(r, call.t);
  if (adds_nothing) {
    if (!call.t) {
      zero(r);
    } else if (call.beta.to_double() != 1) {
      mul(r, r, call.beta);
    }
    return;
  }
  p.dtype = r->dtype;
  p.m = a.rows;
  p.n = b.cols;
  p.alpha = call.alpha;
  p.beta = call.t ? call.beta : in_type(0, r->dtype);
  p.tf32 = allows_tf32();
  TensorRef merged_a, merged_b, a_copy, b_copy;
  run(call.op, device, [&](Operands& at) {
    Call factors = call;
    // Devices compute one long product instead of many.
    if (at.device() && call.sum) merge_batches(&factors, &merged_a, &merged_b);
    Shape shape = shape_of(*factors.a, factors.a_vector);
    p.batches = shape.batches;
    p.k = shape.cols;
    p.sum = factors.sum;
    p.a = operand(at, factors.a, factors.a_vector, &a_copy);
    p.b = operand(at, factors.b, factors.b_vector, &b_copy);
    p.c.data = call.t ? at.write(r) : at.overwrite(r);
    return p;
  });
}

// ---- checks -------------------------------------------------------------------------------------

void check_types(const char* name, const Tensor* r, const Tensor* other) {
  if (r->dtype != other->dtype) {
    fail("%s: a %sTensor and a %sTensor do not go together: convert one of them", name,
         th::name(r->dtype), th::name(other->dtype));
  }
}

void check_types(const char* name, const Call& call) {
  if (call.t) check_types(name, call.r, call.t);
  check_types(name, call.r, call.a);
  check_types(name, call.r, call.b);
}

void check_dims(const char* name, const char* expected, const Tensor* a, int a_dims,
                const Tensor* b, int b_dims) {
  if (a->nDimension != a_dims || b->nDimension != b_dims) {
    fail("%s: %s expected, got %dD, %dD tensors", name, expected, a->nDimension, b->nDimension);
  }
}

// t must have the shape of the result or broadcast to it.
void check_addend(const Call& call, const char* a_name, const char* b_name) {
  if (!call.t || has_size(*call.t, call.ndim, call.size)) return;
  int ndim;
  int64_t size[kMaxDims];
  if (call.t->nDimension != 0 && call.t->nDimension <= call.ndim &&
      broadcast_sizes(call.t->nDimension, call.t->size, call.ndim, call.size, &ndim, size) &&
      std::equal(size, size + ndim, call.size)) {
    return;
  }
  fail("size mismatch, t: %s, %s: %s, %s: %s", shape_text(*call.t).c_str(), a_name,
       shape_text(*call.a).c_str(), b_name, shape_text(*call.b).c_str());
}

void matrix_matrix(Op op, Tensor* r, Scalar beta, Tensor* t, Scalar alpha, Tensor* a, Tensor* b) {
  check_dims(name(op), "matrices", a, 2, b, 2);
  if (a->size[1] != b->size[0]) {
    fail("size mismatch, m1: %s, m2: %s", shape_text(*a).c_str(), shape_text(*b).c_str());
  }
  Call call = make_call(op, r, beta, t, alpha, a, b, {a->size[0], b->size[1]});
  check_types(name(op), call);
  check_addend(call, "m1", "m2");
  product(call);
}

void matrix_vector(Op op, Tensor* r, Scalar beta, Tensor* t, Scalar alpha, Tensor* mat,
                   Tensor* vec) {
  check_dims(name(op), "matrix and vector", mat, 2, vec, 1);
  if (mat->size[1] != vec->size[0]) {
    fail("size mismatch, %s, %s", shape_text(*mat).c_str(), shape_text(*vec).c_str());
  }
  Call call = make_call(op, r, beta, t, alpha, mat, vec, {mat->size[0]});
  check_types(name(op), call);
  check_addend(call, "mat", "vec");
  product(call);
}

void vector_vector(Op op, Tensor* r, Scalar beta, Tensor* t, Scalar alpha, Tensor* vec1,
                   Tensor* vec2) {
  check_dims(name(op), "vector and vector", vec1, 1, vec2, 1);
  Call call = make_call(op, r, beta, t, alpha, vec1, vec2, {vec1->size[0], vec2->size[0]});
  call.b_vector = VectorAs::row;
  check_types(name(op), call);
  check_addend(call, "vec1", "vec2");
  product(call);
}

// argument: position of the first batch among the C function's arguments.
void batch_batch(Op op, int argument, Tensor* r, Scalar beta, Tensor* t, Scalar alpha, Tensor* a,
                 Tensor* b, bool sum) {
  check_dims(name(op), "3D tensors", a, 3, b, 3);
  if (a->size[0] != b->size[0]) {
    fail_argument(argument, "equal number of batches expected, got %lld, %lld",
                  static_cast<long long>(a->size[0]), static_cast<long long>(b->size[0]));
  }
  if (a->size[2] != b->size[1]) {
    fail_argument(argument, "size mismatch, batch1: %s, batch2: %s", shape_text(*a).c_str(),
                  shape_text(*b).c_str());
  }
  Call call = make_call(op, r, beta, t, alpha, a, b, {a->size[0], a->size[1], b->size[2]});
  call.sum = sum;
  if (sum) {
    call.ndim = 2;
    call.size[0] = a->size[1];
    call.size[1] = b->size[2];
  }
  check_types(name(op), call);
  check_addend(call, "batch1", "batch2");
  product(call);
}

}  // namespace

void addmm(Tensor* r, Scalar beta, Tensor* t, Scalar alpha, Tensor* a, Tensor* b) {
  matrix_matrix(Op::addmm, r, beta, t, alpha, a, b);
}
void addmv(Tensor* r, Scalar beta, Tensor* t, Scalar alpha, Tensor* mat, Tensor* vec) {
  matrix_vector(Op::addmv, r, beta, t, alpha, mat, vec);
}
void addr(Tensor* r, Scalar beta, Tensor* t, Scalar alpha, Tensor* vec1, Tensor* vec2) {
  vector_vector(Op::addr, r, beta, t, alpha, vec1, vec2);
}
void addbmm(Tensor* r, Scalar beta, Tensor* t, Scalar alpha, Tensor* a, Tensor* b) {
  batch_batch(Op::addbmm, 5, r, beta, t, alpha, a, b, true);
}
void baddbmm(Tensor* r, Scalar beta, Tensor* t, Scalar alpha, Tensor* a, Tensor* b) {
  batch_batch(Op::baddbmm, 5, r, beta, t, alpha, a, b, false);
}
void mm(Tensor* r, Tensor* a, Tensor* b) { matrix_matrix(Op::mm, r, 0, nullptr, 1, a, b); }
void mv(Tensor* r, Tensor* mat, Tensor* vec) { matrix_vector(Op::mv, r, 0, nullptr, 1, mat, vec); }
void ger(Tensor* r, Tensor* vec1, Tensor* vec2) {
  vector_vector(Op::ger, r, 0, nullptr, 1, vec1, vec2);
}
void bmm(Tensor* r, Tensor* a, Tensor* b) {
  batch_batch(Op::bmm, 2, r, 0, nullptr, 1, a, b, false);
}

}  // namespace th::direct
