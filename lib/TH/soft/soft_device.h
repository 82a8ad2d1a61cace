#ifndef TH_SOFT_SOFT_DEVICE_H
#define TH_SOFT_SOFT_DEVICE_H

// The software device: separate memory, and kernels that run on the CPU. Here, or in the
// environment before the first device is opened, its behaviour can be varied within what programs
// must accept from a device. TENSOR_SOFT_THREADS=ascending|descending sets the order of threads
// (see the shim).

#include <cstdint>

#include "backend/table.h"
#include "simt/shim/thread_order.h"

namespace th {

// Eager: queued work runs before the call returns. Lazy: it runs at the next synchronization, which
// is as late as a device may run it. TENSOR_SOFT_MODE=eager|lazy.
enum class SoftMode { eager, lazy };
SoftMode soft_mode();
void set_soft_mode(SoftMode mode);

// The memory of each device; 0: as much as the machine has. TENSOR_SOFT_MEMORY=bytes.
int64_t soft_memory();
void set_soft_memory(int64_t bytes);

// Returns the error in the environment variables; empty: none.
const char* soft_settings_error();

// The table of TENSOR_DEVICE=soft:n devices, or of one.
const DeviceTable* soft_device_table();

}  // namespace th

#endif
