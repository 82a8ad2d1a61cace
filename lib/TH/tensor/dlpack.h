#ifndef TH_TENSOR_DLPACK_H
#define TH_TENSOR_DLPACK_H

// Elements that are shared with other libraries.

#include "THDLPack.h"
#include "memory/visibility.h"
#include "tensor/tensor.h"

namespace th TH_VISIBLE {

// Their deleters may be called from any thread.
DLManagedTensorVersioned* to_dlpack(const Tensor& t);
DLManagedTensor* to_dlpack_unversioned(const Tensor& t);

// The element type; an error where there is none such, or what is managed is no tensor of the CPU
// that may be written to.
DType check_dlpack(const DLManagedTensorVersioned* managed);
DType check_dlpack(const DLManagedTensor* managed);

// Makes the tensor one of these elements, and owner of what is managed, unless it throws.
void from_dlpack(Tensor* t, DLManagedTensorVersioned* managed);
void from_dlpack(Tensor* t, DLManagedTensor* managed);

}  // namespace TH_VISIBLE

#endif
