#ifndef TH_TENSOR_RANDOM_INC
#define TH_TENSOR_RANDOM_INC

#include "THRandom.h"
#include "THTensor.h"

/* The state of a generator as bytes: self is resized to 5048 elements, or to 40 for Philox. A state
   that Torch7 saved on x86-64 Linux can be set; gen becomes of the state's kind. Anything that is
   no state is an error. */
TH_API void THByteTensor_getRNGState(THGenerator* gen, THByteTensor* self);
TH_API void THByteTensor_setRNGState(THGenerator* gen, THByteTensor* self);

#endif
