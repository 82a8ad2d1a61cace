// Reductions of integer elements.

#include "simt/kernels/reduction.h"

namespace th {

template <class T>
void reduce_elements(Queue& queue, Reducer reducer, bool index, const ReducePlan& plan) {
  using S = Source<T, Transform::none>;
  switch (reducer) {
    case Reducer::sum:
      return run_reduction<Value<Sum<T>>, S>(queue, plan);
    case Reducer::prod:
      return run_reduction<Value<Prod<T>>, S>(queue, plan);
    case Reducer::min:
      return index ? run_reduction<ArgExtreme<T, false>, S>(queue, plan)
                   : run_reduction<Value<Min<T>>, S>(queue, plan);
    case Reducer::max:
      return index ? run_reduction<ArgExtreme<T, true>, S>(queue, plan)
                   : run_reduction<Value<Max<T>>, S>(queue, plan);
    default:
      return;  // floating-point types only
  }
}

template void reduce_elements<uint8_t>(Queue&, Reducer, bool, const ReducePlan&);
template void reduce_elements<int8_t>(Queue&, Reducer, bool, const ReducePlan&);
template void reduce_elements<int16_t>(Queue&, Reducer, bool, const ReducePlan&);
template void reduce_elements<int32_t>(Queue&, Reducer, bool, const ReducePlan&);
template void reduce_elements<int64_t>(Queue&, Reducer, bool, const ReducePlan&);

}  // namespace th
