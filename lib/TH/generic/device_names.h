#ifndef TH_GENERIC_DEVICE_NAMES_H
#define TH_GENERIC_DEVICE_NAMES_H

// Devices as C programs name them.

#include "backend/device_list.h"
#include "generic/guard.h"

namespace th {

// Null for "cpu". argument: which of the C function's the name is.
inline Device* device_named(const char* name, int argument) {
  if (!name) fail_argument(argument, "the name of a device is expected, got NULL");
  return find_device(name);
}

inline const char* name_of(const Device* device) { return device ? device->name() : "cpu"; }

}  // namespace th

#endif
