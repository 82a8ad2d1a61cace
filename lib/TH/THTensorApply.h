#ifndef TH_TENSOR_APPLY_INC
#define TH_TENSOR_APPLY_INC

/* Loops over the elements of tensors, in C:

     TH_TENSOR_APPLY2(float, a, double, b, *a_data += *b_data;)

   The code runs once for each element, in row-major order of the indices, for any strides. For a
   tensor in a variable t, t_data points to the current element. All tensors of one loop need the
   same number of elements, but not the same shape.

   The elements of t are visited in runs: t_size elements with stride t_stride, of which t_i is the
   current one. Dimensions that are contiguous with each other are merged; t_dim is the number of
   dimensions that remain, and t_counter holds the indices of the current run in them. The _D loops
   do not merge dimension DIM with the one after it. "break" ends the loop immediately; setting
   TH_TENSOR_APPLY_hasFinished = 1 ends it after the current run. */

#include "THGeneral.h"

/* Maximum number of dimensions of a tensor. */
#define TH_MAX_DIMENSIONS 64

/* Makes the host memory of a tensor of any type valid, for reading and writing through the data
   field of its storage. */
TH_API void _THTensor_ready(const void* tensor);
/* Merges the dimensions of a shape where the strides allow it, but never dimension keep with the
   one after it (keep -1: no exception). Writes the remaining dim dimensions to sizes and strides,
   and clears counter; the last dimension is the run. Returns 1 if all elements form a single run of
   stride 1. size, stride and counter have TH_MAX_DIMENSIONS entries each. */
TH_API int _THTensor_merge(int nDimension, const int64_t* size, const int64_t* stride, int keep,
                           int* dim, int64_t* sizes, int64_t* strides, int64_t* counter);
/* Advances counter to the next run. Returns the distance from the start of the last run to the
   start of the next one, in elements. Sets finished to 1 if there is no next run. */
TH_API ptrdiff_t _THTensor_nextRun(int dim, const int64_t* sizes, const int64_t* strides,
                                   int64_t* counter, int* finished);
/* Error unless both shapes have the same number of elements. */
TH_API void _THTensor_checkCounts(const char* file, int line, int nDimension1, const int64_t* size1,
                                  int nDimension2, const int64_t* size2);

