#ifndef TH_SIMT_FAILURE_H
#define TH_SIMT_FAILURE_H

#include "backend/table.h"

namespace th {

// The exception on the device's side of the function table. It is converted to a DeviceStatus at
// the boundary.
struct DeviceFailure {
  DeviceStatus status;
  char text[256];
};

[[noreturn]] void fail(DeviceStatus status, const char* format, ...)
    __attribute__((format(printf, 2, 3)));
// For calls that are unsupported on the device. Must be called before an operand changes.
[[noreturn]] inline void fail_unsupported(const char* why) { fail(kDeviceUnsupported, "%s", why); }

}  // namespace th

#endif
