#ifndef TH_STORAGE_INC
#define TH_STORAGE_INC

/* Storages: reference-counted blocks of elements, TH<Type>Storage for each element type. */

#include "THAllocator.h"
#include "THGeneral.h"
#include "THHalf.h"
#include "THSyncedMemory.h"

#define THStorage TH_CONCAT_3(TH, Real, Storage)
#define THStorage_(NAME) TH_CONCAT_4(TH, Real, Storage_, NAME)

/* Flags of a storage. */
#define TH_STORAGE_REFCOUNTED 1
#define TH_STORAGE_RESIZABLE 2
#define TH_STORAGE_FREEMEM 4 /* the last reference frees the memory; else the caller owns it */
#define TH_STORAGE_VIEW 8    /* for programs; TH never sets it */

/* Unchecked access to an element. The data field must be valid: see struct THStorage. */
#define TH_STORAGE_GET(storage, idx) ((storage)->data[(idx)])
#define TH_STORAGE_SET(storage, idx, value) ((storage)->data[(idx)] = (value))

#define TH_TYPE(Name, real, accreal, kind, ...) typedef struct TH##Name##Storage TH##Name##Storage;
#include "THTypes.def"
#undef TH_TYPE

#define TH_GENERIC_FILE "generic/THStorage.h"
#include "THGenerateEveryType.h"

/* Formats a storage of sizes: "[2 x 3]". */
TH_API THDescBuff THLongStorage_sizeDesc(const THLongStorage* size);
/* Returns a new storage with the sizes of size, in which at most one -1 is replaced so that the
   number of elements is nElement. Error if there is no such size. */
TH_API THLongStorage* THLongStorage_newInferSize(THLongStorage* size, ptrdiff_t nElement);
/* Writes the shape to which the given shapes broadcast by NumPy's rules to output. Each shape has
   at least one dimension. Returns 0, or -1 if the shapes do not broadcast; then a message is in
   error_buffer, which may be NULL. */
TH_API int THLongStorage_inferSize2(THLongStorage* output, int64_t* sizesA, int64_t dimsA,
                                    int64_t* sizesB, int64_t dimsB, char* error_buffer,
                                    int buffer_len);
TH_API int THLongStorage_inferSizeN(THLongStorage* output, int n, int64_t** sizes, int64_t* dims,
                                    char* error_buffer, int buffer_len);
/* Computes the sizes and strides of a tensor expanded to sizes; the stride of an expanded dimension
   is 0. The results are two new blocks from THAlloc, owned by the caller. Returns 0, or -1 as
   above. */
TH_API int THLongStorage_inferExpandGeometry(int64_t* tensorSizes, int64_t* tensorStrides,
                                             int64_t tensorDim, THLongStorage* sizes,
                                             int64_t** expandedSizes, int64_t** expandedStrides,
                                             char* error_buffer, int buffer_len);

#endif
