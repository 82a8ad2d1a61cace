#ifndef TH_SIMT_KERNELS_OFFSETS_H
#define TH_SIMT_KERNELS_OFFSETS_H

// From the number of an element in a LoopPlan to its place in each operand, in 32-bit arithmetic.

#include "simt/simt.h"

namespace th {

// n / divisor as a multiplication, for n and divisor below 2^31 (Granlund and Montgomery 1994).
struct Divider {
  uint32_t divisor, factor, shift;

  Divider() = default;
  explicit Divider(uint32_t d) : divisor(d), shift(0) {
    while (shift < 32 && (uint64_t{1} << shift) < d) ++shift;
    factor = static_cast<uint32_t>((uint64_t{1} << 32) * ((uint64_t{1} << shift) - d) / d + 1);
  }
  __device__ uint32_t quotient(uint32_t n) const {
    auto high = static_cast<uint32_t>((static_cast<uint64_t>(n) * factor) >> 32);
    return (high + n) >> shift;
  }
};

namespace {

constexpr int kThreads = 256;

template <int operands>
struct Offsets {
  int ndim;
  Divider size[kDeviceDims];
  uint32_t stride[operands][kDeviceDims];

  explicit Offsets(const LoopPlan& plan) : ndim(plan.ndim) {
    for (int d = 0; d < ndim; ++d) {
      size[d] = Divider(static_cast<uint32_t>(plan.size[d]));
      for (int k = 0; k < operands; ++k) {
        stride[k][d] = static_cast<uint32_t>(plan.stride[k][d]);
      }
    }
  }

  __device__ void get(uint32_t i, uint32_t* offset) const {
    for (int k = 0; k < operands; ++k) offset[k] = 0;
    for (int d = 0; d < ndim; ++d) {
      uint32_t next = d + 1 < ndim ? size[d].quotient(i) : 0;
      uint32_t index = i - next * size[d].divisor;
      for (int k = 0; k < operands; ++k) offset[k] += index * stride[k][d];
      i = next;
    }
  }
};

template <int operands>
struct Pointers {
  char* data[operands];
  explicit Pointers(const LoopPlan& plan) {
    for (int k = 0; k < operands; ++k) data[k] = plan.data[k];
  }
};

inline bool is_packed(const LoopPlan& plan, int operand, size_t item) {
  return plan.ndim == 0 ||
         (plan.ndim == 1 && plan.stride[operand][0] == static_cast<int64_t>(item));
}

inline bool is_aligned(const void* p, size_t to) {
  return reinterpret_cast<uintptr_t>(p) % to == 0;
}

// Calls f(LoopPlan) for parts of the plan whose numbers and offsets fit into 32 bits.
template <class F>
void for_small_parts(const LoopPlan& plan, const F& f) {
  constexpr int64_t limit = INT32_MAX;
  int64_t reach = plan.numel;
  for (int k = 0; k < plan.operands; ++k) {
    int64_t span = 0;
    for (int d = 0; d < plan.ndim; ++d) span += (plan.size[d] - 1) * plan.stride[k][d];
    if (span > reach) reach = span;
  }
  if (reach <= limit) {
    f(plan);
    return;
  }
  // The dimension that reaches furthest is cut in two.
  int longest = 0;
  int64_t longest_span = -1;
  for (int d = 0; d < plan.ndim; ++d) {
    int64_t span = plan.size[d];
    for (int k = 0; k < plan.operands; ++k) {
      int64_t s = (plan.size[d] - 1) * plan.stride[k][d];
      if (s > span) span = s;
    }
    if (plan.size[d] > 1 && span > longest_span) {
      longest = d;
      longest_span = span;
    }
  }
  int64_t half = plan.size[longest] / 2;
  int64_t rest = plan.numel / plan.size[longest];
  LoopPlan part = plan;
  part.size[longest] = half;
  part.numel = rest * half;
  for_small_parts(part, f);
  part.size[longest] = plan.size[longest] - half;
  part.numel = rest * part.size[longest];
  for (int k = 0; k < plan.operands; ++k) part.data[k] += half * plan.stride[k][longest];
  for_small_parts(part, f);
}

inline int blocks_for(const Queue& queue, int64_t threads) {
  int64_t blocks = (threads + kThreads - 1) / kThreads;
  return static_cast<int>(blocks < queue.most_blocks() ? blocks : queue.most_blocks());
}

}  // namespace
}  // namespace th

#endif
