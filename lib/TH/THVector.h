#ifndef TH_VECTOR_INC
#define TH_VECTOR_INC

/* Arithmetic on plain blocks of n elements, on the calling thread. A result may be an operand, but
   not overlap one otherwise. */

#include "THGeneral.h"

#define THVector_(NAME) TH_CONCAT_4(TH, Real, Vector_, NAME)

#define TH_GENERIC_FILE "generic/THVector.h"
#include "THGenerateAllTypes.h"

#endif
