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
#define TH_STORAGE_FREEMEM 4 /* the last reference frees the memory, which else is the caller's */
#define TH_STORAGE_VIEW 8    /* for programs: no function of TH sets it */

/* An element, unchecked, of a storage whose data is ready. */
#define TH_STORAGE_GET(storage, idx) ((storage)->data[(idx)])
#define TH_STORAGE_SET(storage, idx, value) ((storage)->data[(idx)] = (value))

#define TH_TYPE(Name, real, accreal, kind, ...) typedef struct TH##Name##Storage TH##Name##Storage;
#include "THTypes.def"
#undef TH_TYPE

#define TH_GENERIC_FILE "generic/THStorage.h"
#include "THGenerateEveryType.h"

/* "[2 x 3]" for a storage of sizes. */
TH_API THDescBuff THLongStorage_sizeDesc(const THLongStorage* size);
/* size with its -1, of which there may be one, replaced so that nElement elements result. */
TH_API THLongStorage* THLongStorage_newInferSize(THLongStorage* size, ptrdiff_t nElement);
/* The shape that shapes of at least one dimension broadcast to by NumPy's rules, for output; -1
   where they do not, with a message in error_buffer, which may be NULL. */
TH_API int THLongStorage_inferSize2(THLongStorage* output, int64_t* sizesA, int64_t dimsA,
                                    int64_t* sizesB, int64_t dimsB, char* error_buffer,
                                    int buffer_len);
TH_API int THLongStorage_inferSizeN(THLongStorage* output, int n, int64_t** sizes, int64_t* dims,
                                    char* error_buffer, int buffer_len);
/* The sizes, and the strides, 0 where a dimension expands, of a tensor expanded to sizes: two new
   blocks of THAlloc. -1 as above where it cannot be. */
TH_API int THLongStorage_inferExpandGeometry(int64_t* tensorSizes, int64_t* tensorStrides,
                                             int64_t tensorDim, THLongStorage* sizes,
                                             int64_t** expandedSizes, int64_t** expandedStrides,
                                             char* error_buffer, int buffer_len);

#endif
