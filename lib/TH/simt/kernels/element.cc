#include "simt/kernels/element_kernel.h"

namespace th {

void run_element(Queue& queue, const ElementCall& call) {
  if (call.plan.numel == 0) return;
  run_unary(queue, call) || run_binary(queue, call) || run_scaled(queue, call) ||
      run_compare(queue, call);
}

}  // namespace th
