#ifndef TH_SIZE_INC
#define TH_SIZE_INC

/* Functions on shapes that are plain arrays. */

#include "THGeneral.h"

/* Returns 1 if both shapes are equal. */
TH_API int THSize_isSameSizeAs(const int64_t* sizeA, int64_t dimsA, const int64_t* sizeB,
                               int64_t dimsB);
/* Returns the product of the sizes; 0 if dims is 0. */
TH_API ptrdiff_t THSize_nElement(int64_t dims, int64_t* size);

#endif
