#include "simt/kernels/element_kernel.h"

// Operations with a number and operations with two tensors share kernels, so they are compiled
// together.
#define TH_UNARY(...)
#define TH_SCALED(...)
#define TH_TERNARY(...)
#define TH_COMPARE(...)
bool th::run_binary(Queue& queue, const ElementCall& call) {
  switch (call.op) {
#include "THOps.def"
    default:
      return false;
  }
}
