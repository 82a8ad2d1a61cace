#ifndef TH_GENERIC_FILE

// Typed C functions of the op table.

#include "TH.h"

#include "generic/bridge.h"

// The row of catArray passes its list of tensors by this name.
#define TensorList(inputs, count) \
  th::TensorList(reinterpret_cast<th::Tensor**>(inputs), static_cast<int>(count))

#define TH_GENERIC_FILE "generic/THTensorMath.cc"
#include "THGenerateEveryType.h"

#else

#define TH_OP(name, lua, types, result, parameters, names, ...) \
  TH_IF_##types(result THTensor_(name)                          \
                    parameters { return th::expose<result>(#name, &th::ops::name) names; })
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
