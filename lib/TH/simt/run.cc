#include "backend/fourier_call.h"
#include "backend/linalg_call.h"
#include "simt/queue.h"

namespace th {

namespace {

// Layouts that no kernel supports: more dimensions than the kernel parameters hold, and results
// whose elements share memory, because kernels write in no particular order.
template <int most>
void check_layout(const LoopPlanOf<most>& plan) {
  if (plan.ndim > kDeviceDims) fail_unsupported("more dimensions than kernels support");
  if (plan.shared_output) fail_unsupported("elements of the result share memory");
}
template <class Call>
auto check_layout(const Call& call, int) -> decltype(call.plan, void()) {
  check_layout(call.plan);
}
template <class Call>
void check_layout(const Call&, long) {}

}  // namespace

void run_device_op(Queue& queue, int op, const void* arguments) {
  switch (static_cast<BackendOp>(op)) {
#define TH_BACKEND_OP(name, Struct)                      \
  case BackendOp::name: {                                \
    auto& call = *static_cast<const Struct*>(arguments); \
    check_layout(call, 0);                               \
    return run_##name(queue, call);                      \
  }
    TH_BACKEND_OPS(TH_BACKEND_OP)
#undef TH_BACKEND_OP
  }
}

}  // namespace th
