#ifndef TH_OPS_ELEMENTWISE_H
#define TH_OPS_ELEMENTWISE_H

#include "backend/calls.h"
#include "backend/op.h"
#include "ops/ops.h"

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

// Shapes broadcast by NumPy's rules. Where they do not, but the numbers of elements agree, the
// elements are paired in order, as Torch7 has it, and r takes the first input's sizes. r is
// resized, unless it is one of the inputs: then the others must fit its sizes. Types have been
// checked.
void elementwise(const ElementwiseOp& op, Tensor* r, Tensor* const* inputs, int count);

// Shape rule of the above; throws naming the shapes. in_place: the tensor whose sizes are fixed.
// Returns false where the inputs pair element by element.
bool elementwise_shape(const char* name, Tensor* const* inputs, int count, const Tensor* in_place,
                       int* ndim, int64_t* size);

// Strides of t seen in a shape it broadcasts to.
void broadcast_strides(const Tensor& t, int ndim, const int64_t* size, int64_t* stride);

}  // namespace th

#endif
