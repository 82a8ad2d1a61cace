#ifndef TH_BLOB_INC
#define TH_BLOB_INC

/* Caffe's Blobs, THFloatBlob and THDoubleBlob: an array (data) and its gradient (diff). Both are
   synced memory blocks of the same shape, with up to TH_BLOB_MAX_AXES axes. Axes and indices count
   from 0. Each block is allocated on its first read or write. */

#include "THTensor.h"

#define THBlob TH_CONCAT_3(TH, Real, Blob)
#define THBlob_(NAME) TH_CONCAT_4(TH, Real, Blob_, NAME)

#define TH_BLOB_MAX_AXES 32

typedef struct THFloatBlob THFloatBlob;
typedef struct THDoubleBlob THDoubleBlob;

#define TH_GENERIC_FILE "generic/THBlob.h"
#include "THGenerateFloatTypes.h"

/* Returns 1 if a BlobProto, or the first blob of a BlobProtoVector, contains doubles, else 0. Error
   if the bytes are neither. */
TH_API int THBlobProto_isDouble(const void* bytes, size_t size);
/* Returns 1 if the bytes begin like a BlobProtoVector, 0 if they may be a BlobProto. */
TH_API int THBlobProto_isVector(const void* bytes, size_t size);

#endif
