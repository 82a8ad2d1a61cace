#ifndef TH_OPS_ELEMENTWISE_H
#define TH_OPS_ELEMENTWISE_H

#include "cpu/loop.h"
#include "backend/calls.h"
#include "ops/ops.h"

namespace th {

// One element-wise operation: r = loop(inputs), for tensors of any layout.
struct ElementwiseOp {
  const char* name;
  Loop loop;             // null: not defined for the type
  const Scalar* params;  // of the loop; may be null
  int64_t grain;
  ElementKernel kernel;  // the same on devices
  int param_count;
};

// Shapes broadcast by NumPy's rules. Where they do not, but the numbers of elements agree, the
// elements are paired in order, as Torch7 has it, and r takes the first input's sizes. r is
// resized, unless it is one of the inputs: then the others must fit its sizes. The inputs' types
// must agree; r has the type that the loop writes.
void elementwise(const ElementwiseOp& op, Tensor* r, Tensor* const* inputs, int count);

// Shape rule of the above; throws naming the shapes. in_place: the tensor whose sizes are fixed.
// Returns false where the inputs pair element by element.
bool elementwise_shape(const char* name, Tensor* const* inputs, int count, const Tensor* in_place,
                       int* ndim, int64_t* size);

// Strides of t seen in a shape it broadcasts to.
void broadcast_strides(const Tensor& t, int ndim, const int64_t* size, int64_t* stride);

// How r's memory should be asked for when all of r's elements will be replaced.
inline Access access_for_result(const Tensor& r) {
  return r.storageOffset == 0 && r.storage && r.numel() == r.storage->size && is_contiguous(r)
             ? Access::overwrite
             : Access::write;
}

// The same where inputs may be r itself, in the same layout.
inline Access access_for_result(const Tensor& r, Tensor* const* inputs, int count) {
  for (int k = 0; k < count; ++k) {
    if (inputs[k]->storage == r.storage) return Access::write;
  }
  return access_for_result(r);
}

}  // namespace th

#endif
