#ifndef TH_MEMORY_REGIONS_H
#define TH_MEMORY_REGIONS_H

// Memory that the system maps at the start of large pages. Large pages have a five-hundredth of the
// page faults and address translations. A region is one large page with blocks of one size.

#include <cstddef>
#include <cstdint>

#include "base/visibility.h"

namespace th TH_VISIBLE {

constexpr size_t kLargePage = size_t{2} << 20;

// Maps zeroed memory. Returns nullptr if memory runs out. munmap(block, bytes) returns it.
void* map_large_pages(size_t bytes) noexcept;

// Returns a block of a region, or nullptr if memory runs out. size_class: a number below
// kRegionClasses that belongs to this number of bytes, a multiple of 64.
constexpr int kRegionClasses = 80;
void* region_take(int size_class, size_t bytes) noexcept;
// Returns a block to its region. Returns false if it is not a block of a region. A region without
// used blocks is unmapped.
bool region_give(void* block) noexcept;
// Returns the number of bytes in regions.
int64_t region_bytes() noexcept;

}  // namespace TH_VISIBLE

#endif
