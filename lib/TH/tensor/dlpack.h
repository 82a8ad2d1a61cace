#ifndef TH_TENSOR_DLPACK_H
#define TH_TENSOR_DLPACK_H

// Exchange of tensors with other libraries by DLPack.

#include "THDLPack.h"
#include "base/visibility.h"
#include "tensor/tensor.h"

namespace th TH_VISIBLE {

// The deleters of the results may be called on any thread.
DLManagedTensorVersioned* to_dlpack(const Tensor& t);
DLManagedTensor* to_dlpack_unversioned(const Tensor& t);

// Returns the element type. Throws if it is unsupported, or if the elements are not on the CPU or
// read-only.
DType check_dlpack(const DLManagedTensorVersioned* managed);
DType check_dlpack(const DLManagedTensor* managed);

// Makes t a tensor of the managed elements and takes ownership of managed, unless it throws.
void from_dlpack(Tensor* t, DLManagedTensorVersioned* managed);
void from_dlpack(Tensor* t, DLManagedTensor* managed);

}  // namespace TH_VISIBLE

#endif
