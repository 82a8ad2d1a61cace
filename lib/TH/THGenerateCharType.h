/* Includes TH_GENERIC_FILE once with the names of element type Char defined. */
#ifndef TH_GENERIC_FILE
#error "You must define TH_GENERIC_FILE before including THGenerateCharType.h"
#endif

#define real char
#define accreal int64_t
#define Real Char
#define TH_CONVERT_REAL_TO_ACCREAL(_val) (accreal)(_val)
#define TH_CONVERT_ACCREAL_TO_REAL(_val) (real)(_val)
#define THInf SCHAR_MAX
#define TH_REAL_IS_CHAR
#define TH_IF_ALL(...) __VA_ARGS__
#define TH_IF_INTEGRAL(...) __VA_ARGS__
#define TH_IF_FLOATING(...)
#define TH_IF_BYTE(...)
#include TH_GENERIC_FILE
#undef TH_IF_BYTE
#undef TH_IF_FLOATING
#undef TH_IF_INTEGRAL
#undef TH_IF_ALL
#undef TH_REAL_IS_CHAR
#undef THInf
#undef TH_CONVERT_ACCREAL_TO_REAL
#undef TH_CONVERT_REAL_TO_ACCREAL
#undef Real
#undef accreal
#undef real

#ifndef THGenerateManyTypes
#undef TH_GENERIC_FILE
#endif
