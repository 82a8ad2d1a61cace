// The distances of all pairs of rows.

#include "functors/distances.h"
#include "simt/launch.h"
#include "tensor/type_sets.h"

namespace th {
namespace {

// A thread for each pair.
template <class T, class Norm>
__global__ void find_distances(DistancesCall call, Norm norm) {
  const int64_t n = call.batches * call.rows * call.columns;
  const int64_t step = int64_t(gridDim.x) * blockDim.x;
  for (int64_t e = blockIdx.x * int64_t(blockDim.x) + threadIdx.x; e < n; e += step) {
    const int64_t row = e / call.columns, column = e - row * call.columns;
    const int64_t of_b = row / call.rows * call.columns + column;
    const T* x = reinterpret_cast<const T*>(call.a) + row * call.length;
    const T* y = reinterpret_cast<const T*>(call.b) + of_b * call.length;
    double total = 0;
    for (int64_t k = 0; k < call.length;) {
      T part = 0;
      const int64_t left = call.length - k;
      const int64_t end = k + (left < kJoinedDifferences ? left : kJoinedDifferences);
      for (; k < end; ++k) part = norm.accumulate(part, x[k] - y[k]);
      total = norm.joined(total, static_cast<double>(part));
    }
    reinterpret_cast<T*>(call.r)[e] = is_ordinary<T>(norm, total, call.length)
                                          ? static_cast<T>(norm.root(total))
                                          : scaled_distance(norm, x, y, 1, call.length);
  }
}

}  // namespace

void run_distances(Queue& queue, const DistancesCall& call) {
  const int64_t n = call.batches * call.rows * call.columns;
  dispatch_types<BlasTypes>(call.dtype, [&](auto zero) {
    with_norm(call.p, call.squared, [&](auto norm) {
      TH_LAUNCH(queue, (find_distances<decltype(zero), decltype(norm)>), blocks_for(queue, n),
                kThreads, 0, call, norm);
    });
  });
}

}  // namespace th
