#include "simt/kernels/element_kernel.h"

bool th::run_unary(Queue& queue, const ElementCall& call) {
  switch (call.op) {
#include "THOps/unary.def"
    default:
      return false;
  }
}
