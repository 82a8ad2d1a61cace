#include "simt/kernels/element_kernel.h"

bool th::run_scaled(Queue& queue, const ElementCall& call) {
  switch (call.op) {
#include "THOps/scaled.def"
    default:
      return false;
  }
}
