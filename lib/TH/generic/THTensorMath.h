#ifndef TH_GENERIC_FILE
#define TH_GENERIC_FILE "generic/THTensorMath.h"
#else

#include "../THParameters.h"

/* The functions of the op table. THOps.def documents each of them. */
#define TH_OP(name, lua, types, result, parameters, ...) \
  TH_IF_##types(TH_API result THTensor_(name)(TH_C_PARAMETERS(parameters));)
#include "../THOps.def"

/* Raise an error for floating-point types. */
TH_IF_FLOATING(TH_API void THTensor_ (bitand)(THTensor* r_, THTensor* t, real value);)
TH_IF_FLOATING(TH_API void THTensor_(bitor)(THTensor* r_, THTensor* t, real value);)
TH_IF_FLOATING(TH_API void THTensor_(bitxor)(THTensor* r_, THTensor* t, real value);)
TH_IF_FLOATING(TH_API void THTensor_(cbitand)(THTensor* r_, THTensor* t, THTensor* src);)
TH_IF_FLOATING(TH_API void THTensor_(cbitor)(THTensor* r_, THTensor* t, THTensor* src);)
TH_IF_FLOATING(TH_API void THTensor_(cbitxor)(THTensor* r_, THTensor* t, THTensor* src);)

#endif
