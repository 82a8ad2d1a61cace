// A device plugin of the same version, built with another op table.

#include "backend/table.h"

extern "C" __attribute__((visibility("default"))) const th::DeviceTable* th_device_table(void) {
  static const th::DeviceTable table = [] {
    th::DeviceTable t = {};
    t.abi = th::kDeviceAbi;
    t.bytes = sizeof(th::DeviceTable);
    t.ops = th::hash_of_ops() + 1;
    return t;
  }();
  return &table;
}
