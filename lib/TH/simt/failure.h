#ifndef TH_SIMT_FAILURE_H
#define TH_SIMT_FAILURE_H

#include "backend/table.h"

namespace th {

// Thrown on the device's side of the table; becomes a DeviceStatus at its border.
struct DeviceFailure {
  DeviceStatus status;
  char text[256];
};

// Throws a DeviceFailure.
[[noreturn]] void fail(DeviceStatus status, const char* format, ...)
    __attribute__((format(printf, 2, 3)));
// For a call that is not for devices; before anything is queued.
[[noreturn]] inline void decline(const char* why) { fail(kDeviceDeclined, "%s", why); }

}  // namespace th

#endif
