#include "simt/kernels/element_kernel.h"

bool th::run_unary(Queue& queue, const ElementCall& call) {
  switch (call.kernel) {
#define TH_UNARY(name, types, cost, doc) \
  case ElementKernel::name:              \
    TH_ROW_##types(name, 1);             \
    return true;
#include "THOps.def"
    default:
      return false;
  }
}
