#ifndef TH_SIMT_BLOCK_SCAN_H
#define TH_SIMT_BLOCK_SCAN_H

#include <type_traits>

#include "simt/simt.h"

namespace th {
namespace {

// The value of the lane `by` places before. Other types have a function of this name.
template <class A>
__device__ auto shuffle_up(A a, unsigned by) -> std::enable_if_t<std::is_arithmetic_v<A>, A> {
  if constexpr (sizeof(A) < 4) {
    return static_cast<A>(__shfl_up_sync(0xffffffffu, static_cast<int>(a), by));
  } else {
    return __shfl_up_sync(0xffffffffu, a, by);
  }
}

// Returns the values of all preceding threads of the block, combined by the reducer R. *total: the
// combination of all threads. The order of operations depends only on the number of threads. All
// threads of the block must call it; their number must be a multiple of 32.
template <class R>
__device__ typename R::A block_exclusive_scan(typename R::A own, typename R::A* total) {
  using A = typename R::A;
  __shared__ A of_warps[33];
  unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  A sum = own;
  for (unsigned d = 1; d < 32; d *= 2) {
    A before = shuffle_up(sum, d);
    if (lane >= d) sum = R::combine(before, sum);
  }
  if (lane == 31) of_warps[warp] = sum;
  A previous = shuffle_up(sum, 1);
  if (lane == 0) previous = R::init();
  __syncthreads();
  if (threadIdx.x == 0) {
    A running = R::init();
    for (unsigned w = 0; w < warps; ++w) {
      A next = R::combine(running, of_warps[w]);
      of_warps[w] = running;
      running = next;
    }
    of_warps[32] = running;
  }
  __syncthreads();
  A before = R::combine(of_warps[warp], previous);
  *total = of_warps[32];
  // A later call may write the shared array.
  __syncthreads();
  return before;
}

}  // namespace
}  // namespace th

#endif
