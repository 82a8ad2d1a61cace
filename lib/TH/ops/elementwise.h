#ifndef TH_OPS_ELEMENTWISE_H
#define TH_OPS_ELEMENTWISE_H

#include "backend/calls.h"
#include "base/op.h"
#include "ops/ops.h"
#include "ops/rules.h"

namespace th {

// An element-wise row of THOps.def, with its numbers.
struct ElementwiseOp {
  Op op;
  const char* name;  // for messages
  DType dtype;       // the row's type
  const Scalar* params;
  int param_count;
  int64_t grain;  // elements below which one thread is best
};

// Shapes that differ pair as current_rules say: by NumPy's rules, or, with as many elements, in
// order, where r takes the first input's sizes. r is resized, unless it is one of the inputs: then
// the others must fit its sizes. Types have been checked.
void elementwise(const ElementwiseOp& op, Tensor* r, Tensor* const* inputs, int count);

// Shape rule of the above; throws naming the shapes. in_place: the tensor whose sizes are fixed.
// Returns false where the inputs pair in order.
bool elementwise_shape(const char* name, Tensor* const* inputs, int count, const Tensor* in_place,
                       int* ndim, int64_t* size);
// A copy at home on the CPU, of elements that are on the host.
TensorRef clone_on_host(Tensor* t);
// What is thrown where shapes differ, as many elements would pair in order, and must not.
[[noreturn]] void fail_strict(Tensor* const* inputs, int count);
inline void check_strict(Tensor* a, Tensor* b) {
  if (current_rules.pairing != Pairing::strict || same_size(*a, *b)) return;
  Tensor* const inputs[] = {a, b};
  fail_strict(inputs, 2);
}

// Strides of t seen in a shape it broadcasts to.
void broadcast_strides(const Tensor& t, int ndim, const int64_t* size, int64_t* stride);
// A view of t in a shape it broadcasts to.
TensorRef broadcast_view(Tensor* t, int ndim, const int64_t* size);
// Two tensors in the shape that they have as operands of an element-wise operation, by
// elementwise_shape: they themselves, views, or copies where a layout needs one.
struct Paired {
  TensorRef a, b;
};
Paired paired_views(const char* name, Tensor* a, Tensor* b);

}  // namespace th

#endif
