#include "simt/queue.h"

namespace th {

void run_device_op(Queue& queue, int op, const void* call) {
  switch (static_cast<DeviceOp>(op)) {
#define TH_DEVICE_OP(name, Struct) \
  case DeviceOp::name:             \
    return run_##name(queue, *static_cast<const Struct*>(call));
    TH_DEVICE_OPS(TH_DEVICE_OP)
#undef TH_DEVICE_OP
  }
}

}  // namespace th
