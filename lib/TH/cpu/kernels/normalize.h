#ifndef TH_CPU_KERNELS_NORMALIZE_H
#define TH_CPU_KERNELS_NORMALIZE_H

// Helpers of normalizations and their gradients. Sums of up to kSumBlock elements are computed in
// the compute type, sums of these in double.
//
// Loops use local copies of members, which for the compiler may alias the elements that they write.

#include <cmath>

#include "backend/cpu_backend.h"
#include "cpu/kernels/element_loop.h"
#include "cpu/parallel.h"
#include "tensor/type_sets.h"

namespace th {
namespace {

constexpr int64_t kSumBlock = 512;
// Groups of batches with shorter runs are processed side by side: kColumns elements of a line.
constexpr int64_t kShortRun = 16;
constexpr int64_t kColumns = 128;
constexpr int64_t kLineBlock = 32;  // lines of which the sums are computed in the compute type

inline int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
inline int64_t grain_of(int64_t count) { return count < 8192 ? 8192 / (count + 1) + 1 : 1; }

template <class T>
using ComputeOf = typename Numeric<T>::Compute;

// Groups with a larger variance are computed in double: their squares may overflow in float, or
// those of its reciprocal underflow.
constexpr double kLargestVariance = 1e20;
inline bool needs_double(double variance) { return !(variance < kLargestVariance); }
// Returns true if a group of those from `first` on does.
inline bool any_needs_double(const double* variance, int64_t first, int64_t groups) {
  bool any = false;
  for (int64_t g = 0; g < groups; ++g) any |= needs_double(variance[first + g]);
  return any;
}

}  // namespace
}  // namespace th

#endif
