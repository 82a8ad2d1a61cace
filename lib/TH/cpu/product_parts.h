#ifndef TH_CPU_PRODUCT_PARTS_H
#define TH_CPU_PRODUCT_PARTS_H

// The sizes of the parts that products are divided into.

#include <algorithm>
#include <cstdint>

#include "tensor/checked.h"

namespace th {

// Divides size into equal parts of about limit elements, rounded up to whole registers.
inline int64_t part_of(int64_t size, int64_t limit) {
  int64_t even = ceil_div(size, ceil_div(size, limit));
  return std::min(size, ceil_div(even, 16) * 16);
}

// Minimum number of matrix elements per thread if the matrix is read once.
constexpr int64_t kElementsPerThread = 1 << 18;
// Number of tasks if sums are divided.
constexpr int64_t kTasks = 8;

}  // namespace th

#endif
