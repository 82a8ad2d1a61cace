#ifndef TH_MEMORY_FOOTPRINT_H
#define TH_MEMORY_FOOTPRINT_H

// How much of the process's memory small blocks take, beyond what heap_usage() counts.

#include <cstddef>

#include "base/visibility.h"

namespace th TH_VISIBLE {

// Bytes of a block of recycle_allocate(bytes), for at most kSmallBlock bytes.
size_t recycled_footprint(size_t bytes) noexcept;
// Bytes that a small block of heap_allocate() takes at most beyond those requested.
size_t heap_overhead() noexcept;

}  // namespace TH_VISIBLE

#endif
