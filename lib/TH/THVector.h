#ifndef TH_VECTOR_INC
#define TH_VECTOR_INC

/* Arithmetic on arrays of n elements, on the calling thread. The result may be the same array as an
   operand, but must not overlap it partially. */

#include "THGeneral.h"

#define THVector_(NAME) TH_CONCAT_4(TH, Real, Vector_, NAME)

#define TH_GENERIC_FILE "generic/THVector.h"
#include "THGenerateAllTypes.h"

#endif
