#ifndef TH_SIMT_KERNELS_OFFSETS_H
#define TH_SIMT_KERNELS_OFFSETS_H

// From the number of an element in a Walk to its place in each operand, in 32-bit arithmetic.

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

  explicit Offsets(const Walk& walk) : ndim(walk.ndim) {
    for (int d = 0; d < ndim; ++d) {
      size[d] = Divider(static_cast<uint32_t>(walk.size[d]));
      for (int k = 0; k < operands; ++k) {
        stride[k][d] = static_cast<uint32_t>(walk.stride[k][d]);
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
  explicit Pointers(const Walk& walk) {
    for (int k = 0; k < operands; ++k) data[k] = walk.data[k];
  }
};

inline bool is_packed(const Walk& walk, int operand, size_t item) {
  return walk.ndim == 0 ||
         (walk.ndim == 1 && walk.stride[operand][0] == static_cast<int64_t>(item));
}

inline bool is_aligned(const void* p, size_t to) {
  return reinterpret_cast<uintptr_t>(p) % to == 0;
}

// Calls f(Walk) for parts of the walk whose numbers and offsets fit into 32 bits.
template <class F>
void for_small_parts(const Walk& walk, const F& f) {
  constexpr int64_t limit = INT32_MAX;
  int64_t reach = walk.numel;
  for (int k = 0; k < walk.operands; ++k) {
    int64_t span = 0;
    for (int d = 0; d < walk.ndim; ++d) span += (walk.size[d] - 1) * walk.stride[k][d];
    if (span > reach) reach = span;
  }
  if (reach <= limit) {
    f(walk);
    return;
  }
  // The dimension that reaches furthest is cut in two.
  int longest = 0;
  int64_t longest_span = -1;
  for (int d = 0; d < walk.ndim; ++d) {
    int64_t span = walk.size[d];
    for (int k = 0; k < walk.operands; ++k) {
      int64_t s = (walk.size[d] - 1) * walk.stride[k][d];
      if (s > span) span = s;
    }
    if (walk.size[d] > 1 && span > longest_span) {
      longest = d;
      longest_span = span;
    }
  }
  int64_t half = walk.size[longest] / 2;
  int64_t rest = walk.numel / walk.size[longest];
  Walk part = walk;
  part.size[longest] = half;
  part.numel = rest * half;
  for_small_parts(part, f);
  part.size[longest] = walk.size[longest] - half;
  part.numel = rest * part.size[longest];
  for (int k = 0; k < walk.operands; ++k) part.data[k] += half * walk.stride[k][longest];
  for_small_parts(part, f);
}

inline int blocks_for(const Queue& queue, int64_t threads) {
  int64_t blocks = (threads + kThreads - 1) / kThreads;
  return static_cast<int>(blocks < queue.most_blocks() ? blocks : queue.most_blocks());
}

}  // namespace
}  // namespace th

#endif