#define __TH_TENSOR_APPLYX_PREAMBLE(TYPE, TENSOR, DIM, ALLOW_CONTIGUOUS)                    \
  TYPE* TENSOR##_data = NULL;                                                               \
  int64_t TENSOR##_i = 0, TENSOR##_size = 0, TENSOR##_stride = 0;                           \
  int64_t TENSOR##_sizes[TH_MAX_DIMENSIONS], TENSOR##_strides[TH_MAX_DIMENSIONS];           \
  int64_t TENSOR##_counter[TH_MAX_DIMENSIONS];                                              \
  int TENSOR##_dim = 0;                                                                     \
  int TENSOR##_contiguous =                                                                 \
      _THTensor_merge(TENSOR->nDimension, TENSOR->size, TENSOR->stride, DIM, &TENSOR##_dim, \
                      TENSOR##_sizes, TENSOR##_strides, TENSOR##_counter) &&                \
      (ALLOW_CONTIGUOUS);                                                                   \
  (void)TENSOR##_contiguous;                                                                \
  (void)TENSOR##_data;                                                                      \
  if (TENSOR##_dim == 0) {                                                                  \
    TH_TENSOR_APPLY_hasFinished = 1;                                                        \
  } else {                                                                                  \
    _THTensor_ready(TENSOR);                                                                \
    TENSOR##_data = TENSOR->storage->data + TENSOR->storageOffset;                          \
    TENSOR##_size = TENSOR##_sizes[TENSOR##_dim - 1];                                       \
    TENSOR##_stride = TENSOR##_strides[TENSOR##_dim - 1];                                   \
  }

/* Advances to the next run if the current one is finished or ALWAYS_UPDATE is not 0. */
#define __TH_TENSOR_APPLYX_UPDATE_COUNTERS(TENSOR, ALWAYS_UPDATE)                       \
  if (TENSOR##_i == TENSOR##_size || (ALWAYS_UPDATE)) {                                 \
    TENSOR##_data -= TENSOR##_i * TENSOR##_stride;                                      \
    TENSOR##_data += _THTensor_nextRun(TENSOR##_dim, TENSOR##_sizes, TENSOR##_strides,  \
                                       TENSOR##_counter, &TH_TENSOR_APPLY_hasFinished); \
    TENSOR##_i = 0;                                                                     \
  }

#define TH_TENSOR_APPLY_D(TYPE, TENSOR, DIM, ...)                                          \
  {                                                                                        \
    int TH_TENSOR_APPLY_hasFinished = 0;                                                   \
    __TH_TENSOR_APPLYX_PREAMBLE(TYPE, TENSOR, DIM, 1)                                      \
    while (!TH_TENSOR_APPLY_hasFinished) {                                                 \
      for (; TENSOR##_i < TENSOR##_size; TENSOR##_i++, TENSOR##_data += TENSOR##_stride) { \
        __VA_ARGS__                                                                        \
      }                                                                                    \
      if (TENSOR##_i < TENSOR##_size || TH_TENSOR_APPLY_hasFinished) break;                \
      __TH_TENSOR_APPLYX_UPDATE_COUNTERS(TENSOR, 1)                                        \
    }                                                                                      \
  }

#define TH_TENSOR_APPLY(TYPE, TENSOR, ...) TH_TENSOR_APPLY_D(TYPE, TENSOR, -1, __VA_ARGS__)

#define TH_TENSOR_APPLY2_D(TYPE1, TENSOR1, TYPE2, TENSOR2, DIM, ...)              \
  {                                                                               \
    int TH_TENSOR_APPLY_hasFinished = 0;                                          \
    _THTensor_checkCounts(__FILE__, __LINE__, TENSOR1->nDimension, TENSOR1->size, \
                          TENSOR2->nDimension, TENSOR2->size);                    \
    __TH_TENSOR_APPLYX_PREAMBLE(TYPE1, TENSOR1, DIM, 1)                           \
    __TH_TENSOR_APPLYX_PREAMBLE(TYPE2, TENSOR2, DIM, 1)                           \
    while (!TH_TENSOR_APPLY_hasFinished) {                                        \
      for (; TENSOR1##_i < TENSOR1##_size && TENSOR2##_i < TENSOR2##_size;        \
           TENSOR1##_i++, TENSOR2##_i++, TENSOR1##_data += TENSOR1##_stride,      \
           TENSOR2##_data += TENSOR2##_stride) {                                  \
        __VA_ARGS__                                                               \
      }                                                                           \
      if ((TENSOR1##_i < TENSOR1##_size && TENSOR2##_i < TENSOR2##_size) ||       \
          TH_TENSOR_APPLY_hasFinished)                                            \
        break;                                                                    \
      __TH_TENSOR_APPLYX_UPDATE_COUNTERS(TENSOR1, 0)                              \
      __TH_TENSOR_APPLYX_UPDATE_COUNTERS(TENSOR2, 0)                              \
    }                                                                             \
  }

#define TH_TENSOR_APPLY2(TYPE1, TENSOR1, TYPE2, TENSOR2, ...) \
  TH_TENSOR_APPLY2_D(TYPE1, TENSOR1, TYPE2, TENSOR2, -1, __VA_ARGS__)

#define TH_TENSOR_APPLY3_D(TYPE1, TENSOR1, TYPE2, TENSOR2, TYPE3, TENSOR3, DIM, ...)        \
  {                                                                                         \
    int TH_TENSOR_APPLY_hasFinished = 0;                                                    \
    _THTensor_checkCounts(__FILE__, __LINE__, TENSOR1->nDimension, TENSOR1->size,           \
                          TENSOR2->nDimension, TENSOR2->size);                              \
    _THTensor_checkCounts(__FILE__, __LINE__, TENSOR1->nDimension, TENSOR1->size,           \
                          TENSOR3->nDimension, TENSOR3->size);                              \
    __TH_TENSOR_APPLYX_PREAMBLE(TYPE1, TENSOR1, DIM, 1)                                     \
    __TH_TENSOR_APPLYX_PREAMBLE(TYPE2, TENSOR2, DIM, 1)                                     \
    __TH_TENSOR_APPLYX_PREAMBLE(TYPE3, TENSOR3, DIM, 1)                                     \
    while (!TH_TENSOR_APPLY_hasFinished) {                                                  \
      for (; TENSOR1##_i < TENSOR1##_size && TENSOR2##_i < TENSOR2##_size &&                \
             TENSOR3##_i < TENSOR3##_size;                                                  \
           TENSOR1##_i++, TENSOR2##_i++, TENSOR3##_i++, TENSOR1##_data += TENSOR1##_stride, \
           TENSOR2##_data += TENSOR2##_stride, TENSOR3##_data += TENSOR3##_stride) {        \
        __VA_ARGS__                                                                         \
      }                                                                                     \
      if ((TENSOR1##_i < TENSOR1##_size && TENSOR2##_i < TENSOR2##_size &&                  \
           TENSOR3##_i < TENSOR3##_size) ||                                                 \
          TH_TENSOR_APPLY_hasFinished)                                                      \
        break;                                                                              \
      __TH_TENSOR_APPLYX_UPDATE_COUNTERS(TENSOR1, 0)                                        \
      __TH_TENSOR_APPLYX_UPDATE_COUNTERS(TENSOR2, 0)                                        \
      __TH_TENSOR_APPLYX_UPDATE_COUNTERS(TENSOR3, 0)                                        \
    }                                                                                       \
  }

#define TH_TENSOR_APPLY3(TYPE1, TENSOR1, TYPE2, TENSOR2, TYPE3, TENSOR3, ...) \
  TH_TENSOR_APPLY3_D(TYPE1, TENSOR1, TYPE2, TENSOR2, TYPE3, TENSOR3, -1, __VA_ARGS__)

#endif
