#include "simt/kernels/element_kernel.h"

bool th::run_ternary(Queue& queue, const ElementCall& call) {
  switch (call.kernel) {
#define TH_TERNARY(name, types, cost, doc) \
  case ElementKernel::name:                \
    TH_ROW_##types(name, 3);               \
    return true;
#include "THOps.def"
    default:
      return false;
  }
}
