#ifndef TH_GENERIC_FILE

// Typed C functions of the op table.

#include "TH.h"

#include "generic/bridge.h"

#define TH_FROM_C_(kind, type, core, name, expression, ...) th::from_c<core>(expression)

#define TH_GENERIC_FILE "generic/THTensorMath.cc"
#include "THGenerateEveryType.h"

#else

#define TH_OP(name, lua, types, result, parameters, ...)                                 \
  TH_IF_##types(result THTensor_(name)(TH_C_PARAMETERS(parameters)) {                    \
    th::args::name arguments{TH_PARAMETERS(TH_FROM_C_, TH_COMMA, TH_UNWRAP parameters)}; \
    th::call_from_c(th::Op::name, &arguments);                                           \
    return th::returned_to_c<result>(arguments);                                         \
  })
#include "THOps.def"

#define TH_NO_BITS(name, Operand)                                                        \
  TH_IF_FLOATING(void THTensor_(name)(THTensor*, THTensor*, Operand) {                   \
    th::guard([] { th::fail("%s is only supported for integer type tensors", #name); }); \
  })
TH_NO_BITS(bitand, real)
TH_NO_BITS(bitor, real)
TH_NO_BITS(bitxor, real)
TH_NO_BITS(cbitand, THTensor*)
TH_NO_BITS(cbitor, THTensor*)
TH_NO_BITS(cbitxor, THTensor*)
#undef TH_NO_BITS

#endif
