#ifndef TH_GENERIC_DEVICE_NAMES_H
#define TH_GENERIC_DEVICE_NAMES_H

// Device names in the C interface.

#include "backend/device_list.h"
#include "generic/guard.h"

namespace th {

// Returns null for "cpu". argument: position of the name among the C function's arguments.
inline Device* device_named(const char* name, int argument) {
  if (!name) fail_argument(argument, "the name of a device is expected, got NULL");
  return find_device(name);
}

inline const char* name_of(const Device* device) { return device ? device->name() : "cpu"; }

}  // namespace th

#endif
