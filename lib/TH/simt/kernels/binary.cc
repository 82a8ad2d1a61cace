#include "simt/kernels/element_kernel.h"

bool th::run_binary(Queue& queue, const ElementCall& call) {
  switch (call.op) {
#include "THOps/binary.def"
    default:
      return false;
  }
}
