#ifndef TH_TENSOR_DLPACK_H
#define TH_TENSOR_DLPACK_H

// Exchange of tensors with other libraries by DLPack.

#include "THDLPack.h"
#include "base/visibility.h"
#include "tensor/tensor.h"

namespace th TH_VISIBLE {

// Exports the elements on a device, which becomes that of the tensor's storage, or on the CPU if it
// is null. Work queued on the device has ended. The deleters of the results may be called on any
// thread. They wait for all work on the device.
DLManagedTensorVersioned* to_dlpack(const Tensor& t, Device* device = nullptr);
DLManagedTensor* to_dlpack_unversioned(const Tensor& t, Device* device = nullptr);

// Returns the element type. Throws if it is unsupported, if the elements are read-only, or if they
// are on a device that this process has not.
DType check_dlpack(const DLManagedTensorVersioned* managed);
DType check_dlpack(const DLManagedTensor* managed);

// Makes t a tensor of the managed elements and takes ownership of managed, unless it throws. Waits
// for all work on the elements' device.
void from_dlpack(Tensor* t, DLManagedTensorVersioned* managed);
void from_dlpack(Tensor* t, DLManagedTensor* managed);

}  // namespace TH_VISIBLE

#endif
