/* The floating-point types C code can compute with: Float and Double. */
#ifndef TH_GENERIC_FILE
#error "You must define TH_GENERIC_FILE before including THGenerateFloatTypes.h"
#endif

#ifndef THGenerateManyTypes
#define TH_LOCAL_THGenerateFloatTypes
#define THGenerateManyTypes
#endif

#include "THGenerateFloatType.h"
#include "THGenerateDoubleType.h"

#ifdef TH_LOCAL_THGenerateFloatTypes
#undef TH_LOCAL_THGenerateFloatTypes
#undef THGenerateManyTypes
#undef TH_GENERIC_FILE
#endif
