#include "simt/kernels/element_kernel.h"

#define TH_UNARY(...)
#define TH_SCALAR(...)
#define TH_BINARY(...)
#define TH_SCALED(...)
#define TH_TERNARY(...)
#define TH_GENERAL(...)
bool th::run_compare(Queue& queue, const ElementCall& call) {
  switch (call.op) {
#include "THOps.def"
    default:
      return false;
  }
}
