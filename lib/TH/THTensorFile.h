#ifndef TH_TENSOR_FILE_INC
#define TH_TENSOR_FILE_INC

/* Files that contain tensors: NumPy's .npy and .npz, and .safetensors. The extension of the file
   name selects the format. To load or save one tensor:

     THFloatTensor_load(t, "x.npy");
     THFloatTensor_save(t, "y.npy");

   To list the contents of a file and read several tensors:

     THTensorReader *file = THTensorReader_new("weights.npz");
     for (int64_t k = 0; k < THTensorReader_count(file); ++k) {
       printf("%s has %d dimensions\n", THTensorReader_name(file, k),
              THTensorReader_nDimension(file, k));
     }
     THFloatTensor_readFrom(bias, file, THTensorReader_find(file, "bias"));
     THTensorReader_free(file);

   Tensors in a file count from 0. Damaged files are errors. Reading allocates at most a few times
   the size of the file, whatever sizes the file states. doc/files.md lists the element types. */

#include "THTensor.h"

/* The element types: THTypeByte, THTypeFloat, and so on. */
#define TH_TYPE(Name, real, accreal, kind, ...) THType##Name,
typedef enum THType {
#include "THTypes.def"
  THTypeCount
} THType;
#undef TH_TYPE

typedef struct THTensorReader THTensorReader;
typedef struct THTensorWriter THTensorWriter;

/* ---- reading ---- */
/* Opens a file and reads its header. Errors: an unknown extension, a file that cannot be read, an
   invalid header. */
TH_API THTensorReader* THTensorReader_new(const char* filename);
/* Closes the file. Tensors that were read from it, or mapped, stay valid. NULL is ignored. */
TH_API void THTensorReader_free(THTensorReader* self);
/* Returns the number of tensors: 1 for an .npy file. */
TH_API int64_t THTensorReader_count(const THTensorReader* self);
/* Returns the name of a tensor, which is "" in an .npy file. It is valid until the reader is
   freed. */
TH_API const char* THTensorReader_name(const THTensorReader* self, int64_t k);
/* Returns the position of a tensor, or -1 if the file has no tensor of this name. */
TH_API int64_t THTensorReader_find(const THTensorReader* self, const char* name);
/* Return the element type that the tensor has in memory, its number of dimensions, and a size. In
   an .npz file they read the header of the tensor, so they raise an error if it is damaged. In a
   .safetensors file they raise an error if the type is unknown. */
TH_API THType THTensorReader_type(THTensorReader* self, int64_t k);
TH_API int THTensorReader_nDimension(THTensorReader* self, int64_t k);
TH_API int64_t THTensorReader_size(THTensorReader* self, int64_t k, int dim);
/* The strings of a .safetensors file, sorted by key: their number, the key of one, and the value of
   a key. The value is NULL if there is no such key. */
TH_API int64_t THTensorReader_metadataCount(const THTensorReader* self);
TH_API const char* THTensorReader_metadataKey(const THTensorReader* self, int64_t k);
TH_API const char* THTensorReader_metadata(const THTensorReader* self, const char* key);

/* ---- writing ---- */
/* Prepares a file. Tensors are added by THFloatTensor_writeTo and so on. THTensorWriter_commit
   writes the file, and replaces an existing one as a whole: if there is an error, the old file is
   unchanged. doc/files.md states how. */
TH_API THTensorWriter* THTensorWriter_new(const char* filename);
/* Adds a string. Error: the format is not .safetensors. */
TH_API void THTensorWriter_setMetadata(THTensorWriter* self, const char* key, const char* value);
/* Compresses the file. Error: the format is not .npz. */
TH_API void THTensorWriter_compress(THTensorWriter* self);
/* Writes the file. It may be called once. */
/* After an error in the middle of the file the writer can only be freed. */
TH_API void THTensorWriter_commit(THTensorWriter* self);
/* Frees the writer. Without THTensorWriter_commit no file is written. NULL is ignored. */
TH_API void THTensorWriter_free(THTensorWriter* self);

#define TH_GENERIC_FILE "generic/THTensorFile.h"
#include "THGenerateEveryType.h"

#endif
