/* All nine element types. */
#ifndef TH_GENERIC_FILE
#error "You must define TH_GENERIC_FILE before including THGenerateEveryType.h"
#endif

#ifndef THGenerateManyTypes
#define TH_LOCAL_THGenerateEveryType
#define THGenerateManyTypes
#endif

#include "THGenerateAllTypes.h"
#include "THGenerateReducedTypes.h"

#ifdef TH_LOCAL_THGenerateEveryType
#undef TH_LOCAL_THGenerateEveryType
#undef THGenerateManyTypes
#undef TH_GENERIC_FILE
#endif
