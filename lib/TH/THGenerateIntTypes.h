/* The integer types. */
#ifndef TH_GENERIC_FILE
#error "You must define TH_GENERIC_FILE before including THGenerateIntTypes.h"
#endif

#ifndef THGenerateManyTypes
#define TH_LOCAL_THGenerateIntTypes
#define THGenerateManyTypes
#endif

#include "THGenerateByteType.h"
#include "THGenerateCharType.h"
#include "THGenerateShortType.h"
#include "THGenerateIntType.h"
#include "THGenerateLongType.h"

#ifdef TH_LOCAL_THGenerateIntTypes
#undef TH_LOCAL_THGenerateIntTypes
#undef THGenerateManyTypes
#undef TH_GENERIC_FILE
#endif
