#ifndef TH_GENERIC_FILE
#define TH_GENERIC_FILE "generic/THTensorFile.h"
#else

/* Reads tensor k of a file. self gets its shape and new memory; tensors that shared memory with
   self keep the old one. Elements of another type are converted as by copy; THTensorReader_type
   returns the type in the file. An array in Fortran order is not contiguous. After an error self is
   unchanged. */
TH_API void THTensor_(readFrom)(THTensor* self, THTensorReader* reader, int64_t k);
/* The same, but the file is mapped into memory: elements are read from the disk when they are first
   accessed. Writing to self does not change the file. The file must not be truncated while self
   exists. Errors: the element types differ; the elements cannot be mapped, because the file is
   compressed or has another byte order. A tensor of a .safetensors file that cannot be mapped, or
   has less than 64 KiB, is read. */
TH_API void THTensor_(mapFrom)(THTensor* self, THTensorReader* reader, int64_t k);
/* Reads the tensor of a file that contains one, as readFrom does. */
TH_API void THTensor_(load)(THTensor* self, const char* filename);

/* Adds a tensor. The writer refers to self, and THTensorWriter_commit writes the elements that self
   has then. If self is not contiguous, it copies the elements instead. An .npy file has one tensor,
   whose name is ignored and may be NULL. Errors: a name that occurs twice or is not allowed. */
TH_API void THTensor_(writeTo)(THTensor* self, THTensorWriter* writer, const char* name);
/* Writes an .npy file. */
TH_API void THTensor_(save)(THTensor* self, const char* filename);

#endif
