#ifndef TH_SIMT_BLOCK_SUM_H
#define TH_SIMT_BLOCK_SUM_H

#include "simt/simt.h"

namespace th {
namespace {

constexpr int kWarp = 32;

// The sum of `own` over the threads of the block before this one, and over all. All threads must
// call it; the number of threads is a multiple of a warp's.
template <class T>
__device__ inline T block_sum_before(T own, T* total) {
  __shared__ T of_warps[kWarp];
  int lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp;
  T sum = own;
  for (int distance = 1; distance < kWarp; distance *= 2) {
    T other = __shfl_up_sync(0xffffffffu, sum, distance);
    if (lane >= distance) sum += other;
  }
  if (lane == kWarp - 1) of_warps[warp] = sum;
  __syncthreads();
  T before = 0, all = 0;
  for (int w = 0; w < static_cast<int>(blockDim.x) / kWarp; ++w) {
    if (w == warp) before = all;
    all += of_warps[w];
  }
  // Another call may write of_warps again.
  __syncthreads();
  *total = all;
  return before + sum - own;
}

}  // namespace
}  // namespace th

#endif
