#ifndef TH_GENERIC_FILE
#define TH_GENERIC_FILE "generic/THDLPack.h"
#else

/* Exports the tensor's elements, copied to the CPU first if necessary, to another library without
   copying them further. The other library calls the deleter when it no longer needs them, on any
   thread, before or after the tensor is freed. Until then the storage cannot be resized. */
TH_API struct DLManagedTensorVersioned* THTensor_(toDLPack)(THTensor* self);
TH_API struct DLManagedTensor* THTensor_(toDLPackUnversioned)(THTensor* self);

/* Imports the elements of another library without copying. They must be on the CPU and of this
   element type. Returns a tensor with one reference, owned by the caller. The deleter is called
   when the last tensor of the storage is freed. After an error the caller still owns managed. */
TH_API THTensor* THTensor_(fromDLPack)(struct DLManagedTensorVersioned* managed);
TH_API THTensor* THTensor_(fromDLPackUnversioned)(struct DLManagedTensor* managed);

#endif
