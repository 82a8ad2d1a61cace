#include "simt/kernels/element_kernel.h"

bool th::run_compare(Queue& queue, const ElementCall& call) {
  switch (call.op) {
#include "THOps/compare.def"
    default:
      return false;
  }
}
