/* The 16-bit floating-point types, whose elements are structs in C. */
#ifndef TH_GENERIC_FILE
#error "You must define TH_GENERIC_FILE before including THGenerateReducedTypes.h"
#endif

#ifndef THGenerateManyTypes
#define TH_LOCAL_THGenerateReducedTypes
#define THGenerateManyTypes
#endif

#include "THGenerateHalfType.h"
#include "THGenerateBFloat16Type.h"

#ifdef TH_LOCAL_THGenerateReducedTypes
#undef TH_LOCAL_THGenerateReducedTypes
#undef THGenerateManyTypes
#undef TH_GENERIC_FILE
#endif
