#ifndef TH_SIMT_OFFSET_CALCULATOR_H
#define TH_SIMT_OFFSET_CALCULATOR_H

// Converts the number of an element in a LoopPlan to its offset in each operand.

#include <cstdint>
#include <type_traits>

#include "backend/loop_plan.h"
#include "simt/launch.h"

namespace th {

// Computes n / divisor.
template <class Index>
struct IntDivider;

// By a multiplication, for n and divisor below 2^31 (Granlund and Montgomery 1994).
template <>
struct IntDivider<uint32_t> {
  uint32_t divisor, factor, shift;

  IntDivider() = default;
  explicit IntDivider(int64_t d) : divisor(static_cast<uint32_t>(d)), shift(0) {
    while (shift < 32 && (uint64_t{1} << shift) < divisor) ++shift;
    factor = static_cast<uint32_t>(
        (uint64_t{1} << 32) * ((uint64_t{1} << shift) - divisor) / divisor + 1);
  }
  __device__ uint32_t quotient(uint32_t n) const {
    auto high = static_cast<uint32_t>((static_cast<uint64_t>(n) * factor) >> 32);
    return (high + n) >> shift;
  }
};

// For all 64-bit numbers; fast for numbers below 2^31.
template <>
struct IntDivider<uint64_t> {
  uint64_t divisor;
  IntDivider<uint32_t> small;

  IntDivider() = default;
  // A divisor above INT32_MAX is replaced by 2^31, for which the quotient of a small n is 0, too.
  explicit IntDivider(int64_t d)
      : divisor(static_cast<uint64_t>(d)), small(d > INT32_MAX ? int64_t{1} << 31 : d) {}
  __device__ uint64_t quotient(uint64_t n) const {
    return n > INT32_MAX ? n / divisor : small.quotient(static_cast<uint32_t>(n));
  }
};

// For plans of up to kDeviceDims dimensions, which run_device_op() guarantees. Index uint32_t is
// for plans for which fits_32_bits() is true.
template <int operands, class Index = uint32_t>
struct OffsetCalculator {
  using Offset = std::conditional_t<sizeof(Index) == 4, uint32_t, int64_t>;

  int ndim;
  IntDivider<Index> size[kDeviceDims];
  Offset stride[operands][kDeviceDims];

  OffsetCalculator() = default;
  explicit OffsetCalculator(const LoopPlan& plan) : ndim(plan.ndim) {
    for (int d = 0; d < ndim; ++d) {
      size[d] = IntDivider<Index>(plan.size[d]);
      for (int k = 0; k < operands; ++k) {
        stride[k][d] = k < plan.operands ? static_cast<Offset>(plan.stride[k][d]) : 0;
      }
    }
  }

  // Computes the byte offset of element i in each operand.
  __device__ void get(Index i, Offset* offset) const {
    for (int k = 0; k < operands; ++k) offset[k] = 0;
    for (int d = 0; d < ndim; ++d) {
      Index next = d + 1 < ndim ? size[d].quotient(i) : 0;
      auto index = static_cast<Offset>(i - next * size[d].divisor);
      for (int k = 0; k < operands; ++k) offset[k] += index * stride[k][d];
      i = next;
    }
  }
};

// Pointers to the first elements of a plan's operands.
template <int operands>
struct Pointers {
  char* data[operands];
  explicit Pointers(const LoopPlan& plan) {
    for (int k = 0; k < operands; ++k) data[k] = plan.data[k];
  }
};

// Pointers and offsets: the addresses of the plan's elements.
template <int operands, class Index>
struct StridedOperands {
  Pointers<operands> first;
  OffsetCalculator<operands, Index> offsets;

  explicit StridedOperands(const LoopPlan& plan) : first(plan), offsets(plan) {}
  __device__ void get(Index i, char** at) const {
    typename OffsetCalculator<operands, Index>::Offset offset[operands];
    offsets.get(i, offset);
    for (int k = 0; k < operands; ++k) at[k] = first.data[k] + offset[k];
  }
};

namespace {

// Distance in bytes from operand k's first element to its last along dimension d.
template <int most>
int64_t span(const LoopPlanOf<most>& plan, int k, int d) {
  return (plan.size[d] - 1) * plan.stride[k][d];
}

// Returns true if the number of elements and all offsets are below 2^31, so that a grid stride can
// be added without overflow.
template <int most>
bool fits_32_bits(const LoopPlanOf<most>& plan) {
  int64_t reach = plan.numel;
  for (int k = 0; k < plan.operands; ++k) {
    int64_t bytes = 0;
    for (int d = 0; d < plan.ndim; ++d) bytes += span(plan, k, d);
    if (bytes > reach) reach = bytes;
  }
  return reach <= INT32_MAX;
}

// Calls f(uint32_t()) or f(uint64_t()), depending on the largest number `most`.
template <class F>
void dispatch_index(int64_t most, const F& f) {
  if (most <= INT32_MAX) {
    f(uint32_t());
  } else {
    f(uint64_t());
  }
}
// The same, taking the plan's elements and offsets into account.
template <class F>
void dispatch_index(const LoopPlan& plan, int64_t most, const F& f) {
  dispatch_index(fits_32_bits(plan) ? most : INT64_MAX, f);
}

// Calls f for parts of the plan that fit into 32 bits.
template <int most, class F>
void for_small_parts(const LoopPlanOf<most>& plan, const F& f) {
  if (fits_32_bits(plan)) {
    f(plan);
    return;
  }
  // Split the dimension with the largest span.
  int longest = 0;
  int64_t longest_span = -1;
  for (int d = 0; d < plan.ndim; ++d) {
    int64_t reach = plan.size[d];
    for (int k = 0; k < plan.operands; ++k) {
      if (span(plan, k, d) > reach) reach = span(plan, k, d);
    }
    if (plan.size[d] > 1 && reach > longest_span) {
      longest = d;
      longest_span = reach;
    }
  }
  // Rows stay aligned: see element_kernel.h.
  int64_t half = plan.size[longest] / 2;
  if (half > 64) half -= half % 64;
  int64_t rest = plan.numel / plan.size[longest];
  LoopPlanOf<most> part;
  part.copy(plan);
  part.size[longest] = half;
  part.numel = rest * half;
  for_small_parts(part, f);
  part.size[longest] = plan.size[longest] - half;
  part.numel = rest * part.size[longest];
  for (int k = 0; k < plan.operands; ++k) part.data[k] += half * plan.stride[k][longest];
  for_small_parts(part, f);
}

inline bool is_packed(const LoopPlan& plan, int operand, size_t item) {
  return plan.ndim == 0 ||
         (plan.ndim == 1 && plan.stride[operand][0] == static_cast<int64_t>(item));
}

inline bool is_aligned(const void* p, size_t to) {
  return reinterpret_cast<uintptr_t>(p) % to == 0;
}

}  // namespace
}  // namespace th

#endif
