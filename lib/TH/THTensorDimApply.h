#ifndef TH_TENSOR_DIM_APPLY_INC
#define TH_TENSOR_DIM_APPLY_INC

/* Loops over the 1-D slices of tensors along a dimension, which counts from 0:

     TH_TENSOR_DIM_APPLY2(double, sums, double, t, 1,
                          double sum = 0;
                          for (int64_t i = 0; i < t_size; i++) sum += t_data[i * t_stride];
                          *sums_data = sum;)

   The code runs once for each slice. For a tensor in a variable t, t_data points to the first of
   the t_size elements of the slice; their stride is t_stride. TH_TENSOR_DIM_APPLY_counter holds the
   indices of the other dimensions, whose sizes must be equal in all tensors. Setting
   TH_TENSOR_DIM_APPLY_hasFinished = 1 ends the loop. */

#include "THGeneral.h"
#include "THTensorApply.h"

/* Errors if the dimension does not exist; if another dimension differs in size. */
TH_API void _THTensor_checkDim(const char* file, int line, int dim, int nDimension);
TH_API void _THTensor_checkOtherDims(const char* file, int line, int dim, int nDimension1,
                                     const int64_t* size1, int nDimension2, const int64_t* size2);
/* Returns 1 if no dimension other than dim has size 0. */
TH_API int _THTensor_hasVectors(int nDimension, const int64_t* size, int dim);
/* Advances counter to the next slice. Returns 0 if there is none. */
TH_API int _THTensor_nextVector(int nDimension, const int64_t* size, int dim, int64_t* counter);
/* Returns the offset of the slice at these indices, in elements. */
TH_API ptrdiff_t _THTensor_vectorAt(int nDimension, const int64_t* stride, const int64_t* counter);

#define __TH_TENSOR_DIM_APPLY_PREAMBLE(TYPE, TENSOR, DIMENSION)                                 \
  TYPE* TENSOR##_first = NULL;                                                                  \
  TYPE* TENSOR##_data = NULL;                                                                   \
  int64_t TENSOR##_size = TENSOR->size[DIMENSION], TENSOR##_stride = TENSOR->stride[DIMENSION]; \
  (void)TENSOR##_size;                                                                          \
  (void)TENSOR##_data;                                                                          \
  (void)TENSOR##_stride;                                                                        \
  if (TENSOR->storage) {                                                                        \
    _THTensor_ready(TENSOR);                                                                    \
    TENSOR##_first = TENSOR->storage->data + TENSOR->storageOffset;                             \
  }
#define __TH_TENSOR_DIM_APPLY_PLACE(TENSOR)                                               \
  TENSOR##_data = TENSOR##_first + _THTensor_vectorAt(TENSOR->nDimension, TENSOR->stride, \
                                                      TH_TENSOR_DIM_APPLY_counter);

#define __TH_TENSOR_DIM_APPLY_LOOP(TENSOR, DIMENSION, PLACE, ...)          \
  int64_t TH_TENSOR_DIM_APPLY_counter[TH_MAX_DIMENSIONS] = {0};            \
  int TH_TENSOR_DIM_APPLY_hasFinished =                                    \
      !_THTensor_hasVectors(TENSOR->nDimension, TENSOR->size, DIMENSION);  \
  int TH_TENSOR_DIM_APPLY_i = 0;                                           \
  (void)TH_TENSOR_DIM_APPLY_i;                                             \
  while (!TH_TENSOR_DIM_APPLY_hasFinished) {                               \
    PLACE { __VA_ARGS__ }                                                  \
    if (TH_TENSOR_DIM_APPLY_hasFinished ||                                 \
        !_THTensor_nextVector(TENSOR->nDimension, TENSOR->size, DIMENSION, \
                              TH_TENSOR_DIM_APPLY_counter))                \
      break;                                                               \
  }

#define TH_TENSOR_DIM_APPLY(TYPE, TENSOR, DIMENSION, ...)                              \
  {                                                                                    \
    _THTensor_checkDim(__FILE__, __LINE__, DIMENSION, TENSOR->nDimension);             \
    __TH_TENSOR_DIM_APPLY_PREAMBLE(TYPE, TENSOR, DIMENSION)                            \
    __TH_TENSOR_DIM_APPLY_LOOP(TENSOR, DIMENSION, __TH_TENSOR_DIM_APPLY_PLACE(TENSOR), \
                               __VA_ARGS__)                                            \
  }

#define TH_TENSOR_DIM_APPLY2(TYPE1, TENSOR1, TYPE2, TENSOR2, DIMENSION, ...)                    \
  {                                                                                             \
    _THTensor_checkDim(__FILE__, __LINE__, DIMENSION, TENSOR1->nDimension);                     \
    _THTensor_checkOtherDims(__FILE__, __LINE__, DIMENSION, TENSOR1->nDimension, TENSOR1->size, \
                             TENSOR2->nDimension, TENSOR2->size);                               \
    __TH_TENSOR_DIM_APPLY_PREAMBLE(TYPE1, TENSOR1, DIMENSION)                                   \
    __TH_TENSOR_DIM_APPLY_PREAMBLE(TYPE2, TENSOR2, DIMENSION)                                   \
    __TH_TENSOR_DIM_APPLY_LOOP(                                                                 \
        TENSOR1, DIMENSION,                                                                     \
        __TH_TENSOR_DIM_APPLY_PLACE(TENSOR1) __TH_TENSOR_DIM_APPLY_PLACE(TENSOR2), __VA_ARGS__) \
  }

#define TH_TENSOR_DIM_APPLY3(TYPE1, TENSOR1, TYPE2, TENSOR2, TYPE3, TENSOR3, DIMENSION, ...)    \
  {                                                                                             \
    _THTensor_checkDim(__FILE__, __LINE__, DIMENSION, TENSOR1->nDimension);                     \
    _THTensor_checkOtherDims(__FILE__, __LINE__, DIMENSION, TENSOR1->nDimension, TENSOR1->size, \
                             TENSOR2->nDimension, TENSOR2->size);                               \
    _THTensor_checkOtherDims(__FILE__, __LINE__, DIMENSION, TENSOR1->nDimension, TENSOR1->size, \
                             TENSOR3->nDimension, TENSOR3->size);                               \
    __TH_TENSOR_DIM_APPLY_PREAMBLE(TYPE1, TENSOR1, DIMENSION)                                   \
    __TH_TENSOR_DIM_APPLY_PREAMBLE(TYPE2, TENSOR2, DIMENSION)                                   \
    __TH_TENSOR_DIM_APPLY_PREAMBLE(TYPE3, TENSOR3, DIMENSION)                                   \
    __TH_TENSOR_DIM_APPLY_LOOP(TENSOR1, DIMENSION,                                              \
                               __TH_TENSOR_DIM_APPLY_PLACE(TENSOR1)                             \
                                   __TH_TENSOR_DIM_APPLY_PLACE(TENSOR2)                         \
                                       __TH_TENSOR_DIM_APPLY_PLACE(TENSOR3),                    \
                               __VA_ARGS__)                                                     \
  }

#endif
