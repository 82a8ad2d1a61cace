/* Includes TH_GENERIC_FILE once with the names of element type BFloat16 defined. */
#ifndef TH_GENERIC_FILE
#error "You must define TH_GENERIC_FILE before including THGenerateBFloat16Type.h"
#endif

#define real THBFloat16
#define accreal float
#define Real BFloat16
#define TH_CONVERT_REAL_TO_ACCREAL(_val) TH_bfloat162float(_val)
#define TH_CONVERT_ACCREAL_TO_REAL(_val) TH_float2bfloat16(_val)
#define THInf 0x7F80U
#define TH_REAL_IS_BFLOAT16
#define TH_IF_ALL(...) __VA_ARGS__
#define TH_IF_INTEGRAL(...)
#define TH_IF_FLOATING(...) __VA_ARGS__
#define TH_IF_BYTE(...)
#include TH_GENERIC_FILE
#undef TH_IF_BYTE
#undef TH_IF_FLOATING
#undef TH_IF_INTEGRAL
#undef TH_IF_ALL
#undef TH_REAL_IS_BFLOAT16
#undef THInf
#undef TH_CONVERT_ACCREAL_TO_REAL
#undef TH_CONVERT_REAL_TO_ACCREAL
#undef Real
#undef accreal
#undef real

#ifndef THGenerateManyTypes
#undef TH_GENERIC_FILE
#endif
