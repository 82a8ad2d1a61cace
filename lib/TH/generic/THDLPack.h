#ifndef TH_GENERIC_FILE
#define TH_GENERIC_FILE "generic/THDLPack.h"
#else

/* The tensor's elements, which are at the CPU from now on, for another library, which calls the
   deleter when it needs them no more: from any thread, before or after the tensor is freed. Until
   then the storage is not resized. */
TH_API struct DLManagedTensorVersioned* THTensor_(toDLPack)(THTensor* self);
TH_API struct DLManagedTensor* THTensor_(toDLPackUnversioned)(THTensor* self);

/* A tensor of another library's elements, which have to be at the CPU and of this type. It has one
   reference, which is the caller's; the deleter is called when the last tensor of the storage is
   freed. After an error the elements are still the caller's. */
TH_API THTensor* THTensor_(fromDLPack)(struct DLManagedTensorVersioned* managed);
TH_API THTensor* THTensor_(fromDLPackUnversioned)(struct DLManagedTensor* managed);

#endif
