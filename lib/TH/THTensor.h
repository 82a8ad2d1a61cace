#ifndef TH_TENSOR_INC
#define TH_TENSOR_INC

/* Tensors: views of a storage, defined by sizes, strides and an offset. There is a type
   TH<Type>Tensor for each element type. Dimensions, indices and offsets count from 0; a negative
   dimension, or index of select or narrow, counts from the end. */

#include "THRandom.h"
#include "THStorage.h"

#define THTensor TH_CONCAT_3(TH, Real, Tensor)
#define THTensor_(NAME) TH_CONCAT_4(TH, Real, Tensor_, NAME)

#define TH_TENSOR_REFCOUNTED 1

#define TH_TYPE(Name, real, accreal, kind, ...) typedef struct TH##Name##Tensor TH##Name##Tensor;
#include "THTypes.def"
#undef TH_TYPE

#define TH_GENERIC_FILE "generic/THTensor.h"
#include "THGenerateEveryType.h"

#define TH_GENERIC_FILE "generic/THTensorMath.h"
#include "THGenerateEveryType.h"

#define TH_GENERIC_FILE "generic/THTensorConv.h"
#include "THGenerateEveryType.h"

#endif
