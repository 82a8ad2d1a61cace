#include "simt/kernels/element_kernel.h"

bool th::run_binary(Queue& queue, const ElementCall& call) {
  switch (call.kernel) {
#define TH_BINARY(name, lua, types, cost, doc) \
  case ElementKernel::name:                    \
    TH_ROW_##types(name, 2);                   \
    return true;
#define TH_SCALED(name, lua, types, cost, doc) TH_BINARY(name, lua, types, cost, doc)
#include "THOps.def"
    case ElementKernel::lerp:
      TH_ROW_FLOATING(lerp, 2);
      return true;
    default:
      return false;
  }
}
