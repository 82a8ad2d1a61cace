#include "simt/kernels/element_kernel.h"

bool th::run_value(Queue& queue, const ElementCall& call) {
  switch (call.kernel) {
#define TH_SCALAR(name, lua, types, cost, doc) \
  case ElementKernel::name:                    \
    TH_ROW_##types(name, 1);                   \
    return true;
#include "THOps.def"
    case ElementKernel::tpow:
      TH_ROW_ALL(tpow, 1);
      return true;
    case ElementKernel::clamp:
      TH_ROW_ALL(clamp, 1);
      return true;
    default:
      return false;
  }
}
