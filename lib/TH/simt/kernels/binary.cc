#include "simt/kernels/element_kernel.h"

// Rows of numbers and rows of tensors share their loops, so they are in one file.
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
