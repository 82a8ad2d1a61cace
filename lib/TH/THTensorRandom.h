#ifndef TH_TENSOR_RANDOM_INC
#define TH_TENSOR_RANDOM_INC

#include "THRandom.h"
#include "THTensor.h"

/* Saves and restores the state of a generator as bytes. get resizes self to 5048 elements, for
   Philox to 40. set accepts states saved by Torch7 on x86-64 Linux, and changes the kind of gen to
   that of the state. An invalid state is an error. */
TH_API void THByteTensor_getRNGState(THGenerator* gen, THByteTensor* self);
TH_API void THByteTensor_setRNGState(THGenerator* gen, THByteTensor* self);

#endif
