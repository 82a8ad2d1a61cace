#ifndef TH_GENERIC_FILE
#define TH_GENERIC_FILE "generic/THTensorMath.h"
#else

/* The functions of the op table, THOps.def, where each is described. */
#define TH_OP(name, lua, types, result, parameters, ...) \
  TH_IF_##types(TH_API result THTensor_(name) parameters;)
#include "THOps.def"

#endif
