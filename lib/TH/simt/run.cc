#include "simt/queue.h"

namespace th {

namespace {

// Layouts that no kernel supports: more dimensions than the kernel parameters hold, and results
// whose elements share memory, because kernels write in no particular order.
template <int most>
void decline_layout(const LoopPlanOf<most>& plan) {
  if (plan.ndim > kDeviceDims) decline("more dimensions than kernels support");
  if (plan.shared_output) decline("elements of the result share memory");
}
template <class Call>
auto check_layout(const Call& call, int) -> decltype(call.plan, void()) {
  decline_layout(call.plan);
}
template <class Call>
void check_layout(const Call&, long) {}

}  // namespace

void run_device_op(Queue& queue, int op, const void* given) {
  switch (static_cast<BackendOp>(op)) {
#define TH_BACKEND_OP(name, Struct)                  \
  case BackendOp::name: {                            \
    auto& call = *static_cast<const Struct*>(given); \
    check_layout(call, 0);                           \
    return run_##name(queue, call);                  \
  }
    TH_BACKEND_OPS(TH_BACKEND_OP)
#undef TH_BACKEND_OP
  }
}

}  // namespace th
