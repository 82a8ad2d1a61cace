#ifndef TH_TENSOR_CHECKED_H
#define TH_TENSOR_CHECKED_H

// Overflow-checked arithmetic on sizes, strides and offsets, which come from the user. Results are
// limited to kMostElements, so that sums of a few of them, also in bytes, fit into ptrdiff_t.

#include <cstddef>
#include <cstdint>

#include "base/error.h"

namespace th {

// Far more than a process can address.
constexpr int64_t kMostElements = PTRDIFF_MAX / 16;

// Compute a + b and a * b for non-negative a and b. Return false if the result is too large.
inline bool add_fits(int64_t a, int64_t b, int64_t* sum) {
  return !__builtin_add_overflow(a, b, sum) && *sum <= kMostElements;
}
inline bool mul_fits(int64_t a, int64_t b, int64_t* product) {
  return !__builtin_mul_overflow(a, b, product) && *product <= kMostElements;
}

// The same, but fail with an error that names `what`.
inline int64_t checked_add(int64_t a, int64_t b, const char* what) {
  int64_t sum;
  if (!add_fits(a, b, &sum)) {
    fail("%s is too large: %lld + %lld", what, as_long(a), as_long(b));
  }
  return sum;
}
inline int64_t checked_mul(int64_t a, int64_t b, const char* what) {
  int64_t product;
  if (!mul_fits(a, b, &product)) {
    fail("%s is too large: %lld x %lld", what, as_long(a), as_long(b));
  }
  return product;
}

// n / d, rounded up, for positive d.
inline int64_t ceil_div(int64_t n, int64_t d) { return n / d + (n % d > 0); }

}  // namespace th

#endif
