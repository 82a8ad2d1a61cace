// A device plugin of another version.

#include "backend/table.h"

extern "C" __attribute__((visibility("default"))) const th::DeviceTable* th_device_table(void) {
  static const th::DeviceTable table = [] {
    th::DeviceTable t = {};
    t.abi = th::kDeviceAbi + 1;
    t.bytes = sizeof(th::DeviceTable);
    return t;
  }();
  return &table;
}
