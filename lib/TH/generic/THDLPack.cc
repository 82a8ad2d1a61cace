#ifndef TH_GENERIC_FILE

// Exchange of tensors with other libraries by DLPack.

#include "TH.h"

#include "generic/bridge.h"
#include "generic/device_names.h"
#include "tensor/dlpack.h"

namespace th {
namespace {

// Returns the tensor, whose elements are shared.
const Tensor& exposed(const void* self) {
  const auto& t = *static_cast<const Tensor*>(self);
  trace_use(t.storage, ElementUse::hands_out);
  return t;
}

template <class Managed>
Tensor* imported(DType type, Managed* managed) {
  TensorRef t(tensor_new(type));
  from_dlpack(t.get(), managed);
  // C code that imports device memory knows that it is there.
  if (!t->storage || !t->storage->current_device()) expose_to_c(t.get());
  return t.release();
}

}  // namespace
}  // namespace th

#define TH_GENERIC_FILE "generic/THDLPack.cc"
#include "THGenerateEveryType.h"

#else

extern "C" {

DLManagedTensorVersioned* THTensor_(toDLPack)(THTensor* self) {
  return th::guard([&] { return th::to_dlpack(th::exposed(self)); });
}
DLManagedTensor* THTensor_(toDLPackUnversioned)(THTensor* self) {
  return th::guard([&] { return th::to_dlpack_unversioned(th::exposed(self)); });
}
DLManagedTensorVersioned* THTensor_(toDLPackOn)(THTensor* self, const char* device) {
  return th::guard([&] { return th::to_dlpack(th::exposed(self), th::device_named(device, 2)); });
}
DLManagedTensor* THTensor_(toDLPackUnversionedOn)(THTensor* self, const char* device) {
  return th::guard(
      [&] { return th::to_dlpack_unversioned(th::exposed(self), th::device_named(device, 2)); });
}
THTensor* THTensor_(fromDLPack)(DLManagedTensorVersioned* managed) {
  return th::guard(
      [&] { return reinterpret_cast<THTensor*>(th::imported(th::DType::Real, managed)); });
}
THTensor* THTensor_(fromDLPackUnversioned)(DLManagedTensor* managed) {
  return th::guard(
      [&] { return reinterpret_cast<THTensor*>(th::imported(th::DType::Real, managed)); });
}
}

#endif
