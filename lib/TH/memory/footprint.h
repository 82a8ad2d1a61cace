#ifndef TH_MEMORY_FOOTPRINT_H
#define TH_MEMORY_FOOTPRINT_H

// Memory that small blocks need in addition to the bytes that heap_usage() counts.

#include <cstddef>

#include "base/visibility.h"

namespace th TH_VISIBLE {

// Returns the size of a block of recycle_allocate(bytes), for at most kSmallBlock bytes.
size_t recycled_footprint(size_t bytes) noexcept;
// Returns the largest overhead of a small block of heap_allocate(), in bytes.
size_t heap_overhead() noexcept;

}  // namespace TH_VISIBLE

#endif
