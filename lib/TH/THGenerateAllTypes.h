/* Torch7's seven arithmetic types; client packages instantiate these. */
#ifndef TH_GENERIC_FILE
#error "You must define TH_GENERIC_FILE before including THGenerateAllTypes.h"
#endif

#ifndef THGenerateManyTypes
#define TH_LOCAL_THGenerateAllTypes
#define THGenerateManyTypes
#endif

#include "THGenerateFloatTypes.h"
#include "THGenerateIntTypes.h"

#ifdef TH_LOCAL_THGenerateAllTypes
#undef TH_LOCAL_THGenerateAllTypes
#undef THGenerateManyTypes
#undef TH_GENERIC_FILE
#endif
