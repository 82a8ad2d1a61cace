#ifndef TH_GENERIC_FILE
#define TH_GENERIC_FILE "generic/THDLPack.h"
#else

/* Exports the tensor's elements, copied to the CPU first if necessary, to another library without
   copying them further. The other library calls the deleter when it no longer needs them, on any
   thread, before or after the tensor is freed. Until then the storage cannot be resized. */
TH_API struct DLManagedTensorVersioned* THTensor_(toDLPack)(THTensor* self);
TH_API struct DLManagedTensor* THTensor_(toDLPackUnversioned)(THTensor* self);

/* The same on a device: the storage moves there, and the functions wait for its queued work, so the
   elements may be used on any stream. The deleter waits for all work on the device. Operations on
   the device and reads on the host see what the other library has written, if that work has
   finished or is in the stream of THDeviceStream(device). */
TH_API struct DLManagedTensorVersioned* THTensor_(toDLPackOn)(THTensor* self, const char* device);
TH_API struct DLManagedTensor* THTensor_(toDLPackUnversionedOn)(THTensor* self, const char* device);

/* Imports the elements of another library without copying. They must be of this element type, on
   the CPU or on a device of THDevice.h, whose queued work is waited for. Returns a tensor with one
   reference, owned by the caller. The deleter is called when the last tensor of the storage is
   freed. After an error the caller still owns managed. */
TH_API THTensor* THTensor_(fromDLPack)(struct DLManagedTensorVersioned* managed);
TH_API THTensor* THTensor_(fromDLPackUnversioned)(struct DLManagedTensor* managed);

#endif
