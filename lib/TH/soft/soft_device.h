#ifndef TH_SOFT_SOFT_DEVICE_H
#define TH_SOFT_SOFT_DEVICE_H

// The software device: memory of its own, and kernels that run on the CPU. What it may do, and a
// program must not rely on, is chosen here, or in the environment when its first device is opened.
// The order of threads, TENSOR_SOFT_THREADS=ascending|descending, is the shim's.

#include <cstdint>

#include "backend/table.h"
#include "simt/shim/thread_order.h"

namespace th {

// Eager: queued work has run when the call returns. Lazy: it runs when somebody waits for it, the
// latest that a device may. TENSOR_SOFT_MODE=eager|lazy.
enum class SoftMode { eager, lazy };
SoftMode soft_mode();
void set_soft_mode(SoftMode mode);

// How much memory each device has; 0: as much as the machine. TENSOR_SOFT_MEMORY=bytes.
int64_t soft_memory();
void set_soft_memory(int64_t bytes);

// What is wrong with the environment's choices; empty: nothing.
const char* soft_settings_error();

// As many devices as TENSOR_DEVICE=soft:n says, or one.
const DeviceTable* soft_device_table();

}  // namespace th

#endif
