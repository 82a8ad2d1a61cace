#ifndef TH_OPS_ELEMENTWISE_H
#define TH_OPS_ELEMENTWISE_H

#include "backend/calls.h"
#include "base/op.h"
#include "ops/ops.h"
#include "ops/rules.h"

namespace th {

// An element-wise operation of THOps.def and its numbers.
struct ElementwiseOp {
  Op op;
  DType dtype;  // the type that T stands for
  const Scalar* params;
  int param_count;
  int64_t grain;  // minimum number of elements per thread
};

// Computes all elements of r. The inputs broadcast to the shape of r or pair with it in order. r
// overlaps no input, except with the same layout.
void run_elementwise(const ElementwiseOp& op, Tensor* r, Tensor* const* inputs, int count);

// Computes the shape of the result of an element-wise operation. Shapes that differ pair by
// current_rules: by NumPy's rules, or in order if the numbers of elements agree. If in_place is
// not null, the result must have its shape. Returns false if the inputs pair in order. Then the
// shape is that of in_place, or of the first input if in_place is null. By the rules of Torch7 it
// is that of the first input also if in_place is contiguous.
bool elementwise_shape(Tensor* const* inputs, int count, const Tensor* in_place, int* ndim,
                       int64_t* size);
// Returns a copy in host memory of elements that the host holds.
TensorRef clone_on_host(Tensor* t);
// Throws the error about shapes that would pair in order under Pairing::strict.
[[noreturn]] void fail_strict(Tensor* const* inputs, int count);
inline void check_strict(Tensor* a, Tensor* b) {
  if (current_rules.pairing != Pairing::strict || same_size(*a, *b)) return;
  Tensor* const inputs[] = {a, b};
  fail_strict(inputs, 2);
}

// Computes the strides of t in a shape to which it broadcasts.
void broadcast_strides(const Tensor& t, int ndim, const int64_t* size, int64_t* stride);
// Returns a view of t in a shape to which it broadcasts.
TensorRef broadcast_view(Tensor* t, int ndim, const int64_t* size);
// Two tensors in the shape that they have as operands of an element-wise operation, by
// elementwise_shape: the tensors themselves, views, or copies if the strides do not fit.
struct Paired {
  TensorRef a, b;
};
Paired paired_views(Tensor* a, Tensor* b);

}  // namespace th

#endif
