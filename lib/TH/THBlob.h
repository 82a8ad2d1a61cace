#ifndef TH_BLOB_INC
#define TH_BLOB_INC

/* Caffe's Blobs, THFloatBlob and THDoubleBlob: data and their gradient (diff), two blocks of
   synchronised memory of one shape of up to TH_BLOB_MAX_AXES axes. Axes and indices count from 0.
   Neither block is allocated before someone reads or writes it. */

#include "THTensor.h"

#define THBlob TH_CONCAT_3(TH, Real, Blob)
#define THBlob_(NAME) TH_CONCAT_4(TH, Real, Blob_, NAME)

#define TH_BLOB_MAX_AXES 32

typedef struct THFloatBlob THFloatBlob;
typedef struct THDoubleBlob THDoubleBlob;

#define TH_GENERIC_FILE "generic/THBlob.h"
#include "THGenerateFloatTypes.h"

/* 1 where the bytes of a BlobProto, or the first of a BlobProtoVector, hold doubles, else 0. Bytes
   that are neither are an error. */
TH_API int THBlobProto_isDouble(const void* bytes, size_t size);
/* 1 where the bytes begin as a BlobProtoVector does, 0 where they may be a BlobProto. */
TH_API int THBlobProto_isVector(const void* bytes, size_t size);

#endif
