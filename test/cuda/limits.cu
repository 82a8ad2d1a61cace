// Kernels whose instructions are counted, for limits.txt. They may contain fused multiply-add.

#include "functors/functors.h"
#include "simt/kernels/reduction.h"

namespace th {
namespace {

template <class K, class T>
void* splits() {
  return reinterpret_cast<void*>(&reduce_splits<K, Source<T, Transform::none>>);
}

__global__ void log2_of_floats(const float* x, float* y, int64_t n) {
  for (int64_t k = threadIdx.x; k < n; k += blockDim.x) y[k] = functor::log2<float>(nullptr)(x[k]);
}

}  // namespace

struct Limited {
  void* log2 = reinterpret_cast<void*>(&log2_of_floats);
  void* reductions[7] = {
      splits<Value<Sum<float>>, float>(),      splits<Value<Sum<double>>, double>(),
      splits<Value<Sum<Half>>, Half>(),        splits<Value<Sum<BFloat16>>, BFloat16>(),
      splits<Value<Sum<int64_t>>, int64_t>(),  splits<Value<Max<float>>, float>(),
      splits<ArgExtreme<float, true>, float>()};
};
Limited limited() { return {}; }

}  // namespace th
