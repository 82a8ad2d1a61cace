#include "ops/product.h"

#include <algorithm>
#include <atomic>
#include <climits>

namespace th {

bool has_blas_layout(Factor* factor, int64_t rows, int64_t cols) {
  int64_t row = factor->row, col = factor->col;
  if ((col == 1 || cols == 1) && (rows == 1 || row >= cols)) {
    if (rows == 1) row = std::max<int64_t>(1, cols);
    if (row <= INT_MAX && row >= 1) {
      factor->row = row;
      factor->col = 1;
      return true;
    }
  }
  if ((row == 1 || rows == 1) && (cols == 1 || col >= rows)) {
    if (cols == 1) col = std::max<int64_t>(1, rows);
    // If both strides are 1, the case above applies, unless its leading dimension was invalid.
    if (col <= INT_MAX && col > 1) {
      factor->row = 1;
      factor->col = col;
      return true;
    }
  }
  return false;
}

namespace {
std::atomic<bool> tf32_allowed{false};
}

bool allows_tf32() noexcept { return tf32_allowed.load(std::memory_order_relaxed); }
void allow_tf32(bool allow) noexcept { tf32_allowed.store(allow, std::memory_order_relaxed); }

}  // namespace th
