#ifndef TH_SIZE_INC
#define TH_SIZE_INC

/* Shapes as plain arrays. */

#include "THGeneral.h"

/* 1 where both have the same dimensions. */
TH_API int THSize_isSameSizeAs(const int64_t* sizeA, int64_t dimsA, const int64_t* sizeB,
                               int64_t dimsB);
/* The product of the sizes; 0 without a dimension. */
TH_API ptrdiff_t THSize_nElement(int64_t dims, int64_t* size);

#endif
