#ifndef TH_SIMT_BLOCK_SCAN_H
#define TH_SIMT_BLOCK_SCAN_H

// Running combinations over the threads of a block, in an order of additions that depends on the
// number of threads alone.

#include "simt/simt.h"

namespace th {
namespace {

// What the threads before this one have, combined by the reducer R; *total: what all have. All
// threads of the block call it, whose number is a multiple of 32; room for 33 in shared memory may
// be reused after the call.
template <class R>
__device__ typename R::A scan_block(typename R::A own, typename R::A* total,
                                    typename R::A* shared) {
  using A = typename R::A;
  unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  A sum = own;
  for (unsigned d = 1; d < 32; d *= 2) {
    A before = __shfl_up_sync(0xffffffffu, sum, d);
    if (lane >= d) sum = R::combine(before, sum);
  }
  if (lane == 31) shared[warp] = sum;
  A previous = __shfl_up_sync(0xffffffffu, sum, 1);
  if (lane == 0) previous = R::init();
  __syncthreads();
  if (threadIdx.x == 0) {
    A running = R::init();
    for (unsigned w = 0; w < warps; ++w) {
      A next = R::combine(running, shared[w]);
      shared[w] = running;
      running = next;
    }
    shared[32] = running;
  }
  __syncthreads();
  A before = R::combine(shared[warp], previous);
  *total = shared[32];
  __syncthreads();
  return before;
}

}  // namespace
}  // namespace th

#endif
